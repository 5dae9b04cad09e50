"""Tuning of neurons: spike counts by stimulus, and correlation of weights with mean images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import number, numbers, whole, wholes
from synsamp.errors import refuse


def spike_counts(
    spike_s: ArrayLike, neuron: ArrayLike, shown_at_s: ArrayLike, window_s: float, n_neurons: int
) -> NDArray[np.int64]:
    """Count the spikes of each neuron in each presentation.

    Parameters
    ----------
    spike_s, neuron
        Time (s) and neuron of each spike, shape (spikes,).
    shown_at_s
        Sorted onsets of presentations (s), shape (presentations,).
    window_s
        Duration after each onset in which spikes count (s).
    n_neurons
        Number of neurons.

    Returns
    -------
    ndarray
        Counts, shape (neurons, presentations).
    """
    n_neurons = whole("n_neurons", n_neurons, at_least=1, at_most=10**9)
    times = numbers("spike_s", spike_s, shape=(None,))
    neurons = wholes("neuron", neuron, shape=times.shape, at_least=0, at_most=n_neurons - 1)
    starts = numbers("shown_at_s", shown_at_s, shape=(None,))
    if (np.diff(starts) < 0).any():
        raise refuse(
            "shown_at_s", "must be sorted by time", "unsorted times", "sort the presentations"
        )
    window_s = number("window_s", window_s, above=0)
    counts = np.zeros((n_neurons, starts.size), np.int64)
    if starts.size:
        which = np.searchsorted(starts, times, side="right") - 1
        inside = (which >= 0) & (times - starts[which] < window_s)
        np.add.at(counts, (neurons[inside], which[inside]), 1)
    return counts


def counts_by_label(
    counts: ArrayLike, shown: ArrayLike, labels: Sequence[int]
) -> NDArray[np.int64]:
    """Sum counts [neuron, presentation] by the label shown: [neuron, label]."""
    table = wholes("counts", counts, shape=(None, None), at_least=0)
    what = numbers("shown", shown, shape=(table.shape[1],))
    wanted = wholes("labels", labels)
    if wanted.size == 0:
        raise refuse("labels", "must name at least one", wanted.shape)
    return np.stack([table[:, what == label].sum(axis=1) for label in wanted], axis=1)


def label_fractions(counts: ArrayLike) -> NDArray[np.float64]:
    """Fraction of each neuron's spikes per label [..., neuron, label]; NaN for a silent neuron."""
    table = numbers("counts", counts, at_least=0)
    if table.ndim < 2:
        raise refuse("counts", "must have shape [..., neuron, label]", table.shape)
    total = table.sum(axis=-1, keepdims=True)
    return np.divide(table, total, out=np.full(table.shape, np.nan), where=total > 0)


def correlations(rows: ArrayLike, patterns: ArrayLike) -> NDArray[np.float64]:
    """Pearson correlation of each row [..., n] with each pattern [m, n].

    NaN for a row or pattern that is constant or not finite. Own code:
    `scipy.spatial.distance.cdist` returns 1 − r, which loses precision near r = 0.
    """
    b = numbers("patterns", patterns, shape=(None, None), finite=False)
    a = numbers("rows", rows, finite=False)
    if a.shape[-1:] != b.shape[1:] or b.shape[1] < 2:
        rule = f"must end with the {b.shape[1]} >= 2 numbers of a pattern"
        raise refuse("rows", rule, a.shape)
    a, b = (np.where(np.isfinite(x).all(axis=-1, keepdims=True), x, 0.0) for x in (a, b))
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    norm = np.linalg.norm(a, axis=-1)[..., None] * np.linalg.norm(b, axis=-1)
    product = a @ b.T
    return np.divide(product, norm, out=np.full(product.shape, np.nan), where=norm > 0)
