"""Neurons that have not been removed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import StateRecord
from synsamp.protocol.view import View


@dataclass(frozen=True)
class Alive(StateRecord):
    """Which neurons have not been removed, all circuits in order."""

    def __call__(self, view: View) -> NamedArray:
        """The row."""
        return NamedArray(view.alive, ("neuron",), {}, {"neuron": np.arange(view.alive.size)})


alive = Alive
