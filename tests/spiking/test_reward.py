"""Learning from reward: closed forms, finite differences, distributions of θ, states, refusals."""

import io
import re

import numpy as np
import pytest
from scipy import special, stats
from scipy.linalg import expm

from oracles.spiking_twin import double_exponential
from synsamp.errors import SynsampError
from synsamp.mappings import Exponential, Softplus
from synsamp.packing import read_packed, write_packed
from synsamp.priors import Flat, Gaussian, GaussianMixture
from synsamp.spiking import (
    DoubleExponential,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    RemoveSynapses,
    RewardGradient,
    Simulation,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)
from synsamp.spiking.plasticity.reward import passage

P = 1e-3


def model(plasticity=RewardGradient(), prior=Gaussian(0.0, 2.0), **numbers):  # noqa: B008
    numbers = {"speed": 0.05, "temperature": 0.1, "theta_min": -2.0, **numbers}
    return SynapseModel(prior, plasticity=plasticity, **numbers)


# -- time --------------------


def generator(b, dopamine, tau_e, tau_g, c, pull):
    return np.array([[-1 / tau_e, 0.0, 0.0], [dopamine, -1 / tau_g, 0.0], [0.0, b * c, -b * pull]])


NUMBERS = [
    (5e-5, 1.3, 1.0, 50.0, 1.0, 0.25),
    (0.5, -0.7, 2.0, 2.0, 3.0, 1.0),  # all three rates equal
    (1.0, 2.0, 1.0, 0.25, 1.0, 1.0),  # two equal
    (0.1, 1.0, 0.3, 0.3 * (1 + 1e-9), 1.0, 0.0),  # nearly equal
]


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("elapsed", [0.0, 1e-6, 0.01, 0.9, 7.0, 60.0])
def test_time_does_what_the_matrix_exponential_says(elapsed, numbers):
    e_to_e, e_to_g, g_to_g, e_to_phi, g_to_phi, phi_to_phi = passage(elapsed, *numbers)
    mine = np.array([[e_to_e, 0, 0], [e_to_g, g_to_g, 0], [e_to_phi, g_to_phi, phi_to_phi]])
    exact = expm(elapsed * generator(*numbers))
    np.testing.assert_allclose(mine, exact, rtol=1e-11, atol=1e-14 * (1 + elapsed) ** 2)
    wrong = expm(elapsed * generator(*np.multiply(numbers, [1, 1, 1.001, 1, 1, 1])))
    assert not 0.01 <= elapsed < 60 or not np.allclose(mine, wrong, rtol=1e-11, atol=1e-14)


# -- eligibility --------------------


def train(seed, n_inputs, n_neurons, n_events, until_s=0.6):
    """Random spikes of inputs, and of neurons as if they had been drawn."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0.0, until_s, 4 * n_events))
    sources = rng.integers(0, n_inputs, 4 * n_events)
    sources[3::4] = n_inputs + rng.integers(0, n_neurons, n_events)
    return times, sources


def log_probability(theta, times, sources, circuit, mapping, sign, expected=1.0):
    """log p of who won at each spike of the circuit, by direct sums in double precision."""
    n_inputs = theta.shape[1]
    w_hat = np.where(theta > 0, mapping.weight(theta) - mapping.weight(0.0), 0.0)
    total = 0.0
    for now, source in zip(times, sources, strict=True):
        if source < n_inputs:
            continue
        past = times < now
        x = np.zeros(n_inputs)
        heard = past & (sources < n_inputs)
        np.add.at(x, sources[heard], double_exponential(now - times[heard], DoubleExponential()))
        u = sign * w_hat @ x
        own = past & (sources >= n_inputs)
        kernel = double_exponential(now - times[own], circuit.adaptation)
        np.add.at(u, sources[own] - n_inputs, circuit.adaptation_strength * kernel)
        total += u[source - n_inputs] - expected * np.log(np.exp(u).sum())
    return total


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("mapping", [Exponential(0.5), Softplus(0.7)])
def test_eligibility_is_the_gradient_of_the_log_probability(mapping, sign):
    circuit = WinnerTakeAll("z", 3, adaptation_strength=-30.0)
    synapses = model(RewardGradient(eligibility_s=1e9), mapping=mapping, speed=0.0)
    net = Network([InputGroup("x", 6)], [circuit], [Projection("x", "z", synapses, sign=sign)])
    theta = np.random.default_rng(1).normal(0.6, 0.8, (3, 6))
    times, sources = train(2, 6, 3, 40)
    sim = Simulation(net, theta={"x->z": theta}, sync_interval_s=10.0).replay(times, sources)
    right, without_expectation = np.zeros((2, *theta.shape))
    for at in np.ndindex(theta.shape):
        step = np.zeros(theta.shape)
        step[at] = 1e-5
        for gradient, share in ((right, 1.0), (without_expectation, 0.0)):
            up, down = (
                log_probability(theta + s * step, times, sources, circuit, mapping, sign, share)
                for s in (1, -1)
            )
            gradient[at] = (up - down) / 2e-5
    found = sim.eligibility("x->z").trace
    assert (theta <= 0).any()
    assert (found[theta <= 0] == 0).all()
    np.testing.assert_allclose(found, right, atol=3e-5)
    # Negative control: spikes alone, without those expected, are another matter.
    assert np.abs(found - without_expectation)[theta > 0].min() > 1e-3


# -- θ --------------------


@pytest.mark.parametrize("taus", [(1.0, 5.0), (2.0, 2.0)])
def test_moments_of_theta_under_constant_dopamine(taus):
    """Events are given, and no refresh falls between them: θ is Gaussian with known moments."""
    b, T, dopamine, c, std = 0.5, 0.3, 1.7, 4.0, 1.0  # b/σ² = 1/2, the rate of both traces of 2 s
    n, end_s = 400, 3.0
    circuit = WinnerTakeAll("z", 2, adaptation_strength=0.0)
    synapses = SynapseModel(
        Gaussian(0.2, std), plasticity=RewardGradient(*taus, c), speed=b, temperature=T
    )
    net = Network([InputGroup("x", n)], [circuit], [Projection("x", "z", synapses)])
    sim = Simulation(
        net, seed=5, theta={"x->z": 0.8}, drift_interval_s=100.0, sync_interval_s=100.0
    )
    sim.modulate("z", dopamine)
    spikes_s = [0.02, 0.05, 0.3, 0.31, 0.9]
    sim.replay([*[0.01] * n, *spikes_s], [*range(n), *[n] * len(spikes_s)])
    sim.run(end_s - sim.time_s)
    sim.change("x->z", temperature=T)  # brings θ to the present
    keep = np.exp(-b * end_s / std**2)
    phi = 0.0
    for t in spikes_s:  # with equal weights p = 1/2
        x = double_exponential(t - 0.01, DoubleExponential())
        jump = np.exp(0.8 - 3.0) * x * 0.5
        phi += jump * expm((end_s - t) * generator(b, dopamine, *taus, c, std**-2))[2, 0]
    mean = 0.2 + keep * 0.6 + np.array([phi, -phi])
    spread = std * np.sqrt(T * (1 - keep**2))
    z = (sim.theta("x->z") - mean[:, None]) / spread
    assert stats.kstest(z.ravel(), "norm").pvalue > P
    assert stats.ttest_ind(z[0], z[1]).pvalue > P
    assert (np.abs(z.mean(axis=1)) < 4 / np.sqrt(n)).all()
    # Negative controls: without g, and with 5 % less noise.
    without = z + np.array([phi, -phi])[:, None] / spread
    assert stats.kstest(without[0], "norm").pvalue < P
    assert abs((1.2 * z).std() - 1) > 4 / np.sqrt(2 * z.size) > abs(z.std() - 1)


def test_a_shorter_refresh_converges():
    """Births, retractions and bounds are seen at a refresh: the error shrinks with it."""
    net = winner_take_all_network(
        12,
        3,
        model(RewardGradient(0.3, 1.0, 10.0, 1.2), temperature=0.0, speed=0.1, theta_min=-0.3),
    )
    theta = np.random.default_rng(3).normal(0.3, 0.4, (3, 12))
    times, sources = train(4, 12, 3, 600, until_s=6.0)

    def end(drift_interval_s):
        sim = Simulation(
            net, theta={"x->z": theta}, drift_interval_s=drift_interval_s, sync_interval_s=1.0
        )
        return sim.replay(times, sources).theta("x->z")

    exact = end(0.0)
    assert ((exact > 0) != (theta > 0)).sum() > 5
    assert (exact == 1.2).any()
    errors = [np.abs(end(drift_interval_s) - exact).mean() for drift_interval_s in (0.8, 0.2, 0.05)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2] > 0, errors


def test_a_synapse_that_noise_retracts_is_seen_later_by_the_root_of_the_refresh():
    """θ is checked at refreshes only, so it may dip below 0 and keep its eligibility.

    A random walk that is looked at every ``dt`` is caught where a barrier lower by
    0.5826 sqrt(2 T b dt) would catch it at once (Chernoff 1965: −ζ(1/2)/√(2π)).
    """
    b, T, start, end_s, n = 0.05, 1.0, 0.5, 4.0, 20_000
    synapses = SynapseModel(
        Flat(), plasticity=RewardGradient(1e6, 1e6, 0.0), speed=b, temperature=T, theta_min=-9.0
    )
    circuit = WinnerTakeAll("z", 2, rate_hz=0.01, adaptation_strength=0.0)
    net = Network([InputGroup("x", n)], [circuit], [Projection("x", "z", synapses)])

    def lost(dt):
        sim = Simulation(
            net, seed=6, theta={"x->z": start}, drift_interval_s=dt, sync_interval_s=dt
        )
        sim.replay([*[1e-4] * n, 2e-3], [*range(n), n])
        assert (sim.eligibility("x->z").trace != 0).all()
        return (sim.run_until(end_s).eligibility("x->z").trace == 0).mean()

    def expected(dt):
        spread = np.sqrt(2 * T * b)
        return special.erfc((start + 0.5826 * spread * np.sqrt(dt)) / (spread * np.sqrt(2 * end_s)))

    error = np.sqrt(expected(0) * (1 - expected(0)) / (2 * n))
    for dt in (0.4, 0.1, 0.025):
        assert abs(lost(dt) - expected(dt)) < 4 * error, dt
    # Negative control: as if every dip were seen, and as if the error were of first order.
    assert abs(lost(0.4) - expected(0.0)) > 8 * error
    first_order = expected(0) + (expected(0.4) - expected(0)) * 0.1 / 0.4
    assert abs(lost(0.1) - first_order) > 4 * error


# -- states --------------------


def running(seed=1):
    net = winner_take_all_network(20, 4, model(RewardGradient(0.5, 2.0, 5.0)))
    sim = Simulation(net, np.full(20, 30.0), seed=seed, drift_interval_s=0.05, sync_interval_s=0.5)
    sim.modulate("z", 1.5)
    return sim


def everything(sim):
    return (sim.theta("x->z"), *sim.eligibility("x->z"))


def test_resume_and_cutting_up_change_no_bit():
    whole = running().run(2.25)
    whole.modulate("z", -0.4)
    whole.run(1.7)
    parts = running()
    for _ in range(18):
        parts.run(0.125)
        parts.eligibility("x->z")  # looking changes nothing
    file = io.BytesIO()
    write_packed(file, parts.state())
    saved = read_packed(file.getvalue(), "state")
    parts = Simulation.from_state(parts.network, saved, np.full(20, 30.0))
    assert parts.modulator("z") == 1.5
    parts.modulate("z", -0.4)
    parts.run(1.7)
    for mine, his in zip(everything(whole), everything(parts), strict=True):
        np.testing.assert_array_equal(mine, his)
    other = running(seed=2).run(4.0)
    assert not np.array_equal(everything(other)[0], everything(whole)[0])


def test_a_damaged_eligibility_raises_an_error():
    saved = running().run(1.0).state()
    for name, value in (("eligibility", np.nan), ("eligibility_updated_s", 2.0)):
        broken = {**saved, "synapses": {**saved["synapses"], name: saved["synapses"][name] + value}}
        with pytest.raises(SynsampError, match=f"{name} of the saved synapses must be"):
            Simulation.from_state(running().network, broken, np.full(20, 30.0))


def test_without_speed_eligibility_continues_and_theta_stands_still():
    sim = running().run(1.0)
    sim.change("x->z", speed=0.0)
    theta, eligibility = sim.theta("x->z"), sim.eligibility("x->z")
    sim.run(3.0)
    np.testing.assert_array_equal(sim.theta("x->z"), theta)
    assert not np.array_equal(sim.eligibility("x->z").gradient, eligibility.gradient)
    sim.change("x->z", speed=0.05)
    sim.run(1e-6).change("x->z", temperature=0.1)
    np.testing.assert_allclose(sim.theta("x->z"), theta, atol=1e-3)  # no change for the time before


def test_other_numbers_from_now_on():
    sim = running().run(1.0)
    e = sim.eligibility("x->z").trace
    sim.change("x->z", plasticity=RewardGradient(1e-3, 2.0, 5.0))
    np.testing.assert_array_equal(sim.eligibility("x->z").trace, e)
    sim.stimulus = None
    assert np.abs(sim.run(1.0).eligibility("x->z").trace).max() < 1e-3 * np.abs(e).max()


def test_theta_stays_within_its_bounds_when_a_large_gradient_is_added():
    """A negative reward pushes θ far below theta_min in one interval, a positive one above."""
    plasticity = RewardGradient(1.0, 50.0, 1e5, theta_max=1.5, expectation=False)
    network = winner_take_all_network(6, 2, model(plasticity, theta_min=-0.5, temperature=0.0))
    for dopamine, bound in ((-1.0, -0.5), (1.0, 1.5)):
        sim = Simulation(network, np.full(6, 60.0), 1, theta={"x->z": 1.0}, drift_interval_s=0.1)
        sim.modulate("z", dopamine)
        theta = sim.run(1.0).theta("x->z")
        assert theta.min() >= -0.5
        assert theta.max() <= 1.5
        assert np.abs(theta - bound).min() < 0.01  # the prior acts since


def test_lesions_take_eligibility_with_them():
    sim = running().run(2.0)
    gone = np.zeros((4, 20), bool)
    gone[:, :10] = sim.active("x->z")[:, :10]
    sim.lesion(RemoveSynapses("x->z", gone))
    sim.lesion(RemoveNeurons("z", [2]))
    eligibility = sim.eligibility("x->z")
    assert (eligibility.gradient[gone] == 0).all()
    assert (eligibility.gradient[2] == 0).all()
    assert np.count_nonzero(eligibility.gradient[:, 10:]) > 5
    sim.change("x->z", temperature=0.0)
    left = gone & (np.arange(4) != 2)[:, None]
    np.testing.assert_allclose(sim.theta("x->z")[left], -1.0, atol=1e-9)


# -- errors --------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: model(prior=GaussianMixture()), "prior must be Gaussian with one std, or flat"),
        (lambda: model(prior=Gaussian(0.0, np.array([1.0, 2.0]))), "prior must be Gaussian"),
        (lambda: RewardGradient(gradient_s=0.0), "gradient_s must be"),
        (lambda: RewardGradient(theta_max=0.0), "theta_max must be a finite number > 0"),
        (
            lambda: Simulation(winner_take_all_network(3, 2)).eligibility("x->z"),
            "plasticity of the projection must learn from reward, got 'x->z'",
        ),
        (lambda: running().modulate("z", np.nan), "value must be"),
    ],
)
def test_impossible_settings_raise_an_error(make, words):
    with pytest.raises(SynsampError, match=re.escape(words)):
        make()
