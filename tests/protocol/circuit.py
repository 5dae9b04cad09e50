"""A tiny circuit and two stimuli."""

from __future__ import annotations

import numpy as np

from synsamp.spiking import SynapseModel, winner_take_all_network

SYNAPSES = "x->z"
N_INPUTS, N_NEURONS = 12, 4


def network(**options):
    return winner_take_all_network(
        N_INPUTS, N_NEURONS, SynapseModel(**({"speed": 1e-3} | options)), rate_hz=40.0
    )


def rates(number):
    return np.random.default_rng(number).uniform(0.0, 60.0, N_INPUTS)


LEFT, RIGHT = rates(1), rates(2)
