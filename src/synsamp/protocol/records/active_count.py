"""Number of functional synapses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import StateRecord
from synsamp.protocol.view import View
from synsamp.spiking import Network


@dataclass(frozen=True)
class ActiveCount(StateRecord):
    """Number of functional synapses (θ > 0) of each neuron.

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    """

    projection: str

    def check(self, network: Network) -> None:
        """Raise an error if the projection does not exist."""
        network.projection(self.projection)

    def __call__(self, view: View) -> NamedArray:
        """The row."""
        counts = view.active(self.projection).sum(axis=1, dtype=np.int32)
        about, where = {"description": "synapses with θ > 0"}, {"post": np.arange(counts.size)}
        return NamedArray(counts, ("post",), about, where)


active_count = ActiveCount
