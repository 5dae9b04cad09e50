"""A linear readout: how well can what was heard be told from the rates of some neurons?

Logistic regression with a small ridge on standardised rates, fitted by Newton's method. Trials come
in blocks that share no noise; each block is told by a readout that was fitted on the others, so no
trial is ever judged by a readout that has seen it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import refuse

RIDGE = 1.0
"""Weight of Σ a²/2 beside the log-likelihood; of the order of one trial among hundreds."""
_LARGEST_STEP = 1e-8
_MOST_STEPS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Readout:
    """Says class 1 where a·(x − mean)/scale + bias > 0."""

    mean: Floats
    scale: Floats
    a: Floats
    bias: float

    def says(self, rates: ArrayLike) -> NDArray[np.int64]:
        """Tell the class of each trial [trial, feature]."""
        x = (np.asarray(rates, float) - self.mean) / self.scale
        return (x @ self.a + self.bias > 0).astype(np.int64)


def fit_readout(rates: ArrayLike, classes: ArrayLike, ridge: float = RIDGE) -> Readout:
    """Fit a readout to trials [trial, feature] and their classes 0 and 1."""
    x, y = np.asarray(rates, float), np.asarray(classes, float)
    if x.ndim != 2 or y.shape != (len(x),):
        raise refuse("rates", "must have shape [trial, feature], one class each", x.shape)
    if set(np.unique(y)) != {0.0, 1.0}:
        raise refuse("classes", "must hold both 0 and 1", np.unique(y).tolist())
    if not ridge > 0:
        raise refuse("ridge", "must be > 0", ridge)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)  # a silent neuron says nothing
    z = np.column_stack([(x - mean) / scale, np.ones(len(x))])
    penalty = np.full(z.shape[1], ridge)
    penalty[-1] = 1e-6  # the bias is free, but for what keeps the equations regular
    weights = np.zeros(z.shape[1])
    for _ in range(_MOST_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(z @ weights, -500, 500)))
        gradient = z.T @ (p - y) + penalty * weights
        curvature = (z.T * (p * (1.0 - p))) @ z + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < _LARGEST_STEP:
            break
    return Readout(mean, scale, weights[:-1], float(weights[-1]))


def blockwise_accuracy(
    blocks: Sequence[tuple[ArrayLike, ArrayLike]], ridge: float = RIDGE
) -> Floats:
    """Share of trials told rightly in each block (rates, classes), by a readout of the others."""
    if len(blocks) < 2:
        raise refuse("blocks", "must be at least two: one is tested, others train", len(blocks))
    told = []
    for left_out, (rates, classes) in enumerate(blocks):
        others = [block for i, block in enumerate(blocks) if i != left_out]
        readout = fit_readout(
            np.concatenate([np.asarray(r, float) for r, _ in others]),
            np.concatenate([np.asarray(c) for _, c in others]),
            ridge,
        )
        told.append(float((readout.says(rates) == np.asarray(classes)).mean()))
    return np.array(told)
