"""Shares of new spines alive at some times, with intervals that take animals as the unit.

The Kaplan–Meier estimate S is drawn anew 400 times with spines, and from three animals on also with
animals. On the scale of arcsin √S, where the spread of a share hardly depends on it, an interval
reaches 1.96 deviations over spines or Student's t deviations over animals, whichever is more: few
animals can agree by chance, so they may widen an interval and not narrow it.
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
COLUMNS = ["time", "share", "low", "high", "unit"]


def alive_at(lives: Lifetimes, at: Floats) -> Floats:
    """The Kaplan–Meier estimate at some times; NaN beyond what is known."""
    if not len(lives):
        return np.full(at.size, np.nan)
    times, counts = np.unique(lives.first_missed[lives.ended], return_counts=True)
    until = np.sort(np.where(lives.ended, lives.first_missed, lives.last_seen))
    at_risk = until.size - np.searchsorted(until, times)
    steps = np.concatenate([[1.0], np.cumprod(1.0 - counts / at_risk)])
    found = steps[np.searchsorted(times, at, side="right")]
    return np.where(at <= until[-1], found, np.nan)


def shares_with_intervals(
    lives: Lifetimes, spine: NDArray[np.int64], animal: NDArray[np.int64], at: Floats, seed: int
) -> pd.DataFrame:
    """Share alive at each time that is known; ``spine`` and ``animal`` say whose each life is."""
    value = alive_at(lives, at)
    if not len(lives):
        return pd.DataFrame(columns=COLUMNS)
    rng = np.random.default_rng(seed)
    # A share of 0 or 1 has no spread among draws; that of a binomial is 1/(4 n) on this scale.
    least = 0.5 / np.sqrt(len(lives))
    half = NORMAL * np.maximum(_spread(drawn_anew(lives, spine, at, rng)), least)
    n_animals = np.unique(animal).size
    if n_animals >= FEWEST_ANIMALS:
        reach = float(stats.t.ppf(0.975, n_animals - 1))
        half = np.fmax(half, reach * _spread(drawn_anew(lives, animal, at, rng)))
    middle = np.arcsin(np.sqrt(value))
    low = np.sin(np.maximum(middle - half, 0.0)) ** 2
    high = np.sin(np.minimum(middle + half, np.pi / 2)) ** 2
    unit = "animal" if n_animals >= FEWEST_ANIMALS else "spine"
    found = pd.DataFrame({"time": at, "share": value, "low": low, "high": high, "unit": unit})
    return found[np.isfinite(value)].reset_index(drop=True)


def drawn_anew(
    lives: Lifetimes, unit: NDArray[np.int64], at: Floats, rng: np.random.Generator
) -> Floats:
    """Shares alive [draw, time] with units drawn with replacement; NaN beyond what is known."""
    times = np.unique(lives.first_missed[lives.ended])
    until = np.where(lives.ended, lives.first_missed, lives.last_seen)
    names, whose = np.unique(unit, return_inverse=True)
    lost = np.zeros((names.size, times.size))
    place = np.searchsorted(times, lives.first_missed[lives.ended])
    np.add.at(lost, (whose[lives.ended], place), 1.0)
    passed = np.zeros((names.size, times.size + 1))  # how many of the times a life has seen
    np.add.at(passed, (whose, np.searchsorted(times, until, side="right")), 1.0)
    at_risk = passed[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    drawn = rng.multinomial(names.size, np.full(names.size, 1 / names.size), size=BOOTSTRAPS)
    with np.errstate(invalid="ignore", divide="ignore"):
        steps = np.cumprod(1.0 - (drawn @ lost) / (drawn @ at_risk), axis=1)
    steps = np.concatenate([np.ones((BOOTSTRAPS, 1)), steps], axis=1)
    found: Floats = steps[:, np.searchsorted(times, at, side="right")]
    return found


def _spread(drawn: Floats) -> Floats:
    """Standard deviation of arcsin √S over the draws that have one."""
    known = np.isfinite(drawn)
    scaled = np.where(known, np.arcsin(np.sqrt(np.clip(np.nan_to_num(drawn), 0.0, 1.0))), 0.0)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = scaled.sum(axis=0) / counts
    found: Floats = np.sqrt((np.where(known, scaled - mean, 0.0) ** 2).sum(axis=0) / counts)
    return found
