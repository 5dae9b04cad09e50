"""What in a table may not be as meant: told with its lines, never dropped in silence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synsamp.spines.table import Doubt, SpineTable

FAR = 6.0
"""Robust standard deviations of log size beyond which a size is pointed out."""

APART = 1.0
"""Standard deviations by which the smallest size may lie below the next 1 %."""


def doubts_about(
    table: SpineTable, lines: Mapping[tuple[tuple[str, str, str], float], int], unit: str
) -> SpineTable:
    """The table with its doubts listed; ``lines`` says where each look stands."""
    keys = list(
        zip(table.animal.tolist(), table.dendrite.tolist(), table.spine.tolist(), strict=True)
    )

    def at(chosen: np.ndarray) -> tuple[int, ...]:
        found = {lines.get((keys[s], float(table.times[k]))) for s, k in np.argwhere(chosen)}
        return tuple(sorted(line for line in found if line is not None))

    found = list(table.doubts)
    looked = table.state >= 0
    never = ~table.ever_seen
    if never.any():
        found.append(
            Doubt(
                f"{int(never.sum())} spines are never seen; they take no part in any estimate",
                at(never[:, None] & looked),
                unit,
            )
        )
    once = looked.sum(axis=1) == 1
    if once.any():
        found.append(
            Doubt(
                f"{int(once.sum())} spines were looked at once only and tell nothing of change",
                at(once[:, None] & looked),
                unit,
            )
        )
    found += _names(keys)
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
                    Doubt("sizes very far from the others; check their unit", at(far), unit)
                )
        found += _lowest(table, log_size, sized, at, unit)
    if not table.time_unit:
        found.append(Doubt("no name tells the unit of time; results are per unit of the table"))
    elif table.time_unit == "session":
        found.append(Doubt("times are numbers of sessions; results are per session, not per day"))
    return replace(table, doubts=tuple(found))


def _lowest(table, log_size, sized, at, unit):  # type: ignore[no-untyped-def]
    """A single size far below all others would be taken as the threshold."""
    values = np.sort(log_size[sized])
    if values.size < 50 or not (table.state == 0).any():
        return []
    gap = np.quantile(values, 0.01) - values[0]
    if gap <= APART * values.std():
        return []
    smallest = sized & (log_size == values[0])
    return [
        Doubt(
            f"the smallest size, {np.exp(values[0]):.3g}, lies far below the others and is taken "
            "as the threshold; give --threshold if it is a slip",
            at(smallest),
            unit,
        )
    ]


def _names(keys: list[tuple[str, str, str]]) -> list[Doubt]:
    spelled: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for key in keys:
        spelled[tuple(part.lower().replace(" ", "") for part in key)].add(" ".join(key).strip())
    pairs = [sorted(names) for names in spelled.values() if len(names) > 1]
    if not pairs:
        return []
    shown = "; ".join(" and ".join(repr(n) for n in names) for names in pairs[:4])
    return [Doubt(f"names that differ in case or spaces only are different spines: {shown}")]
