"""Names of spines that return: kept, or new ones, so that a name ends with its first loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spines.table import SpineTable, TableWarning

ENOUGH_LOSSES = 12
"""Losses without a return from which names are taken to end with a loss. If a quarter of the lost
spines returned, as in a table of intervals well below τ, none of 12 would in 3 % of the tables."""

NOTICED = (
    "none of {losses} lost spines returns under its name, as if each return gets a new name; names "
    "end with their first loss here. If returning spines keep their names, give --returns kept"
)


def runs_of(
    seen: NDArray[np.bool_], imaged: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The row of each run of sessions seen, and the run; sessions not imaged do not end a run."""
    place, runs = [], []
    for s, (row, there) in enumerate(zip(seen, imaged, strict=True)):
        own = row[there]
        starts = np.flatnonzero(own & ~np.r_[False, own[:-1]])
        ends = np.flatnonzero(own & ~np.r_[own[1:], False])
        for start, end in zip(starts, ends, strict=True):
            run = np.zeros(row.size, bool)
            run[np.flatnonzero(there)[start : end + 1]] = True
            place.append(s)
            runs.append(run)
    if not runs:
        return np.zeros(0, np.int64), np.zeros((0, seen.shape[1]), bool)
    return np.array(place, np.int64), np.array(runs)


def count_returns(table: SpineTable) -> tuple[int, int]:
    """Losses that a session follows, and those after which the spine is seen again."""
    losses = returned = 0
    for row in table.state:
        own = row[row >= 0]
        lost = np.flatnonzero((own[:-1] == 1) & (own[1:] == 0)) + 1
        lost = lost[lost < own.size - 1]
        losses += lost.size
        returned += sum(bool((own[k:] == 1).any()) for k in lost)
    return losses, returned


def with_names(table: SpineTable, returns: str | None) -> SpineTable:
    """Decide whether names end with a loss, or follow the user; says so in the warnings."""
    if returns not in (None, "kept", "renamed"):
        raise refuse("returns", "must be kept or renamed", returns, "leave it out to detect it")
    losses, returned = count_returns(table)
    if returns == "kept" or (returns is None and (returned or losses < ENOUGH_LOSSES)):
        return table
    if returned:
        table = split_returns(table)
    said = "as given" if returns else "detected"
    choices = table.choices | {"returning spines": f"get new names ({said})"}
    if returns is None:
        # First, since every estimate depends on it.
        warning = TableWarning(NOTICED.format(losses=losses), important=True)
        table = replace(table, warnings=(warning, *table.warnings))
    return replace(table, choices=choices, renamed=True)


def split_returns(table: SpineTable) -> SpineTable:
    """The table as if each spine that returns got a new name."""
    imaged = table.state >= 0
    place, runs = runs_of(table.state == 1, imaged)
    nth = np.arange(place.size) - np.searchsorted(place, place)
    names = [
        f"{table.spine[s]} ({n + 1})" if n else str(table.spine[s])
        for s, n in zip(place, nth, strict=True)
    ]
    return replace(
        table,
        spine=np.array(names, dtype=np.str_),
        animal=table.animal[place],
        dendrite=table.dendrite[place],
        condition=table.condition[place],
        state=np.where(runs, 1, np.where(imaged[place], 0, -1)).astype(np.int8),
        size=np.where(runs, table.size[place], np.nan),
        renamed=True,
    )
