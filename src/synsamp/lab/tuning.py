"""Tuning of neurons, updated while the network runs: spikes per presentation of each label.

m ← KEEP m + count,   n ← KEEP n + 1   for the label shown;   tuning = m / n
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEEP = 0.99
"""What remains of older presentations of the same label at each new one."""


class Tuning:
    """Leaky mean spike counts [neuron, label]."""

    def __init__(self, n_neurons: int, labels: Sequence[Any]) -> None:
        self.labels = list(labels)
        self._spikes = np.zeros((n_neurons, len(self.labels)))
        self._shown = np.zeros(len(self.labels))
        self.forget()

    def forget(self) -> None:
        """Forget the presentation that has begun, because another stimulus was set."""
        self._times, self._neurons = np.zeros(0), np.zeros(0, np.int32)
        self._start_s, self._label = np.inf, -1

    @property
    def mean(self) -> NDArray[np.float64]:
        """Spikes per presentation, [neuron, label]."""
        return self._spikes / np.maximum(self._shown, 1e-300)

    def take(
        self,
        times: NDArray[np.float64],
        neurons: NDArray[np.int32],
        starts: NDArray[np.float64],
        labels: Sequence[Any],
    ) -> None:
        """Count the spikes of presentations that have ended; ``labels`` of those that began."""
        times, neurons = (
            np.concatenate([self._times, times]),
            np.concatenate([self._neurons, neurons]),
        )
        for start_s, label in zip(starts.tolist(), labels, strict=True):
            if self._label >= 0:
                first, last = np.searchsorted(times, [self._start_s, start_s])
                counts = np.bincount(neurons[first:last], minlength=len(self._spikes))
                at = self._label
                self._spikes[:, at] = KEEP * self._spikes[:, at] + counts
                self._shown[at] = KEEP * self._shown[at] + 1.0
            self._start_s, self._label = start_s, self.labels.index(label)
        later = times >= self._start_s
        self._times, self._neurons = times[later], neurons[later]
