"""Distributions that the engine simulates, against closed forms or numerical integration.

Tolerances come from the Monte-Carlo error; several p-values are corrected for their number.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from synsamp.mappings import Exponential, Softplus
from synsamp.priors import Gaussian, Laplace
from synsamp.spiking import (
    EventLog,
    InOrder,
    InputGroup,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
    stdp_curve,
    winner_take_all_network,
)
from synsamp.spiking.neurons import DoubleExponential

P = 1e-4
"""A distribution is rejected below this p-value: one false alarm in ten thousand."""


def steady(rates_hz, duration_s=1.0):
    return SimpleNamespace(durations_s=np.array([duration_s]), rates_hz=np.atleast_2d(rates_hz))


def frozen(n_inputs, theta, epsp=DoubleExponential(), **circuit):  # noqa: B008
    circuit = {"adaptation_strength": 0.0, **circuit}
    return Network(
        inputs=[InputGroup("x", n_inputs)],
        neurons=[WinnerTakeAll("z", len(theta), **circuit)],
        projections=[Projection("x", "z", plastic=False)],
        epsp=epsp,
    )


# -- events --------------------


def interval_p_value(times, rate_hz):
    return stats.kstest(np.diff(times), "expon", args=(0, 1 / rate_hz)).pvalue


def test_intervals_between_network_spikes_are_exponential():
    net = Network(
        inputs=[InputGroup("x", 3)],
        neurons=[WinnerTakeAll("a", 2, rate_hz=70.0), WinnerTakeAll("b", 3, rate_hz=30.0)],
        projections=[Projection("x", "a"), Projection("x", "b")],
    )
    sim = Simulation(net, seed=1, observer=EventLog("spikes")).run(2000.0)
    spikes = sim.observer["spikes"]
    in_a = spikes["neuron"] < 2
    for times, rate in (
        (spikes["time_s"], 100.0),
        (spikes["time_s"][in_a], 70.0),
        (spikes["time_s"][~in_a], 30.0),
    ):
        assert interval_p_value(times, rate) > P / 3
        assert interval_p_value(times, 1.05 * rate) < P / 3  # the test can fail


def mean_softmax(weights, rates_hz, rng, kernel, draws=20_000):
    """E softmax(Σ ŵ x) in the steady state, x by brute force: 0.3 s of Poisson input per draw."""
    window = 0.3
    x = np.zeros((draws, len(rates_hz)))
    for i, rate in enumerate(rates_hz):
        counts = rng.poisson(rate * window, draws)
        owner = np.repeat(np.arange(draws), counts)
        age = rng.uniform(0, window, counts.sum())
        np.add.at(x[:, i], owner, np.exp(-age / kernel.fall_s) - np.exp(-age / kernel.rise_s))
    u = x @ weights.T
    p = np.exp(u - u.max(1, keepdims=True))
    return (p / p.sum(1, keepdims=True)).mean(0)


def winner_p_value(neurons, expected_shares):
    counts = np.bincount(neurons, minlength=len(expected_shares))
    return stats.chisquare(counts, expected_shares * counts.sum()).pvalue


def test_winners_under_frozen_weights_follow_softmax():
    rng = np.random.default_rng(2)
    theta = rng.uniform(-1.0, 3.2, (5, 8))
    rates = rng.uniform(5.0, 60.0, 8)
    sim = Simulation(
        frozen(8, theta),
        InOrder([steady(rates)]),
        seed=2,
        theta={"x->z": theta},
        observer=EventLog("spikes"),
    ).run(600.0)
    # Winners within 0.2 s see nearly the same input; every 50th spike is as good as independent.
    winners = sim.observer["spikes"]["neuron"][50::50]
    weights = np.maximum(np.exp(theta - 3) - np.exp(-3), 0)
    np.testing.assert_allclose(sim.weight("x->z"), weights, rtol=1e-6, atol=1e-8)
    shares = mean_softmax(weights, rates, rng, DoubleExponential())
    assert winner_p_value(winners, shares) > P
    flatter = mean_softmax(0.5 * weights, rates, rng, DoubleExponential())
    assert winner_p_value(winners, flatter) < P


def integrated_rates(weights, rates_hz, bins, rng, kernel, trials=3000, step_s=5e-4):
    """E ∫ ρ_k dt per bin of a presentation from rest, by integration over drawn input trains."""
    duration = bins[-1]
    grid = (np.arange(round(duration / step_s)) + 0.5) * step_s
    total = np.zeros((len(bins) - 1, len(weights)))
    which = np.searchsorted(bins, grid, side="right") - 1
    for _ in range(trials):
        u = np.zeros((grid.size, len(weights)))
        for i, rate in enumerate(rates_hz):
            for spike in rng.uniform(0, duration, rng.poisson(rate * duration)):
                s = grid - spike
                late = np.maximum(s, 0.0)
                x = np.exp(-late / kernel.fall_s) - np.exp(-late / kernel.rise_s)
                u += np.where(s > 0, x, 0.0)[:, None] * weights[:, i]
        p = np.exp(u - u.max(1, keepdims=True))
        np.add.at(total, which, 100.0 * step_s * p / p.sum(1, keepdims=True))
    return total / trials


@pytest.mark.statistical
def test_rates_over_a_presentation_agree_with_numerical_integration():
    theta = np.array([[4.0, 0.5, -1.0], [1.0, 3.5, 0.5], [2.0, 2.0, 2.0]])
    rates, bins = np.array([40.0, 15.0, 5.0]), np.linspace(0.0, 0.2, 5)
    weights = np.maximum(np.exp(theta - 3) - np.exp(-3), 0)
    sim = Simulation(frozen(3, theta), seed=3, theta={"x->z": theta})
    shown, trials = InOrder([steady(rates, 0.2)]), 4000
    counts = np.zeros((trials, 4, 3))
    for trial in range(trials):
        spikes = sim.probe(shown, 0.2, start="rest", seed=trial)
        place = np.searchsorted(bins, spikes.time_s, side="right") - 1
        np.add.at(counts[trial], (place, spikes.neuron), 1)
    mean, error = counts.mean(0), counts.std(0) / np.sqrt(trials)

    def largest_deviation(kernel):
        expected = integrated_rates(weights, rates, bins, np.random.default_rng(4), kernel)
        # the integration has a Monte-Carlo error too, below that of the counts
        return (np.abs(mean - expected) / (np.sqrt(2) * error)).max()

    limit = stats.norm.isf(P / 2 / mean.size)
    assert largest_deviation(DoubleExponential()) < limit
    assert largest_deviation(DoubleExponential(0.002, 0.040)) > limit


# -- traces --------------------


def direct_sum(times, now, kernel):
    s = now - np.asarray(times)
    return (np.exp(-s / kernel.fall_s) - np.exp(-s / kernel.rise_s))[s >= 0].sum()


def test_traces_are_direct_sums_over_any_gap():
    rng = np.random.default_rng(5)
    net = Network(
        inputs=[InputGroup("x", 3)],
        neurons=[WinnerTakeAll("z", 2)],
        projections=[Projection("x", "z"), Projection("z", "z", delay_s=0.005)],
    )
    sim = Simulation(net, seed=5)
    gaps = rng.choice([1e-4, 2e-3, 0.05, 0.7, 40.0], 300, p=[0.3, 0.3, 0.3, 0.09, 0.01])
    times, sources = np.cumsum(gaps), rng.integers(0, 5, 300)
    worst = wrong_delay = 0.0
    for at in range(0, 300, 10):
        sim.replay(times[at : at + 10], sources[at : at + 10], learning=False)
        now, seen = times[at + 9], slice(0, at + 10)
        activity = sim._state.activity
        age = now - activity.clock[1]
        x = np.exp(-age / 0.02) * activity.fall - np.exp(-age / 0.002) * activity.rise
        past, who = times[seen], sources[seen]
        for i in range(3):
            worst = max(worst, abs(x[i] - direct_sum(past[who == i], now, net.epsp)))
        for k in range(2):
            own = past[who == 3 + k]
            worst = max(worst, abs(x[3 + k] - direct_sum(own + 0.005, now, net.epsp)))
            wrong = direct_sum(own + 0.006, now, net.epsp)
            wrong_delay = max(wrong_delay, abs(x[3 + k] - wrong))
            age_s = now - activity.adapted_s[0]
            a = np.exp(-age_s / 30.0) * activity.adaptation_fall[k]
            a -= np.exp(-age_s / 12.0) * activity.adaptation_rise[k]
            np.testing.assert_allclose(
                a, direct_sum(own, now, net.neurons[0].adaptation), rtol=1e-9
            )
    assert worst < 2e-6
    assert wrong_delay > 1e-3


# -- θ between spikes --------------------


def silent(n_inputs, n_neurons, rule):
    """No spike in a thousand years."""
    return winner_take_all_network(n_inputs, n_neurons, rule, rate_hz=1e-12)


def ou_deviation(samples, times, start, rule):
    """Largest |z| of means and of products of pairs, against the exact joint distribution."""
    mean, std = rule.prior.parameters
    rate = rule.speed / std**2
    centred = [
        x - (mean + np.exp(-rate * t) * (start - mean)) for x, t in zip(samples, times, strict=True)
    ]
    worst = 0.0
    for i, s in enumerate(times):
        worst = max(worst, abs(centred[i].mean()) / (centred[i].std() / np.sqrt(start.size)))
        for j in range(i, len(times)):
            t = times[j]
            kept = np.exp(-rate * (t - s))
            expected = kept * std**2 * rule.temperature * -np.expm1(-2 * rate * s)
            product = centred[i] * centred[j]
            worst = max(
                worst, abs(product.mean() - expected) / (product.std() / np.sqrt(start.size))
            )
    return worst


LOOKS = (1.0, 2.0, 4.0, 10.0, 11.0, 12.0, 19.0, 27.0)


def looked_at(times, model, seed, n=(4000, 5)):
    sim = Simulation(silent(*n, model), seed=seed, drift_interval_s=1.0, sync_interval_s=1.0)
    start = sim.theta("x->z").ravel()
    samples = []
    for t in times:
        sim.run(t - sim.time_s)
        samples.append(sim.theta("x->z").ravel())
    return samples, start


@pytest.mark.parametrize("times", [LOOKS, LOOKS[1::3]], ids=["many times", "few times"])
def test_theta_without_spikes_is_ornstein_uhlenbeck_at_any_sampling_interval(times):
    model = SynapseModel(speed=0.05, temperature=0.8, theta_min=-50.0)
    samples, start = looked_at(times, model, seed=6)
    n_statistics = len(times) * (len(times) + 3) / 2
    limit = stats.norm.isf(P / 2 / n_statistics)
    assert ou_deviation(samples, times, start, model) < limit
    wrong = SynapseModel(speed=0.05, temperature=0.84, theta_min=-50.0)  # noise too strong by 5 %
    assert ou_deviation(samples, times, start, wrong) > limit


@pytest.mark.parametrize("prior", [Gaussian(-1.0, 1.0), Laplace(-1.0, 1.0)], ids=["exact", "steps"])
def test_theta_never_falls_below_its_floor_and_returns_from_it(prior):
    """A floor that matters: without it half of all synapses would be below."""
    model = SynapseModel(prior=prior, speed=0.1, theta_min=-1.0)
    sim = Simulation(silent(400, 3, model), seed=8, drift_interval_s=1.0, sync_interval_s=1.0)
    at_floor = []
    for _ in range(60):
        theta = sim.run(1.0).theta("x->z")
        assert theta.min() == -1.0
        at_floor.append(theta == -1.0)
    shares = np.mean(at_floor, axis=(1, 2))
    assert 0.01 < shares[20:].mean() < 0.6
    assert (at_floor[20] & ~at_floor[40]).any()
    free = SynapseModel(prior=prior, speed=0.1, theta_min=-50.0)
    below = Simulation(silent(400, 3, free), seed=8, drift_interval_s=1.0, sync_interval_s=1.0).run(
        60.0
    )
    assert (below.theta("x->z") < -1.0).mean() > 0.4


def test_a_spike_does_not_push_theta_below_its_floor():
    model = SynapseModel(
        speed=1e-3, temperature=0.0, theta_min=-0.5, plasticity=SpikeLikelihood(data_size=1e4)
    )
    for mapping in (Exponential(0.5), Softplus(1.0)):
        own = replace(model, mapping=mapping)
        sim = Simulation(winner_take_all_network(3, 1, own), theta={"x->z": 0.2}).run(5.0)
        np.testing.assert_allclose(sim.theta("x->z"), -0.5, atol=1e-2)
        assert sim.theta("x->z").min() >= -0.5


def test_the_prior_is_the_stationary_distribution():
    sim = Simulation(
        silent(2000, 5, SynapseModel(speed=0.1)), seed=7, theta={"x->z": 2.0}, drift_interval_s=1.0
    )
    theta = sim.run(200.0).theta("x->z").ravel()
    above = theta > -5  # the floor takes next to nothing: 5.5 standard deviations
    assert above.mean() > 0.999
    assert stats.kstest(theta, stats.norm(0.5, 1.0).cdf).pvalue > P
    assert stats.kstest(theta, stats.norm(0.5, 1.1).cdf).pvalue < P


# -- STDP --------------------


def epsilon(s):
    late = np.maximum(s, 0.0)
    return np.where(s >= 0, np.exp(-late / 0.02) - np.exp(-late / 0.002), 0.0)


def test_one_pairing_gives_the_curve_of_fig_4b():
    offsets = np.array([-0.08, -0.03, -0.005, 0.001, 0.005, 0.01, 0.03, 0.08])
    model, theta = SynapseModel(), 3.0
    rule, b = model.plasticity, model.speed
    w = np.exp(theta - 3.0)
    change = b * rule.data_size * w * (epsilon(offsets) * (offsets > 0) - rule.alpha * np.exp(w))
    curve = stdp_curve(offsets, model, theta)
    # prior and noise act as well, but noise is off and b·1 s is 1e-4 of the distance to the mean
    prior = b * (1.0 + np.abs(offsets).max()) * abs(theta - 0.5)
    np.testing.assert_allclose(np.log1p(curve), change, atol=1.1 * prior)
    assert curve[offsets < 0].max() < 0 < curve[offsets == 0.01][0]
    assert np.ptp(curve[offsets < 0]) < 2 * prior  # depression does not depend on the offset
    assert curve.argmax() == np.argmax(epsilon(offsets) * (offsets > 0))


def test_pairing_at_20_hz_gives_the_curve_of_fig_4c():
    offsets = np.array([-0.045, -0.025, -0.01, 0.005, 0.02, 0.045])
    model, theta, pairings = SynapseModel(), 3.0, 60
    rule = model.plasticity
    curve = stdp_curve(offsets, model, theta, pairings=pairings, rate_hz=20.0)
    expected = []
    for offset in offsets:
        pre = np.arange(pairings) / 20 + max(0.0, -offset)
        post = np.arange(pairings) / 20 + max(0.0, offset)
        value = theta
        for t in post:
            w = np.exp(value - 3.0)
            x = epsilon(t - pre[pre <= t]).sum()
            value += model.speed * rule.data_size * w * (x - min(5.0, rule.alpha * np.exp(w)))
        expected.append(np.expm1(value - theta))
    np.testing.assert_allclose(curve, expected, atol=3e-3)
    # Earlier spikes of the train turn late depression into potentiation, as in the measurements.
    single = stdp_curve(offsets, model, theta)
    assert single[0] < 0 < curve[0] - pairings * single[0]
    assert curve[3] > 0 > curve[2]
