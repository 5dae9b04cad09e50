"""Does sampling help? Averages over samples against Adam, ensembles and SGD, at equal gradients.

    python -m tools.sampling_gain --quick          # ones and twos, 2 seeds, under a minute
    python -m tools.sampling_gain                  # MNIST, 8 seeds (`synsamp data fetch mnist`)
    python -m tools.sampling_gain --prior-std 2    # another prior

Every method may compute as many gradients of minibatches and keeps as many networks, whose class
probabilities are averaged. The learning rate of each method is the one of three with the best log
score on held-out training images, at a seed that is not scored. The prior of a weight is normal
with the standard deviation ``prior-std`` / sqrt(inputs of its layer); Adam, SGD and the ensemble
have it too, as weight decay. Prints means with 95 % intervals over seeds and writes every seed to
``runs/sampling_gain.csv``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd
from scipy import stats

import synsamp as ss
import synsamp.jax as sj
from benchmarks import markdown_table
from synsamp.analysis.calibration import accuracy, log_score, reliability
from synsamp.analysis.out_of_distribution import detection, entropy
from synsamp.beyond.ensemble_mnist.out_of_distribution import letters
from synsamp.beyond.shared.labelled_digits import DigitsToLearn, LabelledDigits, sample_digits

SIZES = {
    "quick": dict(source="embedded", training=300, test=500, hidden=30, steps=600, kept=10),
    "full": dict(source="mnist", training=3000, test=5000, hidden=100, steps=30_000, kept=30),
}
RATES = (0.01, 0.03, 0.1)
BATCH, MEMBERS, TUNING_SEED = 50, 5, 10**6


def logits(w: Any, x: Any) -> Any:
    """A network with one hidden layer."""
    hidden = jax.nn.relu(x @ w["in"] + w["in_bias"])
    return hidden @ w["out"] + w["out_bias"]


def log_likelihood(w: Any, x: Any, y: Any) -> Any:
    """The mean over a minibatch."""
    return -optax.softmax_cross_entropy_with_integer_labels(logits(w, x), y).mean()


class Problem:
    """Data of one seed, and a network to start from."""

    def __init__(self, size: dict[str, Any], prior_std: float, seed: int) -> None:
        self.size, self.seed = size, seed
        wanted = DigitsToLearn(**{k: size[k] for k in ("source", "training", "test")})
        self.digits: LabelledDigits = sample_digits(wanted, np.random.SeedSequence(seed))
        shapes = {"in": (784, size["hidden"]), "out": (size["hidden"], wanted.classes)}
        self.stds = {name: prior_std / shape[0] ** 0.5 for name, shape in shapes.items()}
        self.stds |= {"in_bias": prior_std, "out_bias": prior_std}
        self.shapes: dict[str, tuple[int, ...]] = {
            **shapes,
            "in_bias": (size["hidden"],),
            "out_bias": (wanted.classes,),
        }

    def start(self, key: Any) -> Any:
        """Random weights that preserve variances."""
        keys = jax.random.split(key, len(self.shapes))
        return {
            name: jax.random.normal(k, shape) * (2.0 / shape[0]) ** 0.5 * (len(shape) > 1)
            for k, (name, shape) in zip(keys, self.shapes.items(), strict=True)
        }

    def probabilities(self, rows: Any, x: Any) -> Any:
        """Class probabilities, averaged over kept networks (leaves: network, …)."""
        each = jax.lax.map(lambda w: jax.nn.softmax(logits(w, x)), rows)
        return np.asarray(each.mean(axis=0), float)


def sampled(
    problem: Problem, train: Any, rate: float, temperature: Any = 1.0, **settings: Any
) -> Any:
    """Networks along one run of the rule; the second half of the run is kept."""
    size, n = problem.size, len(train[0])
    prior = {name: ss.Gaussian(0.0, std) for name, std in problem.stds.items()}
    given = dict(speed=rate / n, temperature=temperature, data_size=n) | settings
    half = size["steps"] // 2
    draws = sj.run(
        sj.sampler(log_likelihood, prior=prior, **given),
        problem.start,
        steps=half,
        burn_in=half,
        thin=half // size["kept"],
        data=train,
        batch_size=BATCH,
        key=problem.seed,
        diagnostics=False,
        progress=False,
    )
    return jax.tree.map(lambda x: x[0], draws.tree())


def cyclical(problem: Problem, train: Any, rate: float) -> Any:
    """The last network of each cycle."""
    cycles = sj.cyclical(4 * rate / len(train[0]), problem.size["steps"] // problem.size["kept"])
    return sampled(problem, train, rate, cycles.temperature, speed=cycles.speed)


def trained(problem: Problem, train: Any, optimiser: Any, steps: int, key: Any) -> Any:
    """The network at the end of a run of an optimiser, with the prior as weight decay."""
    x, y = map(jnp.asarray, train)

    def loss(w: Any, chosen: Any) -> Any:
        decay = sum(jnp.sum((w[k] / std) ** 2) for k, std in problem.stds.items()) / 2
        return decay / len(x) - log_likelihood(w, x[chosen], y[chosen])

    def step(k: Any, carried: Any) -> Any:
        w, state = carried
        chosen = jax.random.randint(jax.random.fold_in(key, k), (BATCH,), 0, len(x))
        updates, state = optimiser.update(jax.grad(loss)(w, chosen), state, w)
        return optax.apply_updates(w, updates), state

    w = problem.start(key)
    run = jax.jit(lambda w, state: jax.lax.fori_loop(0, steps, step, (w, state))[0])
    return run(w, optimiser.init(w))


def adam(problem: Problem, train: Any, rate: float, members: int = 1) -> Any:
    """Independent networks that share the gradients."""
    keys = jax.random.split(jax.random.key(problem.seed), members)
    steps = problem.size["steps"] // members
    optimiser = optax.adam(optax.cosine_decay_schedule(rate / 10, steps))
    found = [trained(problem, train, optimiser, steps, key) for key in keys]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)


METHODS: dict[str, Callable[[Problem, Any, float], Any]] = {
    "Adam": adam,
    f"ensemble of {MEMBERS}": lambda p, t, r: adam(p, t, r, MEMBERS),
    "average along SGD": lambda p, t, r: sampled(p, t, r, 0.0),
    "Overdamped, T = 1": sampled,
    "Underdamped (SGHMC), T = 1": lambda p, t, r: sampled(p, t, r, method=ss.Underdamped(10.0)),
    "Underdamped, T = 0.01": lambda p, t, r: sampled(p, t, r, 0.01, method=ss.Underdamped(10.0)),
    "Thermostat (SGNHT), T = 1": lambda p, t, r: sampled(p, t, r, method=sj.Thermostat(10.0)),
    "cyclical, T = 1": cyclical,
}


def scores(problem: Problem, rows: Any) -> dict[str, float]:
    """Accuracy, log score, calibration error and detection of letters."""
    digits, rng = problem.digits, np.random.default_rng(problem.seed)
    p = problem.probabilities(rows, digits.test)
    strange = problem.probabilities(rows, letters(len(digits.test), rng))
    return {
        "accuracy": accuracy(p, digits.test_labels),
        "log score": log_score(p, digits.test_labels),
        "calibration error": reliability(p, digits.test_labels).error,
        "letters: AUC": detection(entropy(p), entropy(strange)),
    }


def tuned_rate(method: Any, size: dict[str, Any], prior_std: float) -> float:
    """The learning rate with the best log score on a fifth of the training images."""
    problem = Problem(size, prior_std, TUNING_SEED)
    x, y = problem.digits.train, problem.digits.train_labels
    cut = len(x) * 4 // 5

    def score(rate: float) -> float:
        rows = method(problem, (x[:cut], y[:cut]), rate)
        found = problem.probabilities(rows, x[cut:])
        return log_score(found, y[cut:]) if np.all(np.isfinite(found)) else np.inf

    return min(RATES, key=score)


def main() -> None:
    """Tune, run, print, store."""
    parser = argparse.ArgumentParser(prog="python -m tools.sampling_gain", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=None)
    parser.add_argument("--prior-std", type=float, default=1.5)
    options = parser.parse_args()
    size = SIZES["quick" if options.quick else "full"]
    rows = []
    for name, method in METHODS.items():
        rate = 0.03 if options.quick else tuned_rate(method, size, options.prior_std)
        for seed in range(options.seeds or (2 if options.quick else 8)):
            problem = Problem(size, options.prior_std, seed)
            train = problem.digits.train, problem.digits.train_labels
            found = scores(problem, method(problem, train, rate))
            rows.append({"method": name, "rate": rate, "seed": seed, **found})
    table = pd.DataFrame(rows)
    out = Path("runs") / "sampling_gain.csv"
    out.parent.mkdir(exist_ok=True)
    table.to_csv(out, index=False)
    print(
        markdown_table([_summary(str(n), part) for n, part in table.groupby("method", sort=False)])
    )


def _summary(name: str, part: pd.DataFrame) -> dict[str, Any]:
    """Means with 95 % intervals over seeds."""
    n = len(part)
    row: dict[str, Any] = {"method": name, "rate": float(part["rate"].iloc[0])}
    for column in ("accuracy", "log score", "calibration error", "letters: AUC"):
        half = part[column].std(ddof=1) / n**0.5 * stats.t.ppf(0.975, n - 1)
        row[column] = f"{part[column].mean():.4f} ± {half:.4f}"
    return row


if __name__ == "__main__":
    main()
