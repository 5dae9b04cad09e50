"""Turnover: spines gained and lost between successive sessions of a dendrite or an animal.

Only spines imaged in both sessions count. With N₁ seen in the first and N₂ in the second session,

    gain = new/N₁,    loss = lost/N₁,    turnover ratio = (new + lost)/(N₁ + N₂).

A persistent spine is seen in all of its sessions; a transient spine is never seen in more than half
of its sessions in a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from synsamp.analysis.intervals import Interval, ratio_interval
from synsamp.spines.likelihood import FEWEST_ANIMALS
from synsamp.spines.table import SpineTable

BOOTSTRAPS = 1000


@dataclass(frozen=True, eq=False)
class TurnoverRates:
    """Counts per animal and interval, and overall rates with 95 % intervals."""

    intervals: pd.DataFrame
    rates: pd.DataFrame
    animals: pd.DataFrame


def turnover_of(table: SpineTable, seed: int = 0) -> TurnoverRates:
    """Gain, loss, turnover ratio, persistent and transient fraction."""
    counts = _counts(table)
    per_animal = _per_animal(table, counts)
    rates = pd.DataFrame(
        [
            (name, *_rate(table, per_animal, part, whole, seed))
            for name, part, whole in (
                ("gain per interval", "gained", "before"),
                ("loss per interval", "lost", "before"),
                ("turnover ratio", "changed", "both"),
                ("persistent fraction", "persistent", "spines"),
                ("transient fraction", "transient", "spines"),
                ("gain per unit of time", "gained", "before_time"),
                ("loss per unit of time", "lost", "before_time"),
            )
        ],
        columns=["rate", "value", "low", "high", "unit"],
    )
    return TurnoverRates(counts, rates, per_animal)


def _steps(table: SpineTable) -> Iterator[tuple[np.ndarray, int, int]]:
    """Spines of each dendrite (or animal) with each pair of successive sessions.

    Dendrites of one animal may be imaged on different days.
    """
    units: dict[tuple[str, str], list[int]] = defaultdict(list)
    for k, unit in enumerate(zip(table.animal.tolist(), table.dendrite.tolist(), strict=True)):
        units[unit].append(k)
    for rows in map(np.array, units.values()):
        for first, second in pairwise(np.flatnonzero((table.state[rows] >= 0).any(axis=0))):
            yield rows, int(first), int(second)


def _counts(table: SpineTable) -> pd.DataFrame:
    rows = []
    for spines, first, second in _steps(table):
        a, b = table.state[spines, first], table.state[spines, second]
        both = (a >= 0) & (b >= 0)
        rows.append(
            (
                str(table.animal[spines[0]]),
                float(table.times[first]),
                float(table.times[second]),
                int((both & (a == 1)).sum()),
                int((both & (b == 1)).sum()),
                int((both & (a == 0) & (b == 1)).sum()),
                int((both & (a == 1) & (b == 0)).sum()),
            )
        )
    columns = ["animal", "from", "to", "before", "after", "gained", "lost"]
    frame = pd.DataFrame(rows, columns=columns)
    frame = frame.groupby(columns[:3], sort=False, as_index=False).sum()
    whole = frame["before"] + frame["after"]
    frame["turnover"] = (frame["gained"] + frame["lost"]) / whole.where(whole > 0)
    return frame


def _fates(table: SpineTable) -> tuple[np.ndarray, np.ndarray]:
    """Persistent and transient spines, among those seen and imaged at least twice."""
    imaged, seen = table.state >= 0, table.state == 1
    counted = table.ever_seen & (imaged.sum(axis=1) >= 2)
    persistent = counted & (seen | ~imaged).all(axis=1)
    longest = np.zeros(len(table.spine), np.int64)
    run = np.zeros(len(table.spine), np.int64)
    for k in range(table.times.size):
        run = np.where(seen[:, k], run + 1, np.where(imaged[:, k], 0, run))
        longest = np.maximum(longest, run)
    transient = counted & ~persistent & (longest <= np.maximum(1, imaged.sum(axis=1) // 2))
    return persistent, transient


def _per_animal(table: SpineTable, counts: pd.DataFrame) -> pd.DataFrame:
    counts = counts.assign(
        changed=counts["gained"] + counts["lost"],
        both=counts["before"] + counts["after"],
        before_time=counts["before"] * (counts["to"] - counts["from"]),
    )
    wanted = ["before", "after", "gained", "lost", "changed", "both", "before_time"]
    frame = counts.groupby("animal", sort=False)[wanted].sum().reindex(table.animals).fillna(0.0)
    persistent, transient = _fates(table)
    imaged = (table.state >= 0).sum(axis=1) >= 2
    for name, chosen in (
        ("persistent", persistent),
        ("transient", transient),
        ("spines", table.ever_seen & imaged),
    ):
        frame[name] = [int((chosen & (table.animal == a)).sum()) for a in table.animals]
    return frame.reset_index(names="animal")


def _rate(
    table: SpineTable, per_animal: pd.DataFrame, part: str, whole: str, seed: int
) -> tuple[float, float, float, str]:
    parts, wholes = per_animal[part].to_numpy(float), per_animal[whole].to_numpy(float)
    if wholes.sum() == 0:
        return np.nan, np.nan, np.nan, "none"
    if len(per_animal) >= FEWEST_ANIMALS:
        found = ratio_interval(parts, wholes)
        return found.value, max(found.low, 0.0), found.high, "animal"
    found = _over_spines(table, part, whole, seed)
    return found.value, found.low, found.high, "spine"


def _over_spines(table: SpineTable, part: str, whole: str, seed: int) -> Interval:
    """Bootstrap over spines, for tables with too few animals."""
    sums = _by_spine(table)
    a, b = sums[part], sums[whole]
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(a), np.full(len(a), 1 / len(a)), size=BOOTSTRAPS)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = (weights @ a) / (weights @ b)
    drawn = drawn[np.isfinite(drawn)]  # a denominator of 0 has no rate
    low, high = np.quantile(drawn, [0.025, 0.975]) if drawn.size else (np.nan, np.nan)
    return Interval(float(a.sum() / b.sum()), float(low), float(high))


def _by_spine(table: SpineTable) -> dict[str, np.ndarray]:
    names = ("before", "after", "gained", "lost", "before_time")
    sums = {name: np.zeros(len(table.spine)) for name in names}
    for rows, i, k in _steps(table):
        a, b = table.state[rows, i], table.state[rows, k]
        both = (a >= 0) & (b >= 0)
        sums["before"][rows] += both & (a == 1)
        sums["after"][rows] += both & (b == 1)
        sums["gained"][rows] += both & (a == 0) & (b == 1)
        sums["lost"][rows] += both & (a == 1) & (b == 0)
        sums["before_time"][rows] += (both & (a == 1)) * (table.times[k] - table.times[i])
    sums["changed"] = sums["gained"] + sums["lost"]
    sums["both"] = sums["before"] + sums["after"]
    persistent, transient = _fates(table)
    sums["persistent"], sums["transient"] = persistent.astype(float), transient.astype(float)
    imaged = (table.state >= 0).sum(axis=1) >= 2
    sums["spines"] = (table.ever_seen & imaged).astype(float)
    return sums
