"""Numbers of one seed: what was earned at the start and at the end, and by which connections."""

from __future__ import annotations

import numpy as np

from synsamp.beyond.reward_patterns.parameters import PatternParameters
from synsamp.beyond.reward_patterns.protocol import ARMS
from synsamp.beyond.shared.reward_network import Floats, learning_synapses
from synsamp.experiments.base import Results

FIFTH = 0.2
"""The start and the end of a run are its first and its last fifth."""


def level(p: PatternParameters, results: Results, arm: str, what: str, end: bool) -> float:
    """Reward (earned) or share of time (led) while patterns are shown, at the start or the end."""
    course = results[f"{arm}/course"]
    rows = round(FIFTH * p.learning_s / p.look_s)
    first, last = (-1 - rows, -1) if end else (0, rows)
    passed = course[what].values[last] - course[what].values[first]
    return float(passed / (course.judged.values[last] - course.judged.values[first]))


def weights(p: PatternParameters, results: Results, arm: str) -> Floats:
    """ŵ[neuron, input] at the end."""
    mapping = learning_synapses(p.rule).mapping
    theta = results[f"{arm}/theta"].theta.values[-1].astype(float)
    return np.asarray(np.maximum(mapping.weight(theta) - mapping.weight(0.0), 0.0))


def preference(p: PatternParameters, results: Results, arm: str) -> Floats:
    """Of each input: how much more it excites the first population than the second."""
    found = weights(p, results, arm)
    return np.asarray(found[: p.population].sum(axis=0) - found[p.population :].sum(axis=0))


def selectivity(p: PatternParameters, results: Results, arm: str) -> float:
    """Correlation over inputs of that preference with the pattern they belong to."""
    first, second = results["patterns"].rate.values
    chosen = preference(p, results, arm)
    return float(np.corrcoef(first - second, chosen)[0, 1]) if chosen.any() else 0.0


def measures(p: PatternParameters, results: Results) -> dict[str, float]:
    """Of the network that is rewarded, and of the one that gets reward at random."""
    found: dict[str, float] = {}
    for arm, at_random in ARMS.items():
        under = "_random" if at_random else ""
        for name, what in (("reward", "earned"), ("leads", "led")):
            start, end = (level(p, results, arm, what, end) for end in (False, True))
            found |= {f"{name}_start{under}": start, f"{name}_end{under}": end}
        found[f"rise{under}"] = found[f"reward_end{under}"] - found[f"reward_start{under}"]
        found[f"selectivity{under}"] = selectivity(p, results, arm)
    return found
