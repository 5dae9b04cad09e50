"""Warnings about a table: entries that may be mistakes, listed with their lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from synsamp.spines.table import SpineTable, TableWarning

FAR = 6.0
"""Robust standard deviations of log size beyond which a size is listed."""

APART = 1.0
"""Standard deviations by which the smallest size may lie below the next 1 %."""


def with_warnings(
    table: SpineTable, lines: Mapping[tuple[tuple[str, str, str], float], int], unit: str
) -> SpineTable:
    """Add warnings to a table; ``lines`` gives the line of each spine and time."""
    keys = list(
        zip(table.animal.tolist(), table.dendrite.tolist(), table.spine.tolist(), strict=True)
    )

    def at(chosen: np.ndarray) -> tuple[int, ...]:
        found = {lines.get((keys[s], float(table.times[k]))) for s, k in np.argwhere(chosen)}
        return tuple(sorted(line for line in found if line is not None))

    found = list(table.warnings)
    imaged = table.state >= 0
    never = ~table.ever_seen
    if never.any():
        found.append(
            TableWarning(
                f"{int(never.sum())} spines are never seen and enter no estimate",
                at(never[:, None] & imaged),
                unit,
            )
        )
    once = imaged.sum(axis=1) == 1
    if once.any():
        found.append(
            TableWarning(
                f"{int(once.sum())} spines were imaged only once, so they show no change",
                at(once[:, None] & imaged),
                unit,
            )
        )
    found += _similar_names(keys)
    if table.has_sizes:
        with np.errstate(invalid="ignore"):
            log_size = np.log(table.size)
        sized = np.isfinite(log_size)
        middle = np.median(log_size[sized])
        scale = 1.4826 * np.median(np.abs(log_size[sized] - middle))
        if scale > 0:
            far = sized & (np.abs(log_size - middle) > FAR * scale)
            if far.any():
                found.append(
                    TableWarning("sizes very far from the others; check their unit", at(far), unit)
                )
        found += _lowest(table, log_size, sized, at, unit)
    if not table.time_unit:
        found.append(
            TableWarning("the header names no unit of time; results are per unit of the table")
        )
    elif table.time_unit == "session":
        found.append(
            TableWarning("times are session numbers; results are per session, not per day")
        )
    return replace(table, warnings=tuple(found))


def _lowest(
    table: SpineTable,
    log_size: np.ndarray,
    sized: np.ndarray,
    at: Callable[[np.ndarray], tuple[int, ...]],
    unit: str,
) -> list[TableWarning]:
    """A single size far below all others would become the threshold."""
    values = np.sort(log_size[sized])
    if values.size < 50 or not (table.state == 0).any():
        return []
    gap = np.quantile(values, 0.01) - values[0]
    if gap <= APART * values.std():
        return []
    smallest = sized & (log_size == values[0])
    return [
        TableWarning(
            f"the smallest size, {np.exp(values[0]):.3g}, lies far below the others and becomes "
            "the threshold; give --threshold if it is a mistake",
            at(smallest),
            unit,
        )
    ]


def _similar_names(keys: list[tuple[str, str, str]]) -> list[TableWarning]:
    spelled: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for key in keys:
        spelled[tuple(part.lower().replace(" ", "") for part in key)].add(" ".join(key).strip())
    pairs = [sorted(names) for names in spelled.values() if len(names) > 1]
    if not pairs:
        return []
    shown = "; ".join(" and ".join(repr(n) for n in names) for names in pairs[:4])
    return [TableWarning(f"names that differ only in case or spaces are different spines: {shown}")]
