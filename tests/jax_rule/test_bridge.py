"""One equation: the functions of the package give the same numbers on JAX arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numba import njit

import synsamp as ss
import synsamp.jax as sj
from synsamp.jax.bridge import (
    chain_rule,
    diffusion,
    drift,
    euler_maruyama,
    mapping_functions,
    prior_gradient,
    speed_functions,
    to_jax,
)
from synsamp.noise.streams import BLOCK, fill_normals, new_stream
from synsamp.rule import equation

# float64 on both sides; exp differs in its last bits (the package's own polynomial has 1e-15).
CLOSE = dict(rtol=1e-12, atol=1e-12)


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


GRID = np.concatenate([np.linspace(-6, 6, 500), [-40.0, 0.0, 40.0]])

PRIORS = {
    "flat": ss.Flat(),
    "gaussian": ss.Gaussian(0.3, 0.7),
    "gaussian by parameter": ss.Gaussian(np.linspace(-1, 1, GRID.size), 0.5),
    "laplace": ss.Laplace(0.1, 0.4),
    "student": ss.StudentT(3.0, 0.2, 0.5),
    "two modes": ss.GaussianMixture(),
    "three modes": ss.GaussianMixture((-1, 0, 2), (0.3, 0.2, 0.4), (1, 2, 3)),
    "log-normal weight": ss.LogNormalWeight(),
    "log-normal weight, softplus": ss.LogNormalWeight(-1.0, 0.8, ss.Softplus(0.5)),
    "by group": ss.PriorByGroup(
        (ss.Gaussian(np.linspace(0, 1, GRID.size), 1.0), ss.Laplace(), ss.Flat()),
        np.arange(GRID.size) % 3,
    ),
    "own, compiled": ss.CustomPrior(
        njit(lambda x, p: -np.log1p((x / p[0]) ** 2)),
        njit(lambda x, p: -2 * x / (p[0] ** 2 + x * x)),
        (0.5,),
    ),
    "own, plain": ss.CustomPrior(lambda x, p: -np.cosh(x), lambda x, p: -np.sinh(x)),
}
MAPPINGS = [ss.Identity(), ss.Exponential(2.0), ss.Softplus(0.3)]


@pytest.mark.parametrize("name", PRIORS)
def test_the_gradient_of_a_prior_is_the_same(name):
    prior = PRIORS[name]
    with np.errstate(over="ignore"):
        wanted = prior.gradient(GRID)
    found = jax.jit(prior_gradient(prior, GRID.shape))(jnp.asarray(GRID))
    np.testing.assert_allclose(found, wanted, **CLOSE)


@pytest.mark.parametrize("one_number", [False, True])
def test_a_log_density_is_a_prior_with_the_gradient_of_jax(one_number):
    def log_density(x):
        found = -0.5 * ((x - 0.3) / 0.7) ** 2
        return jnp.sum(found) if one_number else found

    def step(prior):
        optimiser = sj.sampling(speed=0.1, prior=prior)
        theta = jnp.linspace(-1, 1, 5)
        return optimiser.update(jnp.zeros(5), optimiser.init(theta), theta)[0]

    np.testing.assert_allclose(step(sj.LogPrior(log_density)), step(ss.Gaussian(0.3, 0.7)), **CLOSE)
    assert np.abs(step(sj.LogPrior(log_density)) - step(ss.Gaussian(0.3, 0.5))).max() > 0.01


def test_parameters_of_a_prior_may_be_a_matrix():
    prior = ss.Gaussian(np.arange(6.0).reshape(2, 3), 0.5)
    found = prior_gradient(prior, (2, 3))(jnp.zeros((2, 3)))
    np.testing.assert_allclose(found, prior.gradient(np.zeros((2, 3))), **CLOSE)


@pytest.mark.parametrize("mapping", MAPPINGS, ids=repr)
def test_a_mapping_is_the_same(mapping):
    weight, slope = mapping_functions(mapping)
    theta = jnp.asarray(GRID)
    np.testing.assert_allclose(jax.jit(weight)(theta), mapping.weight(GRID), **CLOSE)
    np.testing.assert_allclose(jax.jit(slope)(theta), mapping.slope(GRID), **CLOSE)


@pytest.mark.parametrize("mapping", MAPPINGS, ids=repr)
def test_the_slope_is_what_jax_finds_by_itself(mapping):
    weight, slope = mapping_functions(mapping)
    theta = jnp.linspace(-3.0, 3.0, 50)
    np.testing.assert_allclose(slope(theta), jax.vmap(jax.grad(weight))(theta), rtol=1e-10)


def test_the_code_is_not_a_copy():
    for here, there in (
        (drift, equation.drift),
        (diffusion, equation.diffusion),
        (chain_rule, equation.chain_rule),
        (euler_maruyama, equation.euler_maruyama),
    ):
        assert here.__code__ is there.py_func.__code__


def test_functions_that_are_called_are_bridged_too_and_jax_stays():
    def square(x):
        return np.square(x)

    def outer(x):
        return max(square(x), jnp.exp(-x))

    found = to_jax(outer)(jnp.array([0.0, 3.0]))
    np.testing.assert_allclose(found, [1.0, 9.0])
    assert to_jax(jnp.sin) is jnp.sin


SPEED = ss.Speed(
    njit(lambda x, p: p[0] + 1.0 / (1.0 + x * x)),
    njit(lambda x, p: -2.0 * x / (1.0 + x * x) ** 2),
    (0.3,),
)
STEPS, DT = 200, 0.01


def pull(w):
    return -(w**3) + 0.5


def _paths(rule, start, drift_of=drift):
    """(by the package, by JAX) after every step, with the same normals."""
    moving = ss.Chains(rule, start[None], DT, np.random.SeedSequence(5))
    here = moving.advance(STEPS)[0]

    stream = new_stream(np.random.SeedSequence(5).spawn(3)[0].spawn(1)[0])
    normals = np.empty(-(-STEPS * start.size // (4 * BLOCK)) * 4 * BLOCK, np.float32)
    for part in normals.reshape(-1, 4 * BLOCK):
        fill_normals(stream, part)
    normals = normals[: STEPS * start.size].reshape(STEPS, start.size)
    gradient_of = prior_gradient(rule.prior, start.shape)
    (weight, slope), (b_of, b_slope_of) = (
        mapping_functions(rule.mapping),
        speed_functions(rule.speed),
    )

    def step(theta, normal):
        b, b_slope, T = b_of(theta), b_slope_of(theta), rule.temperature
        likelihood = chain_rule(slope(theta), pull(weight(theta)))
        move = drift_of(b, b_slope, gradient_of(theta), 1.0, likelihood, T)
        theta = euler_maruyama(theta, move, diffusion(b, T), np.sqrt(DT), normal)
        return theta, theta

    there = jax.lax.scan(step, jnp.asarray(start), jnp.asarray(normals, float))[1]
    return here, np.asarray(there)


@pytest.mark.parametrize("prior", [ss.GaussianMixture(stds=(0.4, 0.5)), ss.Laplace(0.0, 0.5)])
def test_same_normals_same_path(prior):
    rule = ss.Rule(pull, prior, SPEED, temperature=0.7, mapping=ss.Softplus(0.8))
    here, there = _paths(rule, np.linspace(-1.0, 1.5, 40))
    # float64; rounding of 1e-16 per step grows over 200 steps of a contracting path at most to
    # about 1e-12. A kink (Laplace) could be crossed one step apart only with θ within 1e-12 of it.
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-10)


def test_a_missing_term_is_another_path():
    rule = ss.Rule(pull, ss.Gaussian(), SPEED, temperature=0.7, mapping=ss.Softplus(0.8))

    def without_correction(b, b_slope, *others):
        return drift(b, 0.0 * b_slope, *others)

    here, there = _paths(rule, np.linspace(-1.0, 1.5, 40), without_correction)
    assert np.abs(there - here).max() > 1e-3
