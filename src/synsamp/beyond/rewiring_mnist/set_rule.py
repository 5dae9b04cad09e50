"""Sparse evolutionary training (SET; Mocanu et al. 2018).

After each epoch but the last the share ζ of the positive weights nearest to 0, and likewise of the
negative ones, is removed; as many connections are added at random places that are free. Added ones
get weights as at the start. Held against the authors' published programs: docs/deep.md says what
agrees and what differs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sparse(NamedTuple):
    """Connections of a layer: flat places, all different, and their weights."""

    places: NDArray[np.int64]
    weights: NDArray[np.float32]


def replace_weakest(
    layer: Sparse, size: int, share: float, scale: float, rng: np.random.Generator
) -> Sparse:
    """The layer with its weakest connections replaced; ``size`` places are possible."""
    gone = _weakest(layer.weights, share)
    free = np.setdiff1d(np.arange(size), layer.places[~gone])
    places, weights = layer.places.copy(), layer.weights.copy()
    places[gone] = rng.choice(free, gone.sum(), replace=False)
    weights[gone] = scale * rng.standard_normal(gone.sum())
    return Sparse(places, weights)


def _weakest(weights: NDArray[Any], share: float) -> NDArray[np.bool_]:
    """The smallest positive and the largest negative weights; one of exactly 0 goes with them."""
    gone = weights == 0
    for side in (weights > 0, weights < 0):
        own = np.flatnonzero(side)
        order = own[np.argsort(np.abs(weights[own]), kind="stable")]
        gone[order[: int(share * own.size)]] = True
    return gone
