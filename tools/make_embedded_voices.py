"""Make the embedded voices: ten takes each of "one" and "two" by three speakers of FSDD.

    python -m tools.make_embedded_voices FOLDER_OF_WAV_FILES

The takes are the first ten, by number, that last 320 to 520 ms, as the words in the paper did.
Samples are not changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from synsamp.data.sources import FSDD_ARCHIVE
from synsamp.data.speech import EMBEDDED_VOICES_FILE, Utterance, WavFolder

TARGET = Path(__file__).parent.parent / "src/synsamp/data/embedded" / EMBEDDED_VOICES_FILE
DIGITS, SPEAKERS, TAKES = (1, 2), ("jackson", "george", "lucas"), 10
SHORTEST_S, LONGEST_S = 0.32, 0.52


def chosen(folder: Path) -> list[Utterance]:
    """Return the takes, ordered by digit, speaker and number."""
    found = WavFolder(folder).load(DIGITS, SPEAKERS)
    kept: list[Utterance] = []
    for digit in DIGITS:
        for speaker in sorted(SPEAKERS):
            fitting = [
                take
                for take in found
                if (take.digit, take.speaker) == (digit, speaker)
                and SHORTEST_S <= take.duration_s <= LONGEST_S
            ]
            kept += fitting[:TAKES]
    return kept


def main(folder: Path) -> None:
    """Write one file."""
    takes = chosen(folder)
    np.savez_compressed(
        TARGET,
        samples=np.concatenate([np.round(take.waveform * 32768).astype("<i2") for take in takes]),
        ends=np.cumsum([len(take.waveform) for take in takes]),
        digits=np.array([take.digit for take in takes]),
        takes=np.array([int(take.utterance) for take in takes]),
        speaker=np.array([take.speaker for take in takes]),
        rate_hz=np.array(takes[0].rate_hz),
        source=np.array(FSDD_ARCHIVE.title),
        attribution=np.array(FSDD_ARCHIVE.attribution),
        licence=np.array(FSDD_ARCHIVE.licence),
    )
    print(f"{TARGET.name}: {len(takes)} takes, {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
