"""Theorem 1 in JAX: the stationary distribution is p*(θ)^(1/T), with negative controls.

A leaf of 10,000 independent parameters is 10,000 copies of a process, which allows an exact
Kolmogorov–Smirnov test. Start, length and step are those of
tests/statistical/test_theorem_1.py.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numba import njit
from scipy import stats

import synsamp as ss
import synsamp.jax as sj
from oracles.distributions import GridDistribution, ks_p_value
from synsamp.rule.theory import fokker_planck

pytestmark = pytest.mark.statistical

COPIES = 10_000
TEMPERATURES = (0.25, 1.0, 4.0)
TARGETS = {
    # log of a Gamma variable: a long tail to the left, a steep wall to the right
    "skewed": (
        ss.CustomPrior(
            njit(lambda x, p: p[0] * x - np.exp(x)), njit(lambda x, p: p[0] - np.exp(x)), (1.5,)
        ),
        -40.0,
        6.0,
    ),
    "bimodal": (ss.GaussianMixture((-0.9, 1.0), (0.6, 0.5), (0.4, 0.6)), -14.0, 14.0),
}


def _speed(dt, slope=True):
    """dt·(0.3 + 1/(1 + θ²)); the rule of this form has Δt = 1, so dt is part of the speed."""
    value = njit(lambda x, p: p[0] * (0.3 + 1.0 / (1.0 + x * x)))
    right = njit(lambda x, p: -p[0] * 2.0 * x / (1.0 + x * x) ** 2)
    wrong = njit(lambda x, p: 0.0 * x)
    kind = ss.Speed if slope else _UncheckedSpeed
    return kind(value, right if slope else wrong, (dt,))


class _UncheckedSpeed(ss.Speed):
    def check(self, theta):
        pass


SPEEDS = ("constant", "of place")
FAMILY = len(TARGETS) * len(SPEEDS) * len(TEMPERATURES) + len(TEMPERATURES) + 1


def _no_data(w):
    return jnp.zeros(())


def _steps(prior, speed, temperature, dt):
    theory_speed = 1.0 if speed == "constant" else _speed(1.0)
    rule = ss.Rule(prior=prior, speed=theory_speed, temperature=temperature)
    return int(7 * fokker_planck(rule, np.linspace(-12.0, 5.5, 400)).relaxation_time() / dt)


def _samples(prior, speed, temperature, *, sampled_at=None, slope=True):
    dt = 0.004 / max(1.0, temperature)
    steps = _steps(prior, speed, temperature, dt)
    algorithm = sj.sampler(
        _no_data,
        prior=prior,
        speed=dt if speed == "constant" else _speed(dt, slope),
        temperature=sampled_at or temperature,
    )
    start = jnp.asarray(np.random.default_rng(1).uniform(-1.5, 1.5, COPIES), jnp.float32)
    draws = sj.run(
        algorithm, start, steps=steps, thin=steps, key=2015, diagnostics=False, progress=False
    )
    return draws.at(0, 0)


def _p_value(samples, target, temperature):
    prior, low, high = TARGETS[target]
    return ks_p_value(samples, GridDistribution(prior.log_density, temperature, low, high))


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("target", TARGETS)
def test_stationary_distribution(target, speed, temperature):
    samples = _samples(TARGETS[target][0], speed, temperature)
    assert _p_value(samples, target, temperature) > 0.01 / FAMILY


@pytest.mark.parametrize("target", TARGETS)
def test_without_the_speed_correction_the_distribution_is_rejected(target):
    samples = _samples(TARGETS[target][0], "of place", 1.0, slope=False)
    assert _p_value(samples, target, 1.0) < 1e-6


@pytest.mark.parametrize("target", TARGETS)
def test_without_the_root_of_two_the_distribution_is_rejected(target):
    # Noise sqrt(b) dW instead of sqrt(2b) dW is the rule at half the temperature.
    samples = _samples(TARGETS[target][0], "constant", 1.0, sampled_at=0.5)
    assert _p_value(samples, target, 1.0) < 1e-6


# Pairs of parameters that hang together only through the likelihood, as two leaves of a tree.
PRECISION = np.array([[2.0, -1.2], [-1.2, 1.5]])
CENTRE = np.array([0.8, -0.4])


def _pair_log_likelihood(w, scale=1.0):
    d = jnp.stack([w["a"], w["b"]], axis=1) - CENTRE
    return -0.5 * scale * jnp.einsum("ni,ij,nj->", d, PRECISION, d)


def _pairs(temperature, data_size=1.0):
    """With ``data_size`` N the function is a mean over N examples, all alike."""
    algorithm = sj.sampler(
        lambda w: _pair_log_likelihood(w, 1.0 / data_size),
        prior={"a": ss.Gaussian(0.0, 1.0), "b": ss.Gaussian(0.0, 1.0)},
        speed={"a": 0.002, "b": optax.constant_schedule(0.002)},
        temperature=temperature,
        data_size=data_size,
    )
    start = {"a": jnp.zeros(COPIES), "b": jnp.zeros(COPIES)}
    draws = sj.run(
        algorithm, start, steps=6000, thin=6000, key=2015, diagnostics=False, progress=False
    )
    return np.stack([draws.at(0, 0)["a"], draws.at(0, 0)["b"]], axis=1)


def _pair_p_values(samples, temperature):
    """Whitened by the exact posterior, both coordinates are standard normal and unrelated."""
    posterior = PRECISION + np.eye(2)
    mean = np.linalg.solve(posterior, PRECISION @ CENTRE)
    white = (samples - mean) @ np.linalg.cholesky(posterior / temperature)
    r = stats.pearsonr(white[:, 0], white[:, 1]).pvalue
    return [*(stats.kstest(white[:, d], "norm").pvalue for d in range(2)), r]


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_correlated_distribution_in_two_dimensions(temperature):
    assert min(_pair_p_values(_pairs(temperature), temperature)) > 0.01 / (FAMILY * 3)


def test_wrong_temperature_in_two_dimensions_is_rejected():
    assert min(_pair_p_values(_pairs(1.0), 1.2)) < 1e-6


def test_the_factor_N_makes_a_mean_into_the_likelihood_of_all():
    assert min(_pair_p_values(_pairs(1.0, data_size=50.0), 1.0)) > 0.01 / (FAMILY * 3)


def test_without_the_factor_N_the_distribution_is_rejected():
    algorithm = sj.sampler(
        lambda w: _pair_log_likelihood(w, 1 / 50), prior=ss.Gaussian(0.0, 1.0), speed=0.002
    )
    start = {"a": jnp.zeros(COPIES), "b": jnp.zeros(COPIES)}
    draws = sj.run(
        algorithm, start, steps=2000, thin=2000, key=2015, diagnostics=False, progress=False
    )
    samples = np.stack([draws.at(0, 0)["a"], draws.at(0, 0)["b"]], axis=1)
    assert min(_pair_p_values(samples, 1.0)) < 1e-6


def test_a_mapping_brings_its_slope_into_the_likelihood():
    # log p_N = −w with w = exp(θ), and a prior ∝ exp(1.5 θ), is the skewed target in two parts.
    tilt = ss.CustomPrior(lambda x, p: 1.5 * x, lambda x, p: 1.5 + 0.0 * x)
    algorithm = sj.sampler(lambda w: -w.sum(), prior=tilt, mapping=ss.Exponential(0.0), speed=0.004)
    start = jnp.asarray(np.random.default_rng(1).uniform(-1.5, 1.5, COPIES), jnp.float32)
    steps = _steps(TARGETS["skewed"][0], "constant", 1.0, 0.004)
    draws = sj.run(
        algorithm, start, steps=steps, thin=steps, key=2015, diagnostics=False, progress=False
    )
    assert _p_value(draws.at(0, 0), "skewed", 1.0) > 0.01 / FAMILY


def test_the_optax_form_moves_as_the_sampler_does():
    # Both forms take their normals from keys that are split alike.
    prior = {"a": ss.Laplace(), "b": ss.GaussianMixture()}
    optimiser = sj.sampling(prior=prior, speed=0.01, temperature=0.7, data_size=3.0, key=4)
    algorithm = sj.sampler(
        _pair_log_likelihood, prior=prior, speed=0.01, temperature=0.7, data_size=3.0
    )
    params = {"a": jnp.linspace(-1.0, 1.0, 7), "b": jnp.linspace(0.0, 2.0, 7)}
    state, other = optimiser.init(params), algorithm.init(params)
    for _ in range(20):
        key = jax.random.split(state.key)[1]
        gradients = jax.grad(lambda w: -_pair_log_likelihood(w))(params)
        updates, state = optimiser.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        other, _ = algorithm.step(key, other)
    for name in params:
        np.testing.assert_allclose(params[name], other.position[name], rtol=1e-5, atol=1e-6)
