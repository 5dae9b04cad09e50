"""Stochastic neurons that learn from reward: eligibility, homeostasis, daily use."""

import numpy as np
import pytest

from spiking.test_stochastic_neurons import add_epsps
from synsamp.errors import SynsampError
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian
from synsamp.spiking import (
    EventLog,
    Homeostasis,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    RewardGradient,
    Simulation,
    StochasticNeurons,
    SynapseModel,
)

SIZE, N_INPUTS, DEAD_S, BASE_HZ = 5, 8, 0.004, 6.0
UNTIL_S, STEP_S = 20.0, 2e-4
MAPPING = Exponential(1.0)


def network(expectation=True, speed=0.0, homeostasis=None, eligibility_s=1e9, max_rate_hz=np.inf):
    """Eligibility that never fades, so that it is the gradient of the whole path's log p."""
    rule = RewardGradient(eligibility_s, gradient_s=10.0, expectation=expectation)
    model = SynapseModel(Gaussian(0.0, 2.0), MAPPING, plasticity=rule, speed=speed)
    free = StochasticNeurons(
        "z", SIZE, BASE_HZ, DEAD_S, homeostasis=homeostasis, max_rate_hz=max_rate_hz
    )
    return Network([InputGroup("x", N_INPUTS)], [free], [Projection("x", "z", model)])


def theta():
    return np.random.default_rng(1).normal(0.6, 0.8, (SIZE, N_INPUTS))


def ran(seed, **given):
    return Simulation(
        network(**given),
        np.full(N_INPUTS, 20.0),
        seed=seed,
        theta={"x->z": theta()},
        observer=EventLog("spikes", "input_spikes"),
    ).run(UNTIL_S)


class Path:
    """log p of recorded spikes by quadrature: Σ log ρ − ∫ ρ dt, ρ = ρ_0 exp(u), 0 while dead."""

    def __init__(self, sim, max_rate_hz=np.inf):
        self.most = np.log(max_rate_hz)
        spikes, inputs = sim.observer["spikes"], sim.observer["input_spikes"]
        steps = int(UNTIL_S / STEP_S)
        self.x = np.zeros((N_INPUTS, steps))
        for j in range(N_INPUTS):
            times = inputs["time_s"][inputs["input"] == j]
            add_epsps(self.x[j], times, 0.002, 0.020, 1.0, STEP_S)
        edges = np.arange(steps + 1) * STEP_S
        self.alive, self.at = np.ones((SIZE, steps), bool), []
        for k in range(SIZE):
            times = spikes["time_s"][spikes["neuron"] == k]
            for first, last in zip(*np.searchsorted(edges, [times, times + DEAD_S]), strict=True):
                self.alive[k, first:last] = False
            self.at.append(np.minimum((times / STEP_S).astype(int), steps - 1))

    def log_rate(self, values):
        w = MAPPING.weight(values) - MAPPING.weight(0.0)
        return np.minimum(np.log(BASE_HZ) + np.where(values > 0, w, 0.0) @ self.x, self.most)

    def log_p(self, k, values):
        rate = self.log_rate(values)
        return rate[self.at[k]].sum() - (np.exp(rate) * self.alive[k]).sum() * STEP_S

    def gradient(self, values, step=1e-4):
        """By finite differences; synapses without effect have none."""
        found = np.zeros(values.shape)
        for k, j in zip(*np.nonzero(values > 0), strict=True):
            up, down = values[k].copy(), values[k].copy()
            up[j] += step
            down[j] -= step
            found[k, j] = (self.log_p(k, up) - self.log_p(k, down)) / (2 * step)
        return found

    def variance(self, values):
        """∫ ρ (dw/dθ x)² dt: that of the spikes' own part."""
        rates = np.exp([self.log_rate(row) for row in values]) * self.alive
        return MAPPING.slope(values) ** 2 * (rates @ (self.x**2).T) * STEP_S


@pytest.fixture(scope="module")
def excess():
    """Per path and synapse: eligibility beyond the gradient of log p, in deviations of spikes."""
    return {
        expectation: np.concatenate([beyond(seed, expectation) for seed in range(6)])
        for expectation in (True, False)
    }


def beyond(seed, expectation, most_hz=np.inf, assumed_hz=None):
    sim = ran(seed, expectation=expectation, max_rate_hz=most_hz)
    path, active = Path(sim, most_hz if assumed_hz is None else assumed_hz), theta() > 0
    beyond = sim.eligibility("x->z").trace - path.gradient(theta())
    return (beyond / np.sqrt(path.variance(theta())))[active]


def test_eligibility_is_on_average_the_gradient_of_log_p_given_the_spikes(excess):
    z = excess[True]
    assert z.size > 150
    # Synapses of one neuron share its candidates: a neuron and path count once.
    assert abs(z.mean()) < 4 / np.sqrt(6 * SIZE)
    # p <= 1/2: rejected candidates add at most as much variance as the spikes have; some, too.
    assert 0.1 < (z**2).mean() < 1.0, (z**2).mean()
    assert abs(excess[False].mean()) > 5  # the control: expected spikes left out


def test_eligibility_is_the_gradient_where_rates_rise_no_further():
    z = np.concatenate([beyond(seed, True, most_hz=12.0) for seed in range(6)])
    assert abs(z.mean()) < 4 / np.sqrt(6 * SIZE)
    # Nothing is added where rates are at their highest: with eligibility there it would be 1.8.
    assert (z**2).mean() < 0.3, (z**2).mean()
    # The control: the gradient of a model whose rates continue to rise.
    wrong = np.concatenate([beyond(seed, True, 12.0, assumed_hz=1e9) for seed in range(6)])
    assert abs(wrong.mean()) > 10 / np.sqrt(6 * SIZE)


def test_a_highest_rate_is_not_exceeded_and_a_strong_drive_needs_it():
    def driven(**options):
        cells = StochasticNeurons("z", 3, 5.0, 0.005, **options)
        net = Network([InputGroup("x", 20)], [cells], [Projection("x", "z", plastic=False)])
        return Simulation(net, np.full(20, 100.0), seed=1, theta={"x->z": 6.0})

    counts = driven(max_rate_hz=300.0).run(40.0).spike_counts / 40.0
    expected = 1 / (0.005 + 1 / 300.0)  # nearly all of the time
    np.testing.assert_allclose(counts, expected, rtol=0.02)
    with pytest.raises(SynsampError, match=r"rate of stochastic neurons .* max_rate_hz"):
        driven().run(40.0)
    with pytest.raises(SynsampError, match=r"must be below what neurons can reach, 66\.6667 Hz"):
        driven(max_rate_hz=100.0, homeostasis=Homeostasis(70.0, 5.0))


def test_homeostasis_brings_rates_to_their_target_whatever_drives_them():
    goal = Homeostasis(rate_hz=9.0, time_s=5.0, start=1.0)
    sim = ran(3, homeostasis=goal)
    before = sim.spike_counts
    sim.run(100.0)
    rates = (sim.spike_counts - before) / 100.0
    np.testing.assert_allclose(rates, 9.0, rtol=0.05)  # 2.5 % if spikes came by chance alone
    without = ran(3)
    before = without.spike_counts
    assert (np.abs((without.run(100.0).spike_counts - before) / 100.0 - 9.0) > 0.05 * 9.0).all()
    activity = sim.state()["activity"]
    expected = goal.start + (9.0 * activity["adapted_s"][0] - sim.spike_counts) / goal.time_s
    np.testing.assert_allclose(activity["bias"], expected, atol=1e-9)


def learning(seed=2):
    sim = Simulation(
        network(speed=0.01, homeostasis=Homeostasis(8.0, 3.0), eligibility_s=0.3),
        np.full(N_INPUTS, 30.0),
        seed=seed,
        theta={"x->z": theta()},
        drift_interval_s=0.05,
    )
    sim.modulate("z", 1.7)
    return sim


def all_of(sim):
    eligibility = sim.eligibility("x->z")
    return sim.theta("x->z"), eligibility.trace, eligibility.gradient, sim.spike_counts


def test_resume_and_cutting_up_change_no_bit():
    whole, cut = learning().run(6.0), learning().run(2.0)
    for piece_s in (0.013, 1.5, 0.487):
        cut.run(piece_s)
        cut.eligibility("x->z"), cut.potentials("z")
    again = Simulation.from_state(whole.network, cut.state(), np.full(N_INPUTS, 30.0)).run(2.0)
    for mine, his in zip(all_of(whole), all_of(again), strict=True):
        np.testing.assert_array_equal(mine, his)


def test_lesions_and_changes_hold():
    sim = learning().run(1.0)
    sim.lesion(RemoveNeurons("z", [1]))
    assert sim.alive.tolist() == [True, False, True, True, True]
    counts = sim.spike_counts
    sim.change("x->z", speed=0.0)
    before = sim.theta("x->z")
    sim.run(3.0)
    assert (sim.spike_counts > counts).tolist() == sim.alive.tolist()
    np.testing.assert_array_equal(sim.theta("x->z"), before)


def test_a_probe_keeps_the_bias_and_leaves_the_state_alone():
    sim = ran(4, homeostasis=Homeostasis(8.0, 3.0))
    before = sim.state()
    rest = sim.probe(np.full(N_INPUTS, 20.0), 20.0, start="rest")
    assert rest.time_s.size / 20.0 / SIZE == pytest.approx(8.0, rel=0.2)
    driven = ran(4).probe(np.full(N_INPUTS, 20.0), 20.0, start="rest")
    assert driven.time_s.size / 20.0 / SIZE > 1.5 * 8.0  # without it
    np.testing.assert_array_equal(sim.state()["activity"]["bias"], before["activity"]["bias"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Homeostasis(rate_hz=0.0), "rate_hz of homeostasis must be"),
        (lambda: Homeostasis(time_s=-1.0), "time_s of homeostasis must be"),
        (lambda: Homeostasis(start=np.nan), "start of homeostasis must be"),
        (
            lambda: StochasticNeurons("z", 3, homeostasis=5.0),
            "homeostasis of stochastic neurons 'z' must be",
        ),
        (
            lambda: learning().replay([0.1], [9]),
            "learning must be False where stochastic neurons learn",
        ),
    ],
)
def test_impossible_settings_raise_an_error(make, words):
    with pytest.raises(SynsampError, match=words):
        make()


@pytest.mark.parametrize("bias", [np.nan, np.inf])
def test_a_damaged_bias_raises_an_error(bias):
    sim = learning().run(1.0)
    state = sim.state()
    state["activity"]["bias"][0] = bias
    with pytest.raises(SynsampError, match="bias of the saved activity"):
        Simulation.from_state(sim.network, state, np.full(N_INPUTS, 30.0))
