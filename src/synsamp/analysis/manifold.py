"""Geometry of a path of parameters: principal components, separation of epochs, and shift.

Slow diffusion alone separates the epochs of a path, so `separation` and `shift` must be compared
with those of a control path over the same epochs. Shuffling points or segments of one path is no
valid null, because drift slower than a segment passes such a test.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, numbers, whole
from synsamp.errors import refuse

Floats = NDArray[np.float64]


def principal_components(points: ArrayLike, n: int = 3) -> tuple[Floats, Floats]:
    """Principal components of centred points.

    Parameters
    ----------
    points
        Shape (points, parameters), at least three points.
    n
        Number of components.

    Returns
    -------
    scores, explained
        Shape (points, n), and the fraction of variance of each component, shape (n,). The largest
        loading of a component is positive.
    """
    x = _table(points)
    n = whole("n", n, at_least=1)
    x = x - x.mean(axis=0)
    left, size, right = np.linalg.svd(x, full_matrices=False)
    n = min(n, len(size))
    signs = np.sign(right[np.arange(n), np.abs(right[:n]).argmax(axis=1)])
    explained = size**2 / max(float((size**2).sum()), 1e-300)
    return left[:, :n] * size[:n] * signs, explained[:n]


def separation(points: ArrayLike, epochs: ArrayLike) -> float:
    """Root-mean-square distance between epochs relative to that within epochs; 1: no separation."""
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


def shift(points: ArrayLike, before: slice, after: slice) -> float:
    """Distance between the mean points of two segments, per parameter (root mean square)."""
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
    """Mean squared distance of all pairs; within a set, of pairs of different points."""
    square = (a**2).sum(axis=1).mean() + (b**2).sum(axis=1).mean() - 2 * a.mean(axis=0) @ b.mean(0)
    return float(square * (len(a) / max(len(a) - 1, 1)) if same else square)


def _table(points: ArrayLike) -> Floats:
    x = numbers("points", points, shape=(None, None))
    if len(x) < 3 or x.size == 0:
        raise refuse("points", "must be at least three, [point, parameter]", x.shape)
    return x
