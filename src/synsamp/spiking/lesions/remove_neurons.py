"""Removal of neurons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synsamp import arguments
from synsamp.spiking.layout import Layout
from synsamp.spiking.lesions.base import NetworkLesion, indices, require_some, set_theta
from synsamp.spiking.network import Network
from synsamp.spiking.state import State


@dataclass(frozen=True)
class RemoveNeurons(NetworkLesion):
    """Silence neurons permanently and remove all synapses from and to them.

    A winner-take-all circuit keeps its total rate: lateral inhibition distributes it over the
    neurons that remain.

    Parameters
    ----------
    circuit
        Name of the circuit.
    neurons
        Indices within the circuit, at least one.
    """

    circuit: str
    neurons: Sequence[int]

    def __post_init__(self) -> None:
        arguments.text("circuit", self.circuit)
        require_some("neurons", self.neurons)

    def apply(self, state: State, network: Network, layout: Layout) -> None:
        """Set the bias of the neurons to −inf and remove their synapses."""
        numbers = network.neurons_of(self.circuit)
        local = indices("neurons", self.neurons, numbers.size)
        state.activity.bias[numbers[local]] = -np.inf
        for p, projection in enumerate(layout.projections):
            gone = np.zeros(network.shape_of(projection), bool)
            listed = projection.listed
            if projection.target == self.circuit:
                gone[local if listed is None else np.isin(listed.post, local)] = True
            if projection.source == self.circuit:
                gone[(..., local) if listed is None else np.isin(listed.pre, local)] = True
            set_theta(state, layout, p, gone, -np.inf)
