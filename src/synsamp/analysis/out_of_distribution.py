"""Does a classifier notice inputs that are of no class it knows?

A score tells how uncertain it is about an input; foreign inputs should score higher than known
ones. How well the score tells them apart is the area under the ROC curve: the chance that a foreign
input scores above a known one (0.5: not at all).
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
    """Entropy of each row of class probabilities, in nats: uncertainty of any kind."""
    return np.asarray(special.entr(class_probabilities(probabilities)).sum(axis=1))


def disagreement(mean_probabilities: ArrayLike, mean_entropy: ArrayLike) -> Floats:
    """Entropy of the samples' mean less the mean of their entropies, in nats.

    This is the information that the class has about which sample is right: large where samples are
    sure of different things, 0 where all say the same, however unsure.
    """
    of_mean = entropy(mean_probabilities)
    expected = numbers("mean_entropy", mean_entropy, shape=of_mean.shape, at_least=0)
    return np.maximum(of_mean - expected, 0.0)


def detection(known: ArrayLike, foreign: ArrayLike) -> float:
    """Area under the ROC curve of scores; ties count half."""
    a = numbers("known", known, shape=(None,))
    b = numbers("foreign", foreign, shape=(None,))
    if a.size == 0 or b.size == 0:
        raise refuse("known and foreign", "must hold at least one score each", (a.size, b.size))
    return float(stats.mannwhitneyu(b, a).statistic / (a.size * b.size))
