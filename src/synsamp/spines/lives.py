"""How long spines live: new ones by survival with cohorts, and the laws that describe it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.analysis.survival import Curve, Lifetimes, kaplan_meier
from synsamp.analysis.survival_laws import FEWEST, FittedLaw, first_passage, fit_laws
from synsamp.spines.filter import survival_between_sessions
from synsamp.spines.fit import Fitted
from synsamp.spines.process import TwoTimeScales
from synsamp.spines.shares import shares_with_intervals
from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]


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


def survival_of(table: SpineTable, fitted: Fitted | None = None, seed: int = 0) -> Survival:
    """Survival of a table's new spines; with a fitted process also its first passage."""
    lives = new_lives(table)
    curve = kaplan_meier(lives.times) if len(lives.times) else None
    laws: list[FittedLaw] = []
    if lives.times.ended.sum() >= FEWEST:
        laws = fit_laws(lives.times)
        if fitted is not None and not isinstance(fitted.process, TwoTimeScales):
            step = table.usual_interval
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
        shares_at(table, lives, table.usual_interval * np.array([1.0, 2.0, 4.0, 8.0]), seed),
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


def shares_at(table: SpineTable, lives: Lives, at: Floats, seed: int = 0) -> pd.DataFrame:
    """Share of new spines alive at some times, with 95 % intervals."""
    animal = table.animal_number[lives.spine]
    return shares_with_intervals(lives.times, lives.spine, animal, at, seed)
