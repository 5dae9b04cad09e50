"""What neurons answer to: spikes by what was shown, and how much weights look like a mean image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def spikes_by_label(
    spike_s: ArrayLike,
    neuron: ArrayLike,
    shown_at_s: ArrayLike,
    label: ArrayLike,
    window_s: float,
    labels: Sequence[int],
    n_neurons: int,
) -> NDArray[np.int64]:
    """Count spikes [neuron, label] that fall within ``window_s`` after a presentation began.

    ``label[i]`` is what was shown at ``shown_at_s[i]`` (sorted); spikes in the gap between two
    presentations, and those before the first, are not counted.
    """
    times, neurons = np.asarray(spike_s, float), np.asarray(neuron)
    starts, shown = np.asarray(shown_at_s, float), np.asarray(label)
    counts = np.zeros((n_neurons, len(labels)), np.int64)
    if starts.size == 0:
        return counts
    which = np.searchsorted(starts, times, side="right") - 1
    inside = (which >= 0) & (times - starts[which] < window_s)
    for column, value in enumerate(labels):
        of_label = inside & (shown[which] == value)
        counts[:, column] = np.bincount(neurons[of_label], minlength=n_neurons)
    return counts


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
