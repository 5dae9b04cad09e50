"""Firing rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import IntervalRecord, RecordMemory
from synsamp.protocol.view import View


@dataclass(frozen=True)
class Rates(IntervalRecord):
    """Mean rate of each neuron (Hz) since the previous row; the first row is NaN."""

    counts_spikes = True

    def begin(self, view: View) -> RecordMemory:
        """Remember counts and time."""
        return {"counts": view.spike_counts, "time_s": view.time_s}

    def row(self, view: View, memory: RecordMemory) -> NamedArray:
        """Spikes divided by time."""
        passed = view.time_s - float(memory["time_s"])
        spiked = view.spike_counts - np.asarray(memory["counts"])
        rate = spiked / passed if passed > 0 else np.full(spiked.shape, np.nan)
        return NamedArray(rate, ("neuron",), {"units": "Hz"}, {"neuron": np.arange(rate.size)})


rates = Rates
