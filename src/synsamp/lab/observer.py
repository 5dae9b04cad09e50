"""What a session records of a running network, for frames and tuning; never changes the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_SPIKES = 20_000
"""Spikes kept for the next frame; the newest are kept, the others counted."""


class Watcher:
    """Receives spikes and presentations of a simulation."""

    events = ("spikes", "presentations")
    traced: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything received."""
        self._spikes: list[tuple[NDArray[np.float64], NDArray[np.int32]]] = []
        self._shown: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []

    def take(self, event: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Receive events of the simulation."""
        if event == "spikes":
            self._spikes.append((columns["time_s"].copy(), columns["neuron"].copy()))
        else:
            self._shown.append((columns["time_s"].copy(), columns["index"].copy()))

    def taken(self) -> Taken:
        """Return what was received since the last call."""
        times, neurons = _joined(self._spikes, np.zeros(0), np.zeros(0, np.int32))
        starts, index = _joined(self._shown, np.zeros(0), np.zeros((0, 0), np.int64))
        self.clear()
        return Taken(times, neurons, starts, index)


class Taken:
    """Spikes, and presentations that began, in a tick."""

    def __init__(
        self,
        times: NDArray[np.float64],
        neurons: NDArray[np.int32],
        starts: NDArray[np.float64],
        index: NDArray[np.int64],
    ) -> None:
        self.times, self.neurons, self.starts, self.index = times, neurons, starts, index


def _joined(parts: list[Any], *nothing: NDArray[Any]) -> list[NDArray[Any]]:
    if not parts:
        return list(nothing)
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


class Recent:
    """Spikes since the last frame: the newest ``MOST_SPIKES``."""

    def __init__(self) -> None:
        self._times: list[NDArray[np.float64]] = []
        self._neurons: list[NDArray[np.int32]] = []
        self._kept = self._dropped = 0

    def add(self, times: NDArray[np.float64], neurons: NDArray[np.int32]) -> None:
        """Add the spikes of a tick."""
        self._times.append(times)
        self._neurons.append(neurons)
        self._kept += times.size
        while self._kept - self._times[0].size >= MOST_SPIKES:
            self._kept -= self._times[0].size
            self._dropped += self._times.pop(0).size
            self._neurons.pop(0)

    def take(self) -> tuple[NDArray[np.float64], NDArray[np.int32], int]:
        """Return times, neurons and the number of dropped spikes since the last call."""
        times = np.concatenate([np.zeros(0), *self._times])
        neurons = np.concatenate([np.zeros(0, np.int32), *self._neurons])
        dropped = self._dropped + max(times.size - MOST_SPIKES, 0)
        self.__init__()  # type: ignore[misc]
        return times[-MOST_SPIKES:], neurons[-MOST_SPIKES:], dropped
