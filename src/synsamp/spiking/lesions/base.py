"""The base class of lesions, and what several of them need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network
from synsamp.spiking.state import State


class NetworkLesion(ABC):
    """Damage to a network, applied at once by `Simulation.lesion` or a protocol's `Lesion`.

    A new lesion is a frozen dataclass with `apply`; its fields appear in the protocol's log.
    """

    @abstractmethod
    def apply(self, state: State, network: Network, layout: Layout) -> None:
        """Change the state, or raise an error if the network has no such part.

        Parameters
        ----------
        state
            The state to change. The simulation recomputes potentials and inputs afterwards.
        network
            The network, for names and sizes.
        layout
            Where each projection's synapses lie in the state's arrays.
        """


def require_some(name: str, values: Sequence[int]) -> None:
    """Raise an error for an empty list of indices, or for something else."""
    if arguments.wholes(name, values).size == 0:
        raise refuse(name, "must not be empty", 0, "name at least one")


def indices(name: str, values: Sequence[int], size: int) -> NDArray[np.int64]:
    """Sorted indices below ``size``, each once."""
    return np.unique(arguments.wholes(name, values, at_least=0, at_most=size - 1))


def set_theta(
    state: State, layout: Layout, projection: int, where: NDArray[np.bool_], value: float
) -> None:
    """Set θ of some synapses of a projection; −inf removes them permanently."""
    model = layout.projections[projection].synapses
    weight = 0.0
    if value > -np.inf:
        value = max(value, model.theta_min)
        weight = float(model.mapping.weight(value))
    arrays = (
        ("synapse", state.synapses.theta, value),
        ("synapse", state.synapses.weight, weight),
        ("eligibility", state.synapses.eligibility, 0.0),
    )
    for kind, values, new in arrays:
        own = layout.read(projection, kind, values)
        own[where] = new
        layout.write(projection, kind, values, own)
