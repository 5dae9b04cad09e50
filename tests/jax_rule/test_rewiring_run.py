"""Sparse layers in a position: ``sj.run`` rewires them by DEEP R, SET or RigL."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import synsamp as ss
import synsamp.jax as sj

SHAPE, K = (200, 10), 60
X = jax.random.normal(jax.random.key(0), (100, 200))
Y = jnp.tanh(X[:, :10])  # carried by ten of 2,000 connections
RATE, STEPS = 0.5, 3000
LAYERS = {
    "hard": sj.HardRewiring.for_run(SHAPE, K, speed=RATE, steps=STEPS),
    "SET": sj.MagnitudeRewiring(SHAPE, K, every=50),
    "RigL": sj.MagnitudeRewiring(SHAPE, K, grow="gradient", every=50),
    "fixed": sj.MagnitudeRewiring(SHAPE, K, every=10 * STEPS),
}


def _log_likelihood(w, x, y):
    return -jnp.mean((x @ w["in"] + w["b"] - y) ** 2)


def _run(layer, start=None, speed=RATE, **changes):
    is_hard = isinstance(layer, sj.HardRewiring)
    algorithm = sj.sampler(
        _log_likelihood,
        prior={"in": layer.prior if is_hard else ss.Flat(), "b": ss.Gaussian()},
        speed=speed,
        temperature={"in": layer.temperature if is_hard else 0.0, "b": 0.0},
    )
    given = dict(steps=STEPS, thin=STEPS, data=(X, Y), batch_size=20, progress=False) | changes
    return sj.run(algorithm, start or {"in": layer.wired(1), "b": jnp.zeros(10)}, **given)


def _useful(wired):
    places = np.asarray(wired.wires.places)
    assert np.unique(places).size == K
    return np.sum(places // 10 == places % 10)


def test_rewiring_finds_the_connections_that_carry_the_target():
    found = {name: _run(layer) for name, layer in LAYERS.items()}
    useful = {name: _useful(draws[0, 0]["in"]) for name, draws in found.items()}
    # Ten may be found; in a fixed wiring each is there with probability 0.03.
    assert useful["RigL"] == 10
    assert useful["hard"] >= 3  # only those with the right sign can help
    assert useful["SET"] >= 3
    assert useful["fixed"] <= 2
    hard = found["hard"][0, 0]["in"]
    assert np.all(hard.theta > 0)


def test_a_draw_is_a_network_and_the_run_continues(tmp_path):
    draws = _run(LAYERS["SET"], steps=60, thin=20, chains=2, store=tmp_path / "draws.zarr")
    last = draws[1, -1]
    np.testing.assert_allclose(np.asarray(X) @ last["in"], X @ last["in"].dense(), atol=1e-5)
    mean = sj.predictive_mean(lambda w, x: x @ w["in"] + w["b"], draws, X)
    assert mean.shape == (100, 10)
    again = sj.open_draws(tmp_path / "draws.zarr", like=last)
    np.testing.assert_array_equal(again[1, -1]["in"].wires.places, last["in"].wires.places)
    one_go = _run(LAYERS["SET"], steps=120, thin=20, chains=2)
    rest = _run(LAYERS["SET"], draws.state, steps=60, thin=20)
    for a, b in zip(*(jax.tree.leaves(d[1, -1]) for d in (one_go, rest)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.statistical
def test_without_data_theta_is_exponential():
    cost, T, b, k = 0.1, 0.01, 0.01, 4000
    layer = sj.HardRewiring((100, 400), k, cost=cost)
    algorithm = sj.sampler(lambda w: jnp.zeros(()), prior=layer.prior, speed=b, temperature=T)
    # The relaxation time of the slowest part is 4 T/(b cost²) = 400 steps.
    draws = sj.run(algorithm, layer.wired(0, scale=0.1), steps=4000, thin=4000, progress=False)
    wired = draws[0, 0]
    mean = wired.theta.mean()
    # A reflected walk in discrete time: Siegmund's correction of its mean T/cost.
    expected = T / cost - 0.5826 * np.sqrt(2 * b * T)
    error = 4 * expected / np.sqrt(k)
    assert abs(mean - expected) < error
    assert abs(mean - T / (1.3 * cost)) > error  # another cost is rejected
    assert np.unique(wired.wires.places).size == k


def test_cost_and_temperature_follow_from_the_length_of_the_run():
    layer = LAYERS["hard"]
    scale = np.sqrt(2 * SHAPE[1] / K)
    assert layer.cost * RATE * STEPS / 2 == pytest.approx(scale)
    assert np.sqrt(2 * RATE * layer.temperature * STEPS) == pytest.approx(scale / 4)


def test_positions_that_would_drift_raise_an_error():
    layer = LAYERS["hard"]
    bias, cost = jnp.zeros(10), {"in": layer.prior, "b": ss.Flat()}
    wired, bare = {"in": layer.wired(1), "b": bias}, {"in": jnp.ones(K), "b": bias}
    cases = [
        (wired, ss.Gaussian(), 0.1, "prior at in must be the cost of its layer"),
        (bare, cost, 0.1, "position at in must be rewired or have a floor"),
        (wired, cost, "auto", "speed must be a number with sparse layers"),
    ]
    for position, prior, speed, words in cases:
        algorithm = sj.sampler(_log_likelihood, prior=prior, speed=speed)
        with pytest.raises(ss.SynsampError, match=words):
            sj.run(algorithm, position, steps=1, data=(X, Y), progress=False)
    with pytest.raises(ss.SynsampError, match="grow must be"):
        sj.MagnitudeRewiring(SHAPE, K, grow="everywhere")
