"""Eligibility traces of synapses that learn from reward."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking.engine import Engine
from synsamp.spiking.state import State


class Eligibility(NamedTuple):
    """Matrices [post, pre]; 0 for synapses without effect."""

    trace: NDArray[np.float64]
    """e: the synapse's share in what its circuit lately did."""
    gradient: NDArray[np.float64]
    """g: the estimate of the gradient of expected reward."""


def read_eligibility(engine: Engine, state: State, projection: str) -> Eligibility:
    """Eligibility of a projection's synapses at the present; the state stays as it is."""
    name = engine.network.projection(projection).name
    copy = state.copy()
    engine.bring_eligibility_up(copy)
    found = engine.layout.eligibility(engine.layout.place_of(name), copy.synapses.eligibility)
    if found.shape[2] == 0:
        rule, remedy = "must learn from reward", "use SynapseModel(plasticity=RewardGradient())"
        raise refuse("plasticity of the projection", rule, name, remedy)
    return Eligibility(found[:, :, 0].copy(), found[:, :, 1].copy())
