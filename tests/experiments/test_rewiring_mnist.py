"""Rewiring: networks, the update of SET, measures, and resumed runs."""

from __future__ import annotations

import subprocess
import sys

import jax
import numpy as np
import pytest
import xarray as xr

from synsamp.beyond.rewiring_mnist import EXPERIMENT, models, protocol
from synsamp.beyond.rewiring_mnist.figures import draw
from synsamp.beyond.rewiring_mnist.measures import until
from synsamp.beyond.rewiring_mnist.models import Sparse, replace_weakest
from synsamp.claims import judge_all
from synsamp.runs.execute import execute, parameters_of, resume
from toys.stopping import stop_after

SMALL = [
    "digits.training=40",
    "digits.test=30",
    "hidden=8,6",
    "batch=4",
    "epochs=3",
    "second_task_epochs=1",
    "hard.share=0.05,0.4,0.5",
    "soft.share=0.05,0.4,0.5",
    "soft.noise=0.1",
]


def manifest(folder):
    return (folder.path / "results.manifest").read_text()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("runs") / "small", settings=SMALL, seed=1)


def test_every_branch_has_the_connections_it_should(small):
    p, results = parameters_of(EXPERIMENT, small), small.results()
    active = results["first"].active
    assert np.all(active.sel(branch="dense") == p.possible)
    for branch in ("hard", "fixed", "fixed_again", "set"):
        assert np.all(active.sel(branch=branch) == p.kept), branch
    soft = active.sel(branch="soft")
    assert np.any(soft != soft[0])
    assert np.all(active.sel(branch="fixed_soft") == soft.isel(step=-1))
    assert np.all(np.isnan(active.sel(branch="hard_fresh")))
    per_pixel = results["wiring"].from_pixel.sel(branch=["hard", "set"]).sum(("row", "column"))
    assert np.all(per_pixel == p.kept[0])


def test_wirings_change_as_they_are_said_to(small):
    p, results = parameters_of(EXPERIMENT, small), small.results()
    new = results["first"].new.dropna("step", how="all")
    assert list(new.step.values) == [10, 20, 30]
    assert np.all(new.sel(branch=["fixed", "fixed_again", "dense"]) == 0)
    assert np.all(new.sel(branch="hard") > 0)
    # SET: nothing before the first epoch's end, then a share ζ less what is rounded off in six
    # groups and drawn at the place it had.
    replaced = new.sel(branch="set").values
    assert replaced[0] == 0
    assert np.all(replaced[1:] <= p.others.set_share)
    assert np.all(replaced[1:] > p.others.set_share - 8 / sum(p.kept) - 0.02)


def test_the_second_task_continues_from_the_first(small):
    first, second = (small.results()[name] for name in ("first", "second"))
    for branch in ("hard", "fixed", "fixed_again"):
        before, after = first.active.sel(branch=branch)[-1], second.active.sel(branch=branch)[0]
        assert np.array_equal(before, after)
    # Two labels are swapped: what was right is wrong.
    swapped = 1 - first.accuracy.sel(branch=["hard", "fixed"]).isel(step=-1)
    np.testing.assert_allclose(
        second.accuracy.sel(branch=["hard", "fixed"])[:, 0], swapped, atol=1e-6
    )
    assert np.all(np.isnan(second.accuracy.sel(branch=["dense", "soft", "set"])))


def test_it_draws_every_panel(small):
    figures = draw(parameters_of(EXPERIMENT, small), [small.results(), small.results()])
    assert set("".join(figures)) == set(EXPERIMENT.captions)


@pytest.mark.parametrize(("branch", "task"), [("hard", "second"), ("set", "first")])
def test_a_resumed_run_is_bit_identical(small, tmp_path, monkeypatch, branch, task):
    p = parameters_of(EXPERIMENT, small)
    before = 0
    for other in protocol.BRANCHES[: protocol.NAMES.index(branch)]:
        before += sum(protocol.evaluation_steps(p, one).size for one in other.tasks)
    if task == "second":
        before += protocol.evaluation_steps(p, "first").size
    with monkeypatch.context() as patch:
        stop_after(patch, before + 5)
        with pytest.raises(KeyboardInterrupt):
            execute(EXPERIMENT, tmp_path / "stopped", settings=SMALL, seed=1)
    assert list((tmp_path / "stopped" / "checkpoints").glob("*.checkpoint"))
    assert manifest(resume(EXPERIMENT, tmp_path / "stopped")) == manifest(small)


def test_a_step_of_a_fixed_wiring_is_a_masked_step_of_all_connections(small):
    p = parameters_of(EXPERIMENT, small)
    learner = models.fixed(p, p.kept)
    moving = jax.jit(learner.start)(jax.random.key(1))
    x = np.random.default_rng(2).random((4, 784), np.float32)
    y = np.array([0, 1, 1, 0])
    before = [np.asarray(w) for w in learner.weights(moving)]

    def loss(weights):
        logits = models.forward(models.products_of(weights), x)
        return -jax.nn.log_softmax(logits)[np.arange(4), y].mean()

    gradients = jax.jit(jax.grad(loss))(before)
    after = learner.weights(jax.jit(learner.step)(jax.random.key(3), moving, x, y))
    for w, g, found in zip(before, gradients, after, strict=True):
        wanted = np.where(w != 0, w - p.others.sparse_rate * g, 0.0)
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert np.abs(gradients[0]).max() > 1e-3


@pytest.mark.parametrize(("at_floor", "of_p0"), [("clips", 0.5), ("reflects", 1.0)])
def test_soft_rewiring_has_the_start_and_the_floor_that_it_is_given(small, at_floor, of_p0):
    p = parameters_of(EXPERIMENT, small)
    update = {"at_floor": at_floor, "active_at_start": of_p0, "noise": 1e-5}
    p = p.model_copy(update={"soft": p.soft.model_copy(update=update)})
    learner = models.soft(p, (1, 2, 3))
    moving = jax.jit(learner.start)(jax.random.key(1))
    wanted = of_p0 * p.soft.share[0] * p.possible[0]
    assert abs(np.count_nonzero(learner.weights(moving)[0]) - wanted) < 4 * np.sqrt(wanted)
    x = np.random.default_rng(2).random((4, 784), np.float32)
    moving = jax.jit(learner.step)(jax.random.key(3), moving, x, np.array([0, 1, 1, 0]))
    # Noise of 5e-7 per step at a floor of 4.8e-6: some of 6,000 dormant ones meet it at once.
    theta = np.asarray(moving.position[0])
    assert (np.sum(theta == theta.min()) > 10) == (at_floor == "clips")


def test_set_replaces_the_weakest_of_both_signs_and_nothing_else():
    rng = np.random.default_rng(5)
    weights = np.array([0.1, 0.5, 0.9, 2.0, -0.2, -0.3, -1.0, -3.0, 0.7, -0.6], np.float32)
    layer = Sparse(np.arange(0, 100, 10), weights)
    found = replace_weakest(layer, 100, 0.4, 1.0, rng)
    gone = found.weights != weights
    assert list(weights[gone]) == [np.float32(w) for w in (0.1, 0.5, -0.2, -0.3)]
    assert np.array_equal(found.places[~gone], layer.places[~gone])
    assert len(set(found.places)) == 10
    assert layer.weights is weights
    assert list(layer.places) == list(range(0, 100, 10))  # what came in is as it was


def test_set_adds_at_free_places_evenly():
    rng = np.random.default_rng(6)
    layer = Sparse(np.arange(5), np.array([0.1, 1.0, 2.0, 3.0, 4.0], np.float32))
    drawn = [replace_weakest(layer, 9, 0.2, 1.0, rng).places[0] for _ in range(2000)]
    counts = np.bincount(drawn, minlength=9)
    assert np.all(counts[1:5] == 0)
    free = counts[[0, 5, 6, 7, 8]]  # each 400 on average
    assert ((free - 400) ** 2 / 400).sum() < 18.5  # χ² with 4 degrees of freedom, p = 0.001


def test_the_time_to_the_target_lies_between_evaluations():
    step, accuracy = np.array([0, 10, 20, 40]), np.array([0.1, 0.5, 0.9, 0.95])
    assert until(step, accuracy, 0.7, 40) == pytest.approx(15)
    assert until(step, accuracy, 0.05, 40) == 0
    assert until(step, accuracy, 0.99, 40) == 40
    assert until(step, accuracy, 0.93, 30) == 30  # beyond the horizon does not count


END = {"dense": 0.98, "soft": 0.95, "hard": 0.96, "set": 0.955}
END |= {"fixed": 0.91, "fixed_again": 0.912, "fixed_soft": 0.90}


def invented(p, end, hard_new, on_ink, second):
    """Results of one seed with these accuracies at the end."""
    steps, later = (protocol.evaluation_steps(p, task) for task in ("first", "second"))
    ramp = np.minimum(1.25 * steps / later[-1], 1.0)
    ends = np.array([end.get(name, np.nan) for name in protocol.NAMES])
    active = np.broadcast_to(np.array(p.kept, float), (len(ends), steps.size, 3)).copy()
    active[protocol.NAMES.index("dense")] = p.possible
    active[protocol.NAMES.index("soft")] += np.arange(steps.size)[:, None]
    new = np.zeros((len(ends), steps.size))
    new[protocol.NAMES.index("hard")] = hard_new
    over = ("branch", "step")
    first = xr.Dataset(
        {
            "accuracy": (over, ends[:, None] * ramp),
            "new": (over, new),
            "active": ((*over, "layer"), active),
        },
        {"branch": protocol.NAMES, "step": steps},
    )
    speed = np.array([second.get(name, np.nan) for name in protocol.NAMES])
    task = xr.Dataset(
        {"accuracy": (over, np.minimum(speed[:, None] * later / later[-1], 1.0))},
        {"branch": protocol.NAMES, "step": later},
    )
    image = np.zeros((28, 28))
    image[10:20, 10:20] = 0.5
    pixels = np.ones((len(ends), 28, 28))
    pixels[protocol.NAMES.index("hard")] += on_ink * (image > 0)
    wiring = xr.Dataset(
        {
            "from_pixel": (("branch", "row", "column"), pixels),
            "mean_image": (("row", "column"), image),
        },
        {"branch": protocol.NAMES},
    )
    return {"first": first, "second": task, "wiring": wiring}


EFFECT = ({}, 0.05, 2.0, {"hard": 9.0, "hard_fresh": 1.2, "fixed": 2.0, "fixed_again": 2.0})
NOTHING = (
    {"hard": 0.912, "soft": 0.902, "set": 0.955},
    0.0,
    0.0,
    {"hard": 1.2, "hard_fresh": 1.2, "fixed": 1.2, "fixed_again": 1.2},
)


def verdicts(change):
    ends, hard_new, on_ink, second = change
    p = EXPERIMENT.presets["paper"]
    values = EXPERIMENT.measure(p, invented(p, END | ends, hard_new, on_ink, second))
    seeds = {name: [value] * 5 for name, value in values.items()}
    return {each.claim.id: each.verdict for each in judge_all(EXPERIMENT.claims, seeds)}


def test_claims_hold_where_the_effect_is_and_fail_where_it_is_not():
    with_effect, without = verdicts(EFFECT), verdicts(NOTHING)
    assert with_effect == {claim.id: "holds" for claim in EXPERIMENT.claims}
    # The number of connections is the same in both.
    assert {name for name, verdict in without.items() if verdict == "holds"} == {
        "sparse",
        "constant",
    }


def test_every_claim_has_a_null_and_a_run_may_omit_the_second_task(small):
    assert all(
        claim.null_key and claim.null_description and claim.reason for claim in EXPERIMENT.claims
    )
    results = dict(small.results())
    del results["second"]
    p = parameters_of(EXPERIMENT, small).model_copy(update={"second_task_epochs": 0})
    found = set(EXPERIMENT.measure(p, results))
    judged = {claim.id for claim in EXPERIMENT.claims if claim.key in found}
    missing = {claim.id for claim in EXPERIMENT.claims} - judged
    assert missing == {"second-task", "second-task-fixed"}


def test_nothing_of_jax_is_imported_before_a_run():
    code = (
        "import sys; from synsamp.beyond import rewiring_mnist, ensemble_mnist; "
        "print('jax' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
