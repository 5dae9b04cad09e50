"""Eligibility traces of synapses that learn from reward."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking.engine import Engine
from synsamp.spiking.state import State


class Eligibility(NamedTuple):
    """In the shape of θ, [post, pre] or [synapse]; 0 for retracted synapses."""

    trace: NDArray[np.float64]
    """Eligibility trace e: the synapse's recent influence on the spikes of its circuit."""
    gradient: NDArray[np.float64]
    """Gradient estimate g: of the expected reward with respect to θ."""


def read_eligibility(engine: Engine, state: State, projection: str) -> Eligibility:
    """Return the present eligibility of a projection's synapses; the state is not changed."""
    name = engine.network.projection(projection).name
    copy = state.copy()
    engine.bring_eligibility_up(copy)
    place = engine.layout.place_of(name)
    found = engine.layout.read(place, "eligibility", copy.synapses.eligibility)
    if found.shape[-1] == 0:
        rule, remedy = "must learn from reward", "use SynapseModel(plasticity=RewardGradient())"
        raise refuse("plasticity of the projection", rule, name, remedy)
    return Eligibility(found[..., 0].copy(), found[..., 1].copy())
