"""Misuse raises an error in one line with name, rule, value and remedy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import synsamp as ss
import synsamp.jax as sj

GOOD = {"w": jnp.zeros(3), "b": jnp.zeros(())}


def _sampling(**settings):
    return sj.sampling(**{"speed": 0.1, **settings})


def _step(params=GOOD, gradients=None, **settings):
    optimiser = _sampling(**settings)
    state = optimiser.init(params)
    found = jax.tree.map(jnp.ones_like, params) if gradients is None else gradients
    return optimiser.update(found, state, params)


def _log_likelihood(w):
    return -jnp.sum(w["w"] ** 2)


def _run(**settings):
    algorithm = sj.sampler(_log_likelihood, speed=0.1)
    return sj.run(algorithm, **{"position": GOOD, "steps": 4, "progress": False, **settings})


MISUSES = {
    "one key for all chains": (
        lambda: jax.vmap(_sampling().init)({"w": jnp.zeros((3, 2))}),
        ["init", "share one key", "vmap", "synsamp.jax.run"],
    ),
    "integer leaves": (
        lambda: _step({"w": jnp.zeros(3), "n": jnp.arange(3)}),
        ["parameters at n", "array of floats", "int32", "cast"],
    ),
    "a leaf of text": (lambda: _step({"w": "abc"}), ["parameters at w", "array of floats", "str"]),
    "a whole number as a leaf": (lambda: _step({"w": 3}), ["parameters at w", "array of floats"]),
    "an empty tree": (lambda: _step({}), ["parameters", "at least one array", "pass arrays"]),
    "an empty leaf": (lambda: _step({"w": jnp.zeros((0, 3))}), ["parameters at w", "(0, 3)"]),
    "NaN gradients": (
        lambda: _step(gradients={"w": jnp.array([0.0, jnp.nan, 0.0]), "b": jnp.zeros(())}),
        ["gradient at w, step 0", "must be finite", "nan", "smaller speed"],
    ),
    "gradients of another tree": (
        lambda: _step(gradients={"w": jnp.zeros(3)}),
        ["gradients", "tree like the parameters"],
    ),
    "gradients of another shape": (
        lambda: _step(gradients={"w": jnp.zeros(4), "b": jnp.zeros(())}),
        ["gradients at w", "(3,)", "(4,)"],
    ),
    "K larger than the layer": (
        lambda: sj.HardRewiring((4, 5), 21),
        ["connections", "<= 20", "21", "4 x 5 has 20 possible"],
    ),
    "no connection at all": (lambda: sj.HardRewiring((4, 5), 0), ["connections", ">= 1", "0"]),
    "θ of another layer": (
        lambda: sj.HardRewiring((4, 5), 3).dense(
            jnp.zeros(4), sj.HardRewiring((4, 5), 3).start(0)[1]
        ),
        ["theta", "3 connections", "(4,)", "start(key)"],
    ),
    "inputs of another layer": (
        lambda: sj.HardRewiring((4, 5), 3).apply(
            *sj.HardRewiring((4, 5), 3).start(0), jnp.zeros((2, 5))
        ),
        ["x", "(..., 4)", "(2, 5)"],
    ),
    "temperature < 0": (lambda: _step(temperature=-1.0), ["temperature at b", ">= 0", "-1.0"]),
    "temperature < 0 of one leaf": (
        lambda: _step(temperature={"w": -0.5, "b": 1.0}),
        ["temperature at w", ">= 0", "-0.5", "0 gives MAP"],
    ),
    "a schedule of temperature that begins below 0": (
        lambda: _step(temperature=optax.constant_schedule(-2.0)),
        ["temperature at b, step 0", ">= 0", "-2.0"],
    ),
    "neither speed nor learning rate": (
        lambda: sj.sampling(),
        ["speed or learning_rate", "must be given", "learning_rate / data_size"],
    ),
    "an automatic speed in a custom loop": (
        lambda: sj.sampler(_log_likelihood, speed="auto").init(GOOD),
        ["speed", "a number outside of run", "synsamp.jax.run"],
    ),
    "an automatic speed in Optax": (
        lambda: _sampling(speed="auto"),
        ["speed", "a number in an Optax loop"],
    ),
    "MALA": (
        lambda: _sampling(method=ss.MALA()),
        ["method", "for pytrees", "Underdamped()", "MALA is in sample"],
    ),
    "a floor and a velocity": (
        lambda: _sampling(method=ss.Underdamped(), floor=sj.ClippingFloor(0.0)),
        ["floor", "must be None with a velocity"],
    ),
    "a speed of θ and a velocity": (
        lambda: _step(
            method=ss.Underdamped(), speed=ss.Speed(lambda x, p: 1 + x**2, lambda x, p: 2 * x)
        ),
        ["speed", "must not depend on θ with a velocity"],
    ),
    "no loader": (lambda: _run(data=3.0), ["data", "arrays or a loader", "float"]),
    "a batch size for a loader": (
        lambda: _run(data=iter([(1.0,)]), batch_size=2),
        ["batch_size", "None with a loader"],
    ),
    "speed 0": (lambda: _step(speed=0.0), ["speed at b", "> 0", "0.0"]),
    "speed of text": (lambda: _step(speed="fast"), ["speed at b", "finite number", "fast"]),
    "a speed with a wrong derivative": (
        lambda: _step(speed=ss.Speed(lambda x, p: 1 + x**2, lambda x, p: 0.0 * x)),
        ["derivative of speed"],
    ),
    "a prior that is none": (lambda: _step(prior=1.0), ["prior at b", "Prior", "e.g. Gaussian"]),
    "no prior for a leaf": (
        lambda: _step(prior={"w": ss.Flat(), "b": None}),
        ["prior at b", "Prior"],
    ),
    "a log-density that is not wrapped": (
        lambda: _step(prior=lambda w: -jnp.sum(w**2)),
        ["prior as a function", "must accept a leaf's path", "LogPrior(log_density)"],
    ),
    "a tree of priors that does not fit": (
        lambda: _step(prior={"v": ss.Flat()}),
        ["prior", "must fit the tree"],
    ),
    "a prior with an if": (
        lambda: _step(prior=ss.CustomPrior(lambda x, p: x, lambda x, p: 1.0 if x > 0 else -1.0)),
        ["prior at b", "must run on JAX arrays", "np.where"],
    ),
    "a prior with parameters of another shape": (
        lambda: _step({"w": jnp.zeros(3)}, prior=ss.Gaussian(np.zeros(4), 1.0)),
        ["parameters of the prior", "(3,)", "(4,)"],
    ),
    "a mapping that is none": (lambda: _step(mapping="exp"), ["mapping at b", "Mapping"]),
    "a floor that is none": (lambda: _step(floor=-1.0), ["floor at b", "ReflectingFloor"]),
    "N of 0": (lambda: _sampling(data_size=0), ["data_size", "> 0", "0"]),
    "no parameters given": (
        lambda: _sampling().update(GOOD, _sampling().init(GOOD)),
        ["params", "must be given", "update(gradients, state, params)"],
    ),
    "a key of another kind": (lambda: _sampling(key=jnp.zeros(3)), ["key", "one JAX key"]),
    "a negative seed": (lambda: _sampling(key=-1), ["key", ">= 0", "-1"]),
    "a preconditioner that is none": (
        lambda: _sampling(preconditioner="rms"),
        ["preconditioner", "RMSProp"],
    ),
    "a log-likelihood per example": (
        lambda: sj.sampler(lambda w: w["w"], speed=0.1).step(
            jax.random.key(0), sj.sampler(lambda w: w["w"], speed=0.1).init(GOOD)
        ),
        ["log_likelihood", "one number", "(3,)"],
    ),
    "a log-likelihood that is none": (
        lambda: sj.sampler(3.0, speed=0.1),
        ["log_likelihood", "function"],
    ),
    "signs of 0": (lambda: sj.Rectified(np.array([0, 1])), ["signs", "+1 or -1"]),
    "soft rewiring without noise": (
        lambda: sj.SoftRewiring(np.ones(3), 0.1, 1.0, 0.0),
        ["temperature", "> 0", "nothing is rewired"],
    ),
    "a share above 1": (
        lambda: sj.SoftRewiring(np.ones(3), 1.5, 1.0, 1.0),
        ["active_share", "< 1"],
    ),
    "a floor of no known kind": (
        lambda: sj.SoftRewiring(np.ones(3), 0.1, 1.0, 1.0, "bounces"),
        ["at_floor", "reflects, clips", "bounces"],
    ),
    "a start with a share below 0": (
        lambda: sj.SoftRewiring(np.ones(3), 0.1, 1.0, 1.0).start(0, active_share=-0.1),
        ["active_share", ">= 0", "-0.1"],
    ),
    "thin above steps": (lambda: _run(thin=5), ["thin", "<= steps (4)", "5"]),
    "an empty position": (lambda: _run(position={}), ["position", "at least one array"]),
    "batches of nothing": (lambda: _run(batch_size=2), ["batch_size", "requires data"]),
    "data of two lengths": (
        lambda: _run(data=(np.zeros(3), np.zeros(4))),
        ["data", "same number of rows", "[3, 4]"],
    ),
    "a batch larger than the data": (
        lambda: _run(data=(np.zeros(3),), batch_size=4),
        ["batch_size", "<= 3", "4"],
    ),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_raises_an_error_in_one_line(misuse):
    call, words = MISUSES[misuse]
    with pytest.raises(ss.SynsampError) as error:
        call()
    message = str(error.value)
    assert "\n" not in message
    assert len(message) < 400
    for word in words:
        assert word in message, message


def test_correct_use_passes():
    _step(temperature=0.0)
    _step(temperature={"w": 0.5, "b": optax.constant_schedule(1.0)}, speed={"w": 0.1, "b": 0.2})
    _step(jnp.zeros(3))
    _step(prior=lambda path: ss.Gaussian() if path == "w" else ss.Flat(), floor=None)
    _step([jnp.zeros(2), (jnp.zeros(1), jnp.zeros((2, 2)))], prior=[ss.Flat(), ss.Laplace()])
    _step(key=jax.random.PRNGKey(3))


def _jitted(optimiser, params, bad_at, steps=5):
    """A training loop whose gradient breaks at one step."""

    @jax.jit
    def step(params, state, k):
        gradients = jax.tree.map(lambda x: jnp.where(k == bad_at, jnp.nan, 1.0) + 0 * x, params)
        gradients["b"] = jnp.ones(())
        updates, state = optimiser.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    state = optimiser.init(params)
    for k in range(steps):
        params, state = step(params, state, k)
    return params, state


def test_inside_jit_the_first_nan_gradient_is_recorded_and_reported_by_check():
    params, state = _jitted(_sampling(), GOOD, bad_at=2)
    with pytest.raises(ss.SynsampError, match="gradient at w, step 2, must be finite"):
        sj.check(state, params)
    params, state = _jitted(_sampling(), GOOD, bad_at=99)
    sj.check(state, params)


def test_inside_jit_a_negative_schedule_is_reported():
    falling = optax.linear_schedule(1.0, -1.0, 4)  # 1, 0.5, 0, -0.5
    params, state = _jitted(_sampling(temperature=falling), GOOD, bad_at=99)
    with pytest.raises(ss.SynsampError, match="temperature at b, step 3, must be >= 0"):
        sj.check(state, params)


def test_run_reports_nan_gradients():
    algorithm = sj.sampler(lambda w: jnp.sum(jnp.sqrt(w - 10.0)), speed=0.1)
    with pytest.raises(ss.SynsampError, match="must be finite"):
        sj.run(algorithm, jnp.zeros(3), steps=5, progress=False)
