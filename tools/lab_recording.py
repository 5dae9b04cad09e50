"""Record a session of the lab, which plays where no engine can run (`make lab-recording`).

θ is stored in steps of 0.04 and one byte; the page computes the weights from it. The file is a row
of messages as a WebSocket would carry them, each after its length, compressed by gzip.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np

import synsamp.lab
from synsamp.lab.messages import encode
from synsamp.lab.scenes import SCENES
from synsamp.lab.session import FrameView, Session

FILE = Path(synsamp.lab.__file__).parent / "static" / "recorded" / "digits.bin.gz"
FRAMES, EVERY_S, LESION_AT = 40, 75.0, 22
"""Frames, biological time between two of them, and the frame at which the lesion is made."""
STEP = 0.04
SPIKES_S = 2.0
"""Spikes of the last two seconds are kept: what the raster shows."""


def main() -> None:
    """Write the recorded run of the scene Digits."""
    scene = SCENES["digits"]()
    session = Session(scene, seed=1)
    ticks = round(EVERY_S / scene.tick_s)
    ready = {
        "type": "ready",
        "scene": scene.describe(),
        "seed": session.seed,
        "settings": session.settings,
        "tick": 0,
    }
    messages: list[dict[str, Any]] = [ready]
    for frame in range(FRAMES):
        if frame == LESION_AT:
            tuned = session.look(FrameView()).arrays["tuning"].argmax(axis=1)
            members = np.flatnonzero(tuned == 1).tolist()
            lesion = {"what": "neurons", "population": None, "members": members}
            session.act({"kind": "lesion", **lesion})
        session.advance(ticks)
        messages += [event for event in session.events if event["type"] == "probe"]
        session.events = []
        messages.append(_frame(session))
    FILE.parent.mkdir(exist_ok=True)
    packed = [encode(message) for message in messages]
    rows = [len(one).to_bytes(8, "little") + one + bytes(-len(one) % 8) for one in packed]
    FILE.write_bytes(gzip.compress(b"".join(rows), 9, mtime=0))
    print(f"{FILE.name}: {FILE.stat().st_size / 1e3:.0f} KB, {session.time_s:.0f} s")


def _frame(session: Session) -> dict[str, Any]:
    """A frame at full speed, as small as possible."""
    look = session.look(FrameView())
    arrays = {}
    for name, values in look.arrays.items():
        part = name.removeprefix("twin.")
        if part.startswith("theta."):
            steps = np.where(np.isnan(values), -128, np.clip(np.round(values / STEP), -127, 127))
            arrays[name] = steps.astype(np.int8)
        elif part in ("spike_time", "spike_neuron"):
            late = look.arrays[name.replace(part, "spike_time")] > session.time_s - SPIKES_S
            arrays[name] = values[late]
        elif not part.startswith("weights."):
            arrays[name] = values
    look.values.pop("n_spikes", None)
    return {"type": "frame", "theta_step": STEP, **look.values, "arrays": arrays}


if __name__ == "__main__":
    main()
