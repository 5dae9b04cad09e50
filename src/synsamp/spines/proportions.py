"""Proportions of new spines surviving at some times, with bootstrap intervals.

The Kaplan–Meier estimate S is bootstrapped 400 times over spines and, with three or more animals,
also over animals. The intervals are symmetric on the scale of arcsin √S, where the standard
deviation of a proportion hardly depends on its value. They extend 1.96 standard deviations over
spines or Student's t standard deviations over animals, whichever is larger: a few animals can agree
by chance, so they may enlarge an interval but not shrink it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.survival import Lifetimes
from synsamp.spines.likelihood import FEWEST_ANIMALS

Floats = NDArray[np.float64]
BOOTSTRAPS = 400
NORMAL = 1.959963984540054
COLUMNS = ["time", "proportion", "low", "high", "unit"]


def surviving_at(lifetimes: Lifetimes, at: Floats) -> Floats:
    """The Kaplan–Meier estimate at some times; NaN beyond the last observation."""
    if not len(lifetimes):
        return np.full(at.size, np.nan)
    times, counts = np.unique(lifetimes.first_missed[lifetimes.ended], return_counts=True)
    until = np.sort(np.where(lifetimes.ended, lifetimes.first_missed, lifetimes.last_seen))
    at_risk = until.size - np.searchsorted(until, times)
    steps = np.concatenate([[1.0], np.cumprod(1.0 - counts / at_risk)])
    found = steps[np.searchsorted(times, at, side="right")]
    return np.where(at <= until[-1], found, np.nan)


def proportions_with_intervals(
    lifetimes: Lifetimes, spine: NDArray[np.int64], animal: NDArray[np.int64], at: Floats, seed: int
) -> pd.DataFrame:
    """Proportion surviving at each time; ``spine`` and ``animal`` number those of each lifetime."""
    value = surviving_at(lifetimes, at)
    if not len(lifetimes):
        return pd.DataFrame(columns=COLUMNS)
    rng = np.random.default_rng(seed)
    # A proportion of 0 or 1 does not vary in the bootstrap; binomial variance here is 1/(4 n).
    least = 0.5 / np.sqrt(len(lifetimes))
    half = NORMAL * np.maximum(_spread(resampled(lifetimes, spine, at, rng)), least)
    n_animals = np.unique(animal).size
    if n_animals >= FEWEST_ANIMALS:
        reach = float(stats.t.ppf(0.975, n_animals - 1))
        half = np.fmax(half, reach * _spread(resampled(lifetimes, animal, at, rng)))
    middle = np.arcsin(np.sqrt(value))
    low = np.sin(np.maximum(middle - half, 0.0)) ** 2
    high = np.sin(np.minimum(middle + half, np.pi / 2)) ** 2
    unit = "animal" if n_animals >= FEWEST_ANIMALS else "spine"
    found = pd.DataFrame({"time": at, "proportion": value, "low": low, "high": high, "unit": unit})
    return found[np.isfinite(value)].reset_index(drop=True)


def resampled(
    lifetimes: Lifetimes, unit: NDArray[np.int64], at: Floats, rng: np.random.Generator
) -> Floats:
    """Bootstrapped proportions [draw, time], resampling units; NaN beyond the last observation."""
    times = np.unique(lifetimes.first_missed[lifetimes.ended])
    until = np.where(lifetimes.ended, lifetimes.first_missed, lifetimes.last_seen)
    names, whose = np.unique(unit, return_inverse=True)
    lost = np.zeros((names.size, times.size))
    place = np.searchsorted(times, lifetimes.first_missed[lifetimes.ended])
    np.add.at(lost, (whose[lifetimes.ended], place), 1.0)
    passed = np.zeros((names.size, times.size + 1))  # by the number of times each lifetime passed
    np.add.at(passed, (whose, np.searchsorted(times, until, side="right")), 1.0)
    at_risk = passed[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    drawn = rng.multinomial(names.size, np.full(names.size, 1 / names.size), size=BOOTSTRAPS)
    with np.errstate(invalid="ignore", divide="ignore"):
        steps = np.cumprod(1.0 - (drawn @ lost) / (drawn @ at_risk), axis=1)
    steps = np.concatenate([np.ones((BOOTSTRAPS, 1)), steps], axis=1)
    found: Floats = steps[:, np.searchsorted(times, at, side="right")]
    return found


def _spread(drawn: Floats) -> Floats:
    """Standard deviation of arcsin √S over the draws where S is known."""
    known = np.isfinite(drawn)
    scaled = np.where(known, np.arcsin(np.sqrt(np.clip(np.nan_to_num(drawn), 0.0, 1.0))), 0.0)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = scaled.sum(axis=0) / counts
    found: Floats = np.sqrt((np.where(known, scaled - mean, 0.0) ** 2).sum(axis=0) / counts)
    return found
