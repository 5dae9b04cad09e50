"""Underdamped dynamics: closed forms, the compiled loop and its slow twin, the limit τ → 0."""

from dataclasses import dataclass

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from oracles.distributions import GridDistribution, ks_p_value

COPIES = 20_000
TAU = 1.0
BIMODAL = ss.GaussianMixture((-0.9, 1.0), (0.6, 0.5), (0.4, 0.6))


@njit
def _skewed_log_density(theta, p):
    return p[0] * theta - np.exp(theta)


@njit
def _skewed_gradient(theta, p):
    return p[0] - np.exp(theta)


SKEWED = ss.CustomPrior(_skewed_log_density, _skewed_gradient, (1.5,))
CASES = [(prior, T) for prior in (SKEWED, BIMODAL) for T in (0.25, 1.0, 4.0)]


@dataclass(frozen=True)
class TooHot(ss.Underdamped):
    """Friction and noise that do not balance: 10 % too much noise."""

    def constants(self, dt):
        half_dt, kick_time, keep, heat = super().constants(dt)
        return half_dt, kick_time, keep, 1.21 * heat


def _end(prior, T, method, dt=0.1, time=60.0, speed=1.0):
    rule = ss.Rule(prior=prior, temperature=T, speed=speed)
    start = np.random.default_rng(1).uniform(-1.5, 1.5, (2, COPIES // 2))
    moving = ss.Chains(rule, start, dt, np.random.SeedSequence(2015), 2, method)
    moving.burn_in(int(time / dt))
    return moving.theta


@pytest.mark.parametrize(("prior", "T"), CASES)
def test_stationary_distribution(prior, T):
    expected = GridDistribution(prior.log_density, T, -60.0, 14.0)
    # Inertia slows the passage between modes; twice the time of the rule is ample for τ = 1.
    rule = ss.Rule(prior=prior, temperature=T)
    time = 14 * ss.fokker_planck(rule, np.linspace(-12.0, 5.5, 400)).relaxation_time()
    theta = _end(prior, T, ss.Underdamped(TAU), time=max(time, 50.0))
    assert ks_p_value(theta, expected) > 0.01 / len(CASES)


def test_the_speed_does_not_change_the_stationary_distribution():
    expected = GridDistribution(BIMODAL.log_density, 1.0, -14.0, 14.0)
    theta = _end(BIMODAL, 1.0, ss.Underdamped(TAU), dt=0.05, speed=3.0)
    assert ks_p_value(theta, expected) > 0.01


@pytest.mark.parametrize("prior", [SKEWED, BIMODAL])
def test_noise_that_does_not_balance_friction_is_rejected(prior):
    expected = GridDistribution(prior.log_density, 1.0, -60.0, 14.0)
    assert ks_p_value(_end(prior, 1.0, TooHot(TAU), time=100.0), expected) < 1e-6


@pytest.mark.parametrize("dt", [0.1, 0.5, 1.0, 1.5])
def test_a_gaussian_has_the_exact_variance_at_any_stable_step(dt):
    theta = _end(ss.Gaussian(0.0, 1.0), 1.0, ss.Underdamped(1.0), dt=dt, time=100.0)
    assert abs(theta.var() - 1.0) < 4 * np.sqrt(2 / COPIES)


def test_for_a_short_time_constant_the_mean_relaxes_as_under_the_rule():
    rule = ss.Rule(prior=ss.Gaussian(0.0, 1.0))
    moving = ss.Chains(
        rule, np.full((1, COPIES), 2.0), 1e-3, np.random.SeedSequence(3), 1, ss.Underdamped(1e-2)
    )
    moving.burn_in(1000)
    # dθ = −θ dt from 2; the velocity lags by τ = 0.01. The spread at t = 1 is sqrt(1 − e^−2).
    error = np.sqrt((1 - np.exp(-2)) / COPIES)
    assert abs(moving.theta.mean() - 2 * np.exp(-1)) < 4 * error + 0.01


def test_without_noise_every_path_ends_in_the_maximum():
    moving = ss.Chains(
        ss.Rule(prior=ss.Gaussian(0.7, 1.0), temperature=0.0),
        np.linspace(-3, 3, 20)[None],
        0.5,
        0,
        1,
        ss.Underdamped(0.5),
    )
    moving.burn_in(500)
    assert np.allclose(moving.theta, 0.7, atol=1e-9)


def _gradient(theta):
    return (1.0 - theta) * 4.0


def _online(theta, x):
    return x - theta


INPUTS = np.random.default_rng(0).normal(size=(6, 3))
RULES = {
    "batch": lambda f: ss.Rule(f(_gradient), ss.Gaussian(0.0, 1.0)),
    "online": lambda f: ss.Rule(ss.Online(f(_online), INPUTS), ss.GaussianMixture(), speed=0.5),
    "mapping": lambda f: ss.Rule(
        f(_gradient), ss.Laplace(), mapping=ss.Exponential(0.5), temperature=lambda t: np.exp(-t)
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_plain_python_is_the_slow_twin_of_the_compiled_loop(name):
    settings = dict(steps=200, dt=0.02, chains=3, seed=7, progress=False, diagnostics=False)
    a, b = (
        ss.sample(RULES[name](f), np.zeros(3), method=ss.Underdamped(0.3), **settings)
        for f in (njit, lambda f: f)
    )
    assert np.max(np.abs(a.theta.values - b.theta.values)) < 1e-12


def test_bit_identical_however_the_run_is_cut_and_after_a_saved_state():
    rule = RULES["online"](njit)

    def new():
        return ss.Chains(rule, np.zeros((2, 3)), 0.02, 3, 1, ss.Underdamped(0.3))

    whole, pieces, resumed = new(), new(), new()
    expected = whole.advance(300, thin=3)
    first = pieces.advance(101, thin=3)
    resumed.restore(pieces.state())
    assert np.array_equal(expected, np.concatenate([first, resumed.advance(199, thin=3)], axis=1))


def test_errors_say_what_to_do():
    settings = dict(start=[0.0], steps=10, progress=False)
    with pytest.raises(ss.SynsampError, match=r"tau must be given .* dt='auto'"):
        ss.sample(ss.Rule(prior=ss.Gaussian()), dt=0.1, method=ss.Underdamped(), **settings)
    with pytest.raises(ss.SynsampError, match="tau must be a finite number > 0"):
        ss.Underdamped(-1.0)
    speed = ss.Speed(lambda x, p: 1 + x * x, lambda x, p: 2 * x)
    rule = ss.Rule(prior=ss.Gaussian(), speed=speed)
    with pytest.raises(ss.SynsampError, match="speed must not depend on θ"):
        ss.sample(rule, dt=0.1, method=ss.Underdamped(1.0), **settings)
