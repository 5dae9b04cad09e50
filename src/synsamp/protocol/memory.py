"""A context that keeps all tables in memory and needs no checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.columns import Table
from synsamp.progress import progress_bar
from synsamp.protocol.context import ProgressBar, SavedState


class MemoryTable:
    """A growing table in memory."""

    def __init__(self, table: Table, coordinates: Mapping[str, Any]) -> None:
        self._table, self._coordinates = table, coordinates
        self._parts: list[dict[str, NDArray[Any]]] = [
            {
                name: np.zeros((0, *column.dimensions.values()), column.dtype)
                for name, column in table.columns.items()
            }
        ]

    def append(self, **columns: Any) -> None:
        """Add rows, all columns at once so that an interrupt leaves whole rows."""
        about = self._table.columns
        self._parts.append({name: np.array(columns[name], about[name].dtype) for name in about})

    def dataset(self) -> xr.Dataset:
        """All rows."""
        variables = {}
        for name, column in self._table.columns.items():
            dims = (self._table.dimension, *column.dimensions)
            attributes = {"units": column.unit, "description": column.description}
            values = np.concatenate([part[name] for part in self._parts])
            variables[name] = (dims, values, {k: v for k, v in attributes.items() if v})
        return xr.Dataset(variables, coords=dict(self._coordinates)).set_coords(
            [
                name
                for name, column in self._table.columns.items()
                if column.coordinate or name == self._table.dimension
            ]
        )


class NoCheckpoints:
    """No checkpoints: a run in memory cannot be resumed."""

    def load(self) -> SavedState | None:
        """None."""
        return None

    def due(self) -> bool:
        """Never."""
        return False

    def save(self, state: SavedState) -> None:
        """Nothing is kept."""


class MemoryContext:
    """Keeps everything in memory; see `synsamp.protocol.context.Context`."""

    def __init__(self) -> None:
        self.checkpoint = NoCheckpoints()
        self._tables: dict[str, MemoryTable] = {}

    @contextmanager
    def progress(self, description: str, total: float) -> Iterator[ProgressBar]:
        """A bar on the terminal."""
        with progress_bar(description, total) as advance:
            yield _Bar(advance)

    def table(self, name: str, table: Table, coordinates: Mapping[str, Any]) -> MemoryTable:
        """Open a table."""
        self._tables[name] = MemoryTable(table, coordinates)
        return self._tables[name]

    def results(self) -> dict[str, xr.Dataset]:
        """All tables by name."""
        return {name: table.dataset() for name, table in self._tables.items()}


class _Bar:
    def __init__(self, advance: Any) -> None:
        self._advance = advance

    def advance(self, amount: float = 1.0) -> None:
        self._advance(amount)
