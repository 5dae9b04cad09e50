"""The run of one seed: networks learn one after another and are evaluated on the way.

First task: the digits. Second task: the same images with permuted labels; some networks continue
with it, one starts from scratch. SET replaces connections between epochs. The fixed wiring
``fixed_soft`` has as many connections as soft rewiring at the end.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.beyond.rewiring_mnist import models
from synsamp.beyond.rewiring_mnist.parameters import N_LAYERS, RewiringParameters
from synsamp.beyond.shared.labelled_digits import N_PIXELS, sample_digits
from synsamp.beyond.shared.minibatch_steps import (
    ONE_THREAD,
    Advance,
    Moving,
    as_arrays,
    as_tree,
    compiled,
    key_of,
    use_one_thread,
)
from synsamp.experiments.base import Results, RunContext
from synsamp.seeds import named_seed

FIRST, SECOND = "first", "second"


@dataclass(frozen=True)
class TrainingCondition:
    """One network of the run: name, learner and tasks."""

    name: str
    way: str
    tasks: tuple[str, ...] = (FIRST,)


BRANCHES = (
    TrainingCondition("dense", "dense"),
    TrainingCondition("soft", "soft"),
    TrainingCondition("hard", "hard", (FIRST, SECOND)),
    TrainingCondition("fixed", "fixed", (FIRST, SECOND)),
    TrainingCondition("fixed_again", "fixed", (FIRST, SECOND)),
    TrainingCondition("set", "fixed"),
    TrainingCondition("fixed_soft", "fixed_soft"),
    TrainingCondition("hard_fresh", "hard", (SECOND,)),
)
NAMES = [branch.name for branch in BRANCHES]


def evaluation_steps(p: RewiringParameters, task: str) -> NDArray[np.int64]:
    """Steps at which a network is evaluated: more often in the first epoch, then each epoch."""
    epochs = p.epochs if task == FIRST else p.second_task_epochs
    ends = np.arange(epochs + 1) * p.steps_per_epoch
    early = np.geomspace(min(10, p.steps_per_epoch), p.steps_per_epoch, 12)
    return np.union1d(ends, early.round().astype(np.int64)) if epochs else ends


class TrainingCurves:
    """Records so far; NaN where a network has none."""

    def __init__(self, p: RewiringParameters) -> None:
        self.arrays: dict[str, NDArray[np.float64]] = {}
        for task in (FIRST, SECOND):
            shape = (len(BRANCHES), evaluation_steps(p, task).size)
            self.arrays[f"{task}_accuracy"] = np.full(shape, np.nan)
            self.arrays[f"{task}_new"] = np.full(shape, np.nan)
            self.arrays[f"{task}_active"] = np.full((*shape, N_LAYERS), np.nan)
        self.arrays["from_pixel"] = np.full((len(BRANCHES), N_PIXELS), np.nan)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self.arrays[name]


def run(p: RewiringParameters, seed: int, context: RunContext) -> Results:
    """Train every network; continues from a checkpoint."""
    use_one_thread()
    training = _Training(p, seed)
    plan = [
        (a, task, k)
        for a, branch in enumerate(BRANCHES)
        for task in branch.tasks
        if task == FIRST or p.second_task_epochs
        for k in range(evaluation_steps(p, task).size)
    ]
    saved = context.checkpoint.load()
    done = 0
    if saved is not None:
        done = int(saved["done"])
        for name, array in training.recorded.arrays.items():
            array[:] = saved["seen"][name]
        training.restore(saved["network"], BRANCHES[plan[done - 1][0]])
    with context.progress("learning", total=len(plan)) as bar:
        bar.advance(done)
        for a, task, k in plan[done:]:
            training.evaluate(a, task, k)
            done += 1
            bar.advance()
            if context.checkpoint.due():
                network = training.state()
                context.checkpoint.save(
                    {"done": done, "seen": training.recorded.arrays, "network": network}
                )
    return _datasets(p, training)


@functools.lru_cache(maxsize=8)  # shared by networks and seeds with the same settings
def _way(
    p: RewiringParameters, name: str, signs: tuple[int, ...], counts: tuple[int, ...]
) -> tuple[models.Learner, Advance]:
    match name:
        case "dense":
            learner = models.dense(p)
        case "soft":
            learner = models.soft(p, signs)
        case "hard":
            learner = models.hard(p, signs)
        case _:
            learner = models.fixed(p, counts)
    # Compiled as a whole: single operations take longer than the learning of a quick run.
    start = jax.jit(learner.start, compiler_options=ONE_THREAD)
    weights = jax.jit(learner.weights, compiler_options=ONE_THREAD)
    return replace(learner, start=start, weights=weights), compiled(learner.step, p.batch)


_accuracy = jax.jit(models.accuracy, compiler_options=ONE_THREAD)


class _Training:
    """The network that is learning now, and the data that all networks share."""

    def __init__(self, p: RewiringParameters, seed: int) -> None:
        self.p, self.seed, self.recorded = p, seed, TrainingCurves(p)
        digits = sample_digits(p.digits, named_seed(seed, "digits"))
        self.mean_image = digits.train.mean(axis=0)
        order = np.random.default_rng(named_seed(seed, "second task")).permutation(p.digits.classes)
        changed = np.empty_like(order)
        changed[order] = np.roll(order, 1)  # one cycle: every label changes
        self.train, self.test = jnp.asarray(digits.train), jnp.asarray(digits.test)
        self.labels = {
            FIRST: (jnp.asarray(digits.train_labels), jnp.asarray(digits.test_labels)),
            SECOND: tuple(
                jnp.asarray(changed[labels]) for labels in (digits.train_labels, digits.test_labels)
            ),
        }
        self.moving: Moving = None
        self.active_before: NDArray[np.bool_] | None = None

    def way(self, name: str) -> tuple[models.Learner, Advance]:
        """A learner and its compiled steps."""
        counts = tuple(self.p.kept)
        if name == "fixed_soft":
            ended_with = self.recorded["first_active"][NAMES.index("soft"), -1]
            counts = tuple(max(1, int(n)) for n in ended_with)
        signs: tuple[int, ...] = ()
        if name in ("soft", "hard"):
            words = named_seed(self.seed, "signs", name).generate_state(N_LAYERS)
            signs = tuple(int(word) for word in words)
        return _way(self.p, name, signs, counts)

    def evaluate(self, a: int, task: str, k: int) -> None:
        """Learn up to the ``k``-th evaluation of a task and record the network."""
        branch, steps = BRANCHES[a], evaluation_steps(self.p, task)
        learner, advance = self.way(branch.way)
        if k == 0:
            self._begin(branch, task, learner)
        else:
            key = key_of(named_seed(self.seed, "steps", branch.name, task))
            labels = self.labels[task][0]
            first, n = int(steps[k - 1]), int(steps[k] - steps[k - 1])
            self.moving = advance(self.moving, key, first, n, self.train, labels)
        weights = [np.asarray(w) for w in learner.weights(self.moving)]
        test_labels = self.labels[task][1]
        self.recorded[f"{task}_accuracy"][a, k] = _accuracy(weights, self.test, test_labels)
        self.recorded[f"{task}_active"][a, k] = [np.count_nonzero(w) for w in weights]
        if steps[k] % self.p.steps_per_epoch == 0:
            self._end_of_epoch(a, task, k, weights)

    def _begin(self, branch: TrainingCondition, task: str, learner: models.Learner) -> None:
        if task == branch.tasks[0]:
            self.moving = learner.start(key_of(named_seed(self.seed, "start", branch.name)))
            self.active_before = None
            return
        # Another task: weights and wiring remain, the schedule of learning rates restarts.
        progress = self.moving.progress
        counted = progress._replace(steps=jnp.zeros_like(progress.steps))
        self.moving = self.moving._replace(progress=counted)

    def _end_of_epoch(self, a: int, task: str, k: int, weights: list[NDArray[Any]]) -> None:
        active = np.concatenate([w.ravel() != 0 for w in weights])
        if self.active_before is not None and k > 0:
            new = np.count_nonzero(active & ~self.active_before)
            self.recorded[f"{task}_new"][a, k] = new / np.count_nonzero(active)
        self.active_before = active
        last = k == evaluation_steps(self.p, task).size - 1
        if task == FIRST and last:
            self.recorded["from_pixel"][a] = np.count_nonzero(weights[0], axis=1)
        if BRANCHES[a].name == "set" and k > 0 and not last:
            self._replace_weakest(k)

    def _replace_weakest(self, k: int) -> None:
        rng = np.random.default_rng(named_seed(self.seed, "set", k))
        position = []
        for shape, own in zip(self.p.shapes, self.moving.position, strict=True):
            layer = models.Sparse(np.asarray(own.wires.places), np.asarray(own.theta))
            scale = models.start_scale(shape, len(layer.places))
            found = models.replace_weakest(
                layer, shape[0] * shape[1], self.p.others.set_share, scale, rng
            )
            wires = own.wires._replace(places=jnp.asarray(found.places, jnp.int32))
            position.append(replace(own, theta=jnp.asarray(found.weights), wires=wires))
        self.moving = self.moving._replace(position=position)

    def state(self) -> dict[str, Any]:
        """State of the network that is learning, for a checkpoint."""
        return {"moving": as_arrays(self.moving), "active_before": self.active_before}

    def restore(self, saved: dict[str, Any], branch: TrainingCondition) -> None:
        """Restore a network from a checkpoint."""
        like = jax.eval_shape(self.way(branch.way)[0].start, key_of(named_seed(self.seed, "start")))
        self.moving = as_tree(saved["moving"], like)
        self.active_before = saved["active_before"]


def _datasets(p: RewiringParameters, training: _Training) -> Results:
    recorded, found = training.recorded, {}
    tasks = [FIRST, SECOND] if p.second_task_epochs else [FIRST]
    for task in tasks:
        over = ("branch", "step")
        found[task] = xr.Dataset(
            {
                "accuracy": (over, recorded[f"{task}_accuracy"], {"units": "share of test images"}),
                "new": (over, recorded[f"{task}_new"], {"units": "of connections per epoch"}),
                "active": ((*over, "layer"), recorded[f"{task}_active"]),
            },
            coords={"branch": np.array(NAMES), "step": evaluation_steps(p, task)},
        )
    found["wiring"] = xr.Dataset(
        {
            "from_pixel": (
                ("branch", "row", "column"),
                recorded["from_pixel"].reshape(len(BRANCHES), 28, 28),
            ),
            "mean_image": (("row", "column"), training.mean_image.reshape(28, 28)),
        },
        coords={"branch": np.array(NAMES)},
    )
    return found
