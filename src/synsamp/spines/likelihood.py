"""Maximum of a likelihood, its curvature, and errors that take animals as the unit.

Works on any function that gives one log-likelihood per spine, so that the scores of spines can be
added up within animals (the sandwich of Huber and White: H⁻¹ (Σ over animals g gᵀ) H⁻¹).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Floats = NDArray[np.float64]
PerSpine = Callable[[Floats], Floats]

IMPOSSIBLE = -1e12
"""Stands for the logarithm of 0, so that differences stay numbers."""

DIFFERENCE = 1e-3
"""Step of a slope, in units of an interval's half width."""

FLAT = 1e-8
"""Curvature below which a direction counts as not determined; its error is then endless."""

FEWEST_ANIMALS = 3
"""From this many on, animals are the unit; with fewer, spines are taken as independent."""


def total(per_spine: PerSpine, q: Floats) -> float:
    """The log-likelihood of all spines together, a number even where they cannot be."""
    value = float(per_spine(q).sum())
    return max(value, IMPOSSIBLE) if value == value else IMPOSSIBLE


def climb(
    per_spine: PerSpine,
    starts: list[Floats],
    bounds: list[tuple[float, float]],
) -> tuple[Floats, float]:
    """The best of several climbs within bounds, by a likelihood that is cheap to compute."""

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
    """The covariance from minus the Hessian; flat directions get a variance without end."""
    if not np.isfinite(hessian).all():
        return np.full(hessian.shape, 0.0) + np.diag(np.full(len(hessian), 1.0 / FLAT))
    values, vectors = np.linalg.eigh(hessian)
    found: Floats = (vectors / np.maximum(values, FLAT)) @ vectors.T
    return found


def root(hessian: Floats, least: float = FLAT) -> Floats:
    """R with R Rᵀ the covariance from minus the Hessian; no curvature counts below ``least``."""
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
    """Newton's climb with a curvature given once; ends when less than ``enough`` is to be gained.

    A coordinate that presses against its bound stays there and the others move on.
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
        # No further than one would look for the truth: a flat direction must not be run along.
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
    near: Callable[[Floats], PerSpine],
    best: Floats,
    best_value: float,
    covariance: Floats,
    bounds: list[tuple[float, float]],
    weight: Floats,
    reach: float,
) -> tuple[float, float]:
    """Ends of the interval of ``weight @ q`` within which 2 Δ log-likelihood ≤ reach².

    An end is the furthest that ``weight @ q`` gets where the likelihood allows it, all else free,
    so the interval follows a likelihood that is no parabola, as that of a small table is. In the
    coordinates u, q = best + reach L u with L Lᵀ the covariance, a parabola allows the unit ball;
    the search starts at its answer. An end beyond the bounds is endless. ``near(q)`` gives the
    likelihood as it is computed around q.
    """
    low, high = np.array(bounds).T
    scale = reach * _widths(covariance, high - low)
    along = scale.T @ weight
    along /= np.linalg.norm(along)
    beyond = 2.0 * DIFFERENCE * np.abs(scale).sum(axis=1)  # so that slopes reach over a bound

    def place(u: Floats) -> Floats:
        found: Floats = np.clip(best + scale @ u, low - beyond, high + beyond)
        return found

    def room(u: Floats, by: PerSpine | None = None) -> float:
        """1 at the best, 0 at the end of what the likelihood allows."""
        per_spine = near(place(u)) if by is None else by
        return 1.0 - 2.0 * (best_value - total(per_spine, place(u))) / reach**2

    def slope(u: Floats) -> Floats:
        by = near(place(u))
        here = room(u, by)
        steps = DIFFERENCE * np.eye(u.size)
        return np.array([(room(u + step, by) - here) / DIFFERENCE for step in steps])

    within = [
        {"type": "ineq", "fun": lambda u: scale @ u + best - low, "jac": lambda u: scale},
        {"type": "ineq", "fun": lambda u: high - best - scale @ u, "jac": lambda u: -scale},
    ]
    ends = []
    for sign in (-1.0, 1.0):
        for share in (1.0, 0.5, 0.2):  # of the parabola's answer, should the search fail from it
            start = share * sign * along
            while room(start) < -3.0 and np.abs(start).max() > 0.01:
                start = start / 2  # far out the likelihood has no slope to go by
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
        # Where the likelihood leaves room, it was a bound that ended the search.
        ends.append(float(weight @ place(found.x)) if left < 0.1 else sign * np.inf)
    return ends[0], ends[1]


def _widths(covariance: Floats, ranges: Floats) -> Floats:
    """A root of the covariance; no width more than a tenth of what is allowed at all."""
    values, vectors = np.linalg.eigh(covariance / np.outer(ranges, ranges))
    found: Floats = ranges[:, None] * vectors * np.minimum(np.sqrt(np.maximum(values, 0)), 0.1)
    return found


def step_sizes(covariance: Floats) -> Floats:
    """Steps of finite differences: a fraction of the error, where a parabola fits best."""
    return np.clip(0.2 * np.sqrt(np.diag(covariance)), 1e-6, 0.05)


def clustered(
    plain: Floats, scores: Floats, animal: NDArray[np.int64]
) -> tuple[Floats | None, float]:
    """Covariance with animals as the unit and its degrees of freedom; None if they are too few."""
    n = int(animal.max()) + 1 if animal.size else 0
    if n < FEWEST_ANIMALS:
        return None, np.inf
    # Summed within animals; the mean is taken off, since at a bound it need not vanish.
    summed = np.zeros((n, scores.shape[1]))
    np.add.at(summed, animal, scores)
    summed -= summed.mean(axis=0)
    meat = summed.T @ summed * n / (n - 1)
    return plain @ meat @ plain, float(n - 1)
