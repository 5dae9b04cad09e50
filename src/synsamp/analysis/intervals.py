"""95 % confidence intervals of means, ratios and proportions over trials."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # scipy.stats takes half a second to load, in every worker

from synsamp.arguments import flags, number, numbers, whole
from synsamp.errors import refuse

Limits = tuple[float | None, float | None]
"""Smallest and largest possible value of a measure; ``None`` leaves that side open."""


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
    """Mean over independent trials with Student's t interval.

    Parameters
    ----------
    values
        One number per trial, shape (trials,). With one trial the interval is infinite; with a
        value that is not finite the mean is NaN and the interval infinite.
    """
    array = numbers("values", values, finite=False)
    if array.ndim != 1 or array.size == 0:
        raise refuse("values", "must be one number per trial", array.shape)
    if not np.isfinite(array).all():
        return Interval(np.nan, -np.inf, np.inf)
    if array.size == 1:
        return Interval(float(array[0]), -np.inf, np.inf)
    if np.ptp(array) == 0:  # the exact value, without rounding error of the sum
        return Interval(*[float(array[0])] * 3)
    mean = float(array.mean())
    half = special.stdtrit(array.size - 1, 0.975) * array.std(ddof=1) / np.sqrt(array.size)
    return Interval(mean, mean - float(half), mean + float(half))


def ratio_interval(parts: ArrayLike, wholes: ArrayLike) -> Interval:
    """Ratio of two means with Student's t interval (delta method).

    Parameters
    ----------
    parts, wholes
        Numerator and denominator of each trial, shape (trials,). The interval is that of the
        linearised ratio, (part − ratio · whole) / mean whole. The ratio is NaN and its interval
        infinite if a value is not finite or the mean whole is 0.
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


def within_limits(found: Interval, limits: Limits) -> Interval:
    """Return an interval of the same estimate that stays inside the range of its measure.

    It is symmetric on the log-odds scale if the range has two ends, and on the log scale if it has
    one: its half-width there is that of ``found`` times the slope of the scale (delta method). Far
    from the ends of the range it is the interval that was given.

    Parameters
    ----------
    found
        Estimate with a symmetric interval, as from `mean_interval` or `ratio_interval`.
    limits
        Range of the measure: two ends, or only a lowest value.
    """
    lowest, highest = limits
    value, half = found.value, found.high - found.value
    if lowest is None or not np.isfinite(half) or half == 0:
        return found
    if not lowest < value < (np.inf if highest is None else highest):
        raise refuse("estimate", f"must lie inside its range {limits}", value)
    above = value - lowest
    if highest is None:
        ends = above * np.exp(np.array([-half, half]) / above)
    else:
        slope = 1 / above + 1 / (highest - value)
        odds = np.log(above / (highest - value)) + np.array([-half, half]) * slope
        ends = (highest - lowest) * special.expit(odds)
    return Interval(value, lowest + float(ends[0]), lowest + float(ends[1]))


def share_interval(hits: ArrayLike) -> Interval:
    """Proportion of trials that are true, with Wilson's interval; ``hits`` has shape (trials,)."""
    array = flags("hits", hits)
    if array.ndim != 1 or array.size == 0:
        raise refuse("hits", "must be one yes or no per trial", array.shape)
    return wilson_interval(float(array.mean()), array.size)


def wilson_interval(share: float, n: int) -> Interval:
    """Wilson's interval of a proportion: all q with abs(share − q) ≤ 1.96 √(q (1 − q)/n).

    ``share · n`` need not be whole, unlike in `scipy.stats.binomtest`, so that the interval for
    another number of trials can be computed.
    """
    number("share", share, at_least=0, at_most=1)
    whole("n", n, at_least=1)
    z2 = float(special.ndtri(0.975)) ** 2 / n
    middle = (share + z2 / 2) / (1 + z2)
    half = np.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    high = 1.0 if share == 1 else float(middle + half)  # without rounding error; 0 is exact
    return Interval(share, float(middle - half), high)
