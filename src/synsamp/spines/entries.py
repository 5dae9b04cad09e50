"""The observations in the rows of a sheet: spine, time, state and size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from synsamp.arguments import number, numbers
from synsamp.errors import refuse
from synsamp.spines import cells
from synsamp.spines.absences import ABSENT, EMPTY, NOT_IMAGED, SEEN
from synsamp.spines.columns import SheetColumns
from synsamp.spines.sheet import Sheet
from synsamp.spines.table import TableWarning

Key = tuple[str, str, str]  # animal, dendrite, spine


@dataclass(frozen=True)
class TableCell:
    """One cell of the table: spine, time, state and size."""

    line: int
    key: Key
    time: float
    state: int
    size: float


def decimal_separator(page: Sheet, columns: SheetColumns) -> tuple[str, list[TableWarning]]:
    """The decimal separator of the numbers; a second one raises an error."""
    roles = ("time", "size", "reference")
    wanted = [columns.known[what].index for what in roles if what in columns.known]
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


def entries_of(
    page: Sheet, columns: SheetColumns, decimal: str
) -> tuple[list[TableCell], bool, list[TableWarning]]:
    """All entries, whether times are dates, and warnings."""
    entries: list[TableCell] = []
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
                entries.append(TableCell(line, key, when.value, state, size))
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
        entries.append(TableCell(line, key, when_.value, state, size))
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


def _key(page: Sheet, columns: SheetColumns, line: int, row: list[str]) -> Key:
    names = {
        what: row[columns.known[what].index] if what in columns.known else ""
        for what in ("animal", "dendrite", "spine")
    }
    for what in ("spine", "animal"):
        if what in columns.known and names[what].lower() in cells.EMPTY:
            raise page.wrong(line, f"must name its {what}", names[what] or "nothing", "fill it in")
    return names["animal"], names["dendrite"], names["spine"]


def _same_condition(
    page: Sheet,
    columns: SheetColumns,
    line: int,
    row: list[str],
    key: Key,
    conditions: dict[Key, str],
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
    columns: SheetColumns,
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
        if "reference" in columns.known and state == SEEN:
            size /= _reference(page, line, row[columns.known["reference"].index], decimal)
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


def _reference(page: Sheet, line: int, text: str, decimal: str) -> float:
    value = cells.parse_number(text, decimal)
    if value is None or value <= 0:
        raise page.wrong(
            line,
            "must have an intensity of the dendrite > 0",
            text or "nothing",
            "fill it in, or give --columns reference=none",
        )
    return value


def _cell(page: Sheet, line: int, text: str, decimal: str) -> tuple[int, float]:
    """State and size from a cell of sizes."""
    word = text.lower()
    if word in cells.EMPTY:
        return EMPTY, np.nan
    if word in cells.ABSENT:
        return ABSENT, np.nan
    if word in cells.NOT_IMAGED:
        return NOT_IMAGED, np.nan
    value = cells.parse_number(text, decimal)
    if value is None:
        remedy = "write 0 for absent, n/a for missing, 'not imaged' for not imaged"
        if any(c.isdigit() for c in text):
            remedy = "write the number alone, without a unit or a thousands separator"
        raise page.wrong(line, "must have a number for a size", text, remedy)
    if value < 0:
        raise page.wrong(line, "must have a size >= 0", value, "write 0 for absent")
    return (SEEN, value) if value > 0 else (ABSENT, np.nan)


def since_first(entries: list[TableCell]) -> tuple[list[TableCell], list[TableWarning]]:
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


def on_days(
    page: Sheet,
    entries: list[TableCell],
    unit: str,
    days: Sequence[float] | None,
    interval: float | None,
) -> list[TableCell]:
    """Entries with days instead of numbers of sessions."""
    if days is not None and interval is not None:
        raise refuse("days", "must be given without interval", "both", "give one of them")
    if unit not in ("", "session"):
        raise page.wrong(
            None, "must number its sessions for --days or --interval", f"{unit}s", "leave it out"
        )
    numbered = np.unique([entry.time for entry in entries])
    if interval is not None:
        step = number("interval", interval, above=0, remedy="give days, such as 4")
        place = {float(t): float((t - numbered[0]) * step) for t in numbered}
    else:
        given = numbers("days", days, shape=(None,), remedy="give days, such as 0,4,8")
        if given.size != numbered.size or (np.diff(given) <= 0).any():
            raise refuse(
                "days",
                f"must be {numbered.size} increasing numbers, one for each session",
                ", ".join(f"{t:g}" for t in given),
                f"the sessions are {', '.join(f'{t:g}' for t in numbered[:12])}",
            )
        place = dict(zip(numbered.tolist(), given.tolist(), strict=True))
    return [replace(entry, time=place[entry.time]) for entry in entries]


def conditions_of(page: Sheet, columns: SheetColumns) -> dict[Key, str]:
    """The condition of each spine, if a column names it."""
    if "condition" not in columns.known:
        return {}
    at = columns.known["condition"].index
    return {_key(page, columns, line, row): row[at] for line, row in page.rows}
