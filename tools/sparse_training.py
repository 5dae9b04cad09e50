"""Accuracy of a network with 1 % of its connections in a short run.

    python -m tools.sparse_training        # MNIST must be there: `synsamp data fetch mnist`

A network 784–300–100–10 learns 10,000 images in 6,000 steps of 10 images: as many as in a tenth of
the runs of `rewiring_mnist`. Every way has the same connections per layer and, apart from dense
training, the same learning rate; `HardRewiring` has the values of DEEP R's scripts, or those of
`HardRewiring.for_run`. Writes docs/data/sparse_training.csv and the table in
docs/paper/deep-experiments.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd

import synsamp as ss
import synsamp.jax as sj
from synsamp.beyond.shared.labelled_digits import DigitsToLearn, sample_digits
from synsamp.runs.storage.atomic import replacing
from tools import sparse_training_page

SHAPES = ((784, 300), (300, 100), (100, 10))
CONNECTIONS = (1882, 600, 200)
RATE, DENSE_RATE, STEPS, BATCH, SEEDS = 0.5, 0.2, 6000, 10, 3
COST, NOISE = 1e-5, 1e-5
"""Of DEEP R's scripts; T = b noise²/2."""


def logits(w: Any, x: Any) -> Any:
    """A network with two hidden layers."""
    for layer in w[:-1]:
        x = jax.nn.relu(x @ layer)
    return x @ w[-1]


def log_likelihood(w: Any, x: Any, y: Any) -> Any:
    """The mean over a minibatch."""
    return -optax.softmax_cross_entropy_with_integer_labels(logits(w, x), y).mean()


def for_run(shape: tuple[int, int], k: int) -> sj.HardRewiring:
    """Cost and temperature by the length of the run."""
    return sj.HardRewiring.for_run(shape, k, speed=RATE, steps=STEPS)


def cold(shape: tuple[int, int], k: int) -> sj.HardRewiring:
    """Cost and temperature for long runs."""
    return sj.HardRewiring(shape, k, COST, temperature=RATE * NOISE**2 / 2)


WAYS: dict[str, Callable[..., Any]] = {
    "`HardRewiring.for_run`": for_run,
    "`HardRewiring`, values of DEEP R's scripts": cold,
    "RigL": lambda shape, k: sj.MagnitudeRewiring(shape, k, grow="gradient", every=100),
    "SET": lambda shape, k: sj.MagnitudeRewiring(shape, k, every=100),
    "fixed": lambda shape, k: sj.MagnitudeRewiring(shape, k, every=10 * STEPS),
}


def accuracy(draws: Any, images: Any, labels: Any) -> float:
    """Of the last network."""
    found = logits(draws[0, -1], jnp.asarray(images)).argmax(axis=1)
    return float(np.mean(np.asarray(found) == labels))


def trained(make: Callable[..., Any] | None) -> list[float]:
    """Test accuracy of each seed; without ``make`` of dense training."""
    layers = [make(*own) for own in zip(SHAPES, CONNECTIONS, strict=True)] if make else []
    schedule = optax.cosine_decay_schedule(RATE if layers else DENSE_RATE, STEPS, 0.1)
    is_hard = bool(layers) and isinstance(layers[0], sj.HardRewiring)
    sampler = sj.sampler(
        log_likelihood,
        speed=schedule,
        prior=[own.prior for own in layers] if is_hard else ss.Flat(),
        temperature=[own.temperature for own in layers] if is_hard else 0.0,
    )
    found = []
    for seed in range(SEEDS):
        digits = sample_digits(DigitsToLearn(training=10_000), np.random.SeedSequence(seed))
        keys = jax.random.split(jax.random.key(seed), len(SHAPES))
        if layers:
            start = [own.wired(key) for own, key in zip(layers, keys, strict=True)]
        else:
            start = [
                jax.random.normal(key, shape) * (2.0 / shape[0]) ** 0.5
                for shape, key in zip(SHAPES, keys, strict=True)
            ]
        draws = sj.run(
            sampler,
            start,
            steps=STEPS,
            thin=STEPS,
            data=(digits.train, digits.train_labels),
            batch_size=BATCH,
            key=seed,
            diagnostics=False,
            progress=False,
        )
        found.append(accuracy(draws, digits.test, digits.test_labels))
    return found


def main() -> None:
    """Measure, store and write."""
    rows: list[dict[str, str | int | float]] = []
    for way, make in {"all connections (SGD)": None, **WAYS}.items():
        found = trained(make)
        print(way, found, flush=True)
        rows += [{"way": way, "seed": k, "accuracy": value} for k, value in enumerate(found)]
    with replacing(sparse_training_page.DATA) as file:
        file.write(pd.DataFrame(rows).to_csv(index=False).encode())
    sparse_training_page.write_page()


if __name__ == "__main__":
    main()
