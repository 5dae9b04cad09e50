"""Intervals for means over independent repetitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from synsamp.errors import refuse


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Student's interval of the mean; of equal values it has no width."""
    row = np.asarray(values, float).ravel()
    if row.size < 2:
        raise refuse("values", "must be at least two", row.size, "use more seeds")
    if not 0 < confidence < 1:
        raise refuse("confidence", "must lie between 0 and 1", confidence)
    error = row.std(ddof=1) / np.sqrt(row.size)
    half = float(stats.t.ppf(0.5 + confidence / 2, row.size - 1) * error)
    return float(row.mean()) - half, float(row.mean()) + half
