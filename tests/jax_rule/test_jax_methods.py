"""Underdamped dynamics, thermostat, cycles and the frozen preconditioner in JAX, by distribution.

A leaf of many independent parameters is as many copies of a process. One run per method and
likelihood; negative controls use the same runs.
"""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy import stats

import synsamp as ss
import synsamp.jax as sj
from oracles.distributions import GridDistribution, ks_p_value

pytestmark = pytest.mark.statistical

COPIES = 10_000
BIMODAL = ss.GaussianMixture((-0.9, 1.0), (0.6, 0.5), (0.4, 0.6))
METHODS = {"Underdamped": ss.Underdamped(10.0), "Thermostat": sj.Thermostat(10.0)}
GRADIENT_NOISE = 3.0


def _noisy(w, key):
    """No data, but a gradient with noise, as of minibatches."""
    return jnp.sum(w * GRADIENT_NOISE * jax.random.normal(key, w.shape))


@cache
def _end(method, prior=BIMODAL, noisy=False, temperature=1.0, speed=0.1, steps=1500):
    log_likelihood = _noisy if noisy else lambda w: jnp.zeros(())
    algorithm = sj.sampler(
        log_likelihood, prior=prior, speed=speed, method=METHODS[method], temperature=temperature
    )
    start = jnp.asarray(np.random.default_rng(1).uniform(-1.5, 1.5, COPIES), jnp.float32)
    draws = sj.run(
        algorithm, start, steps=steps, thin=steps, key=2015, diagnostics=False, progress=False
    )
    return draws[0, -1]


def _p_value(samples, temperature=1.0, prior=BIMODAL):
    return ks_p_value(samples, GridDistribution(prior.log_density, temperature, -14.0, 14.0))


@pytest.mark.parametrize("method", METHODS)
def test_stationary_distribution(method):
    assert _p_value(_end(method, speed=0.02, steps=6000)) > 0.01 / 3
    assert _p_value(_end(method, speed=0.02, steps=6000), temperature=1.5) < 1e-6


def test_another_temperature():
    samples = _end("Underdamped", temperature=0.5, speed=0.02, steps=9000)
    assert _p_value(samples, temperature=0.5) > 0.01 / 3


def test_only_the_thermostat_compensates_for_noise_of_the_gradient():
    gaussian = ss.Gaussian()
    variance = {m: _end(m, gaussian, True, steps=600).var() for m in METHODS}
    error = 4 * np.sqrt(2 / COPIES)
    assert abs(variance["Thermostat"] - 1.0) < error
    # b Var(F)/(2T) = 0.45 too much
    assert abs(variance["Underdamped"] / (1 + 0.1 * GRADIENT_NOISE**2 / 2) - 1.0) < 2 * error


def test_cycles_keep_what_their_recursion_predicts():
    cycles = sj.cyclical(speed=0.2, steps=200, explore=0.25)
    algorithm = sj.sampler(
        lambda w: jnp.zeros(()),
        prior=ss.Gaussian(),
        speed=cycles.speed,
        temperature=cycles.temperature,
    )
    draws = sj.run(
        algorithm,
        jnp.full(COPIES, 3.0),
        steps=400,
        thin=200,
        key=1,
        diagnostics=False,
        progress=False,
    )
    mean, variance = 3.0, 0.0
    for k in range(400):
        b, T = float(cycles.speed(k)), float(cycles.temperature(k))
        mean, variance = (1 - b) * mean, (1 - b) ** 2 * variance + 2 * b * T
    assert float(cycles.temperature(49)) == 0.0
    assert float(cycles.temperature(50)) == 1.0
    found = draws[0, 1]
    assert stats.kstest((found - mean) / np.sqrt(variance), "norm").pvalue > 0.01
    assert abs(variance - 1.0) < 0.05  # the distribution itself, apart from the bias of the steps


def test_a_preconditioner_that_stops_adapting_is_unbiased():
    """A quartic well, in which the gradient depends on θ; v follows single gradients (α = 0.5)."""
    quartic = ss.CustomPrior(lambda x, p: -(x**4) / 4, lambda x, p: -(x**3))

    def p_value(adapt_steps):
        algorithm = sj.sampler(
            lambda w: -0.5 * jnp.sum(w**2),
            prior=quartic,
            speed=0.005,
            preconditioner=sj.RMSProp(0.5, floor=0.5, adapt_steps=adapt_steps),
        )
        draws = sj.run(
            algorithm,
            jnp.linspace(-1.0, 1.0, COPIES),
            steps=2500,
            thin=2500,
            key=3,
            diagnostics=False,
            progress=False,
        )
        target = GridDistribution(lambda x: -(x**4) / 4 - x**2 / 2, 1.0, -6.0, 6.0)
        return ks_p_value(draws[0, 0], target)

    assert p_value(100) > 0.01
    assert p_value(None) < 1e-6


def test_the_optax_form_moves_as_the_sampler_does():
    prior, method = {"a": ss.Laplace(), "b": BIMODAL}, ss.Underdamped(5.0)

    def log_likelihood(w):
        return -jnp.sum((w["a"] - w["b"]) ** 2)

    optimiser = sj.sampling(prior=prior, learning_rate=0.03, data_size=3.0, method=method, key=4)
    algorithm = sj.sampler(log_likelihood, prior=prior, speed=0.01, data_size=3.0, method=method)
    params = {"a": jnp.linspace(-1.0, 1.0, 7), "b": jnp.linspace(0.0, 2.0, 7)}
    state, other = optimiser.init(params), algorithm.init(params)
    step = jax.jit(algorithm.step)
    for _ in range(20):
        key = jax.random.split(state.key)[1]
        gradients = jax.grad(lambda w: -log_likelihood(w))(params)
        updates, state = optimiser.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        other, _ = step(key, other)
    for name in params:
        np.testing.assert_allclose(params[name], other.position[name], rtol=1e-4, atol=1e-5)
