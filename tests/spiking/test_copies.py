"""Copies and pickles of a simulation continue on their own, bit-identically."""

import copy
import pickle

import numpy as np
import pytest
from numba import njit

from synsamp.spiking import (
    CustomPlasticity,
    EventLog,
    Projection,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    winner_take_all_network,
)
from synsamp.spiking.kernel.memory import Numbers
from synsamp.spiking.network import InputGroup, Network

WAYS = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda sim: pickle.loads(pickle.dumps(sim)),
}


@njit
def hebb(synapse, traces, parameters):
    return parameters[0] * synapse.x - 0.01 * synapse.theta


def custom():
    model = SynapseModel(plasticity=CustomPlasticity(hebb, parameter_values=(0.5,)))
    return Network(
        [InputGroup("x", 12)], [StochasticNeurons("z", 3, 20.0)], [Projection("x", "z", model)]
    )


@pytest.fixture(params=["circuit", "custom"])
def sim(request):
    network = winner_take_all_network(12, 3) if request.param == "circuit" else custom()
    found = Simulation(network, np.full(12, 40.0), 1, observer=EventLog("spikes"))
    found.run(1.3)
    found.change("x->z", speed=2e-4)
    return found.run(0.4)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_continues_bit_identically_and_leaves_the_original_alone(sim, way):
    other = WAYS[way](sim)
    before, time_s = sim.theta("x->z"), sim.time_s
    other.run(2.0)
    assert sim.time_s == time_s
    np.testing.assert_array_equal(sim.theta("x->z"), before)
    moved = other.theta("x->z")
    assert (moved != before).any()
    sim.run(2.0)
    np.testing.assert_array_equal(sim.theta("x->z"), moved)
    np.testing.assert_array_equal(other.theta("x->z"), moved)
    np.testing.assert_array_equal(sim.spike_counts, other.spike_counts)
    assert other.observer is not sim.observer
    one, two = sim.observer["spikes"], other.observer["spikes"]
    assert len(one["time_s"]) == sim.n_spikes > 0
    np.testing.assert_equal(one, two)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, WAYS["pickle"]])
def test_a_copied_record_points_at_its_own_arrays(way):
    values = {name: np.zeros(2, field.dtype) for name, field in Numbers.fields.items()}
    one = Numbers(**values)
    two = way(one)
    assert two.address != one.address
    for mine, its in zip(one, two, strict=True):
        assert mine.ctypes.data != its.ctypes.data
    assert two.__dict__["_table"][0] == two.speed.ctypes.data
