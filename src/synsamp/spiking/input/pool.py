"""What the kernel reads of rates: alias tables, and presentations as segments that name them.

Tables are built once per distinct row of rates and kept side by side; a library too large for that
is worked through with a pool that starts over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.kernel.random import fill_alias_table
from synsamp.spiking.neurons import FASTEST_HZ, LONGEST_S


class Segments(NamedTuple):
    """Segments in a row: when they end, their total rate, where their alias table lies."""

    ends_s: NDArray[np.float64]
    rate_hz: NDArray[np.float64]
    table_at: NDArray[np.int64]


class _Ready:
    """Presentations of one group that are ready for the kernel, side by side in growing arrays."""

    def __init__(self) -> None:
        self._row_of: dict[int, int] = {}
        self._first = np.zeros(2, np.int64)  # per presentation, where its segments start
        self._duration_s = np.zeros(1)
        self._segments = Segments(np.zeros(1), np.zeros(1), np.zeros(1, np.int64))

    def __contains__(self, index: int) -> bool:
        return index in self._row_of

    def add(self, index: int, part: Segments) -> None:
        """Take up a presentation; its ends are relative to its start."""
        row = len(self._row_of)
        start, stop = int(self._first[row]), int(self._first[row]) + len(part.ends_s)
        self._first = _with_room(self._first, row + 2)
        self._duration_s = _with_room(self._duration_s, row + 1)
        self._segments = Segments(*(_with_room(values, stop) for values in self._segments))
        self._first[row + 1] = stop
        self._duration_s[row] = part.ends_s[-1]
        for values, new in zip(self._segments, part, strict=True):
            values[start:stop] = new
        self._row_of[index] = row

    def chosen(self, indices: list[int]) -> tuple[NDArray[np.float64], NDArray[np.int64], Segments]:
        """Durations and numbers of segments of some presentations, and all their segments."""
        rows = np.array([self._row_of[i] for i in indices])
        lengths = self._first[rows + 1] - self._first[rows]
        skip = np.cumsum(lengths) - lengths
        where = np.repeat(self._first[rows] - skip, lengths) + np.arange(lengths.sum())
        segments = Segments(*(values[where] for values in self._segments))
        return self._duration_s[rows], lengths, segments


def _with_room(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a copy twice as long as needed if it is too short."""
    if size <= values.size:
        return values
    grown = np.zeros(2 * size, values.dtype)
    grown[: values.size] = values
    return grown


class Pool:
    """Tables of rates, and presentations that are ready."""

    def __init__(self) -> None:
        self._ready: dict[str, _Ready] = {}
        self._tables = np.zeros(1, np.uint64)
        self.start_over()

    def start_over(self) -> None:
        """Forget all rates; tables to come take the place of those that were."""
        self._ready.clear()
        self._table_of: dict[bytes, int] = {}
        self._used = 0
        self._peak_rate_hz = 0.0

    @property
    def tables(self) -> NDArray[np.uint64]:
        """All tables, one after the other; another array when they have grown out of it."""
        return self._tables

    @property
    def used(self) -> int:
        """Entries of tables that are in use."""
        return self._used

    @property
    def peak_rate_hz(self) -> float:
        """The largest total rate met so far."""
        return self._peak_rate_hz

    def chosen(
        self, group: str, library: Sequence[Any], indices: list[int], silenced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], Segments]:
        """Durations and numbers of segments of some presentations, and all their segments."""
        ready = self._ready.setdefault(group, _Ready())
        for i in indices:
            if i not in ready:
                ready.add(i, self._compile(group, library, i, silenced))
        return ready.chosen(indices)

    def _compile(
        self, group: str, library: Sequence[Any], index: int, silenced: NDArray[np.bool_]
    ) -> Segments:
        arguments.whole(f"choice for {group!r}", index, at_least=0, at_most=len(library) - 1)
        shown = library[index]
        of = f"of presentation {index} for {group!r}"
        for name in ("durations_s", "rates_hz"):
            if not hasattr(shown, name):
                raise refuse(f"{name} {of}", "must be there", type(shown), "use RateSegments")
        durations = arguments.numbers(
            f"durations_s {of}", shown.durations_s, shape=(None,), at_least=1e-9, at_most=LONGEST_S
        )
        rates = arguments.numbers(
            f"rates_hz {of}",
            shown.rates_hz,
            shape=(durations.size, silenced.size),
            at_least=0,
            at_most=FASTEST_HZ,
            remedy="give it the shape [n_segments, n_inputs]",
        )
        if durations.size == 0:
            raise refuse(f"durations_s {of}", "must not be empty", 0)
        rates = np.ascontiguousarray(rates)
        return Segments(np.cumsum(durations), *self.rated(rates, silenced))

    def rated(
        self, rates: NDArray[np.float64], silenced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Total rate and place of the alias table per row of rates, without silenced inputs."""
        rates[:, silenced] = 0.0
        totals = rates.sum(axis=1)
        self._peak_rate_hz = max(self._peak_rate_hz, float(totals.max()))
        return totals, np.array([self._table(row) for row in rates])

    def _table(self, rates: NDArray[np.float64]) -> int:
        digest = hashlib.blake2b(rates.tobytes(), digest_size=16).digest()
        at = self._table_of.get(digest)
        if at is None:
            at = self._table_of[digest] = self._used
            self._used += rates.size
            self._tables = _with_room(self._tables, self._used)
            fill_alias_table(rates, self._tables[at : at + rates.size])
        return at
