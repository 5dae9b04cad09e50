"""Read a table of spines in the layouts that laboratories use, and report how it was read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from synsamp.spines import cells
from synsamp.spines.absences import ABSENT, EMPTY, NO_ROW, NOT_IMAGED, SEEN, decide, kinds_of
from synsamp.spines.columns import Columns, find_columns, time_unit
from synsamp.spines.returns import with_names
from synsamp.spines.sheet import Sheet, open_sheet
from synsamp.spines.table import SpineTable, TableWarning
from synsamp.spines.table_warnings import with_warnings

Key = tuple[str, str, str]  # animal, dendrite, spine


@dataclass(frozen=True)
class Entry:
    """One cell of the table: spine, time, state and size."""

    line: int
    key: Key
    time: float
    state: int
    size: float


def read(
    source: str | Path | pd.DataFrame | SpineTable,
    *,
    columns: Mapping[str, str] | None = None,
    absent: str | None = None,
    by: str | None = None,
    sheet: str | None = None,
    returns: str | None = None,
) -> SpineTable:
    """Read a CSV or Excel file, or a pandas DataFrame.

    Parameters
    ----------
    source
        Path of a .csv, .tsv, .txt or .xlsx file, or a DataFrame. A `SpineTable` is returned
        unchanged.
    columns
        Columns by role, such as ``{"spine": "ROI", "size": "dF"}``. Roles: spine, time, size,
        present, imaged, animal, dendrite, condition.
    absent
        What marks an absence: "zero", "empty", "row", or several as "empty,row". Default: decided
        from the table.
    by
        The column that names the condition of a spine.
    sheet
        The sheet of a workbook; default: the first.
    returns
        Whether a spine that returns has its name "kept" or is "renamed"; default: decided from the
        table.

    Returns
    -------
    SpineTable
        ``.summary()`` describes how the table was read; ``.warnings`` lists possible mistakes.
    """
    if isinstance(source, SpineTable):
        return source
    kinds = kinds_of(absent)
    page = open_sheet(source, sheet)
    found = find_columns(page, columns or {}, by)
    decimal, warnings = _decimal(page, found)
    entries, dated, more = _entries(page, found, decimal)
    warnings += more
    if dated:
        entries, more = _since_first(entries)
        warnings += more
    table = _arrange(page, found, entries, kinds, warnings, decimal, dated)
    lines = {(entry.key, entry.time): entry.line for entry in entries}
    return with_names(with_warnings(table, lines, page.unit), returns)


def _decimal(page: Sheet, columns: Columns) -> tuple[str, list[TableWarning]]:
    wanted = [columns.known[what].index for what in ("time", "size") if what in columns.known]
    wanted += list(columns.sessions)
    numbers = [(line, row[k]) for line, row in page.rows for k in wanted]
    sign, other = cells.decimal_sign(numbers)
    if other is not None:
        kind = "comma" if sign == "," else "point"
        raise page.wrong(
            other,
            f"must use the decimal {kind} like most numbers",
            next(
                t for line, t in numbers if line == other and ("." if kind == "comma" else ",") in t
            ),
            "use one decimal separator in the whole file, and none for thousands",
        )
    warnings = []
    if sign == ",":
        odd = [line for line, text in numbers if len(text.rpartition(",")[2]) == 3 and "," in text]
        commas = sum("," in text for _, text in numbers)
        if len(odd) == commas:
            warnings.append(
                TableWarning(
                    "commas are read as decimal separators, though three digits follow each",
                    tuple(odd),
                    page.unit,
                )
            )
    return sign, warnings


def _entries(
    page: Sheet, columns: Columns, decimal: str
) -> tuple[list[Entry], bool, list[TableWarning]]:
    entries: list[Entry] = []
    notes: dict[str, list[int]] = defaultdict(list)
    dated: set[bool] = set()
    conditions: dict[Key, str] = {}
    texts = page.header if columns.wide else [r[columns.known["time"].index] for _, r in page.rows]
    american = cells.month_first(texts)
    for line, row in page.rows:
        key = _key(page, columns, line, row)
        if "condition" in columns.known:
            _same_condition(page, columns, line, row, key, conditions)
        if columns.wide:
            for k, when in columns.sessions.items():
                state, size = _cell(page, line, row[k], decimal)
                dated.add(when.dated)
                entries.append(Entry(line, key, when.value, state, size))
            continue
        text = row[columns.known["time"].index]
        when_ = cells.moment(text, decimal, american)
        if when_ is None:
            raise page.wrong(
                line,
                "must have a time: a number, or a date as YYYY-MM-DD",
                text,
                "03/04/2024 is ambiguous; write 2024-04-03",
            )
        dated.add(when_.dated)
        if len(dated) > 1:
            raise page.wrong(
                line, "must give its time like the lines before", text, "use only dates or numbers"
            )
        state, size = _state_and_size(page, columns, line, row, decimal, notes)
        entries.append(Entry(line, key, when_.value, state, size))
    if len(dated) > 1:
        raise page.wrong(
            None, "must name its sessions by dates or by numbers", "both", "use one of them"
        )
    warnings = [TableWarning(what, tuple(lines), page.unit) for what, lines in notes.items()]
    if american is not None:
        order = "month/day/year" if american else "day/month/year"
        warnings.append(
            TableWarning(f"dates are read as {order}, the only order that fits all of them")
        )
    return entries, dated.pop(), warnings


def _key(page: Sheet, columns: Columns, line: int, row: list[str]) -> Key:
    names = {
        what: row[columns.known[what].index] if what in columns.known else ""
        for what in ("animal", "dendrite", "spine")
    }
    for what in ("spine", "animal"):
        if what in columns.known and names[what].lower() in cells.EMPTY:
            raise page.wrong(line, f"must name its {what}", names[what] or "nothing", "fill it in")
    return names["animal"], names["dendrite"], names["spine"]


def _same_condition(
    page: Sheet, columns: Columns, line: int, row: list[str], key: Key, conditions: dict[Key, str]
) -> None:
    text = row[columns.known["condition"].index]
    if conditions.setdefault(key, text) != text:
        raise page.wrong(
            line,
            f"must have the condition {conditions[key]!r} like the spine's other lines",
            text,
            "choose another column with --columns condition=NAME, or make two tables",
        )


def _state_and_size(
    page: Sheet,
    columns: Columns,
    line: int,
    row: list[str],
    decimal: str,
    notes: dict[str, list[int]],
) -> tuple[int, float]:
    """State and size of a row of the long layout."""
    size_column = columns.known.get("size")
    state, size = EMPTY, np.nan
    if size_column is not None:
        state, size = _cell(page, line, row[size_column.index], decimal)
    if "present" in columns.known:
        text = row[columns.known["present"].index].lower()
        if text in cells.YES:
            if state == ABSENT:
                notes["present, but of size 0: read as present, size not measured"].append(line)
            state = SEEN if state != NOT_IMAGED else NOT_IMAGED
        elif text in cells.NO:
            if state == SEEN:
                notes["not present, but with a size: read as absent"].append(line)
            state, size = ABSENT, np.nan
        elif text in cells.NOT_IMAGED:
            state, size = NOT_IMAGED, np.nan
        elif text not in cells.EMPTY:
            raise page.wrong(
                line,
                f"must have 1 or 0 in {columns.known['present'].name!r}",
                text,
                "write 1 for present, 0 for absent",
            )
    if "imaged" in columns.known:
        text = row[columns.known["imaged"].index].lower()
        if text in cells.NO:
            if state == SEEN:
                notes["not imaged, but with an entry: read as not imaged"].append(line)
            state, size = NOT_IMAGED, np.nan
        elif text not in cells.YES and text not in cells.EMPTY:
            raise page.wrong(
                line, "must have 1 or 0 for imaged", text, "write 1 for imaged, 0 for not"
            )
    return state, size


def _cell(page: Sheet, line: int, text: str, decimal: str) -> tuple[int, float]:
    """State and size from a cell of sizes."""
    word = text.lower()
    if word in cells.EMPTY:
        return EMPTY, np.nan
    if word in cells.ABSENT:
        return ABSENT, np.nan
    if word in cells.NOT_IMAGED:
        return NOT_IMAGED, np.nan
    value = cells.number(text, decimal)
    if value is None:
        remedy = "write 0 for absent, n/a for missing, 'not imaged' for not imaged"
        if any(c.isdigit() for c in text):
            remedy = "write the number alone, without a unit or a thousands separator"
        raise page.wrong(line, "must have a number for a size", text, remedy)
    if value < 0:
        raise page.wrong(line, "must have a size >= 0", value, "write 0 for absent")
    return (SEEN, value) if value > 0 else (ABSENT, np.nan)


def _since_first(entries: list[Entry]) -> tuple[list[Entry], list[TableWarning]]:
    """Days since an animal's first date; clock times count only with two sessions on a day."""
    warnings = [TableWarning("times are dates, counted in days from the first of each animal")]
    clock = any(entry.time % 1 for entry in entries)
    if clock and len({(entry.key, entry.time // 1) for entry in entries}) == len(entries):
        entries = [replace(entry, time=entry.time // 1) for entry in entries]
        warnings.append(
            TableWarning("clock times are ignored: no spine was imaged twice on one day")
        )
    first: dict[str, float] = {}
    for entry in entries:
        first[entry.key[0]] = min(first.get(entry.key[0], np.inf), entry.time)
    return [replace(k, time=round(k.time - first[k.key[0]], 6)) for k in entries], warnings


def _arrange(
    page: Sheet,
    columns: Columns,
    entries: list[Entry],
    kinds: set[str] | None,
    warnings: list[TableWarning],
    decimal: str,
    dated: bool,
) -> SpineTable:
    keys = list(dict.fromkeys(entry.key for entry in entries))
    row_of = {key: k for k, key in enumerate(keys)}
    times = np.unique([entry.time for entry in entries])
    if times.size < 2:
        raise page.wrong(
            None, "must hold at least two sessions", times.size, "one session shows no change"
        )
    state = np.full((len(keys), times.size), NO_ROW, np.int8)
    size = np.full(state.shape, np.nan)
    line_of = np.zeros(state.shape, np.int64)
    column_of = {float(t): k for k, t in enumerate(times)}
    for entry in entries:
        at = row_of[entry.key], column_of[entry.time]
        if state[at] != NO_ROW:
            known = "animal" in columns.known
            raise page.wrong(
                entry.line,
                "must not repeat a spine and time",
                f"{entry.key[2]} at {entry.time:g}",
                f"{page.unit} {line_of[at]} has it already; "
                + ("remove one" if known else "for several animals give --columns animal=NAME"),
            )
        state[at], size[at], line_of[at] = entry.state, entry.size, entry.line
    together = "a dendrite" if "dendrite" in columns.known else "an animal"
    text, more = decide(state, line_of, keys, times, kinds, together, page.unit)
    plain_sizes = columns.wide and set(np.unique(size[state == SEEN])) <= {1.0}
    if plain_sizes:  # a wide table of 1 and 0 holds presence
        size[:] = np.nan
        warnings.append(
            TableWarning("all entries are 1, 0 or empty: read as presence, not as sizes")
        )
    size_column = columns.known.get("size")
    choices = {what: column.name for what, column in columns.known.items()}
    choices |= {
        "layout": "one column per session" if columns.wide else "one row per spine and session",
        "decimal separator": "comma" if decimal == "," else "point",
        "absent": text,
        "time": "dates" if dated else choices.get("time", "the sessions' columns"),
        **page.read_as,
    }
    if columns.unused:
        choices["columns not used"] = ", ".join(columns.unused)
    condition = _conditions(page, columns)
    names = [np.array([key[k] for key in keys], dtype=np.str_) for k in range(3)]
    return SpineTable(
        name=page.name,
        spine=names[2],
        animal=names[0],
        dendrite=names[1],
        condition=np.array([condition.get(key, "") for key in keys], dtype=np.str_),
        times=times,
        state=state,
        size=size,
        time_unit="day" if dated else time_unit(columns),
        size_name=size_column.name if size_column else columns.measured or "size",
        size_unit=size_column.unit if size_column else "",
        choices=choices,
        warnings=(*warnings, *more),
    )


def _conditions(page: Sheet, columns: Columns) -> dict[Key, str]:
    if "condition" not in columns.known:
        return {}
    at = columns.known["condition"].index
    return {_key(page, columns, line, row): row[at] for line, row in page.rows}
