"""Test whether two programs sample the same distribution: means and variances over many runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from synsamp.arguments import numbers
from synsamp.errors import refuse


class Deviation(NamedTuple):
    """Difference between two sets of runs."""

    largest: float
    """Largest difference of a component, in standard errors."""
    chance: float
    """p value of all differences together under equal distributions."""


def deviation_of_means(one: ArrayLike, two: ArrayLike) -> Deviation:
    """Compare the means of two sets of runs by Hotelling's T² with unequal covariances.

    Parameters
    ----------
    one, two
        Shape (runs, …). T² is approximately chi squared, which requires at least five runs per
        component. Components that never vary in either set must be equal.
    """
    first, second = _vectors(one, two)
    difference = first.mean(axis=0) - second.mean(axis=0)
    varies = (np.ptp(first, axis=0) > 0) | (np.ptp(second, axis=0) > 0)
    if (difference[~varies] != 0).any():
        return Deviation(np.inf, 0.0)
    if not varies.any():
        return Deviation(0.0, 1.0)
    scatters = [np.atleast_2d(np.cov(each[:, varies].T)) / len(each) for each in (first, second)]
    covariance = scatters[0] + scatters[1]
    difference = difference[varies]
    largest = np.abs(difference / np.sqrt(np.diag(covariance))).max()
    t_squared = difference @ np.linalg.solve(covariance, difference)
    return Deviation(float(largest), float(special.chdtrc(difference.size, t_squared)))


def deviation_of_variances(one: ArrayLike, two: ArrayLike) -> Deviation:
    """Compare the variances of two sets of runs, as `deviation_of_means` does for means."""
    first, second = _vectors(one, two)
    return deviation_of_means((first - first.mean(0)) ** 2, (second - second.mean(0)) ** 2)


def _vectors(*given: ArrayLike) -> list[NDArray[np.float64]]:
    found = [np.atleast_1d(numbers("runs", each)) for each in given]
    found = [each.reshape(len(each), -1) for each in found]
    if found[0].shape[1] != found[1].shape[1]:
        rule, shapes = "must have the same components in both sets", [np.shape(g) for g in given]
        raise refuse("runs", rule, shapes)
    for each in found:
        if len(each) < max(2, 5 * each.shape[1]):
            rule = "must be at least five per component"
            raise refuse("runs", rule, each.shape, "run more, or compare sums")
    return found
