"""What Fig. 1 is judged by, of one seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.analysis.distance import total_variation
from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results

NEAR = 0.5
"""A state within this distance of a maximum counts as a visit to it."""


def measures(parameters: Any, results: Results) -> dict[str, Value]:
    """Where climbing ends, whether sampling follows the posterior, and what temperature does."""
    ml, maxima, visited = results["ml"], results["maxima"], results["visited"]
    ends = ml.theta.values[:, -1]
    gap = np.linalg.norm(ends[:, None] - maxima.likelihood.values, axis=-1).min(axis=1)
    distance = total_variation(visited.counts.values[0].sum(axis=0), visited.expected.values)
    near, near_when_hot = visited.near.values
    return {
        "ends_at_maximum": float(np.mean((gap < 1e-2) & (ml.end_slope.values < 1e-2))),
        "distance_to_posterior": distance / float(visited.by_chance),
        "modes_visited": visited_modes(results, 0) / len(maxima.posterior),
        "near_when_hot": Ratio(float(near_when_hot), float(near)),
        "modes_when_cold": float(visited_modes(results, 2)),
    }


def visited_modes(results: Results, which: int) -> int:
    """How many modes of the posterior one of the paths came near to."""
    path = results["paths"].theta.values[which]
    modes = results["maxima"].posterior.values
    distance = np.linalg.norm(path[:, None] - modes, axis=-1)
    return int(np.sum(distance.min(axis=0) < NEAR))
