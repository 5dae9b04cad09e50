"""Freeze what the package `lyon` 1.0.0 gives for a short word, for the tests of our own ear.

    pip install lyon==1.0.0      # a compiled library for Linux, not kept up
    python -m tools.make_lyon_reference

The package is a port of Slaney's Auditory Toolbox. Its first output channel is always zero (it is a
difference against a front filter that was set to zero), so ours starts at its second.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lyon.calc import LyonCalc

from synsamp.data.speech import load_speech

TARGET = Path(__file__).parent.parent / "tests/data/lyon_reference.npz"
RATE_HZ = 12_500
SAMPLES_PER_FRAME = 50


def main() -> None:
    """Run the package on 0.28 s of an embedded "two", with and without its decimation."""
    word = load_speech(digits=[2])[0].waveform[:3500]
    ear = LyonCalc()
    every_sample = ear.lyon_passive_ear(word, RATE_HZ, 1)
    frames = ear.lyon_passive_ear(word, RATE_HZ, SAMPLES_PER_FRAME)
    np.savez_compressed(
        TARGET,
        waveform=word,
        every_25th_sample=every_sample[::25, 1:].astype(np.float32),
        frames=frames[:, 1:].astype(np.float32),
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
