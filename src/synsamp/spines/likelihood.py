"""Maximum of a likelihood, its curvature, and errors that take animals as the unit.

Works on any function that gives one log-likelihood per spine, so that the scores of spines can be
added up within animals (the sandwich of Huber and White: H⁻¹ (Σ over animals g gᵀ) H⁻¹).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Floats = NDArray[np.float64]
PerSpine = Callable[[Floats], Floats]

FLAT = 1e-8
"""Curvature below which a direction counts as not determined; its error is then endless."""

FEWEST_ANIMALS = 3
"""From this many on, animals are the unit; with fewer, spines are taken as independent."""


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the likelihood is largest, and the covariance of that place."""

    vector: Floats
    log_likelihood: float
    covariance: Floats
    hessian: Floats
    degrees: float  # of freedom of the intervals: animals − 1, or endless


def climb(
    per_spine: PerSpine,
    starts: list[Floats],
    bounds: list[tuple[float, float]],
) -> tuple[Floats, float]:
    """The best of several climbs within bounds, by a likelihood that is cheap to compute."""

    def cost(q: Floats) -> float:
        value = float(per_spine(q).sum())
        return -value if np.isfinite(value) else 1e12

    low, high = np.array(bounds).T
    tries = [
        optimize.minimize(
            cost, np.clip(q, low, high), method="L-BFGS-B", bounds=bounds, jac="3-point"
        )
        for q in starts
    ]
    best = min(tries, key=lambda one: one.fun)
    return np.asarray(best.x, float), -float(best.fun)


def curvature(per_spine: PerSpine, q: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """Minus the Hessian of the summed log-likelihood, and the score of each spine."""
    n = q.size
    unit = np.diag(steps)
    middle = per_spine(q).sum()
    up = [per_spine(q + unit[i]) for i in range(n)]
    down = [per_spine(q - unit[i]) for i in range(n)]
    scores = np.stack([(u - d) / (2 * h) for u, d, h in zip(up, down, steps, strict=True)], axis=1)
    hessian = np.empty((n, n))
    for i in range(n):
        hessian[i, i] = (up[i].sum() + down[i].sum() - 2 * middle) / steps[i] ** 2
        for j in range(i):
            both = per_spine(q + unit[i] + unit[j]).sum() + per_spine(q - unit[i] - unit[j]).sum()
            sides = up[i].sum() + up[j].sum() + down[i].sum() + down[j].sum()
            hessian[i, j] = hessian[j, i] = (both - sides + 2 * middle) / (
                2 * steps[i] * steps[j]
            )
    return -hessian, scores


def inverse(hessian: Floats) -> Floats:
    """The covariance from minus the Hessian; flat directions get a variance without end."""
    if not np.isfinite(hessian).all():
        return np.full(hessian.shape, 0.0) + np.diag(np.full(len(hessian), 1.0 / FLAT))
    values, vectors = np.linalg.eigh(hessian)
    found: Floats = (vectors / np.maximum(values, FLAT)) @ vectors.T
    return found


def refine(
    per_spine: PerSpine, rough: Floats, rough_hessian: Floats, bounds: list[tuple[float, float]]
) -> Floats:
    """Newton's climb by an exact likelihood with the curvature of a rough one."""
    low, high = np.array(bounds).T
    spread = inverse(rough_hessian)
    steps = step_sizes(spread)
    q, value = rough, per_spine(rough).sum()
    for _ in range(20):
        unit = np.diag(steps)
        gradient = np.array(
            [(per_spine(q + u).sum() - per_spine(q - u).sum()) / (2 * u.sum()) for u in unit]
        )
        move = spread @ gradient
        if gradient @ move < 1e-4:  # what is left to gain of the log-likelihood
            break
        # No further than one would look for the truth: a flat direction must not be run along.
        move *= min(1.0, 1.0 / max(np.abs(move).max(), 1e-300))
        for _ in range(12):
            there = np.clip(q + move, low, high)
            found = per_spine(there).sum()
            if found > value:
                break
            move = move / 2
        else:
            break
        q, value = there, found
    return q


def step_sizes(covariance: Floats) -> Floats:
    """Steps of finite differences: a fraction of the error, where a parabola fits best."""
    return np.clip(0.2 * np.sqrt(np.diag(covariance)), 1e-4, 0.05)


def clustered(hessian: Floats, scores: Floats, animal: NDArray[np.int64]) -> tuple[Floats, float]:
    """Covariance with animals as the unit where there are enough, and its degrees of freedom."""
    plain = inverse(hessian)
    n = int(animal.max()) + 1 if animal.size else 0
    if n < FEWEST_ANIMALS:
        return plain, np.inf
    # Summed within animals; the mean is taken off, since at a bound it need not vanish.
    summed = np.zeros((n, scores.shape[1]))
    np.add.at(summed, animal, scores)
    summed -= summed.mean(axis=0)
    meat = summed.T @ summed * n / (n - 1)
    return plain @ meat @ plain, float(n - 1)
