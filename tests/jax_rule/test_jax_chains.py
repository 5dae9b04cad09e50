"""``synsamp.sample`` with a likelihood compiled by ``jax.jit``: the same distribution."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import synsamp as ss
from synsamp.jax.chains import JaxChains
from synsamp.rule.sampler import is_jax_jitted, make_backend

PRECISION = jnp.array([[2.0, -1.2], [-1.2, 1.5]])
CENTRE = jnp.array([0.8, -0.4])


@jax.jit
def log_likelihood(theta):
    return -0.5 * (theta - CENTRE) @ PRECISION @ (theta - CENTRE)


gradient = jax.jit(jax.grad(log_likelihood))


def _sample(rule, **settings):
    given = dict(steps=400, dt=0.01, chains=3, progress=False, seed=3)
    return ss.sample(rule, **{"start": [0.0, 0.0], **given, **settings})


def test_log_density_and_gradient_are_the_same_path():
    one, two = (_sample(ss.Rule(f, ss.Gaussian())) for f in (log_likelihood, gradient))
    np.testing.assert_allclose(one.theta, two.theta, rtol=1e-5, atol=1e-6)
    assert one.theta.shape == (3, 400, 2)


def test_the_posterior_is_sampled():
    result = _sample(ss.Rule(log_likelihood, ss.Gaussian()), steps=40_000, chains=8, burn_in=1000)
    posterior = np.asarray(PRECISION) + np.eye(2)
    mean = np.linalg.solve(posterior, np.asarray(PRECISION @ CENTRE))
    z = (result.theta.mean(("chain", "draw")) - mean) / result.mcse_mean
    assert np.abs(z).max() < 4
    # Euler–Maruyama of a Gaussian has covariance (P − P²Δt/2)⁻¹ exactly.
    covariance = np.linalg.inv(posterior - posterior @ posterior * 0.01 / 2)
    spread = result.theta.var(("chain", "draw")) / np.diag(covariance)
    assert np.abs(spread - 1).max() < 4 * np.sqrt(2 / result.ess_bulk.min())
    assert np.abs(spread / 1.2 - 1).max() > 4 * np.sqrt(2 / result.ess_bulk.min())
    assert result.r_hat.max() < 1.02


def test_which_functions_go_this_way():
    assert is_jax_jitted(ss.Rule(log_likelihood).likelihood)
    assert is_jax_jitted(ss.Batch(gradient))
    assert not is_jax_jitted(ss.Rule(jax.grad(log_likelihood)).likelihood)  # plain: as ever
    assert not is_jax_jitted(ss.Online(gradient, np.zeros((3, 1))))
    assert not is_jax_jitted(None)


def test_a_log_likelihood_that_is_not_compiled_gets_a_message_that_names_jit():
    with pytest.raises(ss.SynsampError, match=r"compile a log-likelihood by jax\.jit"):
        _sample(ss.Rule(lambda theta: log_likelihood(theta)))


def test_the_function_is_not_called_at_every_step():
    calls = []

    def counted(theta):
        calls.append(1)
        return -jnp.sum(theta**2)

    _sample(ss.Rule(jax.jit(counted)), steps=2000, burn_in=100)
    assert len(calls) < 20  # traced for shape, loop and step check


def _chains(rule, n=3, seed=5, dt=0.01):
    return JaxChains(rule, np.zeros((n, 2)), dt, np.random.SeedSequence(seed))


def test_blocks_of_any_length_give_the_same_draws():
    rule = ss.Rule(log_likelihood, ss.Laplace(), temperature=lambda t: 1.0 + t)
    whole = _chains(rule).advance(3000, 7)
    moving = _chains(rule)
    parts = np.concatenate([moving.advance(n, 7) for n in (1, 5, 1200, 0, 1794)], axis=1)
    np.testing.assert_array_equal(whole, parts)
    assert whole.shape == (3, 3000 // 7, 2)
    np.testing.assert_array_equal(_chains(rule).advance(14, 7)[:, 1], whole[:, 1])


def test_thinning_counts_from_the_burn_in():
    rule = ss.Rule(log_likelihood)
    moving = _chains(rule)
    moving.burn_in(3)
    np.testing.assert_array_equal(moving.advance(10, 5)[:, 0], _chains(rule).advance(8)[:, 7])


def test_more_draws_than_fit_on_the_device_at_once():
    rule = ss.Rule(jax.jit(lambda theta: -jnp.sum(theta**2)))
    moving = JaxChains(rule, np.zeros((2, 3000)), 0.01, np.random.SeedSequence(1))
    draws = moving.advance(700)  # 174 at a time
    assert draws.shape == (2, 700, 3000)
    np.testing.assert_array_equal(draws[:, -1], moving.theta)
    assert np.ptp(draws, axis=1).min() > 0


def test_chains_do_not_follow_each_other():
    draws = _chains(ss.Rule(log_likelihood, ss.Gaussian()), n=2).advance(2000)
    steps = np.diff(draws, axis=1).reshape(2, -1)
    assert abs(stats.pearsonr(*steps).statistic) < 4 / np.sqrt(steps.shape[1])
    again = _chains(ss.Rule(log_likelihood, ss.Gaussian()), n=4).advance(50)
    np.testing.assert_allclose(again[:2], draws[:, :50], rtol=1e-5, atol=1e-6)


def test_data_mapping_speed_and_the_factor_of_inputs():
    def of_data(w, x):
        return jnp.mean(-0.5 * (x - w[0]) ** 2) - 0.5 * jnp.sum((w[1] - 2.0) ** 2)

    x = np.array([0.5, 1.0, 1.5], np.float32)
    rule = ss.Rule(
        ss.Batch(jax.jit(of_data), (x,), data_size=3.0),
        ss.Gaussian(0.0, 2.0),
        speed=[1.0, 0.5],
        mapping=ss.Softplus(0.5),
    )
    result = _sample(rule, steps=20_000, chains=4, burn_in=500)

    def plain(w):  # the same, for the package's own loop
        return np.stack([x.mean() - w[:, 0], 2.0 - w[:, 1]], axis=1)

    other = _sample(
        ss.Rule(
            ss.Batch(plain, data_size=3.0),
            ss.Gaussian(0.0, 2.0),
            speed=[1.0, 0.5],
            mapping=ss.Softplus(0.5),
        ),
        steps=20_000,
        chains=4,
        burn_in=500,
    )
    gap = result.theta.mean(("chain", "draw")) - other.theta.mean(("chain", "draw"))
    error = np.hypot(result.mcse_mean, other.mcse_mean)
    assert np.abs(gap / error).max() < 4


def test_a_step_that_is_too_large_warns():
    with pytest.warns(ss.StepSizeWarning, match="dt must be small"):
        _sample(ss.Rule(log_likelihood), dt=0.4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ss.StepSizeWarning)
        _sample(ss.Rule(log_likelihood), dt=0.01)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda theta: theta[:1], ["likelihood", "one number or the shape (2,)", "(1,)"]),
        (lambda theta: theta.sum(axis=1), ["likelihood", "shape (2,)", "one chain's θ"]),
        (lambda theta: jnp.sum(theta).astype(int), ["likelihood", "one chain's θ"]),
    ],
)
def test_a_function_that_does_not_fit_raises_an_error_before_the_run(function, words):
    with pytest.raises(ss.SynsampError) as error:
        _sample(ss.Rule(jax.jit(function)))
    message = str(error.value)
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(("name", "value"), [("dt", 0.0), ("dt", np.nan), ("threads", 0)])
def test_other_settings_are_checked_as_usual(name, value):
    with pytest.raises(ss.SynsampError, match=f"^{name} must"):
        _sample(ss.Rule(log_likelihood), **{name: value})


def test_a_diverging_path_raises_an_error():
    rule = ss.Rule(jax.jit(lambda theta: jnp.sum(theta**4)))
    with pytest.raises(ss.SynsampError, match=r"theta must stay finite.*smaller dt"):
        _sample(rule, dt=1.0)


def test_draws_go_to_disk_too(tmp_path):
    rule = ss.Rule(log_likelihood)
    stored = _sample(rule, store=tmp_path / "draws.zarr")
    np.testing.assert_array_equal(stored.theta, _sample(rule).theta)


def test_other_likelihoods_do_not_use_jax():
    moving = make_backend(
        ss.Rule(), np.zeros((1, 2)), 0.1, np.random.SeedSequence(0), 1, ss.Overdamped()
    )
    assert isinstance(moving, ss.Chains)
