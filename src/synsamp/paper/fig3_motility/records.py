"""Where the records of a run stand: the learning circuit and the free synapses, watched alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.experiments.base import Results
from synsamp.paper.fig3_motility.parameters import MotilityParameters
from synsamp.paper.fig3_motility.protocol import forgetting

SPEEDS = ("fast", "slow")
CONDITIONS = ("learning", "free")
"""The circuit, and its synapses under prior and noise alone."""
_PLACES = {
    ("learning", "fast"): "circuit",
    ("learning", "slow"): "circuit/slow",
    ("free", "fast"): "free",
    ("free", "slow"): "free/slow",
    ("free", "unchanged"): "free/unchanged",
}


def watched(
    p: MotilityParameters, results: Results, condition: str, speed: str, record: str
) -> NDArray[Any]:
    """A record [time, synapse] while it was watched: from having settled, as long in both."""
    dataset = results[f"{_PLACES[condition, speed]}/{record}"]
    watch = p.fast if speed == "fast" else p.slow
    start_s = forgetting(p) if condition == "free" else p.settle_s
    if (condition, speed) == ("learning", "slow"):
        start_s += p.slow_settle_s
    since_s = dataset.time.values - start_s
    slack_s = p.fast.sync_interval_s / 2
    inside = (since_s > -slack_s) & (since_s < watch.tracked_s + slack_s)
    values = dataset["active" if record == "active" else "theta"].values[inside]
    return values.reshape(int(np.sum(inside)), -1)


def settling(p: MotilityParameters, results: Results) -> NDArray[Any]:
    """Which synapses were active when the circuit began, as long as the slow one is watched in 1/b.

    The grid of both speeds is the same in units of 1/b.
    """
    active = results["circuit/active"].active.values[: p.slow.points + 1]
    return active.reshape(len(active), -1)
