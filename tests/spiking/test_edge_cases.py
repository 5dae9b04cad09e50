"""What happens at the edges: grid points, moments of change, interruptions, full queues."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.priors import Laplace
from synsamp.spiking import (
    EventLog,
    InOrder,
    InputGroup,
    Network,
    Projection,
    RandomOrder,
    RemoveNeurons,
    Simulation,
    SpikeTimes,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
    stdp_curve,
    winner_take_all_network,
)

NET = winner_take_all_network(4, 3)


def shown(seconds=0.01):
    return SimpleNamespace(durations_s=np.array([seconds]), rates_hz=np.full((1, 4), 5.0))


def test_a_replay_across_grid_points_continues_as_a_run_would():
    sim = Simulation(NET, drift_interval_s=1.0, sync_interval_s=10.0)
    sim.replay([1.0, 25.0], [4, 4]).run(15.0)
    assert np.isfinite(sim.theta("x->z")).all()
    assert sim.time_s == 40.0
    again = Simulation.from_state(NET, sim.state())
    np.testing.assert_array_equal(again.run(5.0).theta("x->z"), sim.run(5.0).theta("x->z"))


def test_a_given_spike_at_the_very_start_is_delivered_and_none_twice():
    record = EventLog("input_spikes")
    sim = Simulation(NET, {"x": SpikeTimes([0.0, 0.5], [1, 2])}, observer=record).run(1.0)
    assert sim.observer["input_spikes"]["time_s"].tolist() == [0.0, 0.5]
    sim.replay([1.2], [0]).run(1.0)
    assert sim.observer["input_spikes"]["time_s"].tolist() == [0.0, 0.5]
    sim.stimulus = {"x": SpikeTimes([0.0], [3])}
    assert sim.run(1.0).observer["input_spikes"]["input"].tolist() == [1, 2, 3]


class Stops(EventLog):
    """An observer that stops the run once, as Ctrl-C would."""

    calls = 0

    def take(self, event, columns):
        self.calls += 1
        if self.calls == 2:
            raise KeyboardInterrupt
        super().take(event, columns)


BESIDE = Network(NET.inputs, [*NET.neurons, StochasticNeurons("h", 2)], NET.projections)


@pytest.mark.parametrize("net", [NET, BESIDE], ids=["by gaps", "event by event"])
def test_an_interrupted_run_continues_and_loses_no_order(net):
    sim = Simulation(net, np.full(4, 20.0), observer=Stops("spikes"))
    with pytest.raises(KeyboardInterrupt):
        sim.run(1000.0)
    assert 100.0 < sim.time_s < 1000.0
    again = Simulation.from_state(net, sim.state(), np.full(4, 20.0)).run(10.0)
    sim.run(10.0)
    np.testing.assert_array_equal(again.theta("x->z"), sim.theta("x->z"))
    times = sim.observer["spikes"]["time_s"]
    assert (np.diff(times) > 0).all()  # no row twice
    whole = Simulation(net, np.full(4, 20.0)).run(sim.time_s)
    np.testing.assert_array_equal(whole.theta("x->z"), sim.theta("x->z"))


HANGS = {
    "a probe of a network without neurons": """
sim.lesion(RemoveNeurons("z", [0, 1, 2]))
print("ready", flush=True)
sim.probe(None, 1e9)
""",
    "a run of a network without neurons": """
sim.lesion(RemoveNeurons("z", [0, 1, 2]))
print("ready", flush=True)
sim.run(1e9)
""",
    "many input spikes and hardly any event": """
sim = Simulation(winner_take_all_network(4, 3, rate_hz=1e-5), np.full(4, 1e6))
print("ready", flush=True)
sim.run(1e9)
""",
}
HEAD = """
import numpy as np
from synsamp.spiking import RemoveNeurons, Simulation, winner_take_all_network
# All kernels loaded: an interrupt while llvmlite puts its objects away is lost to `__del__`.
sim = Simulation(winner_take_all_network(4, 3), np.full(4, 5.0)).run(1.0)
"""


@pytest.mark.parametrize("name", HANGS)
def test_a_long_run_can_be_interrupted(name):
    program = subprocess.Popen(
        [sys.executable, "-c", HEAD + HANGS[name]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert program.stdout.readline() == "ready\n"
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=120)  # far more than it takes, far less than the run
    assert "KeyboardInterrupt" in err


def test_a_replay_that_would_take_for_ever_raises_an_error():
    model = SynapseModel(prior=Laplace(0.5, 1.0), speed=1.0)
    sim = Simulation(
        winner_take_all_network(4, 3, model), sync_interval_s=1.0, drift_interval_s=1.0
    )
    with pytest.raises(SynsampError, match="time_s must leave at most"):
        sim.replay([1e9], [4])


def test_presentations_are_noted_once_also_by_one_who_joins_later():
    library = InOrder([shown(), shown(), shown()])
    sim = Simulation(NET, library).run(20.0)
    record = EventLog("presentations")
    late = Simulation.from_state(NET, sim.state(), library, observer=record)
    for _ in range(4):
        late.run(0.1)
    starts = late.observer["presentations"]["time_s"]
    assert starts.size in (40, 41)
    assert (np.diff(starts) > 0).all()


def test_a_stimulus_set_later_starts_with_its_first_presentation():
    sim = Simulation(NET, np.ones(4), observer=EventLog("presentations")).run(1.0)
    sim.stimulus = [shown(0.5), shown(0.5), shown(0.5)]
    index = sim.run(2.4).observer["presentations"]["index"][:, 0]
    assert index[-5:].tolist() == [0, 1, 2, 0, 1]


def test_a_state_fits_the_same_network_written_otherwise():
    state = Simulation(NET).run(1.0).state()
    same = winner_take_all_network(np.int64(4), 3, rate_hz=100, adaptation_strength=np.float64(-8))
    assert Simulation.from_state(same, state).n_spikes > 50


@pytest.mark.parametrize("seed", range(6))
def test_many_spikes_at_once_fit_the_queues(seed):
    net = Network(
        [InputGroup("x", 784)], [WinnerTakeAll("z", 2)], [Projection("x", "z", delay_s=0.005)]
    )
    given = SpikeTimes(np.full(784, 0.5), np.arange(784))
    record = EventLog("input_spikes")
    sim = Simulation(net, given, seed, observer=record).run(1.0)
    assert sim.observer["input_spikes"]["time_s"].size == 784
    Simulation(net, seed=seed).replay(np.full(784, 0.5), np.arange(784))


def test_a_removed_neuron_cannot_be_made_to_spike():
    sim = Simulation(NET)
    sim.lesion(RemoveNeurons("z", [0]))
    with pytest.raises(SynsampError, match="source must be alive, got 'neuron 0"):
        sim.replay([2.0], [4])


def test_a_lesion_that_raises_an_error_changes_nothing():
    plain, tried = (Simulation(NET, np.full(4, 20.0)).run(3.33) for _ in range(2))
    with pytest.raises(SynsampError):
        tried.lesion(RemoveNeurons("z", [99]))
    np.testing.assert_array_equal(plain.run(5).theta("x->z"), tried.run(5).theta("x->z"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Simulation(NET, theta=np.zeros((3, 4))),
        lambda: Simulation(NET, theta=0.0),
        lambda: Simulation(NET, observer=5),
        lambda: Simulation(NET, observer=EventLog(traces={"x->z": 5})),
        lambda: Simulation(NET, {"x": [shown(), 5]}),
        lambda: Simulation(NET, SimpleNamespace(library={"x": 5}, choose=lambda *a: {})).run(1.0),
        lambda: RandomOrder({"a": shown()}),
        lambda: stdp_curve(0.01, synapses=5),
        lambda: winner_take_all_network(10**7, 10**7),
    ],
)
def test_further_mistakes_get_one_line(make):
    with pytest.raises(SynsampError) as caught:
        make()
    assert "\n" not in str(caught.value)
