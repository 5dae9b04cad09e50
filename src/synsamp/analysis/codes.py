"""Representational drift: similarity of a population code at different times.

A code is the histogram [neuron, bin] of every class as one vector, centred for each neuron. So it
reflects when and for which class a neuron fires, not its mean rate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import numbers
from synsamp.errors import refuse


def code_similarity(histograms: ArrayLike) -> NDArray[np.float64]:
    """Correlation between population codes at different times.

    Parameters
    ----------
    histograms
        Shape (times, classes, neurons, bins), at least two times.

    Returns
    -------
    ndarray
        Shape (times, times).
    """
    h = numbers("histograms", histograms, shape=(None, None, None, None))
    if len(h) < 2 or h.size == 0:
        rule = "must have shape [time, class, neuron, bin] with at least two times"
        raise refuse("histograms", rule, h.shape)
    centred = h - h.mean(axis=(1, 3), keepdims=True)
    rows = centred.reshape(len(h), -1)
    norm = np.linalg.norm(rows, axis=1)
    if (norm == 0).any():
        raise refuse("histograms", "must not be constant", "a constant one")
    return (rows @ rows.T) / np.outer(norm, norm)
