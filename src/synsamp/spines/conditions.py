"""Compare conditions: fitted process, turnover and survival.

Errors of the process are clustered by animal if there are three or more. Turnover is compared
between animals by Welch's t test with Hedges' g, and survival by the proportions surviving after
one, two and four intervals with Cohen's h. A ratio of 1 or a difference of 0 means no effect.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from synsamp.analysis.survival import Curve, kaplan_meier
from synsamp.errors import SynsampError
from synsamp.progress import progress_bar
from synsamp.spines.fit import NOISE_TERM, NORMAL, Fitted, fit_process
from synsamp.spines.lifetimes import new_spine_lifetimes, proportions_at
from synsamp.spines.process import OneTimeScale
from synsamp.spines.table import SpineTable
from synsamp.spines.turnover import turnover_of

COLUMNS = ["quantity", "first", "second", "effect", "value", "low", "high", "size", "p", "note"]


def fit_each(
    table: SpineTable, whole: Fitted, progress: bool = False
) -> tuple[dict[str, Fitted], dict[str, str]]:
    """Fit one time scale to every condition with enough sizes; explain why the others have none.

    All conditions share the threshold of the whole table, which is a property of the microscope:
    otherwise the smallest spine of each condition would shift its mean. Offsets between animals are
    taken within a condition, so that its mean offset remains an effect.
    """
    fits: dict[str, Fitted] = {}
    missing: dict[str, str] = {}
    with progress_bar("fitting conditions", len(table.conditions), progress) as advance:
        for name in table.conditions:
            part = table.of_condition(name)
            part, factor = _within(part.part(part.ever_seen))
            try:
                seen = part.observations(factor * whole.value("threshold"))
                fits[name] = fit_process(
                    seen,
                    OneTimeScale,
                    part.animal_number,
                    whole.threshold_on,
                    whole.missed is not None,
                    part.offsets,
                )
            except SynsampError as error:
                missing[name] = str(error)
            advance(1)
    return fits, missing


def _within(part: SpineTable) -> tuple[SpineTable, float]:
    """The table of a condition with its mean offset restored, and the factor of its sizes."""
    if part.offsets is None:
        return part, 1.0
    own = [part.offsets.animals.index(name) for name in part.animals]
    factor = float(np.exp(part.offsets.values[own].mean()))
    return replace(part, size=part.size * factor), factor


def compare_conditions(table: SpineTable, fits: dict[str, Fitted], seed: int = 0) -> pd.DataFrame:
    """Effects with 95 % intervals and effect sizes for every pair of conditions."""
    rows: list[tuple[object, ...]] = []
    for first, second in combinations(table.conditions, 2):
        if first in fits and second in fits:
            rows += _processes(first, second, fits)
        rows += _turnovers(first, second, table)
        rows += _survivals(first, second, table, seed)
    return pd.DataFrame(rows, columns=COLUMNS)


def survival_each(table: SpineTable) -> dict[str, Curve]:
    """Kaplan–Meier of the new spines of every condition that has any."""
    lifetimes = {
        name: new_spine_lifetimes(table.of_condition(name)).durations for name in table.conditions
    }
    return {name: kaplan_meier(times) for name, times in lifetimes.items() if len(times)}


def rates_each(table: SpineTable, seed: int = 0) -> pd.DataFrame:
    """Gain, loss and turnover of every condition, with 95 % intervals."""
    frames = [
        turnover_of(table.of_condition(name), seed).rates.assign(condition=name)
        for name in table.conditions
    ]
    return pd.concat(frames, ignore_index=True)


def turnover_each(table: SpineTable) -> pd.DataFrame:
    """The turnover ratio of every animal of every condition."""
    rows = []
    for name in table.conditions:
        animals = turnover_of(table.of_condition(name)).animals
        for row in animals[animals["both"] > 0].itertuples():
            rows.append((name, row.animal, row.changed / row.both))
    return pd.DataFrame(rows, columns=["condition", "animal", "ratio"])


def _processes(first: str, second: str, fits: dict[str, Fitted]) -> list[tuple[object, ...]]:
    a, b = fits[first], fits[second]
    rows: list[tuple[object, ...]] = []
    note = "" if min(a.n_animals, b.n_animals) >= 3 else "spines as unit"
    for name in (*OneTimeScale.names(), *NOISE_TERM):
        error = float(np.hypot(a.errors[name], b.errors[name]))
        if name == "mean":
            change = b.value(name) - a.value(name)
            pooled = float(np.sqrt((a.value("spread") ** 2 + b.value("spread") ** 2) / 2))
            ends = change - NORMAL * error, change + NORMAL * error
            effect, value, size = "difference", change, change / pooled
        elif name == "noise":
            continue  # a property of the microscope; near 0 its ratio has no meaningful error
        else:
            value = b.value(name) / a.value(name)
            change = float(np.log(value))
            ends = tuple(np.exp([change - NORMAL * error, change + NORMAL * error]))
            effect, size = "ratio", change
        p = float(2 * stats.norm.sf(abs(change) / error)) if error > 0 else np.nan
        rows.append((name, first, second, effect, value, *ends, size, p, note))
    return rows


def _turnovers(first: str, second: str, table: SpineTable) -> list[tuple[object, ...]]:
    found = turnover_each(table)
    a, b = (found.loc[found["condition"] == name, "ratio"].to_numpy() for name in (first, second))
    if min(a.size, b.size) < 2:
        note = "needs two animals per condition"
        nothing = (np.nan,) * 5
        return [("turnover ratio", first, second, "difference", *nothing, note)]
    test = stats.ttest_ind(b, a, equal_var=False)
    ends = test.confidence_interval(0.95)
    n = a.size + b.size
    pooled = np.sqrt(((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / (n - 2))
    change = float(b.mean() - a.mean())
    # Hedges' correction for small samples.
    size = change / pooled * (1 - 3 / (4 * n - 9)) if pooled > 0 else np.nan
    note = f"{a.size} and {b.size} animals"
    row = (change, float(ends.low), float(ends.high), float(size), float(test.pvalue), note)
    return [("turnover ratio", first, second, "difference", *row)]


def _survivals(first: str, second: str, table: SpineTable, seed: int) -> list[tuple[object, ...]]:
    """Differences in the proportion of new spines surviving, while both conditions have data.

    The interval of a difference combines those of both proportions (Zou and Donner 2008).
    """
    at = table.usual_interval * np.array([1.0, 2.0, 4.0])
    parts = [table.of_condition(name) for name in (first, second)]
    lifetimes = [new_spine_lifetimes(part) for part in parts]
    found = [
        proportions_at(part, own, at, seed) for part, own in zip(parts, lifetimes, strict=True)
    ]
    note = " and ".join(str(len(own.durations)) for own in lifetimes) + " lifetimes"
    note += ", spines as unit" * any(
        "spine" in proportions["unit"].to_numpy() for proportions in found
    )
    rows: list[tuple[object, ...]] = []
    for both in found[0].merge(found[1], on="time").itertuples():
        a, b = both.proportion_x, both.proportion_y
        low = b - a - np.hypot(b - both.low_y, both.high_x - a)
        high = b - a + np.hypot(both.high_y - b, a - both.low_x)
        size = 2 * float(np.arcsin(np.sqrt(b)) - np.arcsin(np.sqrt(a)))
        quantity = f"new spines surviving {both.time:g} {table.time_unit or 'unit of time'}s"
        rows.append((quantity, first, second, "difference", b - a, low, high, size, np.nan, note))
    return rows
