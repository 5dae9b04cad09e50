"""Limits of the rule: MAP as T → 0, batch rule for slow online learning, small time steps."""

import numpy as np
import pytest
from numba import njit
from scipy import optimize, stats

import synsamp as ss
from synsamp.rule.equation import ornstein_uhlenbeck
from synsamp.rule.order import in_turn

pytestmark = pytest.mark.statistical


# A logistic likelihood: θ explains which side of zero the inputs fall on.
@njit
def _one_input(theta, x):
    return x / (1.0 + np.exp(x * theta))


@njit
def _all_inputs(theta, inputs):
    out = np.zeros_like(theta)
    for n in range(inputs.shape[0]):
        out += _one_input(theta, inputs[n])
    return out


INPUTS = np.random.default_rng(1).normal(0.6, 1.0, size=(20, 1))


def _negative_log_posterior(theta):
    return np.sum(np.logaddexp(0.0, -INPUTS[:, 0] * theta)) + 0.5 * theta**2


def _end(temperature, seed=2015):
    rule = ss.Rule(ss.Batch(_all_inputs, (INPUTS,)), ss.Gaussian(), temperature=temperature)
    moving = ss.Chains(rule, np.linspace(-4, 4, 50)[None, :], 1e-3, np.random.SeedSequence(seed))
    moving.burn_in(20_000)
    return moving.theta[0]


def test_without_noise_every_path_ends_in_the_maximum_of_the_posterior():
    best = optimize.minimize_scalar(_negative_log_posterior, bounds=(-10, 10)).x
    assert np.max(np.abs(_end(0.0) - best)) < 1e-5


def test_as_the_temperature_falls_the_spread_falls_as_its_root():
    best = optimize.minimize_scalar(_negative_log_posterior, bounds=(-10, 10)).x
    h = 1e-4
    values = [_negative_log_posterior(best + k * h) for k in (-1, 0, 1)]
    curvature = (values[0] - 2 * values[1] + values[2]) / h**2
    for temperature in (1e-2, 1e-4):
        z = (_end(temperature) - best) / np.sqrt(temperature / curvature)
        assert stats.kstest(z, "norm").pvalue > 0.01 / 2
    assert np.std(_end(1e-2)) > 5 * np.std(_end(1e-4))


def _one_epoch(likelihood, tau, n_steps):
    rule = ss.Rule(likelihood, ss.Gaussian(), temperature=0.0)
    moving = ss.Chains(rule, np.array([[-1.0]]), tau, np.random.SeedSequence(0))
    moving.advance(n_steps, thin=n_steps)
    return moving.theta[0, 0]


def test_the_online_rule_approaches_the_batch_rule_with_order_two_per_epoch():
    # The paper: over one pass through the N inputs both rules agree for N τ b << 1. The gap left
    # by one pass is of second order in N τ b, so per unit of time it is of first order.
    n = len(INPUTS)
    taus = np.array([2e-4, 4e-4, 8e-4, 16e-4])
    gaps = [
        abs(
            _one_epoch(ss.Online(_one_input, INPUTS, order=in_turn), tau, n)
            - _one_epoch(ss.Batch(_all_inputs, (INPUTS,)), tau, n)
        )
        for tau in taus
    ]
    order = np.polyfit(np.log(n * taus), np.log(gaps), 1)[0]
    assert 1.8 < order < 2.2


def test_without_the_factor_n_the_online_rule_stays_off():
    n, tau = len(INPUTS), 2e-4
    batch = _one_epoch(ss.Batch(_all_inputs, (INPUTS,)), tau, n)
    right = _one_epoch(ss.Online(_one_input, INPUTS, order=in_turn), tau, n)
    wrong = _one_epoch(ss.Online(_one_input, INPUTS, order=in_turn, data_size=1.0), tau, n)
    assert abs(wrong - batch) > 20 * abs(right - batch)


@pytest.mark.parametrize("step", [0.05, 0.2, 0.5, 1.0])
def test_discretisation_bias_is_the_known_one(step):
    # Euler–Maruyama on an Ornstein–Uhlenbeck process: variance σ²T / (1 − bΔt/2σ²), so the bias
    # is of first order in the step.
    n, variance = 100_000, 1.0
    rule = ss.Rule(prior=ss.Gaussian(0.0, np.sqrt(variance)))
    moving = ss.Chains(rule, np.zeros((1, n)), step, np.random.SeedSequence(2015))
    moving.burn_in(int(20 / step))
    measured = moving.theta.var()
    expected = variance / (1 - step / (2 * variance))
    error = expected * np.sqrt(2 / n)
    assert abs(measured - expected) < 4 * error
    if step >= 0.05:
        assert abs(measured - variance) > 4 * error  # the bias is really there


def _sampled_at(gaps, n=50_000, seed=3, factor=2.0):
    """Follow n exact Ornstein–Uhlenbeck paths through the given gaps."""
    rng = np.random.default_rng(seed)
    theta = np.full(n, 2.0)
    for gap in gaps:
        keep, spread = ornstein_uhlenbeck(1e-4 * factor / 2, 1.0, 1.0, gap)
        theta = 0.5 + keep * (theta - 0.5) + spread * rng.standard_normal(n)
    return theta


@pytest.mark.parametrize("gaps", [[5000.0], [1.0, 4999.0], [500.0] * 10])
def test_exact_transition_does_not_depend_on_the_sampling_interval(gaps):
    keep = np.exp(-1e-4 * 5000)
    z = (_sampled_at(gaps) - (0.5 + 1.5 * keep)) / np.sqrt(1 - keep**2)
    assert stats.kstest(z, "norm").pvalue > 0.01 / 3
    off = (_sampled_at(gaps, factor=2.2) - (0.5 + 1.5 * keep)) / np.sqrt(1 - keep**2)
    assert stats.kstest(off, "norm").pvalue < 1e-4
