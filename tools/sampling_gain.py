"""Does sampling help? Averages over samples against Adam, ensembles and SGD, at equal gradients.

    make sampling-gain                             # everything; continues after a stop
    python -m tools.sampling_gain --page           # only write the tables of the page again

Every method may compute as many gradients of minibatches and averages the class probabilities of as
many networks (Adam: of one). The prior of a weight is normal with the standard deviation ``width``
/ sqrt(inputs of its layer); Adam and the ensemble have it too, as weight decay. The learning rate
of each method, then the width, are those with the best log score on 1,000 further training images,
at a seed that is not scored. Rows go to ``runs/sampling_gain.csv``, and when all are there, to
``docs/data/sampling_gain.csv`` and the tables of ``docs/sampling-gain.md``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd

import synsamp as ss
import synsamp.jax as sj
from synsamp.analysis.calibration import accuracy, log_score, reliability
from synsamp.analysis.out_of_distribution import detection, entropy
from synsamp.beyond.ensemble_mnist.out_of_distribution import letters
from synsamp.beyond.shared.labelled_digits import DigitsToLearn, LabelledDigits, sample_digits
from tools import sampling_gain_page

ROWS = Path("runs") / "sampling_gain.csv"
RATES = (0.01, 0.03, 0.1, 0.3)
"""Learning rates of the mean loss; Adam's are a tenth."""
WIDTHS, FIRST_WIDTH = (0.5, 1.0, 2.0, 4.0, 8.0), 2.0
BATCH, MEMBERS, TAU, KEPT = 50, 5, 10.0, 30
SEEDS, TUNING_SEED, VALIDATION = range(8), 10**6, 1000
TEMPERATURES = (0.001, 0.1)
BURN_IN = (0.0, 0.1, 0.25, 0.5, 0.9)


@dataclass(frozen=True)
class Task:
    """Digits, a network with one hidden layer, and the number of gradients."""

    digits: DigitsToLearn
    hidden: int
    steps: int

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of weights and biases."""
        hidden, classes = self.hidden, self.digits.classes
        weights = {"in": (784, hidden), "out": (hidden, classes)}
        return weights | {"in_bias": (hidden,), "out_bias": (classes,)}

    def stds(self, width: float) -> dict[str, float]:
        """Standard deviations of the prior."""
        inputs = {"in": 784, "out": self.hidden}
        return {name: width / inputs.get(name, 1) ** 0.5 for name in self.shapes}

    def start(self, key: Any) -> Any:
        """Random weights that preserve variances; biases are 0."""
        keys = jax.random.split(key, len(self.shapes))
        return {
            name: jax.random.normal(k, shape) * (2.0 / shape[0]) ** 0.5 * (len(shape) > 1)
            for k, (name, shape) in zip(keys, self.shapes.items(), strict=True)
        }


TASKS = {
    "digits": Task(DigitsToLearn(source="embedded", training=300, test=2000), 30, 3000),
    "mnist": Task(DigitsToLearn(source="mnist", training=3000, test=2000), 50, 6000),
}


def logits(w: Any, x: Any) -> Any:
    """A network with one hidden layer."""
    hidden = jax.nn.relu(x @ w["in"] + w["in_bias"])
    return hidden @ w["out"] + w["out_bias"]


def log_likelihood(w: Any, x: Any, y: Any) -> Any:
    """The mean over a minibatch."""
    return -optax.softmax_cross_entropy_with_integer_labels(logits(w, x), y).mean()


@jax.jit
def each_probability(rows: Any, x: Any) -> Any:
    """Class probabilities of every network (leaves: network, …)."""
    return jax.lax.map(lambda w: jax.nn.softmax(logits(w, x)), rows)


class Training:
    """A task with a prior, training images and the seed of a run."""

    def __init__(self, task: Task, width: float, images: Any, seed: int) -> None:
        self.task, self.width, self.seed = task, width, seed
        self.images = tuple(map(jnp.asarray, images))


@cache
def _sampler(task: Task, width: float, n: int, settings: tuple[tuple[str, Any], ...]) -> sj.Sampler:
    prior = {name: ss.Gaussian(0.0, std) for name, std in task.stds(width).items()}
    return sj.sampler(log_likelihood, prior=prior, data_size=n, **dict(settings))


def sampled(
    own: Training,
    rate: float,
    temperature: Any = 1.0,
    burn_in: float = 0.5,
    keep: int = KEPT,
    **settings: Any,
) -> Any:
    """``keep`` networks along one run of the rule, after its burn-in."""
    n, skipped = len(own.images[0]), int(own.task.steps * burn_in)
    given = dict(speed=rate / n, temperature=temperature) | settings
    draws = sj.run(
        _sampler(own.task, own.width, n, tuple(given.items())),
        own.task.start,
        steps=own.task.steps - skipped,
        burn_in=skipped,
        thin=(own.task.steps - skipped) // keep,
        data=own.images,
        batch_size=BATCH,
        key=own.seed,
        diagnostics=False,
        progress=False,
    )
    return jax.tree.map(lambda x: x[0], draws.tree())


@cache
def _cycles(speed: float, steps: int) -> sj.Cycles:
    return sj.cyclical(speed, steps)


def cyclical(own: Training, rate: float) -> Any:
    """The last network of each of ten cycles."""
    cycles = _cycles(rate / len(own.images[0]), own.task.steps // 10)
    return sampled(own, rate, cycles.temperature, 0.0, 10, speed=cycles.speed)


@cache
def _training_loop(task: Task, width: float, rate: float, steps: int) -> Callable[..., Any]:
    optimiser = optax.adam(optax.cosine_decay_schedule(rate, steps))
    stds = task.stds(width)

    def loop(w: Any, key: Any, x: Any, y: Any) -> Any:
        def loss(w: Any, chosen: Any) -> Any:
            decay = sum(jnp.sum((w[k] / std) ** 2) for k, std in stds.items()) / 2
            return decay / len(x) - log_likelihood(w, x[chosen], y[chosen])

        def step(k: Any, carried: Any) -> Any:
            w, state = carried
            chosen = jax.random.randint(jax.random.fold_in(key, k), (BATCH,), 0, len(x))
            updates, state = optimiser.update(jax.grad(loss)(w, chosen), state, w)
            return optax.apply_updates(w, updates), state

        return jax.lax.fori_loop(0, steps, step, (w, optimiser.init(w)))[0]

    return jax.jit(loop)


def adam(own: Training, rate: float, members: int = 1) -> Any:
    """Independent networks that share the gradients, with a cosine schedule."""
    loop = _training_loop(own.task, own.width, rate / 10, own.task.steps // members)
    keys = jax.random.split(jax.random.key(own.seed), members)
    found = [loop(own.task.start(key), key, *own.images) for key in keys]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)


INERTIA = ss.Underdamped(TAU)
Method = Callable[[Training, float], Any]
METHODS: dict[str, Method] = {
    "Adam": adam,
    f"ensemble of {MEMBERS}": lambda own, rate: adam(own, rate, MEMBERS),
    "average along SGD": lambda own, rate: sampled(own, rate, 0.0),
    "`Overdamped`, T = 1": sampled,
    "`Underdamped` (SGHMC), T = 1": lambda own, rate: sampled(own, rate, method=INERTIA),
    "`Underdamped`, T = 0.01": lambda own, rate: sampled(own, rate, 0.01, method=INERTIA),
    "`Thermostat` (SGNHT), T = 1": lambda own, rate: sampled(own, rate, method=_thermostat(TAU)),
    "`cyclical`, T = 1": cyclical,
}
WIDE = ("Adam", "`Underdamped` (SGHMC), T = 1", "`Underdamped`, T = 0.01")
_thermostat = cache(sj.Thermostat)


@cache
def data(name: str, seed: int) -> LabelledDigits:
    """Images of a seed."""
    return sample_digits(TASKS[name].digits, np.random.SeedSequence(seed))


@cache
def unfamiliar(n: int, seed: int) -> Any:
    """Letters."""
    return letters(n, np.random.default_rng(seed))


def scores(each: Any, strange: Any, labels: Any) -> dict[str, float]:
    """Accuracy, log score, calibration error and detection of letters by the average."""
    p, q = (np.asarray(x.mean(axis=0), float) for x in (each, strange))
    return {
        "accuracy": accuracy(p, labels),
        "log score": log_score(p, labels),
        "calibration error": reliability(p, labels).error,
        "letters": detection(entropy(p), entropy(q)),
    }


def scored(rows: Any, name: str, seed: int) -> dict[str, float]:
    """Scores of kept networks on the test images of a seed."""
    digits = data(name, seed)
    strange = each_probability(rows, unfamiliar(len(digits.test), seed))
    return scores(each_probability(rows, digits.test), strange, digits.test_labels)


@cache
def tuned(name: str, method: Method) -> tuple[float, float]:
    """Learning rate and width of the prior with the best log score on further images."""
    task = TASKS[name]
    wanted = task.digits.model_copy(update={"training": task.digits.training + VALIDATION})
    found = sample_digits(wanted, np.random.SeedSequence(TUNING_SEED))
    n = task.digits.training
    images = found.train[:n], found.train_labels[:n]

    @cache
    def score(rate: float, width: float) -> float:
        each = each_probability(
            method(Training(task, width, images, TUNING_SEED), rate), found.train[n:]
        )
        p = np.asarray(each.mean(axis=0), float)
        return log_score(p, found.train_labels[n:]) if np.all(np.isfinite(p)) else np.inf

    rate = min(RATES, key=lambda rate: score(rate, FIRST_WIDTH))
    return rate, min(WIDTHS, key=lambda width: score(rate, width))


class Rows:
    """Rows of scores on disk; those that are there are not measured again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found = pd.read_csv(path).to_dict("records") if path.exists() else []

    def has(self, **key: Any) -> bool:
        """Whether a row with these values exists."""
        return any(all(row[k] == v for k, v in key.items()) for row in self.found)

    def add(self, **row: Any) -> None:
        """Append a row."""
        self.found.append(row)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(self.found).to_csv(self._path, index=False)
        print(row, flush=True)


def measure(
    rows: Rows, task: str, table: str, name: str, like: Method, method: Method, width: float = 0.0
) -> None:
    """All seeds of a method at the rate, and by default the width, tuned for ``like``."""
    for seed in SEEDS:
        if rows.has(task=task, table=table, method=name, wanted=width, seed=seed):
            continue
        rate, best = tuned(task, like)
        began, digits = time.process_time(), data(task, seed)
        own = Training(TASKS[task], width or best, (digits.train, digits.train_labels), seed)
        found = scored(method(own, rate), task, seed)
        seconds = time.process_time() - began
        key = dict(task=task, table=table, method=name, wanted=width, width=own.width)
        rows.add(**key, seed=seed, rate=rate, **found, seconds=seconds)


def burn_ins(rows: Rows, task: str) -> None:
    """The average after several lengths of burn-in, in the same runs."""
    table, method = "burn-in", METHODS[WIDE[1]]
    for seed in SEEDS:
        if rows.has(task=task, table=table, seed=seed):
            continue
        (rate, width), digits = tuned(task, method), data(task, seed)
        own = Training(TASKS[task], width, (digits.train, digits.train_labels), seed)
        kept = sampled(own, rate, burn_in=0.0, keep=2 * KEPT, method=INERTIA)
        each = each_probability(kept, digits.test)
        strange = each_probability(kept, unfamiliar(len(digits.test), seed))
        for share in (*BURN_IN, 1.0):
            first = min(int(share * 2 * KEPT), 2 * KEPT - 1)
            found = scores(each[first:], strange[first:], digits.test_labels)
            name = f"{share:.0%}" if share < 1 else "the last network"
            key = dict(task=task, table=table, method=name, wanted=0.0, width=width)
            rows.add(**key, seed=seed, rate=rate, **found, seconds=0.0)


def main() -> None:
    """Measure what is missing, then write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.sampling_gain", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the tables")
    if not parser.parse_args().page:
        rows = Rows(ROWS)
        for task in TASKS:
            for name, method in METHODS.items():
                measure(rows, task, "methods", name, method, method)
        burn_ins(rows, "mnist")
        for T in TEMPERATURES:
            like = METHODS[WIDE[2]]

            def at(own: Training, rate: float, T: float = T) -> Any:
                return sampled(own, rate, T, method=INERTIA)

            measure(rows, "mnist", "temperatures", f"`Underdamped`, T = {T:g}", like, at)
        for width in WIDTHS:
            for name in WIDE:
                measure(rows, "mnist", "widths", name, METHODS[name], METHODS[name], width)
        sampling_gain_page.store(ROWS)
    sampling_gain_page.write_page()


if __name__ == "__main__":
    main()
