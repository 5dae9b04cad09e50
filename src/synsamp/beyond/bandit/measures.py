"""Measures of the bandit, of one seed: how visited states differ from theory.

Branches are the conditions of `protocol.conditions`.
"""

from __future__ import annotations

from typing import Any

from synsamp.beyond.bandit.parameters import BanditParameters
from synsamp.beyond.bandit.protocol import conditions
from synsamp.beyond.bandit.theory import gradient_weight, moments, stationary
from synsamp.claims import Amount, measures_in
from synsamp.experiments.base import Results

FORGOTTEN = 3.0
"""Relaxation times that are discarded; e^−3 of the start is left by then."""


def settled(p: BanditParameters, results: Results, branch: str) -> Any:
    """Return the states visited after the start is forgotten."""
    visited = results[f"{branch}/visited"]
    times = visited.time.values
    return visited.isel(time=times >= FORGOTTEN / p.relaxations * times[-1])


def shift(p: BanditParameters, results: Results, branch: str) -> float:
    """Mean of visited states minus that of theory, in standard deviations of theory."""
    mean, std = moments(stationary(p, conditions(p)[branch][1]))
    return float(settled(p, results, branch).theta.values.mean() - mean) / std


def spread(p: BanditParameters, results: Results, branch: str) -> Amount:
    """Variance of visited states over that of theory."""
    return _spread(p, results, branch, conditions(p)[branch][1])


def spread_against_T(p: BanditParameters, results: Results, branch: str) -> Amount:
    """Variance of visited states over that of theory at the middle temperature."""
    return _spread(p, results, branch, p.rule.temperatures[1])


def spread_against_2T(p: BanditParameters, results: Results, branch: str) -> Amount:
    """Variance of visited states over that of theory at twice the middle temperature."""
    return _spread(p, results, branch, 2.0 * p.rule.temperatures[1])


def _spread(p: BanditParameters, results: Results, branch: str, temperature: float) -> float:
    _, std = moments(stationary(p, temperature))
    return float(settled(p, results, branch).theta.values.var()) / std**2


def noise(p: BanditParameters, results: Results, branch: str) -> Amount:
    """Noise of the gradient estimate relative to T."""
    speed, temperature, _, _ = conditions(p)[branch]
    variance = settled(p, results, branch).gradient.values.var() * gradient_weight(p) ** 2
    return float(speed * variance * p.task.gradient_s / temperature)


MEASURES = measures_in(__name__)
