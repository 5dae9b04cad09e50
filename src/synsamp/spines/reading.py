"""Read a table of spines as a laboratory has it, and say how it was understood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from synsamp.spines import cells
from synsamp.spines.absences import ABSENT, EMPTY, NO_ROW, NOT_LOOKED, SEEN, decide, kinds_of
from synsamp.spines.columns import Columns, find_columns, time_unit
from synsamp.spines.doubts import doubts_about
from synsamp.spines.sheet import Sheet, open_sheet
from synsamp.spines.table import Doubt, SpineTable

Key = tuple[str, str, str]  # animal, dendrite, spine


@dataclass(frozen=True)
class Look:
    """One cell of the table: which spine, when, and what it says."""

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
) -> SpineTable:
    """Read a CSV or Excel file, or a pandas DataFrame.

    columns: which column holds what, as ``{"spine": "ROI", "size": "dF"}``
    absent:  what stands for absence: "zero", "empty", "row", or several as "empty,row"
    by:      the column that names the condition of a spine
    sheet:   the sheet of a workbook (default the first)
    """
    if isinstance(source, SpineTable):
        return source
    kinds = kinds_of(absent)
    page = open_sheet(source, sheet)
    found = find_columns(page, columns or {}, by)
    decimal, doubts = _decimal(page, found)
    looks, dated, more = _looks(page, found, decimal)
    doubts += more
    if dated:
        looks, more = _since_first(looks)
        doubts += more
    table = _arrange(page, found, looks, kinds, doubts, decimal, dated)
    return doubts_about(table, {(look.key, look.time): look.line for look in looks}, page.unit)


def _decimal(page: Sheet, columns: Columns) -> tuple[str, list[Doubt]]:
    wanted = [columns.known[what].index for what in ("time", "size") if what in columns.known]
    wanted += list(columns.sessions)
    numbers = [(line, row[k]) for line, row in page.rows for k in wanted]
    sign, other = cells.decimal_sign(numbers)
    if other is not None:
        kind = "comma" if sign == "," else "point"
        raise page.wrong(
            other,
            f"must write numbers with a decimal {kind} as most others do",
            next(
                t for line, t in numbers if line == other and ("." if kind == "comma" else ",") in t
            ),
            "use one sign in the whole file, and none for thousands",
        )
    doubts = []
    if sign == ",":
        odd = [line for line, text in numbers if len(text.rpartition(",")[2]) == 3 and "," in text]
        commas = sum("," in text for _, text in numbers)
        if len(odd) == commas:
            doubts.append(
                Doubt(
                    "commas are read as decimal signs, though each stands before three digits",
                    tuple(odd),
                    page.unit,
                )
            )
    return sign, doubts


def _looks(page: Sheet, columns: Columns, decimal: str) -> tuple[list[Look], bool, list[Doubt]]:
    looks: list[Look] = []
    notes: dict[str, list[int]] = defaultdict(list)
    dated: set[bool] = set()
    conditions: dict[Key, str] = {}
    told = page.header if columns.wide else [r[columns.known["time"].index] for _, r in page.rows]
    american = cells.month_first(told)
    for line, row in page.rows:
        key = _key(page, columns, line, row)
        if "condition" in columns.known:
            _same_condition(page, columns, line, row, key, conditions)
        if columns.wide:
            for k, when in columns.sessions.items():
                state, size = _cell(page, line, row[k], decimal)
                dated.add(when.dated)
                looks.append(Look(line, key, when.value, state, size))
            continue
        text = row[columns.known["time"].index]
        when_ = cells.moment(text, decimal, american)
        if when_ is None:
            raise page.wrong(
                line,
                "must have a time: a number, or a date as YYYY-MM-DD",
                text,
                "write it so; 03/04/2024 can be two days",
            )
        dated.add(when_.dated)
        if len(dated) > 1:
            raise page.wrong(
                line, "must give its time as the lines before do", text, "use only dates or numbers"
            )
        state, size = _said(page, columns, line, row, decimal, notes)
        looks.append(Look(line, key, when_.value, state, size))
    if len(dated) > 1:
        raise page.wrong(
            None, "must name its sessions by dates or by numbers", "both", "use one of them"
        )
    doubts = [Doubt(what, tuple(lines), page.unit) for what, lines in notes.items()]
    if american is not None:
        order = "month/day/year" if american else "day/month/year"
        doubts.append(Doubt(f"dates are {order}: one of them can be nothing else"))
    return looks, dated.pop(), doubts


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
    page: Sheet, columns: Columns, line: int, row: list[str], key: Key, told: dict[Key, str]
) -> None:
    text = row[columns.known["condition"].index]
    if told.setdefault(key, text) != text:
        raise page.wrong(
            line,
            f"must have the condition {told[key]!r} as the spine's other lines",
            text,
            "name another column by --columns condition=NAME, or make two tables",
        )


def _said(
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
                notes["present, but of size 0: taken as present, size not measured"].append(line)
            state = SEEN if state != NOT_LOOKED else NOT_LOOKED
        elif text in cells.NO:
            if state == SEEN:
                notes["not present, but with a size: taken as absent"].append(line)
            state, size = ABSENT, np.nan
        elif text in cells.NOT_LOOKED:
            state, size = NOT_LOOKED, np.nan
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
                notes["not imaged, but with an entry: taken as not looked at"].append(line)
            state, size = NOT_LOOKED, np.nan
        elif text not in cells.YES and text not in cells.EMPTY:
            raise page.wrong(
                line, "must have 1 or 0 for imaged", text, "write 1 for imaged, 0 for not"
            )
    return state, size


def _cell(page: Sheet, line: int, text: str, decimal: str) -> tuple[int, float]:
    """State and size that a cell of sizes stands for."""
    word = text.lower()
    if word in cells.EMPTY:
        return EMPTY, np.nan
    if word in cells.ABSENT:
        return ABSENT, np.nan
    if word in cells.NOT_LOOKED:
        return NOT_LOOKED, np.nan
    value = cells.number(text, decimal)
    if value is None:
        remedy = "write 0 for absent, n/a for nothing, 'not imaged' for not looked at"
        if any(c.isdigit() for c in text):
            remedy = "write it alone: no unit (the header has it), no sign between thousands"
        raise page.wrong(line, "must have a number for a size", text, remedy)
    if value < 0:
        raise page.wrong(line, "must have a size >= 0", value, "write 0 for absent")
    return (SEEN, value) if value > 0 else (ABSENT, np.nan)


def _since_first(looks: list[Look]) -> tuple[list[Look], list[Doubt]]:
    """Days from an animal's first date; the clock counts only if a spine has two looks a day."""
    doubts = [Doubt("times are dates; they are counted in days from an animal's first")]
    clock = any(look.time % 1 for look in looks)
    if clock and len({(look.key, look.time // 1) for look in looks}) == len(looks):
        looks = [replace(look, time=look.time // 1) for look in looks]
        doubts.append(Doubt("the clock is left out: no spine was looked at twice on one day"))
    first: dict[str, float] = {}
    for look in looks:
        first[look.key[0]] = min(first.get(look.key[0], np.inf), look.time)
    return [replace(k, time=round(k.time - first[k.key[0]], 6)) for k in looks], doubts


def _arrange(
    page: Sheet,
    columns: Columns,
    looks: list[Look],
    kinds: set[str] | None,
    doubts: list[Doubt],
    decimal: str,
    dated: bool,
) -> SpineTable:
    keys = list(dict.fromkeys(look.key for look in looks))
    row_of = {key: k for k, key in enumerate(keys)}
    times = np.unique([look.time for look in looks])
    if times.size < 2:
        raise page.wrong(
            None, "must hold at least two sessions", times.size, "one session shows no change"
        )
    state = np.full((len(keys), times.size), NO_ROW, np.int8)
    size = np.full(state.shape, np.nan)
    line_of = np.zeros(state.shape, np.int64)
    column_of = {float(t): k for k, t in enumerate(times)}
    for look in looks:
        at = row_of[look.key], column_of[look.time]
        if state[at] != NO_ROW:
            known = "animal" in columns.known
            raise page.wrong(
                look.line,
                "must not repeat a spine and time",
                f"{look.key[2]} at {look.time:g}",
                f"it stands in {page.unit} {line_of[at]} already; "
                + ("remove one" if known else "if another animal has it, --columns animal=NAME"),
            )
        state[at], size[at], line_of[at] = look.state, look.size, look.line
    together = "a dendrite" if "dendrite" in columns.known else "an animal"
    text, more = decide(state, line_of, keys, times, kinds, together, page.unit)
    plain_sizes = columns.wide and set(np.unique(size[state == SEEN])) <= {1.0}
    if plain_sizes:  # a wide table of 1 and 0 is one of presence
        size[:] = np.nan
        doubts.append(Doubt("all entries are 1, 0 or empty: read as presence, not as sizes"))
    size_column = columns.known.get("size")
    choices = {what: column.name for what, column in columns.known.items()}
    choices |= {
        "layout": "one column per session" if columns.wide else "one row per spine and session",
        "decimal sign": "comma" if decimal == "," else "point",
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
        doubts=(*doubts, *more),
    )


def _conditions(page: Sheet, columns: Columns) -> dict[Key, str]:
    if "condition" not in columns.known:
        return {}
    at = columns.known["condition"].index
    return {_key(page, columns, line, row): row[at] for line, row in page.rows}
