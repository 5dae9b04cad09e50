"""Laws the engine must obey, against closed forms or numerical integration; each can fail.

Tolerances come from the Monte-Carlo error; several p-values are corrected for their number.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from synsamp.spiking import (
    Circuit,
    InOrder,
    InputGroup,
    Network,
    Projection,
    Recording,
    Rule,
    Simulation,
    winner_take_all,
)
from synsamp.spiking.looking import Looker
from synsamp.spiking.network import DoubleExponential
from synsamp.spiking.pairing import stdp_curve

P = 1e-4
"""A law is refused below this p-value: one false alarm in ten thousand."""


def steady(rates_hz, duration_s=1.0):
    return SimpleNamespace(durations_s=np.array([duration_s]), rates_hz=np.atleast_2d(rates_hz))


def frozen(n_inputs, theta, epsp=DoubleExponential(), **circuit):  # noqa: B008
    circuit = {"adaptation_strength": 0.0, **circuit}
    return Network(
        inputs=[InputGroup("x", n_inputs)],
        circuits=[Circuit("z", len(theta), **circuit)],
        projections=[Projection("x", "z", plastic=False)],
        epsp=epsp,
    )


# -- events --------------------


def interval_p_value(times, rate_hz):
    return stats.kstest(np.diff(times), "expon", args=(0, 1 / rate_hz)).pvalue


def test_intervals_between_network_spikes_are_exponential():
    net = Network(
        inputs=[InputGroup("x", 3)],
        circuits=[Circuit("a", 2, rate_hz=70.0), Circuit("b", 3, rate_hz=30.0)],
        projections=[Projection("x", "a"), Projection("x", "b")],
    )
    sim = Simulation(net, seed=1, record=Recording(spikes=True)).run(2000.0)
    spikes = sim.sink["spikes"]
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
        record=Recording(spikes=True),
    ).run(600.0)
    # Winners within 0.2 s see nearly the same input; every 50th spike is as good as independent.
    winners = sim.sink["spikes"]["neuron"][50::50]
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
        # the integration has a Monte-Carlo error of its own, below that of the counts
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
        circuits=[Circuit("z", 2)],
        projections=[Projection("x", "z"), Projection("z", "z", delay_s=0.005)],
    )
    sim = Simulation(net, seed=5)
    gaps = rng.choice([1e-4, 2e-3, 0.05, 0.7, 40.0], 300, p=[0.3, 0.3, 0.3, 0.09, 0.01])
    times, sources = np.cumsum(gaps), rng.integers(0, 5, 300)
    worst = wrong_delay = 0.0
    for at in range(0, 300, 10):
        sim.replay(times[at : at + 10], sources[at : at + 10], learning=False)
        now, seen = times[at + 9], slice(0, at + 10)
        age = now - sim._activity.clock[1]
        x = np.exp(-age / 0.02) * sim._activity.fall - np.exp(-age / 0.002) * sim._activity.rise
        past, who = times[seen], sources[seen]
        for i in range(3):
            worst = max(worst, abs(x[i] - direct_sum(past[who == i], now, net.epsp)))
        for k in range(2):
            own = past[who == 3 + k]
            worst = max(worst, abs(x[3 + k] - direct_sum(own + 0.005, now, net.epsp)))
            wrong = direct_sum(own + 0.006, now, net.epsp)
            wrong_delay = max(wrong_delay, abs(x[3 + k] - wrong))
            age_s = now - sim._activity.adapted_s[0]
            a = np.exp(-age_s / 30.0) * sim._activity.adaptation_fall[k]
            a -= np.exp(-age_s / 12.0) * sim._activity.adaptation_rise[k]
            np.testing.assert_allclose(
                a, direct_sum(own, now, net.circuits[0].adaptation), rtol=1e-9
            )
    assert worst < 2e-6
    assert wrong_delay > 1e-3


# -- θ between spikes --------------------


def silent(n_inputs, n_neurons, rule):
    """No spike in a thousand years."""
    return winner_take_all(n_inputs, n_neurons, rule, rate_hz=1e-12)


def ou_deviation(samples, times, start, rule):
    """Largest |z| of means and of products of pairs, against the exact joint law."""
    mean, std = rule.prior.parameters
    rate = rule.b / std**2
    centred = [
        x - (mean + np.exp(-rate * t) * (start - mean)) for x, t in zip(samples, times, strict=True)
    ]
    worst = 0.0
    for i, s in enumerate(times):
        worst = max(worst, abs(centred[i].mean()) / (centred[i].std() / np.sqrt(start.size)))
        for j in range(i, len(times)):
            t = times[j]
            kept = np.exp(-rate * (t - s))
            expected = kept * std**2 * rule.T * -np.expm1(-2 * rate * s)
            product = centred[i] * centred[j]
            worst = max(
                worst, abs(product.mean() - expected) / (product.std() / np.sqrt(start.size))
            )
    return worst


LOOKS = (0.3, 1.7, 4.0, 9.9, 10.0, 12.5, 19.0, 27.0)


def looked_at(times, rule, seed, n=(4000, 5)):
    sim = Simulation(silent(*n, rule), seed=seed, refresh_s=1.0, grid_s=10.0)
    start = sim.theta("x->z").ravel()
    samples = []
    for t in times:
        sim.run(t - sim.time_s)
        samples.append(sim.theta("x->z").ravel())
    return samples, start


@pytest.mark.parametrize("times", [LOOKS, LOOKS[1::3]], ids=["many looks", "few looks"])
def test_theta_without_spikes_is_ornstein_uhlenbeck_however_often_one_looks(times):
    rule = Rule(b=0.05, T=0.8, floor=-50.0)
    samples, start = looked_at(times, rule, seed=6)
    n_statistics = len(times) * (len(times) + 3) / 2
    limit = stats.norm.isf(P / 2 / n_statistics)
    assert ou_deviation(samples, times, start, rule) < limit
    wrong = Rule(b=0.05, T=0.84, floor=-50.0)  # noise too strong by 5 %
    assert ou_deviation(samples, times, start, wrong) > limit


def test_the_joint_law_needs_the_bridge(monkeypatch):
    """Negative control: looks that ignore what the run will find have the wrong joint law."""
    bridge = Looker._between
    monkeypatch.setattr(
        Looker,
        "_between",
        lambda self, rule, start, since, now, end, then: bridge(
            self, rule, start, since, now, end, since + 1e9
        ),
    )
    rule = Rule(b=0.05, T=0.8, floor=-50.0)
    times = (9.0, 10.0, 19.0, 20.0)
    samples, start = looked_at(times, rule, seed=6)
    assert ou_deviation(samples, times, start, rule) > stats.norm.isf(P / 28)


def test_the_prior_is_the_stationary_law():
    sim = Simulation(silent(2000, 5, Rule(b=0.1)), seed=7, theta={"x->z": 2.0}, refresh_s=1.0)
    theta = sim.run(200.0).theta("x->z").ravel()
    above = theta > -5  # the floor takes next to nothing: 5.5 standard deviations
    assert above.mean() > 0.999
    assert stats.kstest(theta, "norm", args=(0.5, 1.0)).pvalue > P
    assert stats.kstest(theta, "norm", args=(0.5, 1.1)).pvalue < P


# -- STDP --------------------


def epsilon(s):
    late = np.maximum(s, 0.0)
    return np.where(s >= 0, np.exp(-late / 0.02) - np.exp(-late / 0.002), 0.0)


def test_one_pairing_gives_the_curve_of_fig_4b():
    offsets = np.array([-0.08, -0.03, -0.005, 0.001, 0.005, 0.01, 0.03, 0.08])
    rule, theta = Rule(), 3.0
    w = np.exp(theta - 3.0)
    change = rule.b * rule.N * w * (epsilon(offsets) * (offsets > 0) - rule.alpha * np.exp(w))
    curve = stdp_curve(offsets, rule, theta)
    # prior and noise act as well, but noise is off and b·1 s is 1e-4 of the distance to the mean
    prior = rule.b * (1.0 + np.abs(offsets).max()) * abs(theta - 0.5)
    np.testing.assert_allclose(np.log1p(curve), change, atol=1.1 * prior)
    assert curve[offsets < 0].max() < 0 < curve[offsets == 0.01][0]
    assert np.ptp(curve[offsets < 0]) < 2 * prior  # depression does not depend on the offset
    assert curve.argmax() == np.argmax(epsilon(offsets) * (offsets > 0))


def test_pairing_at_20_hz_gives_the_curve_of_fig_4c():
    offsets = np.array([-0.045, -0.025, -0.01, 0.005, 0.02, 0.045])
    rule, theta, pairings = Rule(), 3.0, 60
    curve = stdp_curve(offsets, rule, theta, pairings=pairings, rate_hz=20.0)
    expected = []
    for offset in offsets:
        pre = np.arange(pairings) / 20 + max(0.0, -offset)
        post = np.arange(pairings) / 20 + max(0.0, offset)
        value = theta
        for t in post:
            w = np.exp(value - 3.0)
            x = epsilon(t - pre[pre <= t]).sum()
            value += rule.b * rule.N * w * (x - min(5.0, rule.alpha * np.exp(w)))
        expected.append(np.expm1(value - theta))
    np.testing.assert_allclose(curve, expected, atol=3e-3)
    # Earlier spikes of the train turn late depression into potentiation, as in the measurements.
    single = stdp_curve(offsets, rule, theta)
    assert single[0] < 0 < curve[0] - pairings * single[0]
    assert curve[3] > 0 > curve[2]
