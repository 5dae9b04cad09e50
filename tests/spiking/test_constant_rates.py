"""Constant rates reuse the same arrays, without any effect on the results."""

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.spiking import (
    CustomPlasticity,
    EventLog,
    InOrder,
    InputGroup,
    Network,
    Projection,
    SilenceInputs,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)
from synsamp.spiking.input.stimulus import Constant


class Shown:
    def __init__(self, n, rate_hz):
        self.durations_s, self.rates_hz = np.array([1.0]), np.full((1, n), float(rate_hz))


def circuits():
    return Network(
        [InputGroup("x", 6), InputGroup("y", 3)],
        [WinnerTakeAll("a", 3, rate_hz=20.0), WinnerTakeAll("b", 2, rate_hz=20.0)],
        [Projection("x", "a"), Projection("y", "b", delay_s=0.01), Projection("x", "b")],
    )


def free():
    model = SynapseModel(plasticity=CustomPlasticity())
    return Network(
        [InputGroup("x", 6), InputGroup("y", 3)],
        [StochasticNeurons("a", 3, rate_hz=8.0), StochasticNeurons("b", 2, rate_hz=8.0)],
        [Projection("x", "a", model), Projection("y", "b", model, delay_s=0.01)],
    )


def pieces():
    """Rates for a while: short and over a block of presentations, of all groups and of one."""
    rng = np.random.default_rng(5)
    for seconds in (0.02, 0.02, 0.0, 1.5, 300.0, 0.02, 520.0, 0.02):
        yield {"x": rng.uniform(0, 30, 6), "y": rng.uniform(0, 30, 3)}, seconds
    yield {"y": rng.uniform(0, 30, 3)}, 0.5
    yield {"y": rng.uniform(0, 30, 3)}, 0.5
    yield None, 0.1
    yield {"x": rng.uniform(0, 30, 6)}, 0.5


def observed_rows(sim):
    return [sim.spike_counts, *(sim.theta(p.name) for p in sim.network.projections)] + [
        sim.potentials(c.name) for c in sim.network.neurons
    ]


@pytest.mark.parametrize("network", [circuits(), free()], ids=["circuits", "stochastic neurons"])
def test_arrays_that_are_used_again_are_as_good_as_new_ones(network):
    """The control makes all of it anew at each step, from a saved state."""
    sim, control = (Simulation(network, None, seed=3) for _ in range(2))
    for i, (rates, seconds) in enumerate(pieces()):
        for each in (sim, control):
            each.stimulus = rates
        if i == 4:
            sim.lesion(SilenceInputs("x", [2]))
            control.lesion(SilenceInputs("x", [2]))
        sim.run(seconds)
        control = Simulation.from_state(network, control.state(), rates)
        control.run(seconds / 2)
        control = Simulation.from_state(network, control.state(), rates)
        control.run_until(sim.time_s)
        for mine, its in zip(observed_rows(sim), observed_rows(control), strict=True):
            np.testing.assert_array_equal(mine, its)
    assert sim.n_spikes > 5000


@pytest.mark.parametrize("network", [circuits(), free()], ids=["circuits", "stochastic neurons"])
def test_constant_rates_are_a_presentation_that_is_shown_again_and_again(network):
    """As a list of one presentation they go the long way, in which everything is looked up."""
    short, long = (Simulation(network, None, seed=3) for _ in range(2))
    for rate_hz, seconds in ((20, 0.3), (5, 0.02), (30, 270.0)):
        short.stimulus = {"x": np.full(6, float(rate_hz)), "y": np.full(3, 9.0)}
        long.stimulus = InOrder({"x": [Shown(6, rate_hz)], "y": [Shown(3, 9)]})
        for sim in (short, long):
            sim.run(seconds)
    for one, other in zip(observed_rows(short), observed_rows(long), strict=True):
        np.testing.assert_array_equal(one, other)


def test_groups_whose_rates_part_get_separate_tables():
    """Equal rates share a table; when they part, there must be room for all."""
    groups = [InputGroup(name, 4) for name in "xyw"]
    projections = [Projection(name, "z") for name in "xyw"]
    network = Network(groups, [WinnerTakeAll("z", 3)], projections)
    sim = Simulation(network, {name: np.full(4, 20.0) for name in "xyw"}, 1).run(0.5)
    rates = {name: np.eye(4)[i] * 80.0 for i, name in enumerate("xyw")}
    control = Simulation.from_state(network, sim.state(), sim.stimulus)
    sim.stimulus = control.stimulus = rates
    sim.run(5.0)
    control = Simulation.from_state(network, control.state(), rates).run(5.0)
    for mine, its in zip(observed_rows(sim), observed_rows(control), strict=True):
        np.testing.assert_array_equal(mine, its)


def test_the_input_does_not_depend_on_how_a_run_is_cut():
    sims = [
        Simulation(
            winner_take_all_network(4, 2, rate_hz=1e-3),
            np.full(4, 5.0),
            1,
            observer=EventLog("presentations"),
        )
        for _ in range(2)
    ]
    sims[0].run_until(256.5)
    for until_s in (0.5, 256.0, 256.25, 256.5):
        sims[1].run_until(until_s)
    starts = [sim.observer["presentations"]["time_s"] for sim in sims]
    np.testing.assert_array_equal(*starts)
    np.testing.assert_array_equal(starts[0], np.arange(257))


def test_who_begins_to_record_begins_with_the_next():
    sim = Simulation(winner_take_all_network(4, 2), np.full(4, 5.0), 1).run(3.5)
    recording = EventLog("presentations")
    sim = Simulation.from_state(sim.network, sim.state(), sim.stimulus, observer=recording).run(3.0)
    np.testing.assert_array_equal(sim.observer["presentations"]["time_s"], [4.0, 5.0, 6.0])


def test_another_stimulus_than_that_of_the_state_raises_an_error():
    network = winner_take_all_network(4, 2)
    sim = Simulation(network, [Shown(4, 5), Shown(4, 9)], 1).run(1.5)
    with pytest.raises(SynsampError, match=r"stimulus must be the one of the saved state.*'x'"):
        Simulation.from_state(network, sim.state(), np.full(4, 5.0))


def test_rates_beyond_reason_raise_an_error_when_they_are_set():
    sim = Simulation(winner_take_all_network(4, 2), np.full(4, 5.0), 1).run(0.5)
    for rates in (np.full(4, 2e6), np.full(3, 1.0), -np.ones(4)):
        with pytest.raises(SynsampError, match=r"rates for 'x' must .*; give one rate per input"):
            sim.stimulus = rates
    assert isinstance(sim.run(0.5).stimulus, np.ndarray)


def test_silenced_inputs_leave_the_given_rates_alone():
    rates = Constant({"x": np.full(4, 5.0)})
    sim = Simulation(winner_take_all_network(4, 2), rates, 1, observer=EventLog("input_spikes"))
    sim.lesion(SilenceInputs("x", [1]))
    heard = np.asarray(sim.run(10.0).observer["input_spikes"]["input"])
    np.testing.assert_array_equal(np.unique(heard), [0, 2, 3])
    np.testing.assert_array_equal(rates.library["x"][0], np.full(4, 5.0))
