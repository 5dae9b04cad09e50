"""A checked table of spines: presence and size of each spine in each session, and warnings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.spines.observations import Observations, observations
from synsamp.spines.offsets import Offsets

Floats = NDArray[np.float64]

SHOWN_LINES = 8


@dataclass(frozen=True)
class TableWarning:
    """A possible mistake in a table, and the lines where it occurs."""

    what: str
    lines: tuple[int, ...] = ()
    unit: str = "line"
    important: bool = False  # decides how the table is analysed

    def __str__(self) -> str:
        if not self.lines:
            return self.what
        shown = ", ".join(map(str, self.lines[:SHOWN_LINES]))
        more = len(self.lines) - SHOWN_LINES
        many = "s" if len(self.lines) > 1 else ""
        return f"{self.unit}{many} {shown}{f' and {more} more' if more > 0 else ''}: {self.what}"


@dataclass(frozen=True, eq=False)
class SpineTable:
    """Spines in the sessions of all animals together.

    Attributes
    ----------
    name
        Name of the file.
    spine, animal, dendrite, condition
        Names, shape (spines,); "" where the table has no such column.
    times
        Times of the sessions in ``time_unit``, shape (sessions,).
    state
        Shape (spines, sessions): 1 seen, 0 absent, −1 not imaged.
    size
        Shape (spines, sessions): NaN where a spine was not seen or not measured.
    time_unit, size_name, size_unit
        As the header names them, or "".
    renamed
        Whether a spine that returns gets a new name, so that a name ends with its first loss.
    offsets
        Offsets of log size between animals that were removed from ``size``, or None.
    choices
        How the table was read: layout, delimiter, columns, absences.
    warnings
        Entries that may be mistakes.
    """

    name: str
    spine: NDArray[np.str_]
    animal: NDArray[np.str_]
    dendrite: NDArray[np.str_]
    condition: NDArray[np.str_]
    times: Floats
    state: NDArray[np.int8]
    size: Floats
    time_unit: str
    size_name: str
    size_unit: str
    choices: dict[str, str]
    warnings: tuple[TableWarning, ...]
    renamed: bool = False
    offsets: Offsets | None = None

    @property
    def has_sizes(self) -> bool:
        """Whether any size was measured."""
        return bool(np.isfinite(self.size).any())

    @property
    def animals(self) -> list[str]:
        """The animals in order of appearance."""
        return list(dict.fromkeys(self.animal.tolist()))

    @property
    def conditions(self) -> list[str]:
        """The conditions in order of appearance; one empty name if there are none."""
        return list(dict.fromkeys(self.condition.tolist()))

    @property
    def animal_number(self) -> NDArray[np.int64]:
        """The animal of each spine, counted from 0."""
        place = {name: k for k, name in enumerate(self.animals)}
        return np.array([place[a] for a in self.animal.tolist()], np.int64)

    def part(self, chosen: NDArray[np.bool_]) -> SpineTable:
        """The table of some spines, with the sessions in which any of them was imaged."""
        state = self.state[chosen]
        when = (state >= 0).any(axis=0)
        return replace(
            self,
            spine=self.spine[chosen],
            animal=self.animal[chosen],
            dendrite=self.dendrite[chosen],
            condition=self.condition[chosen],
            times=self.times[when],
            state=state[:, when],
            size=self.size[chosen][:, when],
        )

    def of_condition(self, name: str) -> SpineTable:
        """The spines of one condition."""
        return self.part(self.condition == name)

    def observations(self, threshold: float | None = None) -> Observations:
        """Observations for the filters; default threshold: the smallest measured size."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log_size = np.log(self.size)
        least = None if threshold is None else float(np.log(threshold))
        return observations(self.times, self.state, log_size, least, self.renamed)

    @property
    def ever_seen(self) -> NDArray[np.bool_]:
        """Which spines were seen at least once."""
        return np.asarray((self.state == 1).any(axis=1))

    def intervals(self) -> Floats:
        """Times between successive sessions of each dendrite."""
        found = []
        for unit in sorted({*zip(self.animal.tolist(), self.dendrite.tolist(), strict=True)}):
            rows = (self.animal == unit[0]) & (self.dendrite == unit[1])
            found.append(np.diff(self.times[(self.state[rows] >= 0).any(axis=0)]))
        return np.concatenate(found) if found else np.zeros(0)

    @property
    def usual_interval(self) -> float:
        """The median time between successive sessions."""
        steps = self.intervals()
        return float(np.median(steps)) if steps.size else 1.0

    @property
    def frame(self) -> pd.DataFrame:
        """One row per observation: spine, animal, dendrite, condition, time, present, size."""
        s, k = np.nonzero(self.state >= 0)
        return pd.DataFrame(
            {
                "spine": self.spine[s],
                "animal": self.animal[s],
                "dendrite": self.dendrite[s],
                "condition": self.condition[s],
                "time": self.times[k],
                "present": self.state[s, k] == 1,
                "size": self.size[s, k],
            }
        )

    def summary(self) -> list[str]:
        """How the table was read, in lines for the terminal and the page."""
        imaged = self.state >= 0
        steps = self.intervals()
        unit = f" {self.time_unit}s" if self.time_unit else " (unit of time not named)"
        ends = f"from {self.times[0]:g} to {self.times[-1]:g}{unit}"
        if self.time_unit == "session":
            ends = f"numbered {self.times[0]:g} to {self.times[-1]:g}"
        units = {*zip(self.animal.tolist(), self.dendrite.tolist(), strict=True)}
        counts = [
            f"{len(self.animals)} animal{'s' * (len(self.animals) != 1)}"
            + ("" if self.choices.get("animal") else " (no column for animals)"),
            f"{len(units)} dendrites" if self.choices.get("dendrite") else "dendrites not named",
            f"{len(self.spine)} spines",
            f"{self.times.size} sessions {ends}",
        ]
        between = "no intervals"
        if steps.size:
            one = steps.max() == 1 and self.time_unit
            last = "" if np.ptp(steps) < 1e-9 else f" to {steps.max():g}"
            words = f" {self.time_unit}" if one else unit
            between = f"intervals of {steps.min():g}{last}{words}"
        absent = float((self.state[imaged] == 0).mean())
        lines = [
            ", ".join(counts),
            f"{between}; {int(imaged.sum())} observations, {100 * absent:.1f} % of them absent; "
            f"{int((~imaged).sum())} of {imaged.size} not imaged",
        ]
        if self.has_sizes:
            sizes = self.size[np.isfinite(self.size)]
            unit = f" {self.size_unit}" if self.size_unit else ""
            lines.append(
                f"{sizes.size} sizes ({self.size_name}) from {sizes.min():.3g} to "
                f"{sizes.max():.3g}{unit}, median {np.median(sizes):.3g}{unit}"
            )
        if self.conditions != [""]:
            numbers = (f"{c}: {int((self.condition == c).sum())} spines" for c in self.conditions)
            lines.append(f"by {self.choices.get('condition', 'condition')}: {', '.join(numbers)}")
        lines.append(self.choices["absent"])
        if "columns not used" in self.choices:
            lines.append(f"columns not used: {self.choices['columns not used']}")
        if "other sheets, not read" in self.choices:
            lines.append(f"sheets not read: {self.choices['other sheets, not read']}")
        return lines
