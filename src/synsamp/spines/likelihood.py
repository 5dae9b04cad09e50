"""Maximise a likelihood and estimate its curvature, profile intervals and clustered errors.

Takes any function that returns one log-likelihood per spine, so that the scores of spines can be
summed within animals (Huber–White sandwich estimator: H⁻¹ (Σ over animals g gᵀ) H⁻¹).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Floats = NDArray[np.float64]
PerSpine = Callable[[Floats], Floats]

IMPOSSIBLE = -1e12
"""Replaces log 0, so that differences stay finite."""

DIFFERENCE = 1e-3
"""Step of a finite difference, in units of an interval's half width."""

FLAT = 1e-8
"""Curvature below which a direction counts as undetermined, with an infinite error."""

FEWEST_ANIMALS = 3
"""Animals are the unit from this number on; with fewer, spines count as independent."""


def total(per_spine: PerSpine, q: Floats) -> float:
    """The summed log-likelihood of all spines, finite even where it is −inf or NaN."""
    value = float(per_spine(q).sum())
    return max(value, IMPOSSIBLE) if value == value else IMPOSSIBLE


def maximise(
    per_spine: PerSpine,
    starts: list[Floats],
    bounds: list[tuple[float, float]],
) -> tuple[Floats, float]:
    """The best of several maximisations within bounds, for a likelihood that is fast to compute."""

    def cost(q: Floats) -> float:
        return -total(per_spine, q)

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
            hessian[i, j] = hessian[j, i] = (both - sides + 2 * middle) / (2 * steps[i] * steps[j])
    return -hessian, scores


def inverse(hessian: Floats) -> Floats:
    """The covariance from minus the Hessian; flat directions get a very large variance."""
    if not np.isfinite(hessian).all():
        return np.full(hessian.shape, 0.0) + np.diag(np.full(len(hessian), 1.0 / FLAT))
    values, vectors = np.linalg.eigh(hessian)
    found: Floats = (vectors / np.maximum(values, FLAT)) @ vectors.T
    return found


def root(hessian: Floats, least: float = FLAT) -> Floats:
    """R with R Rᵀ the covariance from minus the Hessian; curvature is at least ``least``."""
    values, vectors = np.linalg.eigh(hessian)
    found: Floats = vectors / np.sqrt(np.maximum(values, least))
    return found


def refine(
    per_spine: PerSpine,
    start: Floats,
    hessian: Floats,
    bounds: list[tuple[float, float]],
    enough: float = 1e-4,
) -> tuple[Floats, float]:
    """Newton's method with a fixed Hessian; stops when the expected gain is below ``enough``.

    A coordinate at its bound stays there while the others move.
    """
    low, high = np.array(bounds).T
    steps = step_sizes(inverse(hessian))
    q = np.clip(start, low, high)
    value = total(per_spine, q)
    for _ in range(20):
        ahead, behind = np.minimum(q + steps, high), np.maximum(q - steps, low)
        gradient = np.empty(q.size)
        for i in range(q.size):
            up, down = q.copy(), q.copy()
            up[i], down[i] = ahead[i], behind[i]
            gradient[i] = (total(per_spine, up) - total(per_spine, down)) / (ahead[i] - behind[i])
        stuck = ((q <= low) & (gradient < 0)) | ((q >= high) & (gradient > 0))
        move = np.zeros(q.size)
        loose = np.flatnonzero(~stuck)
        move[loose] = inverse(hessian[np.ix_(loose, loose)]) @ gradient[loose]
        if gradient @ move < enough:
            break
        # At most a step of 1, so that a flat direction does not carry q far away.
        move *= min(1.0, 1.0 / max(float(np.abs(move).max()), 1e-300))
        for _ in range(12):
            there = np.clip(q + move, low, high)
            found = total(per_spine, there)
            if found > value:
                break
            move = move / 2
        else:
            break
        q, value = there, found
    return q, value


def profile(
    exact_near: Callable[[Floats], PerSpine],
    best: Floats,
    best_value: float,
    covariance: Floats,
    bounds: list[tuple[float, float]],
    weight: Floats,
    reach: float,
) -> tuple[float, float]:
    """Ends of the interval of ``weight @ q`` within which 2 Δ log-likelihood ≤ reach².

    Each end is the extreme of ``weight @ q`` over all q that the likelihood allows, so the interval
    follows a non-quadratic likelihood, as that of a small table is. In the coordinates u, with
    q = best + reach L u and L Lᵀ the covariance, a quadratic likelihood allows the unit ball; the
    search starts from its solution. An end beyond the bounds is infinite. ``exact_near(q)`` returns
    the likelihood with enough nodes around q.
    """
    low, high = np.array(bounds).T
    scale = reach * _widths(covariance, high - low)
    along = scale.T @ weight
    along /= np.linalg.norm(along)
    beyond = 2.0 * DIFFERENCE * np.abs(scale).sum(axis=1)  # so that differences may cross a bound

    def place(u: Floats) -> Floats:
        found: Floats = np.clip(best + scale @ u, low - beyond, high + beyond)
        return found

    def room(u: Floats, by: PerSpine | None = None) -> float:
        """1 at the maximum, 0 at the end of the interval."""
        per_spine = exact_near(place(u)) if by is None else by
        return 1.0 - 2.0 * (best_value - total(per_spine, place(u))) / reach**2

    def slope(u: Floats) -> Floats:
        by = exact_near(place(u))
        here = room(u, by)
        steps = DIFFERENCE * np.eye(u.size)
        return np.array([(room(u + step, by) - here) / DIFFERENCE for step in steps])

    within = [
        {"type": "ineq", "fun": lambda u: scale @ u + best - low, "jac": lambda u: scale},
        {"type": "ineq", "fun": lambda u: high - best - scale @ u, "jac": lambda u: -scale},
    ]
    ends = []
    for sign in (-1.0, 1.0):
        for share in (1.0, 0.5, 0.2):  # of the quadratic solution, in case the search fails from it
            start = share * sign * along
            while room(start) < -3.0 and np.abs(start).max() > 0.01:
                start = start / 2  # far out the likelihood is flat
            inside = np.clip(best + scale @ start, low, high)
            found = optimize.minimize(
                lambda u, sign=sign: -sign * float(along @ u),
                np.linalg.solve(scale, inside - best),
                jac=lambda u, sign=sign: -sign * along,
                method="SLSQP",
                constraints=[{"type": "ineq", "fun": room, "jac": slope}, *within],
                options={"ftol": 1e-3, "maxiter": 30},
            )
            left = room(found.x)
            if abs(left) < 0.1 or (found.success and left > 0):
                break
        # If the likelihood would allow more, a bound ended the search.
        ends.append(float(weight @ place(found.x)) if left < 0.1 else sign * np.inf)
    return ends[0], ends[1]


def _widths(covariance: Floats, ranges: Floats) -> Floats:
    """A root of the covariance, each width at most a tenth of the range within the bounds."""
    values, vectors = np.linalg.eigh(covariance / np.outer(ranges, ranges))
    found: Floats = ranges[:, None] * vectors * np.minimum(np.sqrt(np.maximum(values, 0)), 0.1)
    return found


def step_sizes(covariance: Floats) -> Floats:
    """Steps of finite differences: a fraction of the standard error."""
    return np.clip(0.2 * np.sqrt(np.diag(covariance)), 1e-6, 0.05)


def clustered(
    plain: Floats, scores: Floats, animal: NDArray[np.int64]
) -> tuple[Floats | None, float]:
    """Covariance clustered by animal and its degrees of freedom; None with too few animals."""
    n = int(animal.max()) + 1 if animal.size else 0
    if n < FEWEST_ANIMALS:
        return None, np.inf
    # Summed within animals and centred, since at a bound the mean score need not vanish.
    summed = np.zeros((n, scores.shape[1]))
    np.add.at(summed, animal, scores)
    summed -= summed.mean(axis=0)
    meat = summed.T @ summed * n / (n - 1)
    return plain @ meat @ plain, float(n - 1)
