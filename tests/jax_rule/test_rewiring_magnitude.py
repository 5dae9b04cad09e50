"""SET and RigL replace the weakest connections, keep K, and find the connections that matter."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import synsamp as ss
import synsamp.jax as sj

LAYER = sj.MagnitudeRewiring((30, 20), 50, fraction=0.2)


@pytest.mark.parametrize("with_gradient", [False, True])
def test_the_weakest_are_replaced_and_the_others_stay(with_gradient):
    theta, wires = LAYER.start(0)
    gradient = jax.random.normal(jax.random.key(1), (30, 20)) if with_gradient else None
    after, now = jax.jit(LAYER.rewire)(jax.random.key(2), theta, wires, gradient)
    weak = np.argsort(np.abs(theta))[:10]
    strong = np.setdiff1d(np.arange(50), weak)
    assert np.unique(now.places).size == 50
    np.testing.assert_array_equal(np.asarray(now.places)[strong], np.asarray(wires.places)[strong])
    np.testing.assert_array_equal(np.asarray(after)[strong], np.asarray(theta)[strong])
    changed = np.asarray(now.places != wires.places)
    assert changed.sum() >= 8  # a removed connection may be drawn again
    assert np.all(np.asarray(after)[changed] == 0)
    if with_gradient:
        allowed = np.delete(np.arange(600), np.asarray(wires.places)[strong])
        best = allowed[np.argsort(-np.abs(np.ravel(gradient))[allowed])[:10]]
        assert set(np.asarray(now.places)[weak]) == set(best)


def _learned(use_gradient):
    """Connections among 20 of 200 that carry the target (three do), after rewiring 20 times."""
    layer = sj.MagnitudeRewiring((200, 1), 20)
    teacher = jnp.zeros(200).at[jnp.array([3, 77, 150])].set(1.0)
    x = jax.random.normal(jax.random.key(0), (400, 200))
    y = (x @ teacher)[:, None]
    theta, wires = layer.start(1)

    def loss(theta, wires):
        return jnp.mean((layer.apply(theta, wires, x) - y) ** 2)

    def of_all(dense):
        return jnp.mean((x @ dense - y) ** 2)

    @jax.jit
    def learn(theta, wires, key):
        def step(k, theta):
            return theta - 0.2 * jax.grad(loss)(theta, wires)

        theta = jax.lax.fori_loop(0, 20, step, theta)
        gradient = jax.grad(of_all)(layer.dense(theta, wires)) if use_gradient else None
        return layer.rewire(key, theta, wires, gradient)

    for k in range(20):
        theta, wires = learn(theta, wires, jax.random.key(k))
    return set(np.asarray(wires.places)) & {3, 77, 150}


def test_rigl_finds_the_connections_that_matter_at_once():
    assert _learned(use_gradient=True) == {3, 77, 150}


def test_errors_name_the_argument():
    with pytest.raises(ss.SynsampError, match="fraction must be"):
        sj.MagnitudeRewiring((3, 4), 2, fraction=0.0)
    theta, wires = LAYER.start(0)
    with pytest.raises(ss.SynsampError, match=r"gradient must have shape \(30, 20\)"):
        LAYER.rewire(jax.random.key(0), theta, wires, jnp.zeros((20, 30)))
    with pytest.raises(ss.SynsampError, match="theta must have one number for each of 50"):
        LAYER.rewire(jax.random.key(0), theta[:3], wires)
