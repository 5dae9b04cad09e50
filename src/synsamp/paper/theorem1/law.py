"""A law of one parameter on a fine grid, and how far sampled states are from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

SURE = 0.999
BY_CHANCE = float(stats.kstwobign.ppf(SURE))
"""What Kolmogorov's D √n of states that do follow the law stays below in 99.9 % of cases."""


class GridLaw:
    """The law ∝ exp(log_density(θ)) between two ends, as density and cumulative distribution."""

    def __init__(self, log_density: Callable[[Floats], Floats], low: float, high: float) -> None:
        self.grid = np.linspace(low, high, 20_001)
        logs = log_density(self.grid)
        density = np.exp(logs - logs.max())
        cumulative = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
        self.cumulative = cumulative / cumulative[-1]
        self.values = density / (cumulative[-1] * (self.grid[1] - self.grid[0]))

    def cdf(self, theta: Any) -> Any:
        """The share of the law below each θ."""
        return np.interp(theta, self.grid, self.cumulative)

    def density(self, theta: Any) -> Any:
        """The density at each θ; 0 beyond the ends."""
        return np.interp(theta, self.grid, self.values, left=0.0, right=0.0)

    def quantile(self, share: Any) -> Any:
        """The θ below which this share of the law lies."""
        return np.interp(share, self.cumulative, self.grid)


def distance(states: Floats, cdf: Callable[[Any], Any]) -> float:
    """How far independent states are from a law, in units of what chance allows.

    Kolmogorov's largest gap D between the two cumulative distributions, times √n.
    """
    flat = np.ravel(states)
    gap = stats.kstest(flat, cdf).statistic
    return float(gap * np.sqrt(flat.size) / BY_CHANCE)
