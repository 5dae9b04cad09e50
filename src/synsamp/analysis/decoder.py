"""A linear decoder with cross-validation: logistic regression on firing rates.

Rates are standardised and the weights have a small ridge penalty; Newton's method finds the
maximum. Trials come in blocks that share no noise. A decoder trained on the other blocks classifies
each block, so no trial is classified by a decoder that was trained on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, number, numbers
from synsamp.errors import refuse

RIDGE = 1.0
"""Weight of the penalty Σ a²/2 relative to the log-likelihood of one trial."""
NO_TRIAL = -1
"""Class in place of trials that a block does not have."""
_LARGEST_STEP = 1e-8
_MOST_STEPS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Decoder:
    """Predicts class 1 where a·(x − mean)/scale + bias > 0; arrays have shape (features,)."""

    mean: Floats
    scale: Floats
    a: Floats
    bias: float

    def predict(self, rates: ArrayLike) -> NDArray[np.int64]:
        """Predict the class (0 or 1) of each trial; ``rates`` has shape (trials, features)."""
        x = (numbers("rates", rates, shape=(None, self.a.size)) - self.mean) / self.scale
        return (x @ self.a + self.bias > 0).astype(np.int64)


def fit_decoder(rates: ArrayLike, classes: ArrayLike, ridge: float = RIDGE) -> Decoder:
    """Train a decoder.

    Parameters
    ----------
    rates
        Shape (trials, features).
    classes
        0 or 1, shape (trials,).
    ridge
        Weight of the penalty on standardised weights.
    """
    x = numbers("rates", rates, shape=(None, None))
    y = numbers("classes", classes, shape=(len(x),))
    if set(np.unique(y)) != {0.0, 1.0}:
        raise refuse("classes", "must hold both 0 and 1", np.unique(y).tolist())
    ridge = number("ridge", ridge, above=0, at_most=1e12)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)  # a silent neuron carries no information
    z = np.column_stack([(x - mean) / scale, np.ones(len(x))])
    penalty = np.full(z.shape[1], ridge)
    penalty[-1] = 1e-6  # nearly free; keeps the equations regular
    weights = np.zeros(z.shape[1])
    for _ in range(_MOST_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(z @ weights, -500, 500)))
        gradient = z.T @ (p - y) + penalty * weights
        curvature = (z.T * (p * (1.0 - p))) @ z + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < _LARGEST_STEP:
            break
    return Decoder(mean, scale, weights[:-1], float(weights[-1]))


def cross_validated_accuracy(
    blocks: Sequence[tuple[ArrayLike, ArrayLike]], ridge: float = RIDGE
) -> Floats:
    """Fraction of correct trials in each block, with a decoder trained on the others.

    Parameters
    ----------
    blocks
        Pairs (rates, classes) with the shapes of `fit_decoder`, at least two.
    ridge
        Weight of the penalty on standardised weights.

    Returns
    -------
    ndarray
        Accuracy, shape (blocks,).
    """
    return accuracy_by_block(fit_on_other_blocks(blocks, ridge), blocks)


def fit_on_other_blocks(
    blocks: Sequence[tuple[ArrayLike, ArrayLike]], ridge: float = RIDGE
) -> list[Decoder]:
    """Train one decoder for each block, on all other blocks; arguments as above."""
    checked = _blocks(blocks)
    decoders = []
    for left_out in range(len(checked)):
        others = [block for i, block in enumerate(checked) if i != left_out]
        x, y = (np.concatenate(each) for each in zip(*others, strict=True))
        decoders.append(fit_decoder(x, y, ridge))
    return decoders


def accuracy_by_block(
    decoders: Sequence[Decoder], blocks: Sequence[tuple[ArrayLike, ArrayLike]]
) -> Floats:
    """Fraction of correct trials in each block, each classified by its own decoder.

    Blocks of two recordings may share noise block by block, for example just before and just after
    a lesion. A decoder that was trained without its block in one recording then stays independent
    of that block in the other.
    """
    tested = zip(decoders, _blocks(blocks), strict=True)
    return np.array([float((d.predict(rates) == classes).mean()) for d, (rates, classes) in tested])


def _blocks(blocks: object) -> list[tuple[Floats, Floats]]:
    given = instance("blocks", blocks, (list, tuple), "give a list of pairs (rates, classes)")
    if len(given) < 2:
        raise refuse(
            "blocks", "must be at least two, one to test and the others to train", len(given)
        )
    checked = [_block(k, block) for k, block in enumerate(given)]
    if len({rates.shape[1] for rates, _ in checked}) > 1:
        shapes = [rates.shape for rates, _ in checked]
        raise refuse("blocks", "must all have the same features", shapes)
    return checked


def _block(k: int, block: object) -> tuple[Floats, Floats]:
    if not isinstance(block, (list, tuple)) or len(block) != 2:
        raise refuse(f"blocks[{k}]", "must be a pair (rates, classes)", type(block))
    rates = numbers(f"rates of block {k}", block[0], shape=(None, None))
    if len(rates) == 0:
        raise refuse(f"rates of block {k}", "must hold at least one trial", rates.shape)
    return rates, numbers(f"classes of block {k}", block[1], shape=(len(rates),))


# -- blocks of unequal length in one array --------------------


def padded_blocks(
    counts: Sequence[NDArray[np.float64]], classes: Sequence[NDArray[np.int64]], most: int
) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
    """Blocks of unequal length as arrays: counts [block, trial, ...] and classes [block, trial].

    Parameters
    ----------
    counts
        Spike counts of each block, shape (trials, ...).
    classes
        Class of each trial, shape (trials,), for each block.
    most
        Trials per block in the result; missing ones have class `NO_TRIAL`.
    """
    table = np.zeros((len(counts), most, *counts[0].shape[1:]), np.uint16)
    names = np.full((len(counts), most), NO_TRIAL, np.int8)
    for block, (one, of_block) in enumerate(zip(counts, classes, strict=True)):
        table[block, : len(of_block)] = np.minimum(one, np.iinfo(np.uint16).max)
        names[block, : len(of_block)] = of_block
    return table, names


def blocks_of(
    table: NDArray[np.uint16], names: NDArray[np.int8]
) -> tuple[list[NDArray[np.uint16]], list[NDArray[np.int8]]]:
    """Counts and classes of each block: the inverse of `padded_blocks`."""
    used = [np.asarray(row) != NO_TRIAL for row in names]
    return (
        [np.asarray(c)[u] for c, u in zip(table, used, strict=True)],
        [np.asarray(n)[u] for n, u in zip(names, used, strict=True)],
    )


def shuffled(classes: Sequence[ArrayLike], rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Classes of each block in random order: decoding them gives chance level."""
    return [rng.permutation(np.asarray(row)) for row in classes]
