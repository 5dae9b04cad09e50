"""What neurons answer to: spikes by what was shown, and how much weights look like a mean image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def spike_counts(
    spike_s: ArrayLike, neuron: ArrayLike, shown_at_s: ArrayLike, window_s: float, n_neurons: int
) -> NDArray[np.int64]:
    """Count spikes [neuron, presentation] within ``window_s`` after each presentation began.

    Presentations are sorted by time; spikes in the gap between two of them, and those before the
    first, are not counted.
    """
    times, neurons = np.asarray(spike_s, float), np.asarray(neuron, np.int64)
    starts = np.asarray(shown_at_s, float)
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
    table, what = np.asarray(counts), np.asarray(shown)
    return np.stack([table[:, what == label].sum(axis=1) for label in labels], axis=1)


def label_shares(counts: ArrayLike) -> NDArray[np.float64]:
    """Share of each neuron's counted spikes [..., neuron, label]; NaN for a silent neuron."""
    table = np.asarray(counts, float)
    total = table.sum(axis=-1, keepdims=True)
    return np.divide(table, total, out=np.full(table.shape, np.nan), where=total > 0)


def correlations(rows: ArrayLike, patterns: ArrayLike) -> NDArray[np.float64]:
    """Pearson correlation of each row [..., n] with each pattern [m, n]; NaN for a constant row."""
    a, b = np.asarray(rows, float), np.asarray(patterns, float)
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    norm = np.linalg.norm(a, axis=-1)[..., None] * np.linalg.norm(b, axis=-1)
    product = a @ b.T
    return np.divide(product, norm, out=np.full(product.shape, np.nan), where=norm > 0)
