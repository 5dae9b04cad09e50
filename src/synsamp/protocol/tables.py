"""The tables of a protocol: one per record and branch, opened with the first row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.columns import Column, Table
from synsamp.errors import refuse
from synsamp.protocol.context import Context, GrowingTable
from synsamp.protocol.records.base import TIME
from synsamp.protocol.rows import as_row, check_same

MARK = Column("<U40", description="name of the mark")
AFTER_LESION = Column("|b1", description="row taken right after a lesion", coordinate=True)


class Tables:
    """Opens tables with their first row, and again after a resume."""

    def __init__(self, context: Context, saved: Mapping[str, Any] | None) -> None:
        self._context = context
        self._open: dict[str, GrowingTable] = {}
        self._known: dict[str, Table] = {}
        self._coordinates: dict[str, dict[str, NDArray[Any]]] = {}
        self._last_s: dict[str, float] = {}  # time of the last row of a periodic record
        for name, content in (saved or {}).items():
            columns = {
                key: Column(**{**c, "dimensions": dict(c["dimensions"])})
                for key, c in content["columns"].items()
            }
            self.open(name, Table(content["dimension"], columns), content["coordinates"])
            if content["last_s"] is not None:
                self._last_s[name] = float(content["last_s"])

    def open(self, name: str, table: Table, coordinates: Mapping[str, Any] = {}) -> None:
        """Open a table, unless it is open."""
        if name not in self._open:
            self._known[name] = table
            self._coordinates[name] = dict(coordinates)
            self._open[name] = self._context.table(name, table, coordinates)

    def add_row(
        self,
        name: str,
        value: Any,
        time_s: float,
        mark: str | None = None,
        after_lesion: bool | None = None,
    ) -> None:
        """Add a record's value at this time, or at this mark.

        Times of a periodic record are unique: the row after a lesion, which would repeat the time
        of the row before it, has the next larger floating-point number. ``after_lesion`` marks
        this row; None if the protocol has no lesion.
        """
        row = as_row(name.rpartition("/")[2], value)
        first = {"time": TIME} if mark is None else {"mark": MARK, "time": TIME}
        if after_lesion is not None:
            first["after_lesion"] = AFTER_LESION
        dimension = next(iter(first))
        if clash := {*first, dimension} & {*row.columns, *row.coordinates}:
            rule = f"must not use the name {clash.pop()!r}"
            raise refuse(f"record {name!r}", rule, "it", "that is when the row was taken")
        if name in self._known:
            known = {k: c for k, c in self._known[name].columns.items() if k not in first}
            check_same(name, row, known)
        self.open(name, Table(dimension, {**first, **row.columns}), row.coordinates)
        if mark is None:
            last_s = self._last_s.get(name, -np.inf)
            time_s = float(time_s if time_s > last_s else np.nextafter(last_s, np.inf))
            self._last_s[name] = time_s
        stamp: dict[str, NDArray[Any]] = {"time": np.array([time_s])}
        if mark is not None:
            stamp["mark"] = np.array([mark], MARK.dtype)
        if after_lesion is not None:
            stamp["after_lesion"] = np.array([after_lesion])
        self._open[name].append(**stamp, **{k: v[None] for k, v in row.values.items()})

    def add_rows(self, name: str, columns: Mapping[str, Any]) -> None:
        """Add rows of an open table."""
        self._open[name].append(**columns)

    def state(self) -> dict[str, Any]:
        """What is needed to open them again."""
        return {
            name: {
                "dimension": table.dimension,
                "columns": {
                    key: {
                        "dtype": c.dtype,
                        "dimensions": dict(c.dimensions),
                        "unit": c.unit,
                        "description": c.description,
                        "coordinate": c.coordinate,
                    }
                    for key, c in table.columns.items()
                },
                "coordinates": self._coordinates[name],
                "last_s": self._last_s.get(name),
            }
            for name, table in self._known.items()
        }
