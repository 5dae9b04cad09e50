"""Hard rewiring keeps K connections, all different, draws new ones evenly and keeps signs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy import stats

import synsamp.jax as sj

LAYERS = [
    ((30, 20), 5),
    ((30, 20), 12),
    ((30, 20), 299),
    ((30, 20), 301),
    ((30, 20), 600),
    ((1, 1), 1),
]


def _random_walk(layer, steps, key, noise=0.05):
    theta, wires = layer.start(key)

    def step(state, key):
        theta, wires = state
        move, again = jax.random.split(key)
        theta = theta + noise * jax.random.normal(move, theta.shape)
        theta, after = layer.rewire(again, theta, wires)
        return (theta, after), (theta, after, sj.turnover(wires, after))

    keys = jax.random.split(jax.random.key(key), steps)
    return jax.jit(lambda s: jax.lax.scan(step, s, keys)[1])((theta, wires))


@pytest.mark.parametrize(("shape", "k"), LAYERS)
def test_k_is_constant_and_no_connection_is_duplicated(shape, k):
    theta, wires, _ = _random_walk(sj.HardRewiring(shape, k), 200, 1)
    assert theta.shape == (200, k)
    assert (theta > 0).all()
    for places in np.asarray(wires.places):
        assert np.unique(places).size == k
        assert 0 <= places.min() <= places.max() < shape[0] * shape[1]


def test_without_the_search_for_dormant_ones_connections_would_collide():
    # The check above can fail: dormant ones drawn without looking collide at once.
    places = np.random.default_rng(0).integers(0, 600, (200, 299))
    assert any(np.unique(row).size < 299 for row in places)


@pytest.mark.parametrize(("k", "few"), [(8, 0), (40, 0), (70, 0), (8, 16)])
def test_new_connections_are_drawn_uniformly_from_the_dormant_ones(k, few, monkeypatch):
    # One by one, and the three ways of drawing many; 8 of 100 stands for a sparse layer.
    monkeypatch.setattr("synsamp.jax.rewiring.filling._SPARSE", 0.1)
    monkeypatch.setattr("synsamp.jax.rewiring.hard.FEW", few)
    layer = sj.HardRewiring((10, 10), k)
    theta, wires = layer.start(0)
    theta = theta.at[:5].set(-1.0)
    kept = set(np.asarray(wires.places[5:]).tolist())
    rewire = jax.jit(jax.vmap(lambda key: layer.rewire(key, theta, wires)[1].places[:5]))
    drawn = np.asarray(rewire(jax.random.split(jax.random.key(3), 20_000)))
    free = np.array(sorted(set(range(100)) - kept))
    counts = np.bincount(drawn.ravel(), minlength=100)
    assert counts[sorted(kept)].sum() == 0
    # Slots of one draw hang together (no repetition); each slot alone is an independent draw.
    for slot in range(5):
        own = np.bincount(drawn[:, slot], minlength=100)[free]
        assert stats.chisquare(own).pvalue > 0.01 / 20


def test_the_sign_of_a_connection_is_permanent():
    layer = sj.HardRewiring((30, 20), 100, sign_seed=3)
    _, wires, _ = _random_walk(layer, 300, 2)
    places, signs = np.asarray(wires.places).ravel(), np.asarray(wires.sign).ravel()
    for place in range(600):
        assert np.unique(signs[places == place]).size <= 1
    all_signs = np.asarray(layer.sign_of(jnp.arange(600)))
    np.testing.assert_array_equal(signs, all_signs[places])
    assert stats.binomtest(int((all_signs > 0).sum()), 600, 0.5).pvalue > 0.001
    other = np.asarray(sj.HardRewiring((30, 20), 100, sign_seed=4).sign_of(jnp.arange(600)))
    assert (other != all_signs).any()


def test_nothing_changes_without_dormant_slots():
    layer = sj.HardRewiring((30, 20), 50)
    theta, wires = layer.start(0)
    after, same = layer.rewire(jax.random.key(1), theta, wires)
    np.testing.assert_array_equal(after, theta)
    np.testing.assert_array_equal(same.places, wires.places)
    assert sj.turnover(wires, same) == 0


@pytest.mark.parametrize("k", [5, 300])
def test_both_products_are_the_dense_one_with_its_gradients(k):
    layer = sj.HardRewiring((30, 20), k)
    theta, wires = layer.start(0)
    x = jax.random.normal(jax.random.key(1), (7, 30))

    def loss(product):
        return lambda theta, x: jnp.sum(jnp.tanh(product(theta, x)))

    dense = jnp.zeros(600).at[wires.places].set(wires.sign * theta).reshape(30, 20)
    np.testing.assert_allclose(layer.dense(theta, wires), dense)
    wanted = jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w)), (0, 1))(dense, x)
    for product in (layer.apply, layer.sparse_product):
        found = product(theta, wires, x)
        one = layer.apply(theta, wires, x[0])
        np.testing.assert_allclose(one, found[0], rtol=1e-5, atol=1e-5)
        cube = layer.apply(theta, wires, jnp.stack([x, -x]))
        np.testing.assert_allclose(cube[1], -found, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found, x @ dense, rtol=1e-5, atol=1e-5)
        of_theta, of_x = jax.grad(loss(lambda t, x: product(t, wires, x)), (0, 1))(theta, x)  # noqa: B023
        in_theta = wanted[0].ravel()[wires.places] * wires.sign
        np.testing.assert_allclose(of_theta, in_theta, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(of_x, wanted[1], rtol=1e-4, atol=1e-5)


def test_under_the_rule_it_finds_the_connections_that_matter():
    """Three of 200 inputs carry the target, and 20 connections are active.

    At a cost of 0.05 chance correlations among the examples keep other connections alive.
    """
    layer = sj.HardRewiring((200, 1), 20, cost=0.2)
    # The teacher's weights have the signs that the connections have.
    used = jnp.array([3, 77, 150])
    teacher = jnp.zeros(200).at[used].set(1.0 * layer.sign_of(used))
    x = jax.random.normal(jax.random.key(0), (400, 200))
    y = (x @ teacher)[:, None]
    optimiser = sj.sampling(prior=layer.prior, speed=0.05, temperature=1e-3)

    def step(state, key):
        theta, wires, optimiser_state = state
        gradient = jax.grad(lambda t: jnp.mean((layer.apply(t, wires, x) - y) ** 2))(theta)
        update, optimiser_state = optimiser.update(gradient, optimiser_state, theta)
        theta, wires = layer.rewire(key, optax.apply_updates(theta, update), wires)
        return (theta, wires, optimiser_state), None

    @jax.jit
    def found(seed):
        theta, wires = layer.start(jax.random.key(seed))
        first = jnp.isin(used, wires.places).sum()
        keys = jax.random.split(jax.random.key(seed + 100), 1000)
        start = (theta, wires, optimiser.init(theta))
        theta, wires, _ = jax.lax.scan(step, start, keys)[0]
        return first, layer.dense(theta, wires)[used, 0] * layer.sign_of(used)

    for seed in range(3):
        first, weights = found(seed)
        assert first < 3
        # (1 − w)² + cost·w is smallest there, since the inputs have variance 1.
        np.testing.assert_allclose(weights, 1.0 - layer.cost / 2, atol=0.1)
