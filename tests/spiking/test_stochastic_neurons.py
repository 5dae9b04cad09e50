"""Stochastic neurons: their spikes have exactly the distribution given by their potentials.

If rates ρ_k(t) are right, the integrals of ρ_k between spikes of neuron k are independent unit
exponentials, whatever the network (time rescaling). The integral is taken here by direct sums of
EPSPs over recorded spikes, on a fine grid: code that shares nothing with the engine.
"""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from synsamp.errors import SynsampError
from synsamp.priors import Flat, Gaussian
from synsamp.spiking import (
    CustomPlasticity,
    DoubleExponential,
    EventLog,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    SilenceInputs,
    Simulation,
    SpikeLikelihood,
    SpikeTimes,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
)


def log():
    return EventLog("spikes", "input_spikes")


def test_without_input_intervals_are_refractory_period_plus_exponential():
    net = Network(
        [InputGroup("x", 1)],
        [StochasticNeurons("h", 3, rate_hz=20.0, refractory_s=0.01)],
        [Projection("x", "h", plastic=False)],
    )
    sim = Simulation(net, seed=1, observer=log()).run(1000.0)
    spikes = sim.observer["spikes"]
    for k in range(3):
        intervals = np.diff(spikes["time_s"][spikes["neuron"] == k])
        assert intervals.min() >= 0.01
        assert stats.kstest(intervals - 0.01, "expon", args=(0, 1 / 20)).pvalue > 1e-3
        # Negative control: without the refractory period the same intervals do not fit.
        assert stats.kstest(intervals, "expon", args=(0, 1 / 20)).pvalue < 1e-6


def test_poisson_counts_without_refractory_period():
    net = Network(
        [InputGroup("x", 1)],
        [StochasticNeurons("h", 1, rate_hz=7.0)],
        [Projection("x", "h", plastic=False)],
    )
    sim = Simulation(net, seed=4, observer=log()).run(4000.0)
    counts = np.histogram(sim.observer["spikes"]["time_s"], np.arange(0, 4001))[0]
    assert counts.mean() == pytest.approx(7.0, abs=4 * np.sqrt(7.0 / 4000))
    spread = counts.var() / counts.mean()
    assert spread == pytest.approx(1.0, abs=4 * np.sqrt(2 / 4000))


def rich():
    """Excitation and inhibition, two EPSPs, delays, refractoriness, adaptation, a circuit."""
    slow = DoubleExponential(0.004, 0.06)
    fixed = {"plastic": False}
    return Network(
        [InputGroup("x", 12), InputGroup("y", 5)],
        [
            StochasticNeurons("h", 6, rate_hz=8.0, refractory_s=0.004),
            WinnerTakeAll("z", 4, rate_hz=30.0),
            StochasticNeurons(
                "i",
                3,
                rate_hz=15.0,
                adaptation=DoubleExponential(0.02, 0.2),
                adaptation_strength=-1.5,
            ),
        ],
        [
            Projection("x", "h", **fixed),
            Projection("y", "h", epsp=slow, **fixed),
            Projection("y", "i", delay_s=0.006, **fixed),
            Projection("h", "i", delay_s=0.002, **fixed),
            Projection("i", "h", sign=-1, delay_s=0.001, **fixed),
            Projection("z", "h", sign=-1, epsp=slow, **fixed),
            Projection("h", "z", **fixed),
        ],
    )


@pytest.fixture(scope="module")
def ran():
    net = rich()
    rng = np.random.default_rng(0)
    theta = {p.name: rng.normal(1.3, 0.8, net.mask_of(p).shape) for p in net.projections}
    theta["y->i"] = np.full((3, 5), 2.6)  # strong enough to detect a few milliseconds
    stimulus = {"x": np.full(12, 25.0), "y": np.full(5, 10.0)}
    return Simulation(net, stimulus, seed=3, theta=theta, observer=log()).run(150.0)


@njit
def add_epsps(out, times, rise_s, fall_s, factor, step_s):
    """factor × Σ ε(t − t_f) in the middle of each step, by direct sums."""
    for time in times:
        first = max(int(np.ceil(time / step_s - 0.5)), 0)
        for i in range(first, min(first + int(15 * fall_s / step_s), out.size)):
            s = (i + 0.5) * step_s - time
            out[i] += factor * (np.exp(-s / fall_s) - np.exp(-s / rise_s))


class Rescaled:
    """What the recorded spikes are under the equations of a network, by quadrature.

    ``integrals``: ∫ ρ_k dt between the spikes of each neuron, all unit exponentials. ``scores``:
    per projection (Σ_spikes x − ∫ x ρ dt) / sqrt(∫ x² ρ dt) with x = Σ ŵ ε, standard normal, since
    spikes minus the integral of their rate are a martingale.
    """

    def __init__(self, sim, name, net, until_s=150.0, step_s=1e-4):
        spikes, inputs = sim.observer["spikes"], sim.observer["input_spikes"]
        fired, first = {}, 0
        for g in net.inputs:
            fired[g.name] = [inputs["time_s"][inputs["input"] == first + i] for i in range(g.size)]
            first += g.size
        for c in net.neurons:
            fired[c.name] = [
                spikes["time_s"][spikes["neuron"] == n] for n in net.neurons_of(c.name)
            ]
        steps = int(until_s / step_s)
        of = next(c for c in net.neurons if c.name == name)
        u = np.zeros((of.size, steps))
        for k in range(of.size):
            kernel, gamma = of.adaptation, of.adaptation_strength
            if gamma:
                add_epsps(u[k], fired[name][k], kernel.rise_s, kernel.fall_s, gamma, step_s)
        parts = {}
        for p in net.projections:
            if p.target == name:
                weight, kernel = p.sign * sim.weight(p.name), net.epsp_of(p)
                parts[p.name] = np.zeros_like(u)
                for j, times in enumerate(fired[p.source]):
                    x = np.zeros(steps)
                    arrivals = np.asarray(times) + p.delay_s
                    add_epsps(x, arrivals, kernel.rise_s, kernel.fall_s, 1.0, step_s)
                    parts[p.name] += weight[:, j, None] * x
                u += parts[p.name]
        edges = np.arange(steps + 1) * step_s
        integrals, self.scores = [], {}
        gained, spread = dict.fromkeys(parts, 0.0), dict.fromkeys(parts, 0.0)
        for k in range(of.size):
            rate = of.rate_hz * np.exp(u[k])
            for time in fired[name][k]:
                dead = np.searchsorted(edges, [time, time + of.refractory_s])
                rate[dead[0] : dead[1]] = 0.0
            at = np.interp(fired[name][k], edges, np.concatenate([[0.0], np.cumsum(rate) * step_s]))
            integrals.append(np.diff(np.concatenate([[0.0], at])))
            where = np.minimum((fired[name][k] / step_s).astype(int), steps - 1)
            for label, x in parts.items():
                gained[label] += x[k, where].sum() - (x[k] * rate).sum() * step_s
                spread[label] += (x[k] ** 2 * rate).sum() * step_s
        self.integrals = np.concatenate(integrals)
        self.scores = {label: gained[label] / np.sqrt(spread[label]) for label in parts}


@pytest.mark.parametrize("name", ["h", "i"])
def test_spikes_are_those_of_their_rates(ran, name):
    found = Rescaled(ran, name, rich())
    assert found.integrals.size > 2000
    assert stats.kstest(found.integrals, "expon").pvalue > 1e-3
    assert found.integrals.mean() == pytest.approx(1.0, abs=4 / np.sqrt(found.integrals.size))
    assert max(map(abs, found.scores.values())) < 4.0
    assert len(found.scores) == (4 if name == "h" else 2)


@pytest.mark.parametrize("wrong", ["sign", "delay", "refractory period", "epsp"])
def test_other_equations_would_be_noticed(ran, wrong):
    """Negative controls: the same spikes under slightly other equations do not fit."""
    net = rich()
    circuits, projections = list(net.neurons), list(net.projections)
    if wrong == "refractory period":
        circuits[0] = StochasticNeurons("h", 6, rate_hz=8.0)
        found = Rescaled(ran, "h", Network(net.inputs, circuits, projections))
        assert found.integrals.mean() - 1 > 4 / np.sqrt(found.integrals.size)
        return
    at, change = {
        "sign": (4, {"sign": 1}),
        "delay": (2, {"delay_s": 0.026}),
        "epsp": (1, {"epsp": net.epsp}),
    }[wrong]
    old = projections[at]
    kept = {n: getattr(old, n) for n in ("source", "target", "sign", "delay_s", "epsp")}
    projections[at] = Projection(**(kept | change), plastic=False)
    found = Rescaled(ran, old.target, Network(net.inputs, circuits, projections))
    assert max(map(abs, found.scores.values())) > 4.0


def test_inputs_drawn_one_by_one_are_poisson_with_their_rates(ran):
    inputs = ran.observer["input_spikes"]
    counts = np.bincount(inputs["input"], minlength=17)
    expected = 150.0 * np.repeat([25.0, 10.0], [12, 5])
    assert stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-3
    assert abs(counts.sum() - expected.sum()) < 4 * np.sqrt(expected.sum())
    assert (np.diff(inputs["time_s"]) >= 0).all()


def test_circuits_have_the_same_distribution_in_both_loops():
    """A population without connections makes a network run event by event; nothing else changes."""
    rng = np.random.default_rng(1)
    theta = {"x->z": rng.normal(1.0, 1.0, (5, 20))}
    shares = []
    for alone in (True, False):
        beside = [] if alone else [StochasticNeurons("h", 1, rate_hz=1.0)]
        net = Network(
            [InputGroup("x", 20)],
            [WinnerTakeAll("z", 5), *beside],
            [Projection("x", "z", plastic=False)],
        )
        counts = [
            np.bincount(
                Simulation(net, np.full(20, 20.0), seed=s, theta=theta, observer=log())
                .run(60.0)
                .observer["spikes"]["neuron"],
                minlength=6,
            )[:5]
            for s in range(12)
        ]
        shares.append(np.array(counts, float))
    for k in range(5):
        assert stats.ttest_ind(shares[0][:, k], shares[1][:, k]).pvalue > 1e-3


# -- what must not change the dynamics --------------------


@njit
def hebb(synapse, traces, p):
    traces[0] += 1.0
    return p[0] * (synapse.x - 0.2 * synapse.w) - 0.01 * traces[0]


@njit
def decay_at_arrival(synapse, traces, p):
    return -0.05 * synapse.w - 0.02 * traces[0]


def plastic():
    own = CustomPlasticity(hebb, decay_at_arrival, (2.0,), (0.05,))
    model = SynapseModel(Gaussian(0.3, 1.0), plasticity=own, speed=1e-3)
    return Network(
        [InputGroup("x", 10)],
        [StochasticNeurons("h", 4, rate_hz=10.0, refractory_s=0.003), WinnerTakeAll("z", 3)],
        [
            Projection("x", "h", model),
            Projection("h", "z", SynapseModel(plasticity=SpikeLikelihood(), speed=1e-3)),
            Projection("h", "h", model, sign=-1, delay_s=0.002),
        ],
    )


def test_chopping_saving_and_looking_leave_every_bit_alike():
    net, stimulus = plastic(), np.full(10, 20.0)
    whole = Simulation(net, stimulus, seed=7, observer=log(), sync_interval_s=0.5).run(6.0)
    cut = Simulation(net, stimulus, seed=7, observer=log(), sync_interval_s=0.5)
    for duration in (0.1, 0.9, 1.0, 0.001, 1.499):
        cut.run(duration)
        cut.potentials("h")
        cut.probe(np.full(10, 50.0), 0.3)
    resumed = Simulation.from_state(net, cut.state(), stimulus, observer=cut.observer)
    resumed.run(2.5)
    for p in net.projections:
        np.testing.assert_array_equal(whole.theta(p.name), resumed.theta(p.name))
    spikes, again = whole.observer["spikes"], resumed.observer["spikes"]
    np.testing.assert_array_equal(spikes["time_s"], again["time_s"])
    np.testing.assert_array_equal(spikes["neuron"], again["neuron"])
    assert spikes["time_s"].size > 500


def test_silent_hours_pass_quickly_and_given_spikes_come_at_their_time():
    net = Network(
        [InputGroup("x", 2)],
        [StochasticNeurons("h", 1, rate_hz=1e-6)],
        [Projection("x", "h", plastic=False)],
    )
    given = SpikeTimes([1.0, 3600.0], [0, 1])
    sim = Simulation(net, {"x": given}, observer=log()).run(7200.0)
    np.testing.assert_array_equal(sim.observer["input_spikes"]["time_s"], [1.0, 3600.0])
    np.testing.assert_array_equal(sim.observer["input_spikes"]["input"], [0, 1])


def test_lesions_hold_at_once():
    net = rich()
    stimulus = {"x": np.full(12, 25.0), "y": np.full(5, 10.0)}
    sim = Simulation(net, stimulus, seed=3, observer=log()).run(5.0)
    sim.lesion(RemoveNeurons("h", [0, 2]))
    sim.lesion(SilenceInputs("x", range(12)))
    before = sim.observer["spikes"]["time_s"].size, sim.observer["input_spikes"]["time_s"].size
    sim.run(20.0)
    later = sim.observer["spikes"]["neuron"][before[0] :]
    assert not np.isin(later, net.neurons_of("h")[[0, 2]]).any()
    assert np.isin(later, net.neurons_of("h")).any()
    assert (sim.observer["input_spikes"]["input"][before[1] :] >= 12).all()


def test_all_neurons_removed_leaves_a_silent_population():
    net = Network(
        [InputGroup("x", 1)], [StochasticNeurons("h", 2)], [Projection("x", "h", plastic=False)]
    )
    sim = Simulation(net, np.full(1, 50.0)).run(1.0)
    before = sim.n_spikes
    sim.lesion(RemoveNeurons("h", [0, 1]))
    assert sim.run(1000.0).n_spikes == before


def test_rates_that_run_away_stop_with_a_message():
    net = Network(
        [InputGroup("x", 1)],
        [StochasticNeurons("h", 30, rate_hz=20.0)],
        [Projection("h", "h", SynapseModel(Flat()), plastic=False)],
    )
    sim = Simulation(net, theta={"h->h": 4.5})
    with pytest.raises(
        SynsampError, match=r"total rate of stochastic neurons must stay below .* max_rate_hz"
    ):
        sim.run(100.0)
    assert sim.time_s < 100.0


@njit
def not_a_number(synapse, traces, p):
    return np.nan


def test_a_potential_that_is_not_a_number_stops_with_a_message():
    """And does not leave a neuron silent, whose limit cannot be determined."""
    model = SynapseModel(Gaussian(1.0, 1.0), plasticity=CustomPlasticity(not_a_number))
    net = Network(
        [InputGroup("x", 3)],
        [StochasticNeurons("h", 3, rate_hz=20.0)],
        [Projection("x", "h", model)],
    )
    with pytest.raises(SynsampError, match="potentials must be finite"):
        Simulation(net, np.full(3, 20.0), seed=1).run(10.0)


def test_many_spikes_on_their_way_find_room():
    """No rate is known in advance: the queue of a long delay grows as needed."""
    net = Network(
        [InputGroup("x", 1)],
        [StochasticNeurons("h", 20, rate_hz=200.0), StochasticNeurons("o", 1, rate_hz=1e-9)],
        [Projection("h", "o", plastic=False, sign=-1, delay_s=3.0)],
    )
    sim = Simulation(net, seed=1).run(10.0)
    waiting = sim.state()["activity"]["queue_count"].sum()
    assert waiting == pytest.approx(20 * 200 * 3, abs=4 * np.sqrt(20 * 200 * 3))


def test_a_neighbours_spike_does_not_reach_the_padding_of_a_row():
    """Rows are padded to lanes; an axon behind the last afferent belongs to somebody else."""
    own = CustomPlasticity(hebb, decay_at_arrival, (2.0,), (0.05,))
    model = SynapseModel(Gaussian(-0.5, 1.0), plasticity=own, speed=1e-3)
    slow = DoubleExponential(0.004, 0.06)
    net = Network(
        [InputGroup("x", 20)],
        [StochasticNeurons("e", 16, rate_hz=5.0), StochasticNeurons("i", 4, rate_hz=5.0)],
        [
            Projection("x", "e", model, epsp=slow),
            Projection("e", "i", plastic=False, delay_s=0.001),
            Projection("i", "e", plastic=False, delay_s=0.001, sign=-1),
        ],
    )
    sim = Simulation(net, np.full(20, 8.0), seed=2).run(5.03)
    kept = np.concatenate([sim.potentials("e"), sim.potentials("i")])
    engine, state = sim._engine, sim._state.copy()
    engine.recompute_potentials(state)  # all sums anew from weights and traces
    np.testing.assert_allclose(kept, engine.potentials(state), atol=1e-4)
    assert np.abs(kept).max() > 0.1
