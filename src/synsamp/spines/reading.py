"""Read a table of spines in the layouts that laboratories use, and report how it was read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from synsamp.arguments import number, numbers
from synsamp.data.sources import LOEWENSTEIN, data_folder
from synsamp.errors import SynsampError, refuse
from synsamp.spines import cells
from synsamp.spines.absences import ABSENT, EMPTY, NO_ROW, NOT_IMAGED, SEEN, decide, kinds_of
from synsamp.spines.columns import (
    TIME_UNITS,
    Column,
    Columns,
    find_columns,
    header_finder,
    time_unit,
)
from synsamp.spines.returns import with_names
from synsamp.spines.sheet import Sheet, open_sheet, sheet_names
from synsamp.spines.table import SpineTable, TableWarning
from synsamp.spines.table_warnings import with_warnings

LOEWENSTEIN_COLUMNS: dict[str, str | int] = {
    "animal": 1,
    "dendrite": 2,
    "spine": 3,
    "time": 4,
    "size": 5,
}
"""Cell, dendrite, spine, session and size; the cell is the unit of the intervals."""

ANY_TIME_UNIT = frozenset(word for words in TIME_UNITS.values() for word in words)

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
    columns: Mapping[str, str | int] | None = None,
    header: bool = True,
    absent: str | None = None,
    by: str | None = None,
    sheet: str | None = None,
    sheets: str | None = None,
    days: Sequence[float] | None = None,
    interval: float | None = None,
    returns: str | None = None,
) -> SpineTable:
    """Read a CSV or Excel file, a pandas DataFrame, or what a tracker wrote.

    Parameters
    ----------
    source
        Path of a .csv, .tsv, .txt or .xlsx file, or a DataFrame, or the name of a data set that
        ``synsamp data fetch`` downloaded. A `SpineTable` is returned unchanged.
    columns
        Columns by role: a name, a position from 1, or "none", such as
        ``{"spine": "ROI", "size": 5}``. Roles: spine, time, size, present, imaged, reference,
        animal, dendrite, condition. Sizes are divided by the ``reference``, the intensity of the
        dendrite.
    header
        Whether the file has a header; without one, give positions in ``columns``.
    absent
        What marks an absence: "zero", "empty", "row", or several as "empty,row". Default: decided
        from the table.
    by
        The column that names the condition of a spine.
    sheet
        The sheet of a workbook; default: the first.
    sheets
        "all" reads all sheets: the name of a sheet is the animal, or the condition if the sheets
        have a column of animals. "animal" and "condition" say which.
    days
        The day of each session, for sessions that are numbered.
    interval
        Days between numbered sessions.
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
    given = dict(columns or {})
    if not isinstance(source, pd.DataFrame):
        source, given, header = _data_set(source, given, header)
    parts, warnings = _parts(source, given, by, header, sheet, sheets)
    page, found = parts[0].page, parts[0].columns
    decimal, dated = parts[0].decimal, parts[0].dated
    entries = [entry for part in parts for entry in part.entries]
    condition = {key: text for part in parts for key, text in part.conditions.items()}
    warnings += [warning for part in parts for warning in part.warnings]
    if len({part.dated for part in parts}) > 1:
        raise page.wrong(None, "must have dates in all sheets, or in none", "both", "use one kind")
    if dated:
        entries, more = _since_first(entries)
        warnings += more
    unit = "day" if dated else time_unit(found)
    if days is not None or interval is not None:
        entries = _on_days(page, entries, unit, days, interval)
        unit = "day"
    table = _arrange(page, found, entries, kinds, warnings, decimal, dated, condition, unit)
    lines = {(entry.key, entry.time): entry.line for entry in entries}
    return with_names(with_warnings(table, lines, page.unit), returns)


@dataclass(frozen=True, eq=False)
class Part:
    """What one sheet holds."""

    page: Sheet
    columns: Columns
    entries: list[Entry]
    conditions: dict[Key, str]
    decimal: str
    dated: bool
    warnings: list[TableWarning]


def _data_set(
    source: str | Path, given: dict[str, str | int], header: bool
) -> tuple[str | Path, dict[str, str | int], bool]:
    """The file and the columns of a downloaded data set; anything else is returned unchanged."""
    if str(source) != LOEWENSTEIN.name or Path(source).exists():
        return source, given, header
    path = data_folder() / LOEWENSTEIN.name / LOEWENSTEIN.files[0].name
    if not path.is_file():
        raise refuse(
            str(source),
            "must be a file, or a data set that was downloaded",
            "neither",
            f"synsamp data fetch {LOEWENSTEIN.name}",
        )
    return path, LOEWENSTEIN_COLUMNS | given, False


def _parts(
    source: str | Path | pd.DataFrame,
    given: dict[str, str | int],
    by: str | None,
    header: bool,
    sheet: str | None,
    sheets: str | None,
) -> tuple[list[Part], list[TableWarning]]:
    """The sheet, or all sheets; those that are no tables are listed in a warning."""
    finder = header_finder(given, by)
    if sheets is None:
        page = open_sheet(source, sheet, is_header=finder, has_header=header)
        return [_part(page, find_columns(page, given, by))], []
    if sheets not in ("all", "animal", "condition"):
        raise refuse("sheets", "must be all, animal or condition", sheets, "leave it out")
    if sheet is not None or isinstance(source, pd.DataFrame):
        raise refuse("sheets", "reads all sheets of an .xlsx file", sheets, "leave it out")
    pages: list[tuple[str, Sheet, Columns]] = []
    left_out: dict[str, str] = {}
    for name in sheet_names(source):
        try:
            page = open_sheet(source, name, is_header=finder, has_header=header)
            pages.append((name, page, find_columns(page, given, by)))
        except SynsampError as error:
            left_out[name] = str(error)
    if not pages:
        raise SynsampError(next(iter(left_out.values())))
    own = all("animal" in found.known for _, _, found in pages)
    role = ("condition" if own else "animal") if sheets == "all" else sheets
    parts = [_part(_named_sheet(page, name), found, role, name) for name, page, found in pages]
    # One header names the roles; sheets may order their columns differently.
    roles = {tuple(sorted({*part.columns.known, role})) for part in parts}
    if len(roles) > 1:
        raise parts[0].page.wrong(
            None, "must have the same kinds of columns in all sheets", len(roles), "name them alike"
        )
    first = parts[0].columns
    known = {**first.known, role: Column(-1, "sheet", "")}
    parts[0] = replace(parts[0], columns=replace(first, known=known))
    parts[0].page.read_as["sheet"] = f"{len(parts)} sheets, each of one {role}"
    parts[0].page.read_as.pop("other sheets, not read", None)
    words = "; ".join(f"{name!r}: {why}" for name, why in left_out.items())
    return parts, [TableWarning(f"sheets that are not read: {words}")] if left_out else []


def _named_sheet(page: Sheet, name: str) -> Sheet:
    """Errors name the sheet as well."""
    return replace(page, name=f"{page.name}, sheet {name}")


def _part(page: Sheet, columns: Columns, role: str = "", name: str = "") -> Part:
    """Entries of one sheet; its name takes the role of the animal or the condition."""
    page, columns, warnings = _without_units(page, columns)
    if "skipped above the header" in page.read_as:
        words = page.read_as["skipped above the header"]
        warnings.append(TableWarning(f"rows above the header are skipped: {words}"))
    if "reference" in columns.known:
        column = columns.known["reference"].name
        warnings.append(
            TableWarning(
                f"sizes are divided by {column!r}; --columns reference=none keeps them as they are",
                important=True,
            )
        )
    decimal, more = _decimal(page, columns)
    entries, dated, others = _entries(page, columns, decimal)
    conditions = _conditions(page, columns)
    if role == "animal":
        entries = [replace(entry, key=(name, *entry.key[1:])) for entry in entries]
        conditions = {(name, *key[1:]): text for key, text in conditions.items()}
    elif role == "condition":
        conditions = {entry.key: name for entry in entries}
    return Part(page, columns, entries, conditions, decimal, dated, [*warnings, *more, *others])


def _without_units(page: Sheet, columns: Columns) -> tuple[Sheet, Columns, list[TableWarning]]:
    """Take units from a row below the header, such as "(days)" and "(µm³)", and drop the row."""
    line, row = page.rows[0]
    words = [cell.strip("()[] ").lower() for cell in row]
    if len(page.rows) < 2 or any(any(c.isdigit() for c in word[:1]) for word in words):
        return page, columns, []
    measured = [k for k in (*columns.sessions,)]
    measured += [columns.known[what].index for what in ("size",) if what in columns.known]
    when = columns.known.get("time")
    kinds = cells.EMPTY | cells.ABSENT | cells.NOT_IMAGED
    timed = when is None or words[when.index] in ANY_TIME_UNIT
    sized = [words[k] for k in measured if words[k] not in kinds]
    if not timed or (when is None and len(sized) < len(measured)) or (not sized and when is None):
        return page, columns, []
    known = {
        what: replace(column, unit=column.unit or row[column.index].strip("()[] "))
        for what, column in columns.known.items()
    }
    units = ", ".join(filter(None, row))
    note = TableWarning(f"units are read from this row: {units}", (line,), page.unit)
    return replace(page, rows=page.rows[1:]), replace(columns, known=known), [note]


def _on_days(
    page: Sheet,
    entries: list[Entry],
    unit: str,
    days: Sequence[float] | None,
    interval: float | None,
) -> list[Entry]:
    """Entries with days instead of numbers of sessions."""
    if days is not None and interval is not None:
        raise refuse("days", "must be given without interval", "both", "give one of them")
    if unit not in ("", "session"):
        raise page.wrong(
            None, "must number its sessions for --days or --interval", f"{unit}s", "leave it out"
        )
    numbered = np.unique([entry.time for entry in entries])
    if interval is not None:
        step = number("interval", interval, above=0)
        place = {float(t): float((t - numbered[0]) * step) for t in numbered}
    else:
        given = numbers("days", days, shape=(None,))
        if given.size != numbered.size or (np.diff(given) <= 0).any():
            raise refuse(
                "days",
                f"must be {numbered.size} increasing numbers, one for each session",
                ", ".join(f"{t:g}" for t in given),
                f"the sessions are {', '.join(f'{t:g}' for t in numbered[:12])}",
            )
        place = dict(zip(numbered.tolist(), given.tolist(), strict=True))
    return [replace(entry, time=place[entry.time]) for entry in entries]


def _decimal(page: Sheet, columns: Columns) -> tuple[str, list[TableWarning]]:
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
    value = cells.number(text, decimal)
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
    condition: dict[Key, str],
    unit: str,
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
        time_unit=unit,
        size_name=_size_name(columns),
        size_unit=size_column.unit if size_column and "reference" not in columns.known else "",
        choices=choices,
        warnings=(*warnings, *more),
    )


def _size_name(columns: Columns) -> str:
    if "size" not in columns.known:
        return columns.measured or "size"
    name = columns.known["size"].name
    reference = columns.known.get("reference")
    return f"{name} / {reference.name}" if reference else name


def _conditions(page: Sheet, columns: Columns) -> dict[Key, str]:
    if "condition" not in columns.known:
        return {}
    at = columns.known["condition"].index
    return {_key(page, columns, line, row): row[at] for line, row in page.rows}
