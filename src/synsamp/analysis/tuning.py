"""What neurons answer to: spikes by what was shown, and how much weights look like a mean image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import number, numbers, whole, wholes
from synsamp.errors import refuse


def spike_counts(
    spike_s: ArrayLike, neuron: ArrayLike, shown_at_s: ArrayLike, window_s: float, n_neurons: int
) -> NDArray[np.int64]:
    """Count spikes [neuron, presentation] within ``window_s`` after each presentation began.

    Presentations are sorted by time; spikes in the gap between two of them, and those before the
    first, are not counted.
    """
    n_neurons = whole("n_neurons", n_neurons, at_least=1, at_most=10**9)
    times = numbers("spike_s", spike_s, shape=(None,))
    neurons = wholes("neuron", neuron, shape=times.shape, at_least=0, at_most=n_neurons - 1)
    starts = numbers("shown_at_s", shown_at_s, shape=(None,))
    if (np.diff(starts) < 0).any():
        raise refuse("shown_at_s", "must be sorted by time", "others", "sort presentations")
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
    """Add up counts [neuron, presentation] by what was shown: [neuron, label]."""
    table = wholes("counts", counts, shape=(None, None), at_least=0)
    what = numbers("shown", shown, shape=(table.shape[1],))
    wanted = wholes("labels", labels)
    if wanted.size == 0:
        raise refuse("labels", "must name at least one", wanted.shape)
    return np.stack([table[:, what == label].sum(axis=1) for label in wanted], axis=1)


def label_fractions(counts: ArrayLike) -> NDArray[np.float64]:
    """Share of each neuron's counted spikes [..., neuron, label]; NaN for a silent neuron."""
    table = numbers("counts", counts, at_least=0)
    if table.ndim < 2:
        raise refuse("counts", "must have shape [..., neuron, label]", table.shape)
    total = table.sum(axis=-1, keepdims=True)
    return np.divide(table, total, out=np.full(table.shape, np.nan), where=total > 0)


def correlations(rows: ArrayLike, patterns: ArrayLike) -> NDArray[np.float64]:
    """Pearson correlation of each row [..., n] with each pattern [m, n].

    NaN for a row or pattern that is constant or holds a number that is not finite.
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
