"""What a few trials say about all: means and shares with their 95 % intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # its statistics take half a second to load, in every worker

from synsamp.arguments import flags, number, numbers, whole
from synsamp.errors import refuse


class Interval(NamedTuple):
    """An estimate and the ends of its interval."""

    value: float
    low: float
    high: float

    def text(self, digits: int = 1) -> str:
        """As ``93.1 (95 % interval 88.2 to 98.0)``."""
        value, low, high = (f"{v:.{digits}f}".replace("-", "−") for v in self)
        return f"{value} (95 % interval {low} to {high})"


def mean_interval(values: ArrayLike) -> Interval:
    """Mean over independent trials with Student's t interval; one trial has an endless one.

    A trial without a finite value leaves the mean NaN and the interval endless.
    """
    array = numbers("values", values, finite=False)
    if array.ndim != 1 or array.size == 0:
        raise refuse("values", "must be one number per trial", array.shape)
    if not np.isfinite(array).all():
        return Interval(np.nan, -np.inf, np.inf)
    if array.size == 1:
        return Interval(float(array[0]), -np.inf, np.inf)
    if np.ptp(array) == 0:  # its mean is the value itself, not what a sum rounds to
        return Interval(*[float(array[0])] * 3)
    mean = float(array.mean())
    half = special.stdtrit(array.size - 1, 0.975) * array.std(ddof=1) / np.sqrt(array.size)
    return Interval(mean, mean - float(half), mean + float(half))


def ratio_interval(parts: ArrayLike, wholes: ArrayLike) -> Interval:
    """Mean of the parts over mean of the wholes, one pair per trial, with Student's t interval.

    The interval is that of the linearised ratio, (part − ratio · whole) / mean whole. Without
    finite numbers, or with a mean whole of 0, the ratio is NaN and its interval endless.
    """
    a, b = numbers("parts", parts, finite=False), numbers("wholes", wholes, finite=False)
    if a.ndim != 1 or a.size == 0 or a.shape != b.shape:
        raise refuse("parts, wholes", "must be one pair of numbers per trial", (a.shape, b.shape))
    mean = float(b.mean())
    if mean == 0 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return Interval(np.nan, -np.inf, np.inf)
    ratio = float(a.mean()) / mean
    error = mean_interval((a - ratio * b) / mean)
    return Interval(ratio, ratio + error.low, ratio + error.high)


def share_interval(hits: ArrayLike) -> Interval:
    """Share of trials in which something is true, with Wilson's interval."""
    array = flags("hits", hits)
    if array.ndim != 1 or array.size == 0:
        raise refuse("hits", "must be one yes or no per trial", array.shape)
    return wilson_interval(float(array.mean()), array.size)


def wilson_interval(share: float, n: int) -> Interval:
    """All true shares q of which ``share`` of ``n`` trials is at most 1.96 √(q (1 − q)/n) away.

    ``share · n`` need not be whole: one may ask what the same share would say of more trials.
    """
    number("share", share, at_least=0, at_most=1)
    whole("n", n, at_least=1)
    z2 = float(special.ndtri(0.975)) ** 2 / n
    middle = (share + z2 / 2) / (1 + z2)
    half = np.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    high = 1.0 if share == 1 else float(middle + half)  # whatever rounding says; 0 comes out as 0
    return Interval(share, float(middle - half), high)
