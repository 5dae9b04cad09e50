"""How long spines live: new ones by survival with cohorts, and the laws that describe it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.analysis.survival import Curve, Lifetimes, kaplan_meier
from synsamp.progress import progress_bar
from synsamp.spines.filter import survival_between_sessions
from synsamp.spines.fit import Fitted
from synsamp.spines.laws import FEWEST, FittedLaw, first_passage, fit_laws
from synsamp.spines.likelihood import FEWEST_ANIMALS
from synsamp.spines.process import TwoTimeScales
from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]
BOOTSTRAPS = 400


@dataclass(frozen=True, eq=False)
class Lives:
    """Lives of new spines with the spine and the time of birth of each."""

    times: Lifetimes
    spine: NDArray[np.int64]
    born: Floats

    def of(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Lifetimes:
        """Some of the lives."""
        return Lifetimes(self.times.last_seen[chosen], self.times.first_missed[chosen])


@dataclass(frozen=True, eq=False)
class Survival:
    """Survival of new spines: the curve, its cohorts, the laws, and shares at fixed times."""

    lives: Lives
    curve: Curve | None
    cohorts: dict[str, Curve]
    laws: tuple[FittedLaw, ...]
    shares: pd.DataFrame
    unit: str

    @property
    def frame(self) -> pd.DataFrame:
        """The Kaplan–Meier curve: time, survival, 95 % band, spines at risk."""
        names = ["time", "survival", "low", "high", "at_risk"]
        if self.curve is None:
            return pd.DataFrame(columns=names)
        return pd.DataFrame({n: getattr(self.curve, n) for n in names})

    @property
    def law_frame(self) -> pd.DataFrame:
        """The laws by AIC."""
        best = min((law.aic for law in self.laws), default=np.nan)
        rows = [
            (
                law.law,
                law.aic,
                law.aic - best,
                law.median,
                ", ".join(f"{k} = {v:.3g}" for k, v in law.parameters.items()) or "nothing fitted",
            )
            for law in self.laws
        ]
        return pd.DataFrame(rows, columns=["law", "aic", "above_best", "median", "parameters"])


def new_lives(table: SpineTable) -> Lives:
    """Lives of spines that appeared while they were watched, from the first session they are seen.

    A spine seen at its first look is not counted, its age being unknown. One that comes back
    after an absence begins another life. A gap leaves open when within it a life ended.
    """
    n = len(table.state)
    was = np.full(n, -1, np.int8)  # what the last look gave
    born, seen = np.full(n, np.nan), np.full(n, np.nan)
    ends: list[tuple[Floats, Floats, NDArray[np.int64], Floats]] = []
    for now, state in zip(table.times, table.state.T, strict=True):
        born[(state == 1) & (was == 0)] = now
        gone = np.flatnonzero((state == 0) & np.isfinite(born))
        ends.append((seen[gone] - born[gone], now - born[gone], gone, born[gone]))
        born[gone] = np.nan
        seen[state == 1] = now
        was = np.where(state >= 0, state, was)
    left = np.flatnonzero(np.isfinite(born) & (seen > born))
    ends.append((seen[left] - born[left], np.full(left.size, np.inf), left, born[left]))
    last, missed, whose, births = (np.concatenate(part) for part in zip(*ends, strict=True))
    order = np.lexsort((births, whose))
    return Lives(Lifetimes(last[order], missed[order]), whose[order], births[order])


def survival_of(
    table: SpineTable, fitted: Fitted | None = None, seed: int = 0, progress: bool = False
) -> Survival:
    """Survival of a table's new spines; with a fitted process also its first passage."""
    lives = new_lives(table)
    curve = kaplan_meier(lives.times) if len(lives.times) else None
    laws: list[FittedLaw] = []
    if lives.times.ended.sum() >= FEWEST:
        laws = fit_laws(lives.times)
        if fitted is not None and not isinstance(fitted.process, TwoTimeScales):
            step = float(np.median(table.intervals()))
            longest = float(np.nanmax(np.r_[lives.times.last_seen, table.times[-1] / 2]))
            n = int(np.clip(np.ceil(longest / step), 2, 200))
            alive = survival_between_sessions(
                fitted.process, fitted.threshold, step, n, fitted.by_true_size
            )
            laws.append(first_passage(lives.times, np.arange(n + 1, dtype=float) * step, alive))
            laws.sort(key=lambda law: law.aic)
    return Survival(
        lives,
        curve,
        _cohorts(lives),
        tuple(laws),
        _shares(table, lives, seed, progress),
        table.time_unit,
    )


def _cohorts(lives: Lives) -> dict[str, Curve]:
    """Spines born in the first and in the second half of the births' time."""
    births = np.unique(lives.born)
    if births.size < 2:
        return {}
    middle = births[births.size // 2]
    parts = {f"born before {middle:g}": lives.born < middle, "later": lives.born >= middle}
    return {
        name: kaplan_meier(lives.of(chosen))
        for name, chosen in parts.items()
        if chosen.sum() >= FEWEST
    }


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


def _shares(table: SpineTable, lives: Lives, seed: int, progress: bool) -> pd.DataFrame:
    """Share alive after one, two, four … intervals, animals (or spines) drawn anew 400 times."""
    columns = ["time", "share", "low", "high", "unit"]
    steps = table.intervals()
    if not len(lives.times) or not steps.size:
        return pd.DataFrame(columns=columns)
    animal = table.animal_number[lives.spine]
    by_animal = np.unique(animal).size >= FEWEST_ANIMALS
    unit = animal if by_animal else lives.spine
    members = [np.flatnonzero(unit == u) for u in np.unique(unit)]
    rng = np.random.default_rng(seed)
    at = float(np.median(steps)) * np.array([1.0, 2.0, 4.0, 8.0])
    drawn = []
    with progress_bar("drawing lives anew", BOOTSTRAPS, progress) as advance:
        for _ in range(BOOTSTRAPS):
            chosen = rng.integers(len(members), size=len(members))
            drawn.append(alive_at(lives.of(np.concatenate([members[k] for k in chosen])), at))
            advance(1)
    known = [
        (time, value, *np.nanquantile(column, [0.025, 0.975]), "animal" if by_animal else "spine")
        for time, value, column in zip(
            at, alive_at(lives.times, at), np.array(drawn).T, strict=True
        )
        if np.isfinite(value)
    ]
    return pd.DataFrame(known, columns=columns)
