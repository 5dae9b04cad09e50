"""Measures of Theorem 1, of one seed: distances from distributions, and an order of convergence."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.claims import Amount, measures_in
from synsamp.experiments.base import Results


def distance(p: Any, results: Results, branch: str) -> Amount:
    """Distance of sampled states from a distribution, in units of what chance allows."""
    table = results["pairs" if branch in results["pairs"].branch else "conditions"]
    return float(table.distance.sel(branch=branch))


def gap_to_maximum(p: Any, results: Results, branch: str) -> Amount:
    """Largest distance of the ends of paths from the maximum of the posterior, in its std."""
    paths = results["no_noise"]
    ends = paths.theta.sel(branch=branch).isel(time=-1)
    return float(np.abs(ends - paths.maximum).max("path") / paths.spread)


def pass_order(p: Any, results: Results, branch: str) -> float:
    """Order in N τ b of the difference between online and batch rule after one pass."""
    one = results["pass"].sel(branch=branch)
    return float(np.polyfit(np.log(one.step), np.log(one.gap), 1)[0])


MEASURES = measures_in(__name__)
