"""A user's own table of spines: which were there when, or how large they were.

CSV with a header and one row per spine and session: an id, a time, and ``present`` (1 or 0) or
``volume`` (0: absent). A table with absences in it says of every spine when it was there and when
not; a missing row is then a gap, and the spine was not looked at. A table without any absence
lists only what was there; a missing row then means that the spine was absent.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synsamp.analysis.ornstein_uhlenbeck import OrnsteinUhlenbeck, estimate_ornstein_uhlenbeck
from synsamp.analysis.survival import Lifetimes
from synsamp.errors import refuse

NAMES = {
    "spine": ("spine", "spine_id", "id"),
    "time": ("time", "time_days", "time_h", "time_s", "day", "days", "t"),
    "present": ("present",),
    "volume": ("volume",),
}
NOTHING = ("", "na", "nan")


@dataclass(frozen=True, eq=False)
class SpineTable:
    """Observations ``volume[spine, session]``: 0 absent, > 0 present, NaN not observed.

    Without volumes a spine that is present has 1.
    """

    spines: tuple[str, ...]
    times: NDArray[np.float64]
    volume: NDArray[np.float64]
    has_volumes: bool
    absences_listed: bool

    @property
    def gaps(self) -> int:
        """Observations that are missing between a spine's first and last."""
        seen = np.isfinite(self.volume)
        first = seen.argmax(axis=1)
        last = seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
        spans = (last - first + 1).sum()
        return int(spans - seen.sum())

    @property
    def seen_once(self) -> int:
        """Spines that were looked at once only, of which nothing can be learned."""
        return int((np.isfinite(self.volume).sum(axis=1) == 1).sum())


def read_spine_table(path: str | Path) -> SpineTable:
    """Read and check a CSV file; every refusal names the line."""
    rows, has_volumes = _rows(Path(path))
    times = np.unique([time for _, time, _, _ in rows])
    spines = tuple(dict.fromkeys(name for name, *_ in rows))
    place = {name: i for i, name in enumerate(spines)}
    volume = np.full((len(spines), times.size), np.nan)
    told = np.zeros(volume.shape, np.int64)
    for name, time, value, line in rows:
        at = place[name], int(np.searchsorted(times, time))
        if told[at]:
            raise refuse(
                f"line {line}",
                "must not repeat a spine and time",
                f"{name} at {time:g}",
                f"it stands in line {told[at]} already",
            )
        told[at] = line
        volume[at] = value
    if times.size < 2:
        raise refuse("times", "must be at least two sessions", times.size)
    absences = bool((volume == 0).any())
    if not absences:
        volume[told == 0] = 0.0
    return SpineTable(spines, times, volume, has_volumes, absences)


def _rows(path: Path) -> tuple[list[tuple[str, float, float, int]], bool]:
    """(spine, time, volume or presence, line) of every row, and whether they are volumes."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.reader(file))
    except UnicodeDecodeError:
        raise refuse("file", "must be CSV text in UTF-8", str(path)) from None
    except csv.Error as error:
        raise refuse("file", f"must be CSV ({error})", str(path)) from None
    header = [cell.strip().lower() for cell in lines[0]] if lines else []
    column = {
        what: header.index(next(n for n in names if n in header))
        for what, names in NAMES.items()
        if any(n in header for n in names)
    }
    for what in ("spine", "time"):
        if what not in column:
            raise refuse("header", f"must have a column {what!r}", ", ".join(header) or "nothing")
    value_name = "volume" if "volume" in column else "present"
    if value_name not in column:
        raise refuse(
            "header", "must have a column 'present' or 'volume'", ", ".join(header) or "nothing"
        )
    rows = []
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise refuse(f"line {number}", f"must have {len(header)} cells", len(cells))
        name = cells[column["spine"]].strip()
        if not name:
            raise refuse(f"line {number}", "must name a spine", "nothing")
        time = _number(cells[column["time"]], "time", number)
        if math.isnan(time):
            raise refuse(f"line {number}", "must have a time", "nothing")
        value = _number(cells[column[value_name]], value_name, number)
        if value < 0:
            raise refuse(f"line {number}", "volume must be >= 0", value, "0 means absent")
        if value_name == "present" and value not in (0, 1) and not math.isnan(value):
            raise refuse(f"line {number}", "present must be 0 or 1", value)
        rows.append((name, time, value, number))
    if not rows:
        raise refuse("file", "must hold observations", "none", "one row per spine and session")
    return rows, value_name == "volume"


def _number(text: str, what: str, line: int) -> float:
    if text.strip().lower() in NOTHING:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise refuse(f"line {line}", f"{what} must be a number", text.strip()[:40]) from None
    if math.isinf(value):
        raise refuse(f"line {line}", f"{what} must be finite", value)
    return value


def new_spine_lifetimes(table: SpineTable) -> Lifetimes:
    """Lives of spines that appeared while they were watched, from the first session they are seen.

    A spine present when it was first looked at is not counted, since its age is not known. If a
    spine comes back after it was seen absent, that is another life. A gap leaves open when within
    it a life ended.
    """
    last_seen, first_missed = [], []
    for row in table.volume:
        looked = np.flatnonzero(np.isfinite(row))
        was = None
        born: float | None = None
        last = 0.0
        for k in looked:
            here, now = row[k] > 0, float(table.times[k])
            if here and was is False:
                born = now
            if here and born is not None:
                last = now
            if not here and born is not None:
                last_seen.append(last - born)
                first_missed.append(now - born)
                born = None
            was = bool(here)
        if born is not None and last > born:
            last_seen.append(last - born)
            first_missed.append(np.inf)
    return Lifetimes(np.array(last_seen, float), np.array(first_missed, float))


def volume_steps(
    table: SpineTable,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Log volume before and after, and the time between, for successive sessions of each spine.

    Steps from or to an absence are left out; a gap makes a longer step.
    """
    before, after, interval = [], [], []
    for row in table.volume:
        looked = np.flatnonzero(np.isfinite(row))
        for i, k in pairwise(looked):
            if row[i] > 0 and row[k] > 0:
                before.append(np.log(row[i]))
                after.append(np.log(row[k]))
                interval.append(table.times[k] - table.times[i])
    return np.array(before), np.array(after), np.array(interval)


def estimate_volumes(table: SpineTable) -> OrnsteinUhlenbeck:
    """μ, σ and b·T of log volume, with standard errors."""
    if not table.has_volumes:
        raise refuse("table", "must have a column 'volume' for this", "present only")
    return estimate_ornstein_uhlenbeck(*volume_steps(table))
