"""How long spines live: new ones by survival with cohorts, and the laws that describe it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.analysis.intervals import Interval
from synsamp.analysis.survival import Curve, Lifetimes, kaplan_meier
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
    last, missed, whose, births = [], [], [], []
    for s, row in enumerate(table.state):
        was, born, seen = None, None, 0.0
        for k in np.flatnonzero(row >= 0):
            here, now = row[k] == 1, float(table.times[k])
            if here and was is False:
                born = now
            if here:
                seen = now
            elif born is not None:
                last.append(seen - born)
                missed.append(now - born)
                whose.append(s)
                births.append(born)
                born = None
            was = bool(here)
        if born is not None and seen > born:
            last.append(seen - born)
            missed.append(np.inf)
            whose.append(s)
            births.append(born)
    return Lives(
        Lifetimes(np.array(last, float), np.array(missed, float)),
        np.array(whose, np.int64),
        np.array(births, float),
    )


def survival_of(table: SpineTable, fitted: Fitted | None = None, seed: int = 0) -> Survival:
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
        _shares(table, lives, seed),
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


def at_time(lives: Lifetimes, time: float) -> float:
    """The Kaplan–Meier estimate at one time; NaN if nothing is known so late."""
    if (
        not len(lives)
        or max(lives.last_seen.max(), lives.first_missed[lives.ended].max(initial=0)) < time
    ):
        return float("nan")
    curve = kaplan_meier(lives)
    return float(curve.survival[np.searchsorted(curve.time, time, side="right") - 1])


def _shares(table: SpineTable, lives: Lives, seed: int) -> pd.DataFrame:
    """Share alive after one, two, four … intervals, animals (or spines) drawn anew 400 times."""
    step = float(np.median(table.intervals())) if table.intervals().size else np.nan
    rows = []
    if not len(lives.times) or not np.isfinite(step):
        return pd.DataFrame(columns=["time", "share", "low", "high", "unit"])
    animal = table.animal_number[lives.spine]
    by_animal = np.unique(animal).size >= FEWEST_ANIMALS
    unit = animal if by_animal else lives.spine
    members = [np.flatnonzero(unit == u) for u in np.unique(unit)]
    rng = np.random.default_rng(seed)
    draws = [
        np.concatenate([members[k] for k in rng.integers(len(members), size=len(members))])
        for _ in range(BOOTSTRAPS)
    ]
    for k in (1, 2, 4, 8):
        value = at_time(lives.times, k * step)
        if not np.isfinite(value):
            break
        drawn = [at_time(lives.of(d), k * step) for d in draws]
        low, high = np.nanquantile(drawn, [0.025, 0.975])
        rows.append((k * step, *Interval(value, low, high), "animal" if by_animal else "spine"))
    return pd.DataFrame(rows, columns=["time", "share", "low", "high", "unit"])
