"""Measures of one seed: reward, who leads, and selectivity of connections.

Branches are ``rewarded`` and ``random`` (the same amount of reward, given at random).
"""

from __future__ import annotations

import numpy as np

from synsamp.beyond.reward_patterns.parameters import PatternParameters
from synsamp.beyond.shared.reward_network import Floats, learning_synapses
from synsamp.claims import Correlation, Share, measures_in
from synsamp.experiments.base import Results

FIFTH = 0.2
"""Start and end of a run are its first and last fifth."""


def level(p: PatternParameters, results: Results, branch: str, what: str, end: bool) -> float:
    """Reward (earned) or share of time (led) while patterns are shown, at start or end."""
    course = results[f"{branch}/course"]
    rows = round(FIFTH * p.learning_s / p.record_every_s)
    first, last = (-1 - rows, -1) if end else (0, rows)
    passed = course[what].values[last] - course[what].values[first]
    return float(passed / (course.judged.values[last] - course.judged.values[first]))


def weights(p: PatternParameters, results: Results, branch: str) -> Floats:
    """ŵ[neuron, input] at the end."""
    mapping = learning_synapses(p.rule).mapping
    theta = results[f"{branch}/theta"].theta.values[-1].astype(float)
    return np.asarray(np.maximum(mapping.weight(theta) - mapping.weight(0.0), 0.0))


def preference(p: PatternParameters, results: Results, branch: str) -> Floats:
    """How much more each input excites the first population than the second."""
    found = weights(p, results, branch)
    return np.asarray(found[: p.population].sum(axis=0) - found[p.population :].sum(axis=0))


def selectivity(p: PatternParameters, results: Results, branch: str) -> Correlation:
    """Correlation over inputs of their preference with the difference of their rates."""
    first, second = results["patterns"].rate.values
    chosen = preference(p, results, branch)
    return float(np.corrcoef(first - second, chosen)[0, 1]) if chosen.any() else 0.0


def reward_at_end(p: PatternParameters, results: Results, branch: str) -> float:
    """Reward while a pattern is shown, in the last fifth of the run."""
    return level(p, results, branch, "earned", end=True)


def rise(p: PatternParameters, results: Results, branch: str) -> float:
    """Reward in the last fifth minus reward in the first."""
    return reward_at_end(p, results, branch) - level(p, results, branch, "earned", end=False)


def leading_at_end(p: PatternParameters, results: Results, branch: str) -> Share:
    """Share of time in which the correct population leads, in the last fifth."""
    return level(p, results, branch, "led", end=True)


MEASURES = measures_in(__name__)
