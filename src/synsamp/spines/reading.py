"""Read a table of spines in the layouts that laboratories use, and report how it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from synsamp.data.sources import LOEWENSTEIN, data_folder
from synsamp.errors import SynsampError, refuse
from synsamp.spines import cells
from synsamp.spines.absences import NO_ROW, SEEN, decide, kinds_of
from synsamp.spines.columns import (
    TIME_UNITS,
    SheetColumn,
    SheetColumns,
    find_columns,
    header_finder,
    time_unit,
)
from synsamp.spines.entries import (
    Key,
    TableCell,
    conditions_of,
    decimal_separator,
    entries_of,
    on_days,
    since_first,
)
from synsamp.spines.returns import with_names
from synsamp.spines.sheet import Sheet, open_sheet, sheet_names
from synsamp.spines.table import SpineTable, TableWarning
from synsamp.spines.table_warnings import with_warnings
from synsamp.spines.trackers import from_imagej, from_synapflow

LOEWENSTEIN_COLUMNS: dict[str, str | int] = {
    "animal": 1,
    "dendrite": 2,
    "spine": 3,
    "time": 4,
    "size": 5,
}
"""Cell, dendrite, spine, session and size; the cell is the unit of the intervals."""

ANY_TIME_UNIT = frozenset(word for words in TIME_UNITS.values() for word in words)


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
    """Read a CSV or Excel file, a pandas DataFrame, or what ImageJ, MapManager or SynapFlow wrote.

    Parameters
    ----------
    source
        Path of a .csv, .tsv, .txt or .xlsx file, a folder of SynapFlow, a DataFrame, or the name of
        a data set that ``synsamp data fetch`` downloaded. A `SpineTable` is returned unchanged.
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
        if Path(source).is_dir():
            source = from_synapflow(Path(source))
    parts, warnings = _parts(source, given, by, header, sheet, sheets)
    page, found = parts[0].page, parts[0].columns
    decimal, dated = parts[0].decimal, parts[0].dated
    entries = [entry for part in parts for entry in part.entries]
    condition = {key: text for part in parts for key, text in part.conditions.items()}
    warnings += [warning for part in parts for warning in part.warnings]
    if len({part.dated for part in parts}) > 1:
        raise page.wrong(None, "must have dates in all sheets, or in none", "both", "use one kind")
    if dated:
        entries, more = since_first(entries)
        warnings += more
    unit = "day" if dated else time_unit(found)
    if days is not None or interval is not None:
        entries = on_days(page, entries, unit, days, interval)
        unit = "day"
    table = _arrange(page, found, entries, kinds, warnings, decimal, dated, condition, unit)
    lines = {(entry.key, entry.time): entry.line for entry in entries}
    return with_names(with_warnings(table, lines, page.unit), returns)


@dataclass(frozen=True, eq=False)
class SheetContent:
    """What one sheet holds."""

    page: Sheet
    columns: SheetColumns
    entries: list[TableCell]
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
) -> tuple[list[SheetContent], list[TableWarning]]:
    """The sheet, or all sheets; those that are no tables are listed in a warning."""
    finder = header_finder(given, by)
    if sheets is None:
        page = from_imagej(open_sheet(source, sheet, is_header=finder, has_header=header))
        return [_part(page, find_columns(page, given, by))], []
    if sheets not in ("all", "animal", "condition"):
        raise refuse("sheets", "must be all, animal or condition", sheets, "leave it out")
    if sheet is not None or isinstance(source, pd.DataFrame):
        raise refuse("sheets", "reads all sheets of an .xlsx file", sheets, "leave it out")
    pages: list[tuple[str, Sheet, SheetColumns]] = []
    left_out: dict[str, str] = {}
    for name in sheet_names(source):
        try:
            page = from_imagej(open_sheet(source, name, is_header=finder, has_header=header))
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
    known = {**first.known, role: SheetColumn(-1, "sheet", "")}
    parts[0] = replace(parts[0], columns=replace(first, known=known))
    parts[0].page.read_as["sheet"] = f"{len(parts)} sheets, each of one {role}"
    parts[0].page.read_as.pop("other sheets, not read", None)
    words = "; ".join(f"{name!r}: {why}" for name, why in left_out.items())
    return parts, [TableWarning(f"sheets that are not read: {words}")] if left_out else []


def _named_sheet(page: Sheet, name: str) -> Sheet:
    """Errors name the sheet as well."""
    return replace(page, name=f"{page.name}, sheet {name}")


def _part(page: Sheet, columns: SheetColumns, role: str = "", name: str = "") -> SheetContent:
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
    decimal, more = decimal_separator(page, columns)
    entries, dated, others = entries_of(page, columns, decimal)
    conditions = conditions_of(page, columns)
    if role == "animal":
        entries = [replace(entry, key=(name, *entry.key[1:])) for entry in entries]
        conditions = {(name, *key[1:]): text for key, text in conditions.items()}
    elif role == "condition":
        conditions = {entry.key: name for entry in entries}
    return SheetContent(
        page, columns, entries, conditions, decimal, dated, [*warnings, *more, *others]
    )


def _without_units(
    page: Sheet, columns: SheetColumns
) -> tuple[Sheet, SheetColumns, list[TableWarning]]:
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


def _arrange(
    page: Sheet,
    columns: SheetColumns,
    entries: list[TableCell],
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


def _size_name(columns: SheetColumns) -> str:
    if "size" not in columns.known:
        return columns.measured or "size"
    name = columns.known["size"].name
    reference = columns.known.get("reference")
    return f"{name} / {reference.name}" if reference else name
