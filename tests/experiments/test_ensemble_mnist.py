"""Averages over samples: distributions, out-of-distribution images, measures, resumed runs."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from synsamp.beyond.ensemble_mnist import EXPERIMENT, protocol
from synsamp.beyond.ensemble_mnist.figures import draw
from synsamp.beyond.ensemble_mnist.out_of_distribution import STROKES, letters, rotated
from synsamp.beyond.ensemble_mnist.parameters import EnsembleParameters, EnsembleRule
from synsamp.claims import judge_all
from synsamp.data import load_digits
from synsamp.runs.execute import execute, parameters_of, resume
from toys.stopping import stop_after

SMALL = [
    "digits.training=30",
    "digits.test=60",
    "out_of_distribution=10",
    "hidden=5",
    "batch=10",
    "settling=20",
    "samples=4",
    "steps_between=5",
]


def manifest(folder):
    return (folder.path / "results.manifest").read_text()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("runs") / "small", settings=SMALL, seed=1)


def test_the_average_of_one_is_that_one_and_of_more_is_not(small):
    scores = small.results()["scores"]
    one, mean = scores.log_score.sel(kind="one"), scores.log_score.sel(kind="mean")
    np.testing.assert_allclose(one[:, 0], mean[:, 0])
    assert np.all(one[:, 1:] != mean[:, 1:])


def test_averages_keep_jensens_inequality(small):
    """−log of a mean probability is at most the mean of −log, for every image, so on average."""
    score = small.results()["scores"].log_score
    so_far = score.sel(kind="one").cumsum("sample") / np.arange(1, 5)
    assert np.all(score.sel(kind="mean").values <= so_far.values + 1e-9)
    assert np.any(score.sel(kind="mean").values < so_far.values - 1e-4)


def test_branches_differ_and_bins_hold_every_test_image(small):
    results = small.results()
    ends = results["scores"].log_score.sel(kind="one").isel(sample=-1).values
    assert len(set(ends)) == 3
    assert np.all(results["reliability"].cases.sum("bin") == 60)
    # Samples cannot disagree where there is one.
    apart = results["scores"].disagreement
    assert np.all(apart.sel(kind="one") == 0.5)
    assert np.any(apart.sel(kind="mean").isel(sample=-1) != 0.5)


def test_it_draws_every_panel(small):
    figures = draw(parameters_of(EXPERIMENT, small), [small.results(), small.results()])
    assert set("".join(figures)) == set(EXPERIMENT.captions)


@pytest.mark.parametrize("evaluations", [2, 9])
def test_a_resumed_run_is_bit_identical(small, tmp_path, monkeypatch, evaluations):
    with monkeypatch.context() as patch:
        stop_after(patch, evaluations + 1)
        with pytest.raises(KeyboardInterrupt):
            execute(EXPERIMENT, tmp_path / "stopped", settings=SMALL, seed=1)
    assert list((tmp_path / "stopped" / "checkpoints").glob("*.checkpoint"))
    assert manifest(resume(EXPERIMENT, tmp_path / "stopped")) == manifest(small)


def test_the_rule_without_noise_and_prior_is_plain_sgd():
    """So the factor N and the speed are right: b·N is SGD's learning rate."""
    cold = EnsembleRule(
        temperature=1e-6, learning_rate=0.1, hidden_gain=1e3, output_gain=1e3, bias_std=100.0
    )
    p = EnsembleParameters(hidden=3, rule=cold, sgd_rate=0.1)
    rng = np.random.default_rng(1)
    start = {
        "in": jnp.asarray(rng.normal(0, 0.05, (785, 3)), jnp.float32),
        "out": jnp.asarray(rng.normal(0, 1, (4, 10)), jnp.float32),
    }
    x, y = rng.random((8, 784), np.float32), rng.integers(0, 10, 8)
    moved = {}
    for name, sampler in protocol.samplers(p).items():
        state, _ = jax.jit(sampler.step)(jax.random.key(0), sampler.init(start), x, y)
        moved[name] = {k: np.asarray(state.position[k] - start[k]) for k in start}
    for k in start:
        assert np.abs(moved["sgd"][k]).max() > 1e-3
        # Noise has a std of sqrt(2·1e-6·1e-4) = 1.4e-5; the prior moves by 1e-4·0.2/1.3 at most.
        np.testing.assert_allclose(moved["rule"][k], moved["sgd"][k], atol=1e-4)


def test_biases_have_the_prior_that_is_asked_for():
    p = EnsembleParameters(hidden=3, rule=EnsembleRule(bias_std=0.7))
    logits, std = protocol.network_logits(p), (p.rule.hidden_gain / 784) ** 0.5
    w = {"in": np.zeros((785, 3)), "out": np.zeros((4, 10))}
    w["out"][3] = (p.rule.output_gain / 3) ** 0.5  # one prior std
    np.testing.assert_allclose(logits(w, np.zeros((1, 784), np.float32)), 0.7, rtol=1e-5)
    w["in"][784, 0], w["out"][3], w["out"][0] = std, 0.0, 1.0
    np.testing.assert_allclose(logits(w, np.zeros((1, 784), np.float32)), 0.7, rtol=1e-5)


STEPS = """
import hashlib, os
if {one}:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
import jax, jax.numpy as jnp, numpy as np
from synsamp.beyond.ensemble_mnist import protocol
from synsamp.beyond.ensemble_mnist.parameters import EnsembleParameters
from synsamp.beyond.shared.minibatch_steps import compiled, use_one_thread
assert "NPROC" not in os.environ  # the import changes nothing for others
use_one_thread()
p = EnsembleParameters(batch=500)
sampler = protocol.samplers(p)["rule"]
x = np.random.default_rng(1).random((500, 784), np.float32)
y = np.random.default_rng(2).integers(0, 10, 500)
start = {{"in": jnp.ones((785, 100)) / 100, "out": jnp.ones((101, 10)) / 100}}
steps = compiled(lambda key, state, x, y: sampler.step(key, state, x, y)[0], 500)
found = steps(sampler.init(start), jax.random.key(0), 0, 3, x, y)
for array in found.position.values():
    print(hashlib.sha256(np.asarray(array).tobytes()).hexdigest())
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_the_number_of_processors_does_not_change_a_bit():
    one, all_of_them = (
        subprocess.run(
            [sys.executable, "-c", STEPS.format(one=one)],
            capture_output=True,
            text=True,
            check=True,
            env={k: v for k, v in os.environ.items() if k != "NPROC"},
        ).stdout.split()
        for one in (True, False)
    )
    assert len(one) == 2
    assert one == all_of_them


def test_letters_are_as_dark_and_as_large_as_digits():
    drawn = letters(300, np.random.default_rng(1))
    digits = load_digits().train.pixels[:300]
    assert drawn.shape == digits.shape
    assert drawn.min() == 0.0
    assert drawn.max() == 1.0
    assert 0.5 < drawn.mean() / digits[digits.mean(axis=1) > 0].mean() < 2.5
    edge = np.ones((28, 28), bool)
    edge[2:-2, 2:-2] = False
    assert drawn[:, edge.ravel()].mean() < 0.01
    assert len(np.unique(drawn, axis=0)) == 300


def test_a_letter_lies_on_its_strokes():
    class Straight:
        """A generator that jitters nothing."""

        def integers(self, low, high, n):
            return np.full(n, list(STROKES).index("T"))

        def normal(self, mean, std, size=None):
            return np.full(np.shape(std) or size, mean)

        def uniform(self, low, high):
            return 1.0

    picture = letters(1, Straight()).reshape(28, 28)
    assert np.all(picture[6:22, 13:15] > 0.9)  # the stem, down the middle
    assert np.all(picture[4:6, 8:20] > 0.4)  # the bar on top
    assert np.all(picture[10:22, :11] == 0)
    assert np.all(picture[10:22, 17:] == 0)
    for beyond_an_end in (picture[:, :5], picture[:, 23:], picture[25:]):
        assert np.all(beyond_an_end == 0)


def test_four_quarters_are_a_whole_turn():
    image = np.arange(784, dtype=np.float32)[None] / 784
    once = rotated(image)
    assert once.reshape(28, 28)[0, 0] == image.reshape(28, 28)[0, 27]
    assert np.array_equal(rotated(rotated(rotated(once))), image)


def invented(changes):
    """Results in which every score at the end is as given, by (branch, kind) and name."""
    base = {
        "accuracy": 0.88,
        "log_score": 0.6,
        "calibration_error": 0.08,
        "rotated": 0.9,
        "letters": 0.85,
        "disagreement": 0.5,
    }
    shape = (len(protocol.BRANCHES), len(protocol.KINDS), 2)
    named = {"branch": list(protocol.BRANCHES), "kind": list(protocol.KINDS), "sample": [1, 2]}
    over = ("branch", "kind", "sample")
    scores = xr.Dataset(
        {name: (over, np.full(shape, value)) for name, value in base.items()}, named
    )
    for (branch, kind), values in changes.items():
        for name, value in values.items():
            scores[name].loc[{"branch": branch, "kind": kind}] = value
    return {"scores": scores}


BETTER = {
    ("sampled", "mean"): {
        "accuracy": 0.91,
        "log_score": 0.3,
        "calibration_error": 0.02,
        "rotated": 0.95,
        "letters": 0.93,
    },
    ("shuffled", "mean"): {"letters": 0.5},
}


def verdicts(changes):
    values = EXPERIMENT.measure(EXPERIMENT.presets["paper"], invented(changes))
    seeds = {name: [value] * 5 for name, value in values.items()}
    return {each.claim.id: each.verdict for each in judge_all(EXPERIMENT.claims, seeds)}


def test_claims_hold_where_the_average_is_better_and_fail_where_it_is_not():
    assert verdicts(BETTER) == {claim.id: "holds" for claim in EXPERIMENT.claims}
    found = verdicts({})
    assert found.pop("notices-letters") == "not specific"  # shuffled labels do as well
    assert set(found.values()) == {"fails"}


def test_every_claim_has_its_null():
    assert all(
        claim.null_key and claim.null_description and claim.reason for claim in EXPERIMENT.claims
    )
