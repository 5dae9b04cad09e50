"""Does sampling help? Averages over samples against Adam, ensembles and SGD, at equal gradients.

    make sampling-gain                             # everything; continues after a stop

Every method may compute as many gradients of minibatches and averages the class probabilities of as
many networks (Adam: of one). The prior of a weight is normal with the standard deviation ``width``
/ sqrt(inputs of its layer); Adam and the ensemble have it too, as weight decay. The learning rate
of each method, then the width, are those with the best log score on 1,000 further training images,
at a seed that is not scored. Rows go to ``runs/sampling_gain.csv``, and when all are there, to
``docs/data/sampling_gain.csv`` and the tables of ``docs/howto/sampling-gain.md``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

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
from synsamp.runs.storage.atomic import replacing
from tools import sampling_gain_page

ROWS = Path("runs") / "sampling_gain.csv"
RATES = (0.01, 0.03, 0.1, 0.3)
"""Learning rates of the mean loss; Adam's are a tenth."""
WIDTHS, FIRST_WIDTH = (2.0, 4.0, 8.0, 16.0), 4.0
BATCH, MEMBERS, TAU, CYCLES = 50, 5, 10.0, 10
SEEDS, TUNING_SEED, VALIDATION = range(sampling_gain_page.SEEDS), 10**6, 1000
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


TASKS = {"mnist": Task(DigitsToLearn(source="mnist", training=3000, test=1000), 30, 3000)}


def logits(w: Any, x: Any) -> Any:
    """A network with one hidden layer."""
    hidden = jax.nn.relu(x @ w["in"] + w["in_bias"])
    return hidden @ w["out"] + w["out_bias"]


@jax.jit
def each_probability(rows: Any, x: Any) -> Any:
    """Class probabilities of every network (leaves: network, …)."""
    return jax.lax.map(lambda w: jax.nn.softmax(logits(w, x)), rows)


class Training(NamedTuple):
    """A task with the width of its prior, training images and the seed of a run."""

    task: Task
    width: float
    images: Any
    seed: int


class Recipe(NamedTuple):
    """How a method moves the weights, and which networks of a run it keeps."""

    optimiser: Callable[..., optax.GradientTransformation]
    """Of rate, temperature, standard deviations, N, steps and key."""
    temperature: float = 1.0
    decays: bool = False
    """Whether the prior is a weight decay in the loss."""
    burn_in: float = 0.5
    kept: int = 30
    members: int = 1
    """Independent runs, which share the gradients."""


@partial(jax.jit, static_argnames=("recipe", "task", "steps"))
def _run(
    recipe: Recipe,
    task: Task,
    steps: int,
    w: Any,
    key: Any,
    x: Any,
    y: Any,
    rate: Any,
    T: Any,
    width: Any,
) -> Any:
    """The networks that one run keeps; rate, temperature and width are compiled once."""
    stds, skipped = task.stds(width), int(steps * recipe.burn_in)
    optimiser = recipe.optimiser(rate, T, stds, len(x), steps, key)

    def loss(w: Any, chosen: Any) -> Any:
        decay = sum(jnp.sum((w[k] / std) ** 2) for k, std in stds.items()) / (2 * len(x))
        fit = optax.softmax_cross_entropy_with_integer_labels(logits(w, x[chosen]), y[chosen])
        return fit.mean() + recipe.decays * decay

    def step(k: Any, carried: Any) -> Any:
        w, state = carried
        chosen = jax.random.randint(jax.random.fold_in(key, k), (BATCH,), 0, len(x))
        updates, state = optimiser.update(jax.grad(loss)(w, chosen), state, w)
        return optax.apply_updates(w, updates), state

    thin = (steps - skipped) // recipe.kept

    def keep(carried: Any, k: Any) -> Any:
        first = skipped + k * thin
        carried = jax.lax.fori_loop(first, first + thin, step, carried)
        return carried, carried[0]

    begun = jax.lax.fori_loop(0, skipped, step, (w, optimiser.init(w)))
    return jax.lax.scan(keep, begun, jnp.arange(recipe.kept))[1]


def networks(own: Training, recipe: Recipe, rate: float) -> Any:
    """The networks that a method averages (leaves: network, …)."""
    keys = jax.random.split(jax.random.key(own.seed), recipe.members)
    steps = own.task.steps // recipe.members
    found = [
        _run(
            recipe._replace(temperature=0.0),
            own.task,
            steps,
            own.task.start(key),
            key,
            *own.images,
            rate,
            recipe.temperature,
            own.width,
        )
        for key in keys
    ]
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *found)


def _adam(rate: Any, T: Any, stds: Any, n: int, steps: int, key: Any) -> Any:
    return optax.adam(optax.cosine_decay_schedule(0.1 * rate, steps))


def _rule(method: Any = ss.Overdamped()) -> Any:  # noqa: B008 (frozen)
    def build(rate: Any, T: Any, stds: Any, n: int, steps: int, key: Any) -> Any:
        return sj.sampling(
            learning_rate=rate,
            temperature=T,
            prior=_prior(stds),
            data_size=n,
            method=method,
            key=key,
        )

    return build


def _prior(stds: Any) -> Any:
    """Normal priors; standard deviations may be traced."""
    return {k: sj.LogPrior(partial(_log_normal, std)) for k, std in stds.items()}


def _log_normal(std: Any, w: Any) -> Any:
    return -0.5 * jnp.sum((w / std) ** 2)


def _cyclical(rate: Any, T: Any, stds: Any, n: int, steps: int, key: Any) -> Any:
    cycles = sj.cyclical(1.0, steps // CYCLES)
    return sj.sampling(
        speed=lambda k: cycles.speed(k) * rate / n,
        temperature=cycles.temperature,
        prior=_prior(stds),
        data_size=n,
        key=key,
    )


INERTIA, OVERDAMPED = _rule(ss.Underdamped(TAU)), _rule()
METHODS = {
    "Adam": Recipe(_adam, decays=True, burn_in=0.0, kept=1),
    f"ensemble of {MEMBERS}": Recipe(_adam, decays=True, burn_in=0.0, kept=1, members=MEMBERS),
    "`Underdamped` (SGHMC), T = 1": Recipe(INERTIA),
    "`Underdamped`, T = 0.01": Recipe(INERTIA, 0.01),
    "`cyclical`, T = 1": Recipe(_cyclical, burn_in=0.0, kept=CYCLES),
    "`Thermostat` (SGNHT), T = 1": Recipe(_rule(sj.Thermostat(TAU))),
    "`Overdamped`, T = 1": Recipe(OVERDAMPED),
    "average along SGD": Recipe(OVERDAMPED, 0.0),
}
WARM = "`Underdamped` (SGHMC), T = 1"


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


class Rows:
    """Rows of scores on disk; those that are there are not measured again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: list[dict[Any, Any]] = []
        if path.exists():
            self._found = pd.read_csv(path).to_dict("records")

    def find(self, **key: Any) -> dict[Any, Any] | None:
        """The first row with these values."""
        same = (row for row in self._found if all(row[k] == v for k, v in key.items()))
        return next(same, None)

    def add(self, **row: Any) -> None:
        """Append a row."""
        self._found.append(row)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self._path) as file:
            file.write(pd.DataFrame(self._found).to_csv(index=False).encode())
        print(row, flush=True)


@cache
def further_images(name: str) -> LabelledDigits:
    """Training images of the seed that is not scored; the last 1,000 judge rate and width."""
    digits = TASKS[name].digits
    wanted = digits.model_copy(update={"training": digits.training + VALIDATION})
    return sample_digits(wanted, np.random.SeedSequence(TUNING_SEED))


def tuned(rows: Rows, name: str, method: str) -> tuple[float, float]:
    """Learning rate and width of the prior with the best log score on further images."""
    task, found = TASKS[name], further_images(name)
    n = task.digits.training
    images = found.train[:n], found.train_labels[:n]

    def score(rate: float, width: float) -> float:
        key = dict(task=name, table="tuning", method=method, rate=rate, width=width)
        known = rows.find(**key)
        if known is None:
            own = Training(task, width, images, TUNING_SEED)
            kept = networks(own, METHODS[method], rate)
            p = np.asarray(each_probability(kept, found.train[n:]).mean(axis=0), float)
            value = log_score(p, found.train_labels[n:]) if np.all(np.isfinite(p)) else np.inf
            known = {"log score": value}
            rows.add(**key, **known)
        return float(known["log score"])

    rate = min(RATES, key=lambda rate: score(rate, FIRST_WIDTH))
    return rate, min(WIDTHS, key=lambda width: score(rate, width))


def measure(rows: Rows, task: str, name: str) -> None:
    """All seeds of a method at its tuned rate and width."""
    recipe, table = METHODS[name], "methods"
    for seed in SEEDS:
        if rows.find(task=task, table=table, method=name, seed=seed):
            continue
        rate, width = tuned(rows, task, name)
        began, digits = time.process_time(), data(task, seed)
        own = Training(TASKS[task], width, (digits.train, digits.train_labels), seed)
        found = scored(networks(own, recipe, rate), task, seed)
        seconds = time.process_time() - began
        key = dict(task=task, table=table, method=name, width=width, seed=seed, rate=rate)
        rows.add(**key, **found, seconds=seconds)


def burn_ins(rows: Rows, task: str) -> None:
    """The average after several lengths of burn-in, in the same runs."""
    table, recipe, last = "burn-in", METHODS[WARM], "the last network"
    for seed in SEEDS:
        if rows.find(task=task, table=table, method=last, seed=seed):
            continue
        (rate, width), digits = tuned(rows, task, WARM), data(task, seed)
        own = Training(TASKS[task], width, (digits.train, digits.train_labels), seed)
        kept = networks(own, recipe._replace(burn_in=0.0, kept=60), rate)
        each = each_probability(kept, digits.test)
        strange = each_probability(kept, unfamiliar(len(digits.test), seed))
        for share in (*BURN_IN, 1.0):
            first = min(int(share * 60), 59)
            found = scores(each[first:], strange[first:], digits.test_labels)
            name = f"{share:.0%}" if share < 1 else last
            key = dict(task=task, table=table, method=name, width=width, seed=seed, rate=rate)
            rows.add(**key, **found, seconds=0.0)


def main() -> None:
    """Measure what is missing, then write the page."""
    rows = Rows(ROWS)
    for task in TASKS:
        for name in METHODS:
            measure(rows, task, name)
    burn_ins(rows, "mnist")
    sampling_gain_page.store(ROWS)
    sampling_gain_page.write_page()


if __name__ == "__main__":
    main()
