"""Number of functional synapses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import StateRecord
from synsamp.protocol.view import View
from synsamp.spiking import Network


def per_neuron(chosen: NDArray[np.bool_], projection: str, network: Network) -> NDArray[np.int32]:
    """Number of chosen synapses of each postsynaptic neuron."""
    listed = network.projection(projection).listed
    if listed is None:
        return chosen.sum(axis=1, dtype=np.int32)
    return np.bincount(listed.post[chosen], minlength=listed.first.size - 1).astype(np.int32)


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
        counts = per_neuron(view.active(self.projection), self.projection, view.network)
        about, where = {"description": "synapses with θ > 0"}, {"post": np.arange(counts.size)}
        return NamedArray(counts, ("post",), about, where)


active_count = ActiveCount
