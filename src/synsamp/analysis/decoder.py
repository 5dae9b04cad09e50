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


def _block(k: int, block: object) -> tuple[Floats, Floats]:
    if not isinstance(block, (list, tuple)) or len(block) != 2:
        raise refuse(f"blocks[{k}]", "must be a pair (rates, classes)", type(block))
    rates = numbers(f"rates of block {k}", block[0], shape=(None, None))
    if len(rates) == 0:
        raise refuse(f"rates of block {k}", "must hold at least one trial", rates.shape)
    return rates, numbers(f"classes of block {k}", block[1], shape=(len(rates),))


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
    instance("blocks", blocks, (list, tuple), "give a list of pairs (rates, classes)")
    if len(blocks) < 2:
        raise refuse(
            "blocks", "must be at least two, one to test and the others to train", len(blocks)
        )
    checked = [_block(k, block) for k, block in enumerate(blocks)]
    if len({rates.shape[1] for rates, _ in checked}) > 1:
        shapes = [rates.shape for rates, _ in checked]
        raise refuse("blocks", "must all have the same features", shapes)
    correct = []
    for left_out, (rates, classes) in enumerate(checked):
        others = [block for i, block in enumerate(checked) if i != left_out]
        decoder = fit_decoder(
            np.concatenate([r for r, _ in others]), np.concatenate([c for _, c in others]), ridge
        )
        correct.append(float((decoder.predict(rates) == classes).mean()))
    return np.array(correct)
