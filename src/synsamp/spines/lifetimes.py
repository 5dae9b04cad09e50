"""Survival of new spines: Kaplan–Meier curves, cohorts and survival models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.analysis.survival import Curve, Lifetimes, kaplan_meier
from synsamp.analysis.survival_models import (
    FEWEST,
    SurvivalModel,
    first_passage,
    fit_survival_models,
)
from synsamp.spines.filter import survival_between_sessions
from synsamp.spines.fit import Fitted
from synsamp.spines.process import TwoTimeScales
from synsamp.spines.proportions import proportions_with_intervals
from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpineLifetimes:
    """Lifetimes of new spines, with the index of the spine and the time of its appearance."""

    durations: Lifetimes
    spine: NDArray[np.int64]
    born: Floats

    def of(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Lifetimes:
        """Some of the lifetimes."""
        return Lifetimes(self.durations.last_seen[chosen], self.durations.first_missed[chosen])


@dataclass(frozen=True, eq=False)
class Survival:
    """Survival of new spines.

    Attributes
    ----------
    lifetimes
        Interval-censored lifetimes.
    curve
        Kaplan–Meier estimate; None without new spines.
    cohorts
        Kaplan–Meier estimates of spines that appeared early and late.
    models
        Fitted survival models, the smallest AIC first.
    proportions
        Proportion of new spines surviving after fixed times, with 95 % intervals.
    unit
        Unit of time, or "".
    """

    lifetimes: SpineLifetimes
    curve: Curve | None
    cohorts: dict[str, Curve]
    models: tuple[SurvivalModel, ...]
    proportions: pd.DataFrame
    unit: str

    @property
    def frame(self) -> pd.DataFrame:
        """The Kaplan–Meier curve: time, survival, 95 % band, spines at risk."""
        names = ["time", "survival", "low", "high", "at_risk"]
        if self.curve is None:
            return pd.DataFrame(columns=names)
        return pd.DataFrame({n: getattr(self.curve, n) for n in names})

    @property
    def model_frame(self) -> pd.DataFrame:
        """The survival models by AIC."""
        best = min((model.aic for model in self.models), default=np.nan)
        rows = [
            (
                model.name,
                model.aic,
                model.aic - best,
                model.median,
                ", ".join(f"{k} = {v:.3g}" for k, v in model.parameters.items())
                or "nothing fitted",
            )
            for model in self.models
        ]
        return pd.DataFrame(rows, columns=["model", "aic", "above_best", "median", "parameters"])


def new_spine_lifetimes(table: SpineTable) -> SpineLifetimes:
    """Lifetimes of spines that appeared during imaging, from the first session they are seen.

    A spine seen in its first session is not counted, since its age is unknown. A spine that returns
    after an absence starts a new lifetime. A lifetime may end anywhere within a gap.
    """
    n = len(table.state)
    was = np.full(n, -1, np.int8)  # state at the last observation
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
    return SpineLifetimes(Lifetimes(last[order], missed[order]), whose[order], births[order])


def survival_of(table: SpineTable, fitted: Fitted | None = None, seed: int = 0) -> Survival:
    """Survival of the new spines of a table; with a fitted process also its first passage."""
    lifetimes = new_spine_lifetimes(table)
    curve = kaplan_meier(lifetimes.durations) if len(lifetimes.durations) else None
    models: list[SurvivalModel] = []
    if lifetimes.durations.ended.sum() >= FEWEST:
        models = fit_survival_models(lifetimes.durations)
        if fitted is not None and not isinstance(fitted.process, TwoTimeScales):
            step = table.usual_interval
            longest = float(np.nanmax(np.r_[lifetimes.durations.last_seen, table.times[-1] / 2]))
            n = int(np.clip(np.ceil(longest / step), 2, 200))
            alive = survival_between_sessions(
                fitted.process,
                fitted.threshold,
                step,
                n,
                fitted.threshold_on,
                fitted.missed or 0.0,
            )
            models.append(
                first_passage(lifetimes.durations, np.arange(n + 1, dtype=float) * step, alive)
            )
            models.sort(key=lambda model: model.aic)
    return Survival(
        lifetimes,
        curve,
        _cohorts(lifetimes),
        tuple(models),
        proportions_at(
            table, lifetimes, table.usual_interval * np.array([1.0, 2.0, 4.0, 8.0]), seed
        ),
        table.time_unit,
    )


def _cohorts(lifetimes: SpineLifetimes) -> dict[str, Curve]:
    """Spines that appeared in the first and in the second half of the appearances."""
    births = np.unique(lifetimes.born)
    if births.size < 2:
        return {}
    middle = births[births.size // 2]
    parts = {f"born before {middle:g}": lifetimes.born < middle, "later": lifetimes.born >= middle}
    return {
        name: kaplan_meier(lifetimes.of(chosen))
        for name, chosen in parts.items()
        if chosen.sum() >= FEWEST
    }


def proportions_at(
    table: SpineTable, lifetimes: SpineLifetimes, at: Floats, seed: int = 0
) -> pd.DataFrame:
    """Proportion of new spines surviving at some times, with 95 % intervals."""
    animal = table.animal_number[lifetimes.spine]
    return proportions_with_intervals(lifetimes.durations, lifetimes.spine, animal, at, seed)
