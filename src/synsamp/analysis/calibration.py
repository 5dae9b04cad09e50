"""Calibration of predicted probabilities: accuracy, log score and reliability.

A classifier is calibrated if 80 % of the cases to which it assigns 80 % are correct. Predictions
are class probabilities, shape (cases, classes); labels are whole numbers, shape (cases,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import numbers, whole, wholes
from synsamp.errors import refuse

Floats = NDArray[np.float64]

_LEAST = 1e-12
"""Lower bound of a probability in the log score, so that one confident error stays finite."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Cases in equal bins of the probability of the predicted class."""

    edges: Floats
    cases: NDArray[np.int64]
    confidence: Floats
    """Mean probability of the predicted class in each bin; NaN if empty."""
    accuracy: Floats
    """Fraction of correct predictions in each bin; NaN if empty."""

    @property
    def error(self) -> float:
        """Expected calibration error: mean absolute gap, weighted by cases (Guo et al. 2017)."""
        gap = np.abs(self.confidence - self.accuracy)
        return float(np.nansum(gap * self.cases) / self.cases.sum())


def reliability(probabilities: ArrayLike, labels: ArrayLike, bins: int = 15) -> Reliability:
    """Reliability diagram; ``.error`` is the expected calibration error (ECE).

    Parameters
    ----------
    probabilities
        Shape (cases, classes), rows sum to 1.
    labels
        Correct classes, shape (cases,).
    bins
        Number of bins of equal width.
    """
    p, y = _checked(probabilities, labels)
    bins = whole("bins", bins, at_least=1, at_most=10_000)
    sure, right = p.max(axis=1), p.argmax(axis=1) == y
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = np.clip(np.digitize(sure, edges, right=True) - 1, 0, bins - 1)
    cases = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):
        confidence = np.bincount(place, sure, bins) / cases
        accuracy = np.bincount(place, right, bins) / cases
    return Reliability(edges, cases, confidence, accuracy)


def accuracy(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Fraction of cases whose most probable class is correct."""
    p, y = _checked(probabilities, labels)
    return float(np.mean(p.argmax(axis=1) == y))


def log_score(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Mean negative log probability of the correct class, in nats; lower is better."""
    p, y = _checked(probabilities, labels)
    return float(-np.mean(np.log(np.maximum(p[np.arange(len(y)), y], _LEAST))))


def _checked(probabilities: ArrayLike, labels: ArrayLike) -> tuple[Floats, NDArray[np.int64]]:
    p = class_probabilities(probabilities)
    y = wholes("labels", labels, shape=(len(p),), at_least=0, at_most=p.shape[1] - 1)
    return p, y


def class_probabilities(probabilities: ArrayLike) -> Floats:
    """Check that every row is a probability distribution; return an array."""
    p = numbers("probabilities", probabilities, shape=(None, None), at_least=0)
    if p.size == 0:
        raise refuse("probabilities", "must hold at least one case", p.shape)
    off = np.abs(p.sum(axis=1) - 1.0)
    if off.max() > 1e-3:  # single precision, and averages of it, stay well below
        worst = float(p.sum(axis=1)[off.argmax()])
        raise refuse("probabilities", "must add up to 1 in each row", worst, "apply a softmax")
    return p
