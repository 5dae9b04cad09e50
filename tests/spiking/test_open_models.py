"""Other models in the engine: signs and EPSPs of projections, custom plasticity."""

import math

import numpy as np
import pytest
from numba import njit

from spiking.test_spiking_twin import FAST, compare, shown
from synsamp.errors import SynsampError
from synsamp.mappings import Softplus
from synsamp.priors import Flat, Gaussian
from synsamp.spiking import (
    CustomPlasticity,
    DoubleExponential,
    EventLog,
    InputGroup,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)

SLOW = DoubleExponential(0.005, 0.05)


def signed_network():
    """Inhibition with a delay and a slow EPSP, a second projection from the same inputs."""
    rng = np.random.default_rng(8)
    half = rng.random((5, 14)) < 0.5
    return Network(
        inputs=[InputGroup("x", 14)],
        neurons=[WinnerTakeAll("a", 5), WinnerTakeAll("b", 7, rate_hz=60.0)],
        projections=[
            Projection("x", "a", SynapseModel(**FAST), mask=half, name="quick"),
            Projection("x", "a", SynapseModel(**FAST), mask=~half, epsp=SLOW, name="slow"),
            Projection("x", "b", SynapseModel(**FAST), delay_s=0.003, epsp=SLOW),
            Projection("a", "b", plastic=False, sign=-1, delay_s=0.004),
            Projection("b", "a", plastic=False, sign=-1, epsp=SLOW, delay_s=0.001),
            Projection("b", "b", SynapseModel(**FAST), delay_s=0.004),
        ],
    )


@pytest.mark.parametrize("drift_interval_s", [0.0, 0.05])
def test_signs_and_epsps_agree_with_the_twin(drift_interval_s):
    library = {"x": shown(np.random.default_rng(0), 14)}
    compare(signed_network(), library, drift_interval_s, 0.25, 3.0, 2e-5)


@pytest.mark.parametrize("wrong", ["sign", "epsp"])
def test_the_twin_would_notice_a_wrong_sign_or_epsp(wrong, monkeypatch):
    library = {"x": shown(np.random.default_rng(0), 14)}
    network = signed_network()
    if wrong == "sign":
        monkeypatch.setattr("spiking.test_spiking_twin.Twin.potential", _unsigned)
    else:
        monkeypatch.setattr(Network, "epsp_of", lambda self, p: self.epsp)
        engine_kernels = {p.name: p.epsp for p in network.projections}
        monkeypatch.setattr(
            "synsamp.spiking.layout.Network.epsp_of",
            lambda self, p: engine_kernels[p.name] or self.epsp,
        )
        monkeypatch.setattr("oracles.spiking_twin.Twin.epsps", _one_epsp)
    with pytest.raises(AssertionError):
        compare(network, library, 0.05, 0.25, 3.0, 2e-5)


def _unsigned(self, circuit, now):
    u = np.zeros(circuit.size)
    for p in self.projections:
        if p.target == circuit.name:
            effective = np.maximum(self.weight(p) - float(p.synapses.mapping.weight(0.0)), 0.0)
            u = u + effective @ self.epsps(p, now)
    return u


def _one_epsp(self, projection, now):
    from oracles.spiking_twin import double_exponential

    return np.array(
        [
            double_exponential(now - np.array(t) - projection.delay_s, self.network.epsp).sum()
            for t in self.fired[projection.source]
        ]
    )


def test_inhibition_lowers_the_potential_by_as_much_as_excitation_raises_it():
    def potential(sign):
        net = Network(
            [InputGroup("x", 3)],
            [WinnerTakeAll("z", 2, adaptation_strength=0.0)],
            [Projection("x", "z", plastic=False, sign=sign)],
        )
        sim = Simulation(net, np.full(3, 200.0), seed=1, theta={"x->z": 3.0}).run(0.5)
        return sim.potentials("z")

    up = potential(1)
    assert (up > 0.1).all()
    np.testing.assert_array_equal(potential(-1), -up)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Projection("x", "z", sign=-1), "must suit an inhibitory projection"),
        (lambda: Projection("x", "z", sign=0), "sign of projection x->z must be 1 or -1"),
        (lambda: Projection("x", "z", epsp=0.02), "epsp of projection x->z must be"),
        (
            lambda: StochasticNeurons("h", 3, refractory_s=-1.0),
            "refractory_s of stochastic neurons 'h'",
        ),
        (
            lambda: Network(
                [InputGroup("x", 3)], [StochasticNeurons("h", 2)], [Projection("x", "h")]
            ),
            "must suit stochastic neurons",
        ),
    ],
)
def test_unsupported_settings_raise_an_error(make, words):
    with pytest.raises(SynsampError, match=words):
        make()


# -- custom plasticity --------------------


@njit
def papers_term(synapse, traces, p):
    """N dw/dθ (x − α e^w): the paper's own."""
    return p[0] * synapse.slope * (synapse.x - p[1] * np.exp(synapse.w))


@njit
def without_w(synapse, traces, p):
    """N (x − α e^w)."""
    return p[0] * (synapse.x - p[1] * np.exp(synapse.w))


@pytest.mark.parametrize("mapping", [None, Softplus(0.7)])
def test_the_papers_term_by_a_users_function_is_the_papers_plasticity(mapping):
    chosen = {} if mapping is None else {"mapping": mapping}
    alpha = math.exp(-2.0)
    found = []
    for plasticity in (
        SpikeLikelihood(data_size=20.0, alpha=alpha),
        CustomPlasticity(papers_term, parameter_values=(20.0, alpha)),
    ):
        model = SynapseModel(speed=2e-3, plasticity=plasticity, **chosen)
        sim = Simulation(
            winner_take_all_network(30, 4, model),
            np.full(30, 20.0),
            seed=3,
            theta={"x->z": np.random.default_rng(0).normal(0.5, 1, (4, 30))},
        ).run(5.0)
        found.append(sim.theta("x->z"))
    # Single precision on one side, double on the other; the clip of α e^w is never reached here.
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)
    assert np.ptp(found[0]) > 1.0


def test_the_term_without_w_pulls_harder_on_weak_synapses():
    def change(function):
        plasticity = CustomPlasticity(function, parameter_values=(1.0, 0.1))
        model = SynapseModel(Flat(), plasticity=plasticity, speed=1e-3, temperature=0.0)
        sim = Simulation(
            winner_take_all_network(1, 1, model), sync_interval_s=1.0, theta={"x->z": -1.0}
        )
        sim.replay([0.1, 0.105], [0, 1])
        return float(sim.theta("x->z")[0, 0]) + 1.0

    w = math.exp(-4.0)
    # In one circuit with one input everything is known: Δθ = b N (dw/dθ) (x − α e^w).
    x = math.exp(-0.005 / 0.020) - math.exp(-0.005 / 0.002)
    expected = 1e-3 * (x - 0.1 * math.exp(w))
    assert change(without_w) == pytest.approx(expected, rel=1e-5)
    assert change(papers_term) == pytest.approx(w * expected, rel=1e-5)


@njit
def pair_post(synapse, traces, p):
    """A postsynaptic spike: potentiation by what is left of the presynaptic trace."""
    traces[1] += 1.0
    return p[0] * traces[0]


@njit
def pair_pre(synapse, traces, p):
    """An arrival: depression by what is left of the postsynaptic trace."""
    traces[0] += 1.0
    return -p[1] * traces[1]


PAIR = CustomPlasticity(pair_post, pair_pre, (1.0, 0.7), time_constants_s=(0.017, 0.034))


def pair_stdp(pre_s, post_s, b):
    """θ gained by one synapse: all pairs, both sides of the window."""
    lags = np.subtract.outer(np.asarray(post_s), np.asarray(pre_s))
    after, before = lags[lags > 0], -lags[lags < 0]
    return b * (np.exp(-after / 0.017).sum() - 0.7 * np.exp(-before / 0.034).sum())


def stdp_model(b=1e-3):
    return SynapseModel(Flat(), plasticity=PAIR, speed=b, temperature=0.0)


@pytest.mark.parametrize("delay_s", [0.0, 0.003])
def test_pair_stdp_on_given_spikes_is_the_sum_over_pairs(delay_s):
    rng = np.random.default_rng(2)
    net = Network(
        [InputGroup("x", 3)],
        [WinnerTakeAll("z", 2)],
        [Projection("x", "z", stdp_model(), delay_s=delay_s)],
    )
    times = np.sort(rng.uniform(0, 2.0, 120))
    sources = rng.integers(0, 5, 120)
    sim = Simulation(net, sync_interval_s=0.1, theta={"x->z": 0.5}).replay(times, sources)
    for post in range(2):
        for pre in range(3):
            arrivals = times[sources == pre] + delay_s
            spikes = times[sources == 3 + post]
            last = times[-1]
            expected = pair_stdp(arrivals[arrivals <= last], spikes, 1e-3)
            assert sim.theta("x->z")[post, pre] - 0.5 == pytest.approx(expected, abs=1e-12)


def test_pair_stdp_in_a_running_network_is_the_sum_over_its_recorded_pairs():
    net = Network(
        [InputGroup("x", 6), InputGroup("y", 4)],
        [WinnerTakeAll("z", 3, rate_hz=40.0), WinnerTakeAll("v", 2, rate_hz=10.0)],
        [
            Projection("x", "z", stdp_model(), delay_s=0.002),
            Projection("y", "z", stdp_model()),
            Projection("z", "v", stdp_model(), delay_s=0.001),
        ],
    )
    record = EventLog("spikes", "input_spikes")
    theta = dict.fromkeys(("x->z", "y->z", "z->v"), 0.4)
    slow = {"x": np.full(6, 2.0), "y": np.full(4, 2.0)}
    sim = Simulation(net, slow, seed=5, theta=theta, observer=record, sync_interval_s=1.0).run(2.5)
    sim.stimulus = {"x": np.full(6, 15.0), "y": np.full(4, 30.0)}
    sim.run(20.0)
    sim.run(3.3)
    spikes, inputs = sim.observer["spikes"], sim.observer["input_spikes"]
    fired = {}
    first = {"x": 0, "y": 6}
    for group in net.inputs:
        fired[group.name] = [
            inputs["time_s"][inputs["input"] == first[group.name] + i] for i in range(group.size)
        ]
    for circuit in net.neurons:
        fired[circuit.name] = [
            spikes["time_s"][spikes["neuron"] == n] for n in net.neurons_of(circuit.name)
        ]
    checked = 0
    for p in net.projections:
        theta = sim.theta(p.name)
        for post in range(theta.shape[0]):
            for pre in range(theta.shape[1]):
                arrivals = np.asarray(fired[p.source][pre]) + p.delay_s
                arrivals = arrivals[arrivals <= sim.time_s]
                expected = pair_stdp(arrivals, fired[p.target][post], 1e-3)
                assert theta[post, pre] - 0.4 == pytest.approx(expected, abs=1e-9)
                checked += arrivals.size
    assert checked > 3000


def test_a_modulator_scales_what_is_learned():
    @njit
    def modulated(synapse, traces, p):
        return synapse.modulator

    model = SynapseModel(
        Flat(), plasticity=CustomPlasticity(modulated), speed=1e-3, temperature=0.0
    )
    sim = Simulation(
        winner_take_all_network(2, 1, model), sync_interval_s=1.0, theta={"x->z": 0.0}
    ).run(1.0)
    first = sim.n_spikes
    assert sim.modulator("z") == 1.0
    sim.modulate("z", -2.5)
    again = Simulation.from_state(sim.network, sim.state()).run(1.0)
    sim.run(1.0)
    expected = 1e-3 * (first - 2.5 * (sim.n_spikes - first))
    np.testing.assert_allclose(sim.theta("x->z"), expected, rtol=1e-9)
    np.testing.assert_array_equal(again.theta("x->z"), sim.theta("x->z"))
    with pytest.raises(SynsampError, match="value must be a finite number"):
        sim.modulate("z", np.nan)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CustomPlasticity(lambda s, t, p: 0.0), "decorate it with numba.njit"),
        (lambda: CustomPlasticity(njit(lambda s, t: 0.0)), "must be f.synapse, traces, parameters"),
        (lambda: CustomPlasticity(njit(lambda s, t, p: s.voltage)), "on_post must be f"),
        (lambda: CustomPlasticity(njit(lambda s, t, p: (1.0, t))), "and return a number"),
        (lambda: CustomPlasticity(time_constants_s=(0.0,)), "time_constants_s must be"),
        (lambda: CustomPlasticity(time_constants_s=[1.0] * 17), "must be at most 16"),
        (lambda: CustomPlasticity(parameter_values=("a",)), "parameter_values must be"),
    ],
)
def test_a_plasticity_that_cannot_work_raises_a_one_line_error(make, words):
    with pytest.raises(SynsampError, match=words) as told:
        make()
    assert "\n" not in str(told.value)


@njit
def beyond(synapse, traces, parameters):
    traces[1] = 5.0
    return 0.0


@njit
def _write(traces, at):
    traces[at] = 5.0


@njit
def beyond_in_a_helper(synapse, traces, parameters):
    _write(traces, 2)
    return 0.0


@pytest.mark.parametrize("function", [beyond, beyond_in_a_helper])
@pytest.mark.parametrize("place", ["on_post", "on_pre"])
def test_a_trace_out_of_range_raises_an_error(function, place):
    with pytest.raises(SynsampError, match=f"{place} must use traces 0 to 0, got .*time_constants"):
        CustomPlasticity(**{place: function}, time_constants_s=(1.0,))
    with pytest.raises(SynsampError, match="must use no traces"):
        CustomPlasticity(**{place: function})
    CustomPlasticity(**{place: function}, time_constants_s=(1.0, 1.0, 1.0))


def test_a_state_knows_its_plasticity():
    sim = Simulation(winner_take_all_network(3, 2, stdp_model()), theta={"x->z": 0.5}).run(1.0)
    other = CustomPlasticity(pair_post, pair_post, (1.0, 0.7), time_constants_s=(0.017, 0.034))
    model = SynapseModel(Flat(), plasticity=other, speed=1e-3, temperature=0.0)
    with pytest.raises(SynsampError, match="plasticity of projection 'x->z'"):
        Simulation.from_state(winner_take_all_network(3, 2, model), sim.state())


def test_inhibitory_synapses_may_learn_by_a_users_rule():
    """Prior and mapping act on the size: θ as in the excitatory case, ŵ with the other sign."""
    plasticity = CustomPlasticity(without_w, parameter_values=(5.0, 0.1))
    found = []
    for sign in (1, -1):
        model = SynapseModel(Gaussian(0.5, 1.0), plasticity=plasticity, speed=1e-3)
        net = Network(
            [InputGroup("x", 5)], [WinnerTakeAll("z", 1)], [Projection("x", "z", model, sign=sign)]
        )
        # One neuron: it spikes whatever its potential, so that both learn from the same spikes.
        found.append(Simulation(net, np.full(5, 30.0), seed=2, theta={"x->z": 1.0}).run(5.0))
    np.testing.assert_array_equal(found[0].theta("x->z"), found[1].theta("x->z"))
    assert found[0].potentials("z")[0] != found[1].potentials("z")[0]


def test_a_part_that_is_not_used_costs_no_memory_and_no_slower_loop():
    """The fast loop and no traces for the paper's term; a user's own pays for what it asks."""

    def cost(plasticity):
        sim = Simulation(winner_take_all_network(30, 4, SynapseModel(plasticity=plasticity)))
        held = sim.state()["synapses"]
        return sim.network.needs_event_order, held["trace"].size + held["traced_s"].size

    on_post = CustomPlasticity(without_w, parameter_values=(5.0, 0.1))
    with_traces = CustomPlasticity(pair_post, None, (1.0,), (0.02, 0.02))
    with_arrivals = CustomPlasticity(None, pair_post, (1.0,), (0.02, 0.02))
    assert cost(SpikeLikelihood()) == cost(on_post) == (False, 0)
    order, size = cost(with_traces)
    assert (order, size >= 3 * 30 * 4) == (False, True)
    assert cost(with_arrivals)[0]
