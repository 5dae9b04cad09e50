"""Parse a cell: a number with a decimal point or comma, a date, or a word for absence."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass

EMPTY = frozenset(
    (
        "",
        "na",
        "n/a",
        "nan",
        "null",
        "none",
        "nil",
        "-",
        "–",
        "—",
        ".",
        "#n/a",
        "nd",
        "n.d.",
        "<na>",
    )
)
"""Marks of an empty cell; their meaning depends on the table (`--absent`)."""

ABSENT = frozenset(("absent", "lost", "gone", "retracted", "eliminated", "no spine", "not present"))
NOT_IMAGED = frozenset(
    ("not imaged", "out of view", "out of fov", "outside", "outside fov", "out of focus", "oof",
     "oov", "unclear", "hidden", "excluded", "obscured", "?")
)  # fmt: skip
YES = frozenset(("1", "1.0", "1,0", "yes", "y", "true", "t", "present", "p", "seen", "+", "stable",
                 "new", "gained", "persistent"))  # fmt: skip
NO = frozenset(("0", "0.0", "0,0", "no", "n", "false", "f", "a", "-", "−", *ABSENT))

_POINT = re.compile(r"[-+−]?(\d+(\.\d*)?|\.\d+)([eE][-+−]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[-+−]?(\d+(,\d*)?|,\d+)([eE][-+−]?\d+)?", re.ASCII)
_ISO = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?",
    re.ASCII,
)
_LOCAL = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", re.ASCII)
_NUMBERED = re.compile(
    r"(day|days|d|session|sess|s|timepoint|tp|t|week|wk|w|hour|h|pnd|p|dpi)"
    r"[\s_:.-]*(\d+(?:[.,]\d+)?)",
    re.ASCII | re.IGNORECASE,
)
_UNITS = {
    "day": ("day", "days", "d", "pnd", "p", "dpi"),
    "session": ("session", "sess", "s", "timepoint", "tp", "t"),
    "week": ("week", "wk", "w"),
    "hour": ("hour", "h"),
}


@dataclass(frozen=True)
class Moment:
    """A time: a number with its unit (or ""), or a calendar date in days."""

    value: float
    unit: str
    dated: bool = False


def parse_number(text: str, decimal: str) -> float | None:
    """The number in a cell with this decimal separator, or None."""
    pattern = _COMMA if decimal == "," else _POINT
    if not pattern.fullmatch(text):
        return None
    value = float(text.replace("−", "-").replace(",", "."))
    return value if abs(value) < 1e300 else None


def month_first(texts: Iterable[str]) -> bool | None:
    """Whether dates such as 03/25/2024 put the month first; None if all are ambiguous."""
    dates = [found for text in texts if "." not in text and (found := _LOCAL.fullmatch(text))]
    if any(int(found.group(1)) > 12 for found in dates):
        return False
    return True if any(int(found.group(2)) > 12 for found in dates) else None


def moment(text: str, decimal: str, american: bool | None = None) -> Moment | None:
    """The time in a cell or a header, or None.

    03/04/2024 is ambiguous: ``american`` says whether the month comes first; None rejects it.
    """
    plain = text.strip()
    for sign in (".", decimal):
        value = parse_number(plain, sign)
        if value is not None:
            return Moment(value, "")
    if found := _NUMBERED.fullmatch(plain):
        word = found.group(1).lower()
        unit = next(unit for unit, words in _UNITS.items() if word in words)
        return Moment(float(found.group(2).replace(",", ".")), unit)
    if found := _ISO.fullmatch(plain):
        year, month, day, *clock = (int(part or 0) for part in found.groups())
        return _date(year, month, day, *clock)
    if found := _LOCAL.fullmatch(plain):
        first, second, year = (int(part) for part in found.groups())
        if "." in plain:  # with points the order is always day, month, year
            return _date(year, second, first)
        if american is not None:
            return _date(year, *((first, second) if american else (second, first)))
    return None


def _date(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0
) -> Moment | None:
    try:
        when = datetime.datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    return Moment((when - datetime.datetime(1970, 1, 1)).total_seconds() / 86400, "day", dated=True)


def decimal_sign(cells: list[tuple[int, str]]) -> tuple[str, int | None]:
    """The decimal separator of these cells, and the first line with the other one (or None)."""
    points = [line for line, text in cells if "." in text and _POINT.fullmatch(text)]
    commas = [line for line, text in cells if "," in text and _COMMA.fullmatch(text)]
    if not commas:
        return ".", None
    if not points:
        return ",", None
    return (",", points[0]) if len(commas) > len(points) else (".", commas[0])
