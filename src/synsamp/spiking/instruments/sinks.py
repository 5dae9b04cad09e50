"""Where recordings go: memory, or a sink of your own.

A sink takes rows by the name of a table, knows how many it holds, and can be cut back to a length,
which is what going on from a saved state needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.columns import Table
from synsamp.errors import refuse


class Sink(Protocol):
    """Takes what is recorded."""

    def open(self, name: str, table: Table) -> None:
        """Make a table ready; called once, before its first rows."""

    def append(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows: one array per column, all equally long."""

    def length(self, name: str) -> int:
        """Return how many rows the table holds."""

    def truncate(self, name: str, length: int) -> None:
        """Cut the table back to ``length`` rows."""


class MemorySink:
    """Keeps everything in memory: ``sink["spikes"]["time_s"]``. Grows with what is recorded."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._chunks: dict[str, dict[str, list[NDArray[Any]]]] = {}

    def open(self, name: str, table: Table) -> None:
        """Start an empty table, or go on with one of the same columns."""
        if name not in self._tables:
            self._tables[name] = table
            self._chunks[name] = {
                key: [np.zeros((0, *c.dimensions.values()), c.dtype)]
                for key, c in table.columns.items()
            }

    def append(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows."""
        for key, column in self._tables[name].columns.items():
            self._chunks[name][key].append(np.array(columns[key], column.dtype))

    def __getitem__(self, name: str) -> dict[str, NDArray[Any]]:
        chunks = self._chunks[arguments.one_of("recorded table", name, self._tables)]
        for key, parts in chunks.items():
            chunks[key] = [np.concatenate(parts)]
        return {key: parts[0] for key, parts in chunks.items()}

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        rows = ", ".join(f"{name}: {self.length(name):,} rows" for name in self)
        return f"MemorySink({rows})"

    def table(self, name: str) -> Table:
        """Dimension, units and meaning of a table's columns."""
        return self._tables[arguments.one_of("recorded table", name, self._tables)]

    def length(self, name: str) -> int:
        """How many rows a table holds."""
        return len(next(iter(self[name].values())))

    def truncate(self, name: str, length: int) -> None:
        """Cut a table back."""
        self._chunks[name] = {key: [v[:length].copy()] for key, v in self[name].items()}


def as_sink(given: Any) -> Any:
    """The sink, or a new one in memory for None."""
    sink = MemorySink() if given is None else given
    if not all(hasattr(sink, name) for name in ("open", "append", "length", "truncate")):
        raise refuse("sink", "must be a Sink", type(given), "use MemorySink()")
    return sink
