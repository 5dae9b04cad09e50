"""``sj.run`` warns of a speed that biases the distribution, and speed="auto" finds a good one."""

from __future__ import annotations

import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import synsamp as ss
import synsamp.jax as sj

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X @ np.array([1.0, -1.5, 0.3]) > 0).astype(float)
SHARP = np.array([5.0, 100.0])
"""Precisions of a Gaussian likelihood in two dimensions."""


def _logistic(w, x, y):
    logits = x @ w
    return jnp.mean(y * logits - jax.nn.softplus(logits))


def _gaussian(w):
    return -0.5 * jnp.sum(SHARP * w**2)


def _run(log_likelihood=_gaussian, start=(0.0, 0.0), warn=True, settings=None, **changes):
    algorithm = sj.sampler(log_likelihood, **({"prior": ss.Gaussian(0, 10)} | (settings or {})))
    given = dict(steps=400, chains=4, burn_in=200, progress=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        draws = sj.run(algorithm, jnp.asarray(start), **(given | changes))
    assert all(w.category is ss.StepSizeWarning for w in told)
    assert bool(told) == warn, told
    return draws, str(told[0].message) if told else ""


def _advice(message):
    return float(re.search(r"use speed = (\S+) or smaller", message)[1])


def test_the_excess_of_the_spread_is_that_of_euler_maruyama():
    draws, message = _run(settings={"speed": 0.008})
    assert draws.attrs["spread_inflation"] == pytest.approx(1 / np.sqrt(1 - 0.4) - 1, rel=0.01)
    assert "about 29% too wide" in message


def test_a_run_that_is_too_wide_warns_and_its_advice_is_right_at_the_first_try():
    fast = dict(data=(X, Y), start=jnp.zeros(3), log_likelihood=_logistic, steps=4000)
    prior = ss.Gaussian(0, 1)
    wide, message = _run(settings={"speed": 0.5, "data_size": 60.0, "prior": prior}, **fast)
    speed = _advice(message)
    good, _ = _run(settings={"speed": speed, "data_size": 60.0, "prior": prior}, warn=False, **fast)
    assert wide["theta"].std() > 1.1 * good["theta"].std()
    assert 1e-3 < speed < 0.1


def test_noise_of_minibatches_counts():
    minibatch = dict(data=(X, Y), start=jnp.zeros(3), log_likelihood=_logistic, batch_size=1)
    _, message = _run(settings={"speed": 0.01, "data_size": 60.0}, **minibatch)
    assert "too wide" in message
    thermostat = {"speed": 0.01, "data_size": 60.0, "method": sj.Thermostat()}
    _run(settings=thermostat, warn=False, **minibatch)


def test_inertia_is_unbiased_until_it_is_unstable():
    draws, _ = _run(settings={"speed": 0.05, "method": ss.Underdamped(10.0)}, warn=False)
    assert draws.attrs["spread_inflation"] == 0
    _, message = _run(settings={"speed": 0.38, "method": ss.Underdamped(10.0)})
    assert "overshoot" in message


@pytest.mark.parametrize("method", [ss.Overdamped(), ss.Underdamped()])
def test_an_automatic_speed_samples_the_gaussian(method):
    draws, _ = _run(
        settings={"speed": "auto", "method": method, "prior": ss.Flat()},
        warn=False,
        steps=40_000,
        thin=20,
        start=jnp.array([3.0, 1.0]),
    )
    speed = draws.attrs["speed"]
    best = 0.04 / 100 if isinstance(method, ss.Overdamped) else 10 / 100
    assert best / 1.5 < speed < 1.5 * best
    found = draws.diagnose(square=lambda w: SHARP * w**2)["square"]
    error = found.sel(of="mcse_mean").values
    assert np.all(np.abs(found.sel(of="mean").values - 1) < 4 * error + 0.02)
    assert error.max() < 0.1


def test_optax_users_are_warned_by_check():
    params = {"w": jnp.ones(1000)}

    def state_of(speed, noise):
        optimiser = optax.chain(optax.identity(), sj.sampling(prior=ss.Gaussian(), speed=speed))

        def step(k, carried):
            params, state = carried
            gradients = {"w": noise * jax.random.normal(jax.random.fold_in(KEY, k), (1000,))}
            updates, state = optimiser.update(gradients, state, params)
            return optax.apply_updates(params, updates), state

        start = params, optimiser.init(params)
        return jax.jit(lambda: jax.lax.fori_loop(0, 300, step, start))()

    KEY = jax.random.key(0)
    moved, state = state_of(0.05, 3.0)  # b (Var(noise) + Var(θ))/2 = 0.25
    with pytest.warns(ss.StepSizeWarning, match=r"variance of about 1.3 times .* at w; multiply"):
        sj.check(state, moved)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved, state = state_of(0.05, 0.5)
        sj.check(state, moved)
    with pytest.raises(ss.SynsampError, match="state must contain one state of the rule"):
        sj.check(optax.EmptyState(), params)
