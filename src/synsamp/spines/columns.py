"""Assign roles to columns, by common names in laboratories or as the user specifies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from synsamp.spines.cells import Moment, moment, month_first, parse_number
from synsamp.spines.sheet import Sheet

ALIASES: dict[str, tuple[str, ...]] = {
    "spine": ("spine", "spine id", "spineid", "spine name", "spine no", "spine nr", "spine number",
              "spine index", "id", "roi", "roi id", "label", "synapse", "synapse id", "bouton",
              "connection", "object id"),
    "time": ("time", "t", "day", "days", "date", "time days", "time d", "time h", "time hours",
             "time min", "time s", "hour", "hours", "week", "weeks", "session", "session id",
             "session no", "imaging day", "imaging date", "imaging session", "timepoint",
             "time point", "age", "date time", "datetime", "acquisition date"),
    "size": ("size", "int den", "raw int den", "integrated density", "volume", "vol",
             "spine volume", "head volume", "spine size", "area",
             "head area", "spine area", "intensity", "integrated intensity", "spine intensity",
             "fluorescence", "integrated fluorescence", "brightness", "spine brightness", "weight",
             "value", "head diameter", "spine head volume", "spine head area"),
    "present": ("present", "presence", "exists", "seen", "state", "status"),
    "imaged": ("imaged", "in view", "in fov", "looked at", "in focus"),
    "reference": ("dendrite intensity", "shaft intensity", "dendrite fluorescence",
                  "shaft fluorescence", "dendrite brightness", "shaft brightness",
                  "dendritic intensity", "reference", "reference intensity"),
    "animal": ("animal", "animal id", "animal no", "mouse", "mouse id", "rat", "subject",
               "subject id", "specimen"),
    "dendrite": ("dendrite", "dendrite id", "dendrite no", "branch", "branch id", "segment",
                 "segment id",
                 "dendritic segment", "cell", "cell id", "neuron", "fov", "field", "region"),
    "condition": ("condition", "group", "treatment", "genotype", "cohort"),
}  # fmt: skip
"""Names without case, punctuation and units; the first match counts."""

TIME_UNITS = {
    "day": ("d", "day", "days"),
    "hour": ("h", "hr", "hrs", "hour", "hours"),
    "minute": ("min", "mins", "minute", "minutes"),
    "second": ("s", "sec", "second", "seconds"),
    "week": ("w", "wk", "week", "weeks"),
    "session": ("session", "session id", "session no", "imaging session", "timepoint",
                "time point", "tp"),
}  # fmt: skip


@dataclass(frozen=True)
class SheetColumn:
    """A column of the sheet: its position, name and unit (or "")."""

    index: int
    name: str
    unit: str


@dataclass(frozen=True)
class SheetColumns:
    """The roles of the columns; ``sessions`` is filled if each session has its own column."""

    known: dict[str, SheetColumn]
    sessions: dict[int, Moment]
    unused: tuple[str, ...]
    measured: str  # what the sessions' columns hold, if their names say so

    @property
    def wide(self) -> bool:
        """Whether each session has its own column."""
        return bool(self.sessions)


def plain(name: str) -> tuple[str, str]:
    """``Volume (µm³)`` as ("volume", "µm³"): the name to compare, and the unit."""
    unit = re.search(r"[(\[]([^)\]]*)[)\]]", name)
    bare = name[: unit.start()] + name[unit.end() :] if unit else name
    bare = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)  # SpineID
    words = re.sub(r"[\W_]+", " ", bare).strip().lower()
    return words, unit.group(1).strip() if unit else ""


NONE = "none"
"""In place of a column: the role is not used."""


def header_finder(given: Mapping[str, str | int], by: str | None) -> Callable[[list[str]], bool]:
    """Whether a row names enough columns to be a header: all given, or spine and one more."""
    names = [str(name) for name in (*given.values(), by) if name is not None]
    names = [plain(name)[0] for name in names if not name.isdigit() and name != NONE]

    def is_header(cells: list[str]) -> bool:
        compared = {plain(cell)[0] for cell in cells if cell} - {""}
        if len(compared) < 2 or (names and not compared >= set(names)):
            return False
        roles = {what for what, aliases in ALIASES.items() if compared & set(aliases)}
        roles |= {what for what, name in given.items() if plain(str(name))[0] in compared}
        timed = sum(moment(cell, ",") is not None for cell in cells if cell) >= 2
        return "spine" in roles and (len(roles) > 1 or timed)

    return is_header


def find_columns(sheet: Sheet, given: Mapping[str, str | int], by: str | None) -> SheetColumns:
    """Match the header; raise an error that lists every missing role."""
    compared = [plain(name)[0] for name in sheet.header]
    known: dict[str, SheetColumn] = {}
    unused_roles = {what for what, name in given.items() if name == NONE}
    for what, name in given.items():
        if what not in ALIASES:
            choices = ", ".join(ALIASES)
            raise sheet.wrong(None, f"has the column roles {choices}", what, "use one of these")
        if name != NONE:
            known[what] = _named(sheet, compared, str(name), what)
    if by is not None:
        known["condition"] = _named(sheet, compared, by, "--by")
    for what, aliases in ALIASES.items():
        taken = {column.index for column in known.values()}
        for alias in () if what in known or what in unused_roles else aliases:
            places = [k for k, name in enumerate(compared) if name == alias and k not in taken]
            if len(places) > 1:
                raise sheet.wrong(
                    None,
                    f"must have one column {alias!r}",
                    len(places),
                    f"choose one with --columns {what}=NAME",
                )
            if places:
                known[what] = _column(sheet, places[0])
                break
    sessions, measured = ({}, "") if "time" in known else _sessions(sheet, known)
    _require(sheet, known, sessions)
    used = {column.index for column in known.values()} | set(sessions)
    unused = tuple(n for k, n in enumerate(sheet.header) if k not in used and n)
    return SheetColumns(known, sessions, unused, measured)


def _column(sheet: Sheet, index: int) -> SheetColumn:
    return SheetColumn(index, sheet.header[index], plain(sheet.header[index])[1])


def _named(sheet: Sheet, compared: list[str], name: str, what: str) -> SheetColumn:
    exact = [k for k, header in enumerate(sheet.header) if header == name]
    places = exact or [k for k, header in enumerate(compared) if header == plain(name)[0]]
    if not places and name.isdigit() and 1 <= int(name) <= len(sheet.header):
        places = [int(name) - 1]  # a position, counted from 1
    if len(places) != 1:
        header = ", ".join(sheet.header)[:200]
        raise sheet.wrong(
            None, f"must have one column for {what}", name, f"its header is: {header}"
        )
    return _column(sheet, places[0])


def _sessions(sheet: Sheet, known: Mapping[str, SheetColumn]) -> tuple[dict[int, Moment], str]:
    """Columns whose names are times: 0, day 4, D8, session 3, 2024-05-01; or vol_d4, Area day 8."""
    taken = {column.index for column in known.values()}
    american = month_first(sheet.header)
    for measure in ("", *ALIASES["size"]):
        found = {
            k: when
            for k, name in enumerate(sheet.header)
            if k not in taken and (when := _when(name, measure, american)) is not None
        }
        if len(found) >= 2:
            return found, measure
    return {}, ""


def _when(name: str, measure: str, american: bool | None) -> Moment | None:
    """The session in a column's name, after the name of the measure."""
    if not measure:
        return moment(name, ",", american)
    first, _, rest = plain(name)[0].partition(f"{measure} ")
    return moment(rest, ",", american) if not first and rest else None


def _require(
    sheet: Sheet, known: Mapping[str, SheetColumn], sessions: Mapping[int, Moment]
) -> None:
    """Report everything that is missing at once."""
    missing = {}
    if "spine" not in known:
        missing["spine"] = "a column of spine names"
    if "time" not in known and not sessions:
        missing["time"] = "a column of times, or one column per session"
    if not sessions and "size" not in known and "present" not in known:
        missing["size"] = "a column of sizes, or of presence (1 or 0)"
    if not missing:
        return
    headed = sheet.read_as.get("header") != "none"
    kind = "NAME" if headed else "NUMBER"
    remedy = "assign them with --columns " + ",".join(f"{what}={kind}" for what in missing)
    if headed and _is_data(sheet.header):
        # The header is a row of numbers: the file has none.
        remedy = "without a header give --no-header and positions, such as --columns spine=3"
        remedy += ",time=4,size=5"
    if set(missing) == {"time"}:
        remedy += ", or name the sessions' columns by day or date"
    if others := sheet.read_as.get("other sheets, not read"):
        remedy += f"; or read another sheet with --sheet: {others}"
    header = ", ".join(sheet.header)[:200] or "nothing"
    raise sheet.wrong(None, f"must have {'; '.join(missing.values())}", header, remedy)


def _is_data(header: list[str]) -> bool:
    """Whether most cells of the header are numbers."""
    numbers = sum(parse_number(cell, ".") is not None for cell in header)
    return 2 * numbers >= len(header)


def time_unit(columns: SheetColumns) -> str:
    """The unit of time in the header, or ""."""
    if columns.wide:
        units = {when.unit for when in columns.sessions.values()}
        return units.pop() if len(units) == 1 else ""
    column = columns.known["time"]
    words = plain(column.name)[0]
    for unit, names in TIME_UNITS.items():
        if column.unit.lower() in names or words in names or words.rpartition(" ")[2] in names:
            return unit
    return "day" if words in ("imaging day", "postnatal day") else ""
