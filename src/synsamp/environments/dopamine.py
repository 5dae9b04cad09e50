"""Dopamine: reward relative to its running mean (Kappel et al. 2018).

D = r / max(mean r, least) + offset,   d mean/dt = (r − mean)/τ
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from synsamp import arguments
from synsamp.spiking.kernel.acting import dopamine, mean_after


@dataclass(frozen=True)
class Dopamine:
    """Reward relative to its running mean, which already includes the present reward.

    Parameters
    ----------
    mean_s
        Time constant τ of the running mean (s).
    least
        Lower bound of the mean in the denominator.
    offset
        Dopamine level without reward.
    """

    mean_s: float = 50.0
    least: float = 0.02
    offset: float = 0.02

    def __post_init__(self) -> None:
        arguments.number("mean_s", self.mean_s, above=0, at_most=1e12, remedy="e.g. 50 s")
        arguments.number("least", self.least, above=0, at_most=1e9)
        arguments.number("offset", self.offset, at_least=-1e9, at_most=1e9)

    def mean_after(self, mean: float, reward: float, period_s: float) -> float:
        """Return the running mean after a reward that lasted one period."""
        return float(mean_after.py_func(mean, reward, self.kept(period_s)))

    def kept(self, period_s: float) -> float:
        """Return the factor exp(−period/τ) by which the old mean decays over a period."""
        return math.exp(-period_s / self.mean_s)

    def level(self, reward: float, mean: float) -> float:
        """Return the dopamine level D."""
        return float(dopamine.py_func(reward, mean, self.least, self.offset))
