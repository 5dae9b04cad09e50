"""Where recordings go: memory, or the growing tables of a run folder.

A sink takes rows by stream name, knows how many it holds, and can be cut back to a length, which is
what resuming from a checkpoint needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse


@dataclass(frozen=True)
class ColumnSpec:
    """One recorded quantity: dtype, named dimensions after the first, unit, meaning."""

    dtype: str
    dimensions: Mapping[str, int] = field(default_factory=dict)
    unit: str = ""
    description: str = ""


@dataclass(frozen=True)
class StreamSpec:
    """One table: the name of its growing dimension and its columns."""

    dimension: str
    columns: Mapping[str, ColumnSpec]


class Sink(Protocol):
    """Takes what is recorded."""

    def open(self, stream: str, spec: StreamSpec) -> None:
        """Make a table ready; called once per stream, before its first rows."""

    def append(self, stream: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows: one array per column, all equally long."""

    def length(self, stream: str) -> int:
        """Return how many rows the table holds."""

    def truncate(self, stream: str, length: int) -> None:
        """Cut the table back to ``length`` rows."""


class MemorySink:
    """Keeps everything in memory: ``sink["spikes"]["time_s"]``. Grows with what is recorded."""

    def __init__(self) -> None:
        self._specs: dict[str, StreamSpec] = {}
        self._chunks: dict[str, dict[str, list[NDArray[Any]]]] = {}

    def open(self, stream: str, spec: StreamSpec) -> None:
        """Start an empty table, or go on with one of the same columns."""
        if stream not in self._specs:
            self._specs[stream] = spec
            self._chunks[stream] = {
                name: [np.zeros((0, *c.dimensions.values()), c.dtype)]
                for name, c in spec.columns.items()
            }

    def append(self, stream: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows."""
        for name, column in self._specs[stream].columns.items():
            self._chunks[stream][name].append(np.array(columns[name], column.dtype))

    def __getitem__(self, stream: str) -> dict[str, NDArray[Any]]:
        chunks = self._chunks[arguments.one_of("recorded table", stream, self._specs)]
        for name, parts in chunks.items():
            chunks[name] = [np.concatenate(parts)]
        return {name: parts[0] for name, parts in chunks.items()}

    def __contains__(self, stream: object) -> bool:
        return stream in self._specs

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __repr__(self) -> str:
        rows = ", ".join(f"{name}: {self.length(name):,} rows" for name in self)
        return f"MemorySink({rows})"

    def spec(self, stream: str) -> StreamSpec:
        """Dimension, units and meaning of a table's columns."""
        return self._specs[arguments.one_of("recorded table", stream, self._specs)]

    def length(self, stream: str) -> int:
        """How many rows a table holds."""
        return len(next(iter(self[stream].values())))

    def truncate(self, stream: str, length: int) -> None:
        """Cut a table back."""
        self._chunks[stream] = {name: [v[:length].copy()] for name, v in self[stream].items()}


class StreamSink:
    """Writes to the streams of a run: ``StreamSink(context.stream, Column)``.

    ``open_stream(name, columns, dimension)`` and ``column`` are those of
    `synsamp.experiments.base`; the run folder itself cuts streams back on resume.
    """

    def __init__(
        self, open_stream: Callable[..., Any], column: Callable[..., Any], prefix: str = ""
    ) -> None:
        self._open_stream = open_stream
        self._column = column
        self._prefix = prefix
        self._streams: dict[str, Any] = {}

    def open(self, stream: str, spec: StreamSpec) -> None:
        """Open the stream in the run folder."""
        columns = {
            name: self._column(c.dtype, c.dimensions, c.unit, c.description)
            for name, c in spec.columns.items()
        }
        self._streams[stream] = self._open_stream(self._prefix + stream, columns, spec.dimension)

    def append(self, stream: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows."""
        self._streams[stream].append(**columns)

    def length(self, stream: str) -> int:
        """How many rows a stream holds."""
        return len(self._streams[stream])

    def truncate(self, stream: str, length: int) -> None:
        """Check that the run folder has cut the stream back already."""
        if self.length(stream) != length:
            raise refuse(
                f"stream {stream!r}",
                f"must hold {length} rows as when the state was saved",
                self.length(stream),
                "load the checkpoint before opening streams",
            )


def as_sink(given: Any) -> Any:
    """The sink, or a new one in memory for None."""
    sink = MemorySink() if given is None else given
    if not all(hasattr(sink, name) for name in ("open", "append", "length", "truncate")):
        raise refuse("sink", "must be a Sink", type(given), "use MemorySink()")
    return sink
