"""Closed forms and test statistics for distributions in one dimension."""

from __future__ import annotations

import numpy as np
from scipy import stats


class GridDistribution:
    """The distribution ∝ exp(log_density(x)/T) on a fine grid, with an exact ``cdf``."""

    def __init__(self, log_density, temperature, low, high, points=200_001):
        self.x = np.linspace(low, high, points)
        logs = log_density(self.x) / temperature
        density = np.exp(logs - logs.max())
        steps = 0.5 * (density[1:] + density[:-1])
        cumulative = np.concatenate([[0.0], np.cumsum(steps)])
        self.cumulative = cumulative / cumulative[-1]

    def cdf(self, values):
        return np.interp(values, self.x, self.cumulative)

    def quantile(self, p):
        return np.interp(p, self.cumulative, self.x)


def ks_p_value(samples, distribution) -> float:
    """Kolmogorov–Smirnov p-value of independent samples against a distribution with a ``cdf``."""
    return float(stats.kstest(np.ravel(samples), distribution.cdf).pvalue)


def chi_square_p_value(samples, edges, probabilities) -> float:
    """χ² p-value of binned independent samples against bin probabilities."""
    counts, _ = np.histogram(np.ravel(samples), edges)
    expected = probabilities / probabilities.sum() * counts.sum()
    assert expected.min() > 5, "choose wider bins: χ² wants at least 5 expected counts"
    return float(stats.chisquare(counts, expected).pvalue)
