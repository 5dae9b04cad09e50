"""MALA: no bias at any step; its own steps compared with a twin in NumPy."""

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from oracles.distributions import GridDistribution, ks_p_value
from synsamp.noise.streams import new_stream
from synsamp.rule.kernel import take_normals

PRECISION = np.linalg.inv(np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 0.2]]))
METRIC = np.linalg.cholesky(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 0.5]]))


@njit
def _gradient(theta):
    return -PRECISION @ theta - 0.5 * theta**3


@njit
def _log_likelihood(theta):
    return -0.5 * theta @ (PRECISION @ theta) - 0.125 * np.sum(theta**4)


def _twin(steps, dt, speed, T, mean, seed):
    """The same chain in NumPy, from the equation in `rule/mala.py`."""
    noise_seeds, model_seeds, _ = (s.spawn(1) for s in np.random.SeedSequence(seed).spawn(3))
    stream, rng = new_stream(noise_seeds[0]), np.random.Generator(np.random.PCG64(model_seeds[0]))
    buffer, position = np.empty(2048, np.float32), 2048
    factor = np.sqrt(speed)[:, None] * METRIC

    def value(x):
        return _log_likelihood(x) - 0.5 * np.sum((x - mean) ** 2)

    def force(x):
        return _gradient(x) - (x - mean)

    theta, draws = np.zeros(3), []
    for _ in range(steps):
        nu = np.empty(3, np.float32)
        position = take_normals(stream, buffer, position, nu)
        new = theta + factor @ (factor.T @ force(theta)) * dt + np.sqrt(2 * T * dt) * factor @ nu
        covariance = 2 * T * dt * factor @ factor.T

        def log_q(to, origin, covariance=covariance):
            step = to - origin - factor @ (factor.T @ force(origin)) * dt
            return -0.5 * step @ np.linalg.solve(covariance, step)

        ratio = (value(new) - value(theta)) / T + log_q(theta, new) - log_q(new, theta)
        if np.log(rng.random()) < ratio:
            theta = new
        draws.append(theta)
    return np.array(draws)


def test_a_chain_is_that_of_the_textbook():
    speed = np.array([0.5, 1.0, 2.0])
    rule = ss.Rule(_gradient, ss.Gaussian(0.3, 1.0), speed=speed, temperature=0.7)
    method = ss.MALA(_log_likelihood, METRIC)
    chains = ss.Chains(rule, np.zeros((1, 3)), 0.15, 5, 1, method)
    draws = np.concatenate([chains.advance(100)[0], chains.advance(200)[0]])
    assert np.max(np.abs(draws - _twin(300, 0.15, speed, 0.7, 0.3, 5))) < 1e-6
    moved = np.any(np.diff(draws, axis=0), axis=1).mean()
    assert 0.3 < moved < 0.99
    assert chains.accepted == pytest.approx(moved, abs=0.01)


@njit
def _skewed_log_density(theta, p):
    return 1.5 * theta - np.exp(theta)


@njit
def _skewed_gradient(theta, p):
    return 1.5 - np.exp(theta)


SKEWED = ss.CustomPrior(_skewed_log_density, _skewed_gradient)
BIMODAL = ss.GaussianMixture((-0.9, 1.0), (0.6, 0.5), (0.4, 0.6))
CASES = [(SKEWED, 0.25), (SKEWED, 1.0), (BIMODAL, 1.0), (BIMODAL, 4.0)]


@pytest.mark.parametrize(("prior", "T"), CASES)
def test_stationary_distribution_at_a_step_that_biases_the_paper_s_dynamics(prior, T):
    rule = ss.Rule(prior=prior, temperature=T)
    expected = GridDistribution(prior.log_density, T, -60.0, 20.0)
    start = np.random.default_rng(1).uniform(-1.5, 1.5, (100, 1))
    draws = []
    for method in (ss.MALA(), ss.Overdamped()):
        chains = ss.Chains(rule, start, 0.4, 2015, 1, method)
        chains.burn_in(1000)
        draws.append(chains.advance(10_000, thin=100))  # 40 units of time apart: independent
    assert ks_p_value(draws[0], expected) > 0.01 / len(CASES)
    assert ks_p_value(draws[1], expected) < 1e-6  # the same step without rejection


def test_a_log_likelihood_that_does_not_fit_the_gradient_is_rejected():
    @njit
    def wrong(theta):
        return 0.5 * _log_likelihood(theta)

    rule = ss.Rule(_gradient)
    right, off = (
        ss.sample(rule, np.zeros(3), method=ss.MALA(f), ess=1000, progress=False).theta
        for f in (_log_likelihood, wrong)
    )
    assert off.std() / right.std() > 1.15


def test_errors_say_what_to_do():
    settings = dict(steps=10, dt=0.1, progress=False)

    def run(rule, method, **changes):
        ss.sample(rule, np.zeros(3), method=method, **(settings | changes))

    with pytest.raises(ss.SynsampError, match=r"log_likelihood must be .*numba\.njit"):
        run(ss.Rule(_gradient), ss.MALA())
    with pytest.raises(ss.SynsampError, match="must be compiled for MALA"):
        run(ss.Rule(lambda x: -x), ss.MALA(_log_likelihood))
    online = ss.Online(njit(lambda t, x: x - t), np.zeros((2, 3)))
    with pytest.raises(ss.SynsampError, match="must be a Batch for MALA"):
        run(ss.Rule(online), ss.MALA(_log_likelihood))
    with pytest.raises(ss.SynsampError, match="one number > 0"):
        run(ss.Rule(_gradient, temperature=0.0), ss.MALA(_log_likelihood))


@pytest.mark.parametrize("metric", [np.eye(2), np.ones((3, 3)), np.ones((3, 2))])
def test_a_metric_that_does_not_fit_raises_an_error(metric):
    def run():
        method = ss.MALA(_log_likelihood, metric)
        ss.Chains(ss.Rule(_gradient), np.zeros((1, 3)), 0.1, seed=1, method=method)

    with pytest.raises(ss.SynsampError, match="metric must"):
        run()
