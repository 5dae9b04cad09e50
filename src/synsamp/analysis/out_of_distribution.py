"""Out-of-distribution detection: uncertainty scores and the area under their ROC curve.

Out-of-distribution inputs should have a higher score than known ones. The area under the ROC curve
is the probability of that for a random pair (chance: 0.5).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from synsamp.analysis.calibration import class_probabilities
from synsamp.arguments import numbers
from synsamp.errors import refuse

Floats = NDArray[np.float64]


def entropy(probabilities: ArrayLike) -> Floats:
    """Entropy of each row of class probabilities, in nats: total uncertainty."""
    return np.asarray(special.entr(class_probabilities(probabilities)).sum(axis=1))


def disagreement(mean_probabilities: ArrayLike, mean_entropy: ArrayLike) -> Floats:
    """Entropy of the mean prediction minus the mean entropy of the samples, in nats.

    This mutual information between class and sample is large where samples are confident in
    different classes, and 0 where all agree, however uncertain.

    Parameters
    ----------
    mean_probabilities
        Class probabilities averaged over samples, shape (cases, classes).
    mean_entropy
        Entropy averaged over samples, shape (cases,).
    """
    of_mean = entropy(mean_probabilities)
    expected = numbers("mean_entropy", mean_entropy, shape=of_mean.shape, at_least=0)
    return np.maximum(of_mean - expected, 0.0)


def detection(known: ArrayLike, unknown: ArrayLike) -> float:
    """Area under the ROC curve; ties count half.

    Parameters
    ----------
    known, unknown
        Scores of in-distribution and out-of-distribution inputs.
    """
    a = numbers("known", known, shape=(None,))
    b = numbers("unknown", unknown, shape=(None,))
    if a.size == 0 or b.size == 0:
        raise refuse("known and unknown", "must hold at least one score each", (a.size, b.size))
    return float(stats.mannwhitneyu(b, a).statistic / (a.size * b.size))
