"""The four kinds of record.

`StateRecord`
    A function of the network's state, taken with ``every(seconds, …)`` or ``at_marks(…)``.
`IntervalRecord`
    The same for what has happened since the previous row.
`EventRecord`
    Events of the engine (`synsamp.spiking.events`), stored as they occur.
`SyncRecord`
    Changes of the synapses, found whenever all of them are up to date.

A new record is one file with a class and a line in ``protocol/__init__.py``. Records store
what happened and never decode it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray

from synsamp.columns import Column, Table
from synsamp.protocol.view import View
from synsamp.spiking import Network

RecordMemory = Mapping[str, Any]
"""What a record remembers between rows: arrays, numbers and strings; part of a checkpoint."""
ColumnArrays = Mapping[str, NDArray[Any]]
TIME = Column("<f8", unit="s", description="biological time")


class Record(ABC):  # noqa: B024 (its kinds are abstract)
    """Base class of all records."""

    def check(self, network: Network) -> None:  # noqa: B027 (optional)
        """Raise an error if the network lacks what the record names."""


class StateRecord(Record):
    """A function of the state."""

    @abstractmethod
    def __call__(self, view: View) -> Any:
        """The row: a number, an array, a mapping of these, or xarray."""


class IntervalRecord(Record):
    """What has happened since the previous row."""

    counts_spikes: ClassVar[bool] = False
    """Whether `View.spike_counts` is needed."""

    @abstractmethod
    def begin(self, view: View) -> RecordMemory:
        """What to remember at the start of the protocol or branch, and after each row."""

    @abstractmethod
    def row(self, view: View, memory: RecordMemory) -> Any:
        """The row, given what was remembered."""


class EventRecord(Record):
    """Events of the engine."""

    event: ClassVar[str]
    """The kind of event, a key of `synsamp.spiking.events.EVENTS`."""

    @abstractmethod
    def table(self, network: Network) -> Table:
        """Columns to store."""

    @abstractmethod
    def rows(self, events: ColumnArrays, network: Network) -> ColumnArrays:
        """Rows of the table from the engine's columns."""


class SyncRecord(Record):
    """Changes found at multiples of ``sync_interval_s`` and after lesions."""

    @abstractmethod
    def table(self, network: Network) -> Table:
        """Columns to store."""

    @abstractmethod
    def begin(self, view: View) -> RecordMemory:
        """What to remember at the start."""

    @abstractmethod
    def rows(self, view: View, memory: RecordMemory) -> tuple[ColumnArrays, RecordMemory]:
        """Rows since the last call, and what to remember."""
