"""What a protocol asks of the place where it is carried out: tables, checkpoints, progress."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from synsamp.columns import Table

SavedState = Mapping[str, Any]
"""A checkpoint: arrays, numbers (integers of any size), strings, booleans, None and nested
mappings with string keys. Nothing is pickled."""


class GrowingTable(Protocol):
    """A table in the results that grows during a run; memory stays bounded."""

    def append(self, **columns: Any) -> None:
        """Add rows: one array per column, all with the same first length."""


class Checkpoints(Protocol):
    """Where a long run leaves what it needs to continue bit-identically after a kill."""

    def load(self) -> SavedState | None:
        """Return the newest intact state, or None on a fresh start. Call before ``table``."""

    def due(self) -> bool:
        """Return True when enough wall time has passed that a ``save`` is worth its cost."""

    def save(self, state: SavedState) -> None:
        """Write the state and the present length of every table as one atomic step."""


class ProgressBar(Protocol):
    """One line of progress."""

    def advance(self, amount: float = 1.0) -> None:
        """Add to what is done; on resume, advance once by what the checkpoint already holds."""


class Context(Protocol):
    """Where a run keeps what it finds, and what it needs to continue."""

    @property
    def checkpoint(self) -> Checkpoints:
        """The checkpoints of this run."""

    def progress(self, description: str, total: float) -> AbstractContextManager[ProgressBar]:
        """Show a progress bar for the body of a ``with``."""

    def table(self, name: str, table: Table, coordinates: Mapping[str, Any]) -> GrowingTable:
        """Open a table of the results under ``name`` (``branch/record``).

        ``coordinates`` stand along its other dimensions. After a resume the table holds exactly the
        rows it held when the loaded checkpoint was saved, so the run appends as if never stopped.
        """
