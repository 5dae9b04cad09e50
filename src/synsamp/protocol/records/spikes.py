"""Spikes of neurons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.columns import Column, Table
from synsamp.protocol.records.base import TIME, ColumnArrays, EventRecord
from synsamp.spiking import Network


@dataclass(frozen=True)
class Spikes(EventRecord):
    """Spike monitor: all spikes, or those with between_s[0] <= time < between_s[1].

    Columns: ``time`` (s), ``neuron`` (circuits in order) and ``population`` (index of the circuit).

    Parameters
    ----------
    between_s : tuple of two floats, optional
        Start and end of the record (s); default: the whole run.
    """

    between_s: tuple[float, float] | None = None
    event = "spikes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "between_s", checked_window(self.between_s))

    def table(self, network: Network) -> Table:
        """Time, neuron and population."""
        names = ", ".join(f"{i} {c.name}" for i, c in enumerate(network.neurons))
        neuron = Column("<i4", description="number of the neuron, circuits in order")
        population = Column("<i2", description=f"circuit of the neuron: {names}")
        return Table("spike", {"time": TIME, "neuron": neuron, "population": population})

    def rows(self, events: ColumnArrays, network: Network) -> ColumnArrays:
        """Spikes within the window."""
        use = within(events["time_s"], self.between_s)
        neuron = events["neuron"][use]
        first = np.cumsum([c.size for c in network.neurons])
        population = np.searchsorted(first, neuron, side="right").astype(np.int16)
        return {"time": events["time_s"][use], "neuron": neuron, "population": population}


def checked_window(between_s: Any) -> tuple[float, float] | None:
    """A window of time, or None for all."""
    if between_s is None:
        return None
    found = arguments.numbers("between_s", between_s, shape=(2,))
    return float(found[0]), float(found[1])


def within(
    time_s: NDArray[np.float64], window: tuple[float, float] | None
) -> NDArray[np.bool_] | slice:
    """Which times lie within the window."""
    return slice(None) if window is None else (time_s >= window[0]) & (time_s < window[1])


spikes = Spikes
