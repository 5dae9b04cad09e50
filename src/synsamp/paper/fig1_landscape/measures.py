"""What Fig. 1 is judged by, of one seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.distance import total_variation
from synsamp.claims import Value
from synsamp.experiments.base import Results

NEAR = 0.5
"""A state within this distance of a maximum counts as a visit to it."""
SURE = 0.999
"""What chance stays below in so many cases is what chance allows."""


def measures(parameters: Any, results: Results) -> dict[str, Value]:
    """Where climbing ends, whether sampling follows the posterior, and what temperature does.

    Paths and visits are those at T, at the hot and (paths only) at the cold temperature.
    """
    ml, maxima, visited = results["ml"].load(), results["maxima"].load(), results["visited"].load()
    peaks, n_modes = maxima.likelihood.values, len(maxima.posterior)
    distance, hot_distance = (
        total_variation(counts.sum(axis=0), visited.expected.values) / float(by_chance)
        for counts, by_chance in zip(visited.counts.values, visited.by_chance, strict=True)
    )
    near, near_when_hot = (
        _gap(shares, float(visited.near_expected)) for shares in visited.near.values
    )
    modes, modes_when_cold = visited_modes(results, 0), visited_modes(results, 2)
    return {
        "ends_at_maximum": _at_maximum(ml.theta.values[:, -1], ml.end_slope.values, peaks),
        "noisy_ends_at_maximum": _at_maximum(ml.noisy_end.values, ml.noisy_end_slope.values, peaks),
        "distance_to_posterior": distance,
        "distance_when_hot": hot_distance,
        "visits_all": modes == n_modes,
        "visits_all_when_cold": modes_when_cold == n_modes,
        "near_when_hot": near_when_hot,
        "near_at_T": near,
        "stays_when_cold": modes_when_cold == 1,
        "stays_at_T": modes == 1,
    }


def visited_modes(results: Results, which: int) -> int:
    """How many modes of the posterior one of the paths came near to."""
    path = results["paths"].theta.values[which]
    modes = results["maxima"].posterior.values
    distance = np.linalg.norm(path[:, None] - modes, axis=-1)
    return int(np.sum(distance.min(axis=0) < NEAR))


def _at_maximum(ends: NDArray[Any], slopes: NDArray[Any], peaks: NDArray[Any]) -> float:
    gap = np.linalg.norm(ends[:, None] - peaks, axis=-1).min(axis=1)
    return float(np.mean((gap < 1e-2) & (slopes < 1e-2)))


def _gap(shares: NDArray[Any], expected: float) -> float:
    """How far the chains' mean share is from the expected one, by what their scatter allows."""
    error = shares.std(ddof=1) / np.sqrt(shares.size)
    allowed = stats.t.ppf(0.5 + 0.5 * SURE, shares.size - 1) * error
    return float(abs(shares.mean() - expected) / allowed)
