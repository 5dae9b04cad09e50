"""Where a path of parameters lies: principal components, and whether epochs have their own region.

A path that diffuses slowly looks apart from itself after a while, so points of one epoch are not
independent and must not be shuffled one by one. The permutation test cuts every epoch into a few
stretches and shuffles whole stretches between epochs. It keeps its level if memory is shorter than
a stretch; drift that is slower passes it, too, and only a control without lesions tells it apart
(`shift`).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, numbers, whole
from synsamp.arguments import seed as checked_seed
from synsamp.errors import refuse

Floats = NDArray[np.float64]


def principal_components(points: ArrayLike, n: int = 3) -> tuple[Floats, Floats]:
    """Scores [point, n] of centred points [point, parameter], and each component's variance share.

    The sign of a component is fixed by its largest loading being positive.
    """
    x = _table(points)
    n = whole("n", n, at_least=1)
    x = x - x.mean(axis=0)
    left, size, right = np.linalg.svd(x, full_matrices=False)
    n = min(n, len(size))
    signs = np.sign(right[np.arange(n), np.abs(right[:n]).argmax(axis=1)])
    share = size**2 / max(float((size**2).sum()), 1e-300)
    return left[:, :n] * size[:n] * signs, share[:n]


def separation(points: ArrayLike, epochs: ArrayLike) -> float:
    """Mean distance between points of different epochs over that within epochs; 1: no regions."""
    x = _table(points)
    label = numbers("epochs", epochs, shape=(len(x),))
    between, within = [], []
    for value in np.unique(label):
        within.append(_mean_square(x[label == value], x[label == value], same=True))
    for one, other in combinations(np.unique(label), 2):
        between.append(_mean_square(x[label == one], x[label == other], same=False))
    if not between:
        raise refuse("epochs", "must be at least two", np.unique(label).tolist())
    return float(np.sqrt(np.mean(between) / max(float(np.mean(within)), 1e-300)))


def separation_p_value(
    points: ArrayLike,
    epochs: ArrayLike,
    stretches: int = 4,
    permutations: int = 2000,
    seed: int = 0,
) -> float:
    """Chance to see such a separation if the stretches of all epochs were in any order.

    Each epoch is cut into ``stretches`` parts of consecutive points; parts keep their points.
    """
    x = _table(points)
    label = numbers("epochs", epochs, shape=(len(x),))
    if np.unique(label).size < 2:
        raise refuse("epochs", "must be at least two", np.unique(label).tolist())
    stretches = whole("stretches", stretches, at_least=1, at_most=10**6)
    permutations = whole("permutations", permutations, at_least=1, at_most=10**7)
    seed = checked_seed("seed", seed)
    parts, owner = [], []
    for value in np.unique(label):
        for part in np.array_split(np.flatnonzero(label == value), stretches):
            if part.size:
                parts.append(part)
                owner.append(value)
    # Everything a permutation needs: mean squared distances between whole parts.
    n = np.array([p.size for p in parts], float)
    mean = np.stack([x[p].mean(axis=0) for p in parts])
    spread = np.array([((x[p] - m) ** 2).sum() for p, m in zip(parts, mean, strict=True)])
    owners = np.array(owner)

    def statistic(assigned: NDArray[np.generic]) -> float:
        within = 0.0
        for value in np.unique(assigned):
            here = assigned == value
            centre = (n[here, None] * mean[here]).sum(axis=0) / n[here].sum()
            within += (
                spread[here].sum() + (n[here] * ((mean[here] - centre) ** 2).sum(axis=1)).sum()
            )
        return -within  # the total is fixed: little within is much between

    seen = statistic(owners)
    rng = np.random.default_rng(seed)
    at_least = sum(statistic(rng.permutation(owners)) >= seen - 1e-9 for _ in range(permutations))
    return (1 + at_least) / (1 + permutations)


def shift(points: ArrayLike, before: slice, after: slice) -> float:
    """Distance between the mean points of two stretches, per parameter (root mean square)."""
    x = _table(points)
    for name, part in (("before", before), ("after", after)):
        instance(name, part, slice, "use slice(first, last)")
        try:
            size = len(range(*part.indices(len(x))))
        except (TypeError, ValueError):
            raise refuse(name, "must be a slice of whole numbers", part) from None
        if size == 0:
            raise refuse(name, f"must hold some of the {len(x)} points", part)
    return float(np.sqrt(np.mean((x[after].mean(axis=0) - x[before].mean(axis=0)) ** 2)))


def _mean_square(a: Floats, b: Floats, same: bool) -> float:
    """Mean squared distance of all pairs; of a set to itself, pairs of different points."""
    square = (a**2).sum(axis=1).mean() + (b**2).sum(axis=1).mean() - 2 * a.mean(axis=0) @ b.mean(0)
    return float(square * (len(a) / max(len(a) - 1, 1)) if same else square)


def _table(points: ArrayLike) -> Floats:
    x = numbers("points", points, shape=(None, None))
    if len(x) < 3 or x.size == 0:
        raise refuse("points", "must be at least three, [point, parameter]", x.shape)
    return x
