"""A run keeps what it should, on disk as in memory; averages and diagnostics are of all draws."""

from __future__ import annotations

from importlib import import_module

import arviz_stats
import blackjax
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import synsamp as ss
import synsamp.jax as sj

START = {"dense": {"kernel": jnp.zeros((3, 2))}, "bias": jnp.zeros(2)}


def _log_likelihood(w, *data):
    return -jnp.sum((w["dense"]["kernel"] - 1.0) ** 2) - jnp.sum(w["bias"] ** 2)


ALGORITHM = sj.sampler(_log_likelihood, speed=0.01)


def _run(**settings):
    given = dict(steps=12, thin=3, chains=2, key=4, progress=False)
    return sj.run(ALGORITHM, **{"position": START, **given, **settings})


def _by_hand(n, key=4, chains=2):
    """The same path, step by step."""
    run_key = jax.random.split(jax.random.key(key))[1]
    paths = []
    for own in jax.random.split(run_key, chains):
        state, path = ALGORITHM.init(START), []
        for _ in range(n):
            own, now, _ = jax.random.split(own, 3)
            state, _ = ALGORITHM.step(now, state)
            path.append(state.position["bias"])
        paths.append(path)
    return np.array(paths)


def test_every_thin_th_position_after_the_burn_in_is_kept():
    draws = _run(burn_in=4)
    assert draws.shape == (2, 4)
    assert len(draws) == 8
    wanted = _by_hand(16)[:, [6, 9, 12, 15]]
    np.testing.assert_allclose(draws.tree()["bias"], wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(draws[1, -2]["bias"], draws["bias"][1, 2])
    assert repr(draws) == "Draws(2 chains, 4 draws: bias (2,), dense/kernel (3, 2))"
    with pytest.raises(IndexError):
        draws[2, 0]
    assert draws.tree()["dense"]["kernel"].shape == (2, 4, 3, 2)


def test_a_run_continues_where_it_ended():
    whole, first = _run(steps=12), _run(steps=6)
    later = sj.run(ALGORITHM, first.state, steps=6, thin=3, progress=False)
    both = np.concatenate([first["bias"], later["bias"]], axis=1)
    np.testing.assert_array_equal(both, whole["bias"])
    trace = np.concatenate([first.log_likelihood, later.log_likelihood], axis=1)
    np.testing.assert_array_equal(trace, whole.log_likelihood)
    assert whole.diagnose()["log_likelihood"].sel(of="mean") == pytest.approx(trace.mean())
    posterior = whole.to_arviz().posterior
    np.testing.assert_array_equal(posterior["dense/kernel"], whole["dense/kernel"])


def test_the_trace_is_the_log_likelihood_before_each_step():
    draws = _run(steps=9, thin=1)
    before = draws.values(_log_likelihood)[:, :-1]
    np.testing.assert_allclose(draws.log_likelihood[:, 1:], before, rtol=1e-5)


def test_blocks_of_draws_are_those_of_single_steps(monkeypatch):
    whole = _run(steps=60, thin=2)
    monkeypatch.setattr(import_module("synsamp.jax.run"), "_MOST_AT_ONCE", 4)
    np.testing.assert_array_equal(_run(steps=60, thin=2)["bias"], whole["bias"])


def test_draws_on_disk_are_those_in_memory(tmp_path):
    store = tmp_path / "draws.zarr"
    kept = _run(store=store)
    again = sj.open_draws(store, like=START)
    for found in (kept, again):
        assert found.names == ["bias", "dense/kernel"]
        jax.tree.map(np.testing.assert_array_equal, found.tree(), _run().tree())
    np.testing.assert_array_equal(
        again.values(lambda w: w["bias"].sum()), _run().values(lambda w: w["bias"].sum())
    )


def test_a_lost_draw_is_an_error_and_a_draw_of_zeros_is_not(tmp_path):
    algorithm = sj.sampler(lambda w: -0.0 * jnp.sum(w), speed=1e-30)  # it stays at 0
    settings = dict(steps=3, progress=False, key=1)
    sj.run(algorithm, jnp.zeros(2), **settings, store=tmp_path / "draws")
    assert sj.open_draws(tmp_path / "draws", jnp.zeros(2)).shape == (1, 3)
    chunks = (tmp_path / "draws" / "theta" / "c").rglob("*")
    next(path for path in chunks if path.is_file()).unlink()
    with pytest.raises(ss.SynsampError, match=r"every draw, got '\d of \d chunks of theta'"):
        sj.open_draws(tmp_path / "draws", jnp.zeros(2))


def test_damaged_draws_on_disk_raise_an_error(tmp_path):
    """In one line: a chunk that cannot be read, a leaf with fewer draws, a damaged description."""
    store = tmp_path / "draws"
    _run(store=store)
    chunks = {p: p.read_bytes() for p in (store / "bias" / "c").rglob("*") if p.is_file()}
    for chunk in chunks:
        chunk.write_bytes(b"damaged")
    draws = sj.open_draws(store, START)  # it reads no chunk
    reads = (draws.tree, lambda: draws["bias"], lambda: draws[0, -1], lambda: [*draws.by_draw()])
    for read in reads:
        with pytest.raises(
            ss.SynsampError, match=r"^store every draw must be readable, got '\w+: "
        ):
            read()
    for chunk, content in chunks.items():
        chunk.write_bytes(content)
    jax.tree.map(np.testing.assert_array_equal, draws.tree(), _run().tree())
    about = store / "bias" / "zarr.json"
    good = about.read_text()
    for bad, words in (
        (good.replace('"zarr_format": 3', '"zarr_format": "x"'), "must be an intact Zarr folder"),
        (good.replace('"node_type"', '"node type"'), "must be an intact Zarr folder"),
        (good[:-30], "must be an intact Zarr folder"),
    ):
        about.write_text(bad)
        with pytest.raises(ss.SynsampError, match=words) as error:
            sj.open_draws(store, START)
        assert "\n" not in str(error.value)
    about.write_text(good)
    import zarr

    zarr.open_group(store)["bias"].resize((2, 3, 2))
    with pytest.raises(ss.SynsampError, match="must hold as many draws of each leaf"):
        sj.open_draws(store, START)


def test_a_bare_array_can_be_kept_too(tmp_path):
    algorithm = sj.sampler(lambda w: -jnp.sum(w**2), speed=0.01)
    settings = dict(steps=3, progress=False, key=1)
    kept = sj.run(algorithm, jnp.zeros(2), **settings, store=tmp_path / "bare.zarr")
    again = sj.open_draws(tmp_path / "bare.zarr", jnp.zeros(2))
    np.testing.assert_array_equal(kept.tree(), again.tree())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: _run(store=p), ["store", "must not exist yet", "new folder"]),
        (lambda p: sj.open_draws(p, START), ["store", "must hold bias", "nothing", "like="]),
        (lambda p: sj.open_draws(p / "none", START), ["store", "Zarr folder", "none"]),
        (lambda p: _run()["weights"], ["name", "must be one of bias, dense/kernel", "weights"]),
        (lambda p: _run()[0], ["index", "a name or (chain, draw)", "draws[0, -1]"]),
        (lambda p: _run().values(3), ["of", "function"]),
        (lambda p: sj.predictive_mean(lambda w: w["bias"], [START]), ["draws", "Draws"]),
        (
            lambda p: sj.predictive_mean(lambda w: w["bias"] / 0.0, _run()),
            ["predictions", "finite"],
        ),
    ],
)
def test_misuse_raises_an_error(tmp_path, call, words):
    import zarr

    zarr.open_group(tmp_path / "there", mode="w-")
    with pytest.raises(ss.SynsampError) as error:
        call(tmp_path / "there")
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_a_leaf_of_another_shape_is_not_read(tmp_path):
    _run(store=tmp_path / "draws")
    other = {"dense": {"kernel": jnp.zeros((2, 2))}, "bias": jnp.zeros(2)}
    with pytest.raises(ss.SynsampError, match="dense/kernel"):
        sj.open_draws(tmp_path / "draws", other)


def test_the_predictive_mean_is_over_all_chains_and_draws():
    draws = _run()

    def predict(w, x):
        return x @ w["dense"]["kernel"] + w["bias"]

    x = np.arange(12.0).reshape(4, 3)
    each = [predict(draws.at(c, d), x) for c in range(2) for d in range(4)]
    found = sj.predictive_mean(predict, draws, x)
    np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=1e-5, atol=1e-6)


def test_diagnostics_are_arviz_s():
    draws = _run(steps=400, thin=1, chains=3)
    found = draws.diagnose(bias=lambda w: w["bias"], norm=lambda w: jnp.sum(w["bias"] ** 2))
    values = draws.values(lambda w: w["bias"])
    for k in range(2):
        own = values[:, :, k]
        assert found["bias"].sel(of="r_hat")[k] == pytest.approx(arviz_stats.rhat(own))
        assert found["bias"].sel(of="ess_bulk")[k] == pytest.approx(arviz_stats.ess(own))
    assert found["norm"].sel(of="mean") == pytest.approx((values**2).sum(-1).mean())


def test_chains_may_have_different_starts():
    def start(key):
        return jax.tree.map(lambda x: x + 100 * jax.random.normal(key), START)

    first = _run(position=start, steps=1, thin=1, chains=3).tree()["bias"][:, 0, 0]
    assert np.unique(np.round(first)).size == 3


def test_minibatches_have_their_size_and_come_from_the_data():
    seen = []

    def log_likelihood(w, x):
        seen.append(x.shape)
        return -jnp.mean((w - x) ** 2)

    algorithm = sj.sampler(log_likelihood, speed=1e-3, temperature=0.0, data_size=10.0)
    data = np.full(50, 3.0, np.float32)
    draws = sj.run(
        algorithm, jnp.zeros(()), steps=1000, thin=1000, data=(data,), batch_size=7, progress=False
    )
    assert set(seen) == {(7,)}
    assert draws.at(0, 0) == pytest.approx(3.0, abs=1e-3)


def test_dicts_and_loaders_are_data_too():
    x = np.arange(6.0, dtype=np.float32)

    def of_dict(w, batch):
        return -jnp.mean((w - batch["x"]) ** 2)

    settings = dict(steps=4, progress=False)
    algorithm = sj.sampler(of_dict, speed=0.1, temperature=0.0)
    whole = sj.run(algorithm, jnp.zeros(()), data={"x": x}, **settings)
    loaded = sj.run(algorithm, jnp.zeros(()), data=_Loader(x), **settings)
    np.testing.assert_allclose(loaded["theta"], whole["theta"], rtol=1e-6)
    theta, by_hand = 0.0, []
    for k in range(4):  # two batches per pass
        theta += 0.1 * 2 * (x[3 * (k % 2) : 3 * (k % 2) + 3].mean() - theta)
        by_hand.append(theta)
    pairs = sj.sampler(lambda w, x: -jnp.mean((w - x) ** 2), speed=0.1, temperature=0.0)
    halves = sj.run(pairs, jnp.zeros(()), data=_Loader(x, 3), **settings)
    np.testing.assert_allclose(halves["theta"][0], by_hand, rtol=1e-5)
    with pytest.raises(ss.SynsampError, match="data must give at least one batch each time"):
        sj.run(pairs, jnp.zeros(()), data=iter([(x,)]), **settings)


class _Loader:
    """Batches as of a DataLoader: dicts of everything, or tuples of some rows."""

    def __init__(self, x, size=None):
        self.x, self.size = x, size

    def __iter__(self):
        if self.size is None:
            yield {"x": self.x}
        else:
            for first in range(0, len(self.x), self.size):
                yield (self.x[first : first + self.size],)


def test_an_interrupted_run_returns_the_draws_so_far(monkeypatch, tmp_path):
    from synsamp.jax import draws as module

    keep, calls = module.DrawWriter.append, []

    def keep_two(self, trees, values):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(1)
        keep(self, trees, values)

    monkeypatch.setattr(module.DrawWriter, "append", keep_two)
    monkeypatch.setattr(import_module("synsamp.jax.run"), "_MOST_AT_ONCE", 1)
    for store in (None, tmp_path / "draws"):
        calls.clear()
        assert _run(store=store).shape == (2, 2)


def test_blackjax_can_run_it():
    state, history = blackjax.util.run_inference_algorithm(
        jax.random.key(0), ALGORITHM, 50, initial_position=START
    )
    assert history[0].position["bias"].shape == (50, 2)
    assert int(state.progress.steps) == 50
    assert history[1].log_likelihood.shape == (50,)


def test_optax_can_chain_it():
    optimiser = optax.chain(optax.clip(0.1), sj.sampling(speed=0.5, temperature=0.0))
    state = optimiser.init(START)
    gradients = jax.tree.map(lambda x: x + 7.0, START)
    updates, _ = optimiser.update(gradients, state, START)
    np.testing.assert_allclose(updates["bias"], -0.05)


def test_hyperparameters_can_be_injected():
    optimiser = optax.inject_hyperparams(sj.sampling)(learning_rate=1.0, temperature=0.0)
    state, gradients = optimiser.init(START), jax.tree.map(jnp.ones_like, START)
    update = jax.jit(optimiser.update)
    first, state = update(gradients, state, START)
    state.hyperparams["learning_rate"] = jnp.asarray(0.25)
    second, state = update(gradients, state, START)
    np.testing.assert_allclose(first["bias"], -1.0)
    np.testing.assert_allclose(second["bias"], -0.25)
    sj.check(state, START)


def test_without_prior_and_noise_it_is_sgd():
    own, sgd = sj.sampling(speed=0.1, temperature=0.0, data_size=5.0), optax.sgd(0.5)
    gradients = jax.tree.map(lambda x: x + 1.5, START)
    found, wanted = (o.update(gradients, o.init(START), START)[0] for o in (own, sgd))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), found, wanted)


def test_schedules_are_asked_for_every_step():
    falling = optax.linear_schedule(1.0, 0.0, 4)
    optimiser = sj.sampling(speed=falling, temperature=0.0)
    state, moves = optimiser.init(START), []
    for _ in range(5):
        updates, state = optimiser.update(jax.tree.map(jnp.ones_like, START), state, START)
        moves.append(float(updates["bias"][0]))
    np.testing.assert_allclose(moves, [-1.0, -0.75, -0.5, -0.25, 0.0])


def test_a_schedule_may_depend_on_a_traced_rate():
    def move(rate):
        optimiser = sj.sampling(speed=lambda k: rate / (1.0 + k), temperature=0.0)
        return optimiser.update(jnp.ones(2), optimiser.init(jnp.zeros(2)), jnp.zeros(2))[0]

    np.testing.assert_allclose(jax.jit(move)(0.5), -0.5 * np.ones(2))
    with pytest.raises(ss.SynsampError, match="step 0, must be"):
        move(-1.0)


def test_a_start_may_be_made_inside_jit():
    optimiser = sj.sampling(
        speed=optax.linear_schedule(0.1, 0.0, 4), temperature=optax.constant_schedule(1.0)
    )
    inside, outside = jax.jit(optimiser.init)(START), optimiser.init(START)
    assert int(inside.progress.steps) == int(outside.progress.steps) == 0


def test_large_seeds_differ():
    keys = {str(jax.random.key_data(sj.sampling(speed=1.0, key=k).init(START).key)) for k in SEEDS}
    assert len(keys) == len(SEEDS)


SEEDS = (0, 1, 2**32 - 1, 2**33 + 7, 2**63 - 1)


def test_leaves_keep_their_precision():
    params = {"half": jnp.zeros(3, jnp.bfloat16), "single": jnp.zeros(3)}
    optimiser = sj.sampling(speed=optax.constant_schedule(0.1), prior=ss.GaussianMixture())
    updates, _ = optimiser.update(params, optimiser.init(params), params)
    assert updates["half"].dtype == jnp.bfloat16
    assert updates["single"].dtype == jnp.float32


def test_the_preconditioner_evens_out_curvatures():
    """Two quadratics, one a hundred times as steep: under it both fall at one pace."""

    def move(preconditioner):
        optimiser = sj.sampling(speed=0.01, temperature=0.0, preconditioner=preconditioner)
        theta = jnp.array([1.0, 1.0])
        state = optimiser.init(theta)
        for _ in range(30):
            update, state = optimiser.update(jnp.array([0.1, 10.0]) * theta, state, theta)
            theta = theta + update
        return np.asarray(theta)

    plain, even = move(None), move(sj.RMSProp(0.9, 1e-6))
    assert plain[0] / plain[1] > 10
    assert even[0] == pytest.approx(even[1], rel=1e-3)
