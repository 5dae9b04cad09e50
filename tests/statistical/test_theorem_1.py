"""Theorem 1: the stationary distribution is p*(θ)^(1/T), also when the speed depends on θ.

Under a prior that acts on each parameter alone, the parameters of one chain are independent copies
of a one-dimensional process. So two chains of 10,000 parameters give 20,000 independent samples and
an exact Kolmogorov–Smirnov test. Start values are not drawn from the target; the run is seven times
the relaxation time that the Fokker–Planck operator predicts, which leaves a thousandth of the
start. Time steps are small enough that the discretisation bias (its size is known, test_limits) is
far below what 20,000 samples can resolve.
"""

import numpy as np
import pytest
from numba import njit
from scipy import stats

import synsamp as ss
from oracles.distributions import GridDistribution, ks_p_value
from synsamp.rule.theory import fokker_planck

pytestmark = pytest.mark.statistical

COPIES = 20_000
TEMPERATURES = (0.25, 1.0, 4.0)


@njit
def _skewed_log_density(theta, p):
    return p[0] * theta - np.exp(theta)


@njit
def _skewed_gradient(theta, p):
    return p[0] - np.exp(theta)


TARGETS = {
    # log of a Gamma variable: a long tail to the left, a steep wall to the right
    "skewed": (ss.CustomPrior(_skewed_log_density, _skewed_gradient, (1.5,)), -40.0, 6.0),
    "bimodal": (ss.GaussianMixture((-0.9, 1.0), (0.6, 0.5), (0.4, 0.6)), -14.0, 14.0),
}


@njit
def _speed(theta, p):
    return p[0] + 1.0 / (1.0 + theta * theta)


@njit
def _speed_slope(theta, p):
    return -2.0 * theta / (1.0 + theta * theta) ** 2


@njit
def _no_slope(theta, p):
    return 0.0


class _UncheckedSpeed(ss.Speed):
    def check(self, theta):
        pass


SPEEDS = {"constant": 1.0, "of place": ss.Speed(_speed, _speed_slope, (0.3,))}
FAMILY = len(TARGETS) * len(SPEEDS) * len(TEMPERATURES) + len(TEMPERATURES)


def _samples(prior, speed, temperature, seed, theory_speed=None):
    grid = np.linspace(-12.0, 5.5, 400)
    rule = ss.Rule(prior=prior, speed=theory_speed or speed, temperature=temperature)
    time = 7 * fokker_planck(rule, grid).relaxation_time()
    dt = 0.004 / max(1.0, temperature)
    start = np.random.default_rng(1).uniform(-1.5, 1.5, (2, COPIES // 2))
    moving = ss.Chains(
        ss.Rule(prior=prior, speed=speed, temperature=temperature),
        start,
        dt,
        np.random.SeedSequence(seed),
        threads=2,
    )
    moving.burn_in(int(time / dt))
    return moving.theta


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("target", TARGETS)
def test_stationary_distribution(target, speed, temperature):
    prior, low, high = TARGETS[target]
    samples = _samples(prior, SPEEDS[speed], temperature, seed=2015)
    posterior = GridDistribution(prior.log_density, temperature, low, high)
    assert ks_p_value(samples, posterior) > 0.01 / FAMILY


@pytest.mark.parametrize("target", TARGETS)
def test_without_the_speed_correction_the_distribution_is_rejected(target):
    prior, low, high = TARGETS[target]
    wrong = _UncheckedSpeed(_speed, _no_slope, (0.3,))
    samples = _samples(prior, wrong, 1.0, 2015, theory_speed=SPEEDS["of place"])
    assert ks_p_value(samples, GridDistribution(prior.log_density, 1.0, low, high)) < 1e-6


@pytest.mark.parametrize("target", TARGETS)
def test_without_the_root_of_two_the_distribution_is_rejected(target):
    # Noise sqrt(b) dW instead of sqrt(2b) dW is the rule at half the temperature.
    prior, low, high = TARGETS[target]
    samples = _samples(prior, 1.0, 0.5, 2015)
    assert ks_p_value(samples, GridDistribution(prior.log_density, 1.0, low, high)) < 1e-6


# Pairs of parameters that hang together only through the likelihood.
PRECISION = np.array([[2.0, -1.2], [-1.2, 1.5]])
CENTRE = np.array([0.8, -0.4])


@njit
def _pair_gradient(theta, precision, centre):
    out = np.empty_like(theta)
    for k in range(0, theta.size, 2):
        a, b = centre[0] - theta[k], centre[1] - theta[k + 1]
        out[k] = precision[0, 0] * a + precision[0, 1] * b
        out[k + 1] = precision[1, 0] * a + precision[1, 1] * b
    return out


def _pairs(temperature, seed):
    rule = ss.Rule(
        ss.Batch(_pair_gradient, (PRECISION, CENTRE)), ss.Gaussian(0.0, 1.0), 1.0, temperature
    )
    moving = ss.Chains(rule, np.zeros((1, 2 * COPIES)), 0.002, np.random.SeedSequence(seed))
    moving.burn_in(6000)
    return moving.theta[0].reshape(COPIES, 2)


def _pair_p_values(samples, temperature):
    """Whitened by the exact posterior, both coordinates are standard normal and unrelated."""
    posterior = PRECISION + np.eye(2)
    mean = np.linalg.solve(posterior, PRECISION @ CENTRE)
    white = (samples - mean) @ np.linalg.cholesky(posterior / temperature)
    r = stats.pearsonr(white[:, 0], white[:, 1]).pvalue
    return [*(stats.kstest(white[:, d], "norm").pvalue for d in range(2)), r]


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_correlated_distribution_in_two_dimensions(temperature):
    p_values = _pair_p_values(_pairs(temperature, 2015), temperature)
    assert min(p_values) > 0.01 / (FAMILY * 3)


def test_wrong_temperature_in_two_dimensions_is_rejected():
    assert min(_pair_p_values(_pairs(1.0, 2015), 1.2)) < 1e-6


# Hidden states: x ~ ½N(θ, s²) + ½N(−θ, s²); z says which of the two it was.
NOISE = 0.7


@njit
def _which(theta, x, rng):
    z = np.empty(theta.size)
    for i in range(theta.size):
        log_odds = 2.0 * theta[i] * x[0] / NOISE**2
        z[i] = 1.0 if rng.random() < 1.0 / (1.0 + np.exp(-log_odds)) else -1.0
    return z


@njit
def _given_which(theta, x, z):
    return z * (x[0] - z * theta) / NOISE**2


@njit
def _always_plus(theta, x, rng):
    return np.ones(theta.size)


def _hidden_samples(respond):
    likelihood = ss.HiddenStates(_given_which, np.array([[1.1]]), respond=respond)
    rule = ss.Rule(likelihood, ss.Gaussian(0.3, 1.0))
    start = np.random.default_rng(1).uniform(-2, 2, (8, COPIES))
    moving = ss.Chains(rule, start, 0.004, np.random.SeedSequence(2015), threads=2)
    moving.burn_in(2000)  # eight relaxation times
    return moving.theta


def _hidden_log_posterior(theta):
    plus, minus = (-0.5 * ((1.1 - sign * theta) / NOISE) ** 2 for sign in (1, -1))
    return np.logaddexp(plus, minus) - 0.5 * (theta - 0.3) ** 2


def test_with_hidden_states_the_marginal_posterior_is_sampled():
    posterior = GridDistribution(_hidden_log_posterior, 1.0, -8.0, 8.0)
    assert ks_p_value(_hidden_samples(_which), posterior) > 0.01


def test_hidden_states_not_drawn_from_the_network_are_rejected():
    posterior = GridDistribution(_hidden_log_posterior, 1.0, -8.0, 8.0)
    assert ks_p_value(_hidden_samples(_always_plus), posterior) < 1e-6
