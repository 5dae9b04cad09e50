"""Measures of Fig. 1, of one seed.

Branches are ``no_noise`` and ``noise`` for maximum likelihood paths, and ``at_T``, ``hot`` and
``cold`` for sampling at three temperatures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from synsamp.analysis.distance import total_variation
from synsamp.claims import Amount, Share, measures_in
from synsamp.experiments.base import Results

NEAR = 0.5
"""A state within this distance of a maximum counts as a visit to it."""
SURE = 0.999
"""Scatter stays below the limit of chance in this share of cases."""


def ends_at_maximum(p: Any, results: Results, branch: str) -> Share:
    """Share of paths that end in a maximum of the likelihood."""
    ml, peaks = results["ml"].sel(branch=branch), results["maxima"].likelihood.values
    gap = np.linalg.norm(ml.end.values[:, None] - peaks, axis=-1).min(axis=1)
    return float(np.mean((gap < 1e-2) & (ml.end_slope.values < 1e-2)))


def distance_to_posterior(p: Any, results: Results, branch: str) -> Amount:
    """Total variation between visited states and the posterior, in units of what chance allows."""
    visited = results["visited"].sel(branch=branch)
    counts = visited.counts.values.sum(axis=0)
    return total_variation(counts, visited.expected.values) / float(visited.by_chance)


def near_modes(p: Any, results: Results, branch: str) -> Amount:
    """Distance of the share of states near a mode from that expected at the high temperature."""
    visited = results["visited"].sel(branch=branch)
    shares = visited.near.values
    error = shares.std(ddof=1) / np.sqrt(shares.size)
    allowed = stats.t.ppf(0.5 + 0.5 * SURE, shares.size - 1) * error
    return float(abs(shares.mean() - float(visited.near_expected)) / allowed)


def visits_all_modes(p: Any, results: Results, branch: str) -> bool:
    """Whether a path comes near every mode of the posterior."""
    return visited_modes(results, branch) == len(results["maxima"].posterior)


def stays_at_one_mode(p: Any, results: Results, branch: str) -> bool:
    """Whether a path comes near one mode only."""
    return visited_modes(results, branch) == 1


def visited_modes(results: Results, branch: str) -> int:
    """Return how many modes of the posterior a path comes near."""
    path = results["paths"].theta.sel(branch=branch).values
    distance = np.linalg.norm(path[:, None] - results["maxima"].posterior.values, axis=-1)
    return int(np.sum(distance.min(axis=0) < NEAR))


MEASURES = measures_in(__name__)
