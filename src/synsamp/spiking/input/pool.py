"""Input rates as the kernel reads them: alias tables, and segments that refer to them.

One table is built per distinct row of rates and kept; if a library needs too many tables, the pool
is cleared and filled again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.kernel.random import fill_alias_table
from synsamp.spiking.neurons import FASTEST_HZ, LONGEST_S

SHORTEST_S = 1e-9
BATCH = 2**17
"""Number of rates (1 MB) that are checked and summed in one call."""


class Segments(NamedTuple):
    """Consecutive segments: end times (s), total rates (Hz), positions of their alias tables."""

    ends_s: NDArray[np.float64]
    rate_hz: NDArray[np.float64]
    table_at: NDArray[np.int64]


class _Ready:
    """Compiled presentations of one input group, one after the other in growing arrays."""

    def __init__(self) -> None:
        self._row_of: dict[int, int] = {}
        self._first = np.zeros(2, np.int64)  # per presentation, where its segments start
        self._duration_s = np.zeros(1)
        self._segments = Segments(np.zeros(1), np.zeros(1), np.zeros(1, np.int64))

    def __contains__(self, index: int) -> bool:
        return index in self._row_of

    def add(self, indices: list[int], lengths: NDArray[np.int64], parts: Segments) -> None:
        """Add presentations with ``lengths`` segments each; end times count from their start."""
        row, count = len(self._row_of), len(indices)
        start = int(self._first[row])
        stop = start + parts.ends_s.size
        self._first = _with_room(self._first, row + count + 1)
        self._duration_s = _with_room(self._duration_s, row + count)
        self._segments = Segments(*(_with_room(values, stop) for values in self._segments))
        after = np.cumsum(lengths)
        self._first[row + 1 : row + count + 1] = start + after
        self._duration_s[row : row + count] = parts.ends_s[after - 1]
        for values, new in zip(self._segments, parts, strict=True):
            values[start:stop] = new
        self._row_of.update(zip(indices, range(row, row + count), strict=True))

    def chosen(self, indices: list[int]) -> tuple[NDArray[np.float64], NDArray[np.int64], Segments]:
        """Durations and numbers of segments of some presentations, and all their segments."""
        rows = np.array([self._row_of[i] for i in indices])
        lengths = self._first[rows + 1] - self._first[rows]
        skip = np.cumsum(lengths) - lengths
        where = np.repeat(self._first[rows] - skip, lengths) + np.arange(lengths.sum())
        segments = Segments(*(values[where] for values in self._segments))
        return self._duration_s[rows], lengths, segments


def _with_room(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a copy of twice the needed size if it is too short."""
    if size <= values.size:
        return values
    grown = np.zeros(2 * size, values.dtype)
    grown[: values.size] = values
    return grown


class _Presentation(NamedTuple):
    """One presentation of a library, as arrays of the right shape."""

    number: int
    durations_s: NDArray[np.float64]
    rates_hz: NDArray[np.float64]


def _batches(
    group: str, library: Sequence[Any], indices: list[int], n_inputs: int
) -> Iterator[list[_Presentation]]:
    """Presentations in batches of about ``BATCH`` rates."""
    batch: list[_Presentation] = []
    size = 0
    for i in indices:
        batch.append(_taken(group, library, i, n_inputs))
        size += batch[-1].rates_hz.size
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _taken(group: str, library: Sequence[Any], index: int, n_inputs: int) -> _Presentation:
    """A presentation of a library; its values are checked later."""
    if not 0 <= index < len(library):
        arguments.whole(f"choice for {group!r}", index, at_least=0, at_most=len(library) - 1)
    shown = library[index]
    for name in ("durations_s", "rates_hz"):
        if not hasattr(shown, name):
            of = f"of presentation {index} for {group!r}"
            raise refuse(f"{name} {of}", "must be there", type(shown), "use RateSegments")
    durations, rates = shown.durations_s, shown.rates_hz
    if (
        type(durations) is type(rates) is np.ndarray
        and durations.dtype == rates.dtype == np.float64
        and durations.ndim == 1
        and rates.shape == (durations.size, n_inputs)
        and durations.size > 0
    ):
        return _Presentation(index, durations, rates)
    return _checked(group, index, durations, rates, n_inputs)


def _checked(group: str, index: int, durations: Any, rates: Any, n_inputs: int) -> _Presentation:
    """Check a presentation and convert it to arrays."""
    of = f"of presentation {index} for {group!r}"
    durations = arguments.numbers(
        f"durations_s {of}", durations, shape=(None,), at_least=SHORTEST_S, at_most=LONGEST_S
    )
    rates = arguments.numbers(
        f"rates_hz {of}",
        rates,
        shape=(durations.size, n_inputs),
        at_least=0,
        at_most=FASTEST_HZ,
        remedy="give it the shape [n_segments, n_inputs]",
    )
    if durations.size == 0:
        raise refuse(f"durations_s {of}", "must not be empty", 0)
    return _Presentation(index, durations, rates)


class Pool:
    """Alias tables of rates, and compiled presentations."""

    def __init__(self) -> None:
        self._ready: dict[str, _Ready] = {}
        self._tables = np.zeros(1, np.uint64)
        self.start_over()

    def start_over(self) -> None:
        """Discard all rates; new tables overwrite the old ones."""
        self._ready.clear()
        self._table_of: dict[bytes, int] = {}
        self._used = 0
        self._peak_rate_hz = 0.0

    @property
    def tables(self) -> NDArray[np.uint64]:
        """All tables, one after the other; a new array each time more space is needed."""
        return self._tables

    @property
    def used(self) -> int:
        """Number of table entries in use."""
        return self._used

    @property
    def peak_rate_hz(self) -> float:
        """The largest total rate (Hz) so far."""
        return self._peak_rate_hz

    def chosen(
        self, group: str, library: Sequence[Any], indices: list[int], silenced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], Segments]:
        """Durations and numbers of segments of some presentations, and all their segments."""
        ready = self._ready.setdefault(group, _Ready())
        new = [i for i in dict.fromkeys(indices) if i not in ready]
        for batch in _batches(group, library, new, silenced.size):
            ready.add([each.number for each in batch], *self._compile(group, batch, silenced))
        return ready.chosen(indices)

    def _compile(
        self, group: str, batch: list[_Presentation], silenced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], Segments]:
        """Numbers of segments of some presentations, and all their segments."""
        durations = np.concatenate([each.durations_s for each in batch])
        # contiguous rows, whatever the memory layout of a user's arrays
        rates = np.ascontiguousarray(np.concatenate([each.rates_hz for each in batch]))
        # All at once; if anything is wrong (NaN included), one by one for the message.
        if not (
            durations.min() >= SHORTEST_S
            and durations.max() <= LONGEST_S
            and rates.min(initial=0.0) >= 0.0
            and rates.max(initial=0.0) <= FASTEST_HZ
        ):
            for each in batch:
                _checked(group, each.number, each.durations_s, each.rates_hz, silenced.size)
        ends = np.concatenate([np.cumsum(each.durations_s) for each in batch])
        lengths = np.array([each.durations_s.size for each in batch])
        return lengths, Segments(ends, *self.rated(rates, silenced))

    def rated(
        self, rates: NDArray[np.float64], silenced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Total rate (Hz) and table position of each row of rates, without silenced inputs."""
        if silenced.any():
            rates = np.where(silenced, 0.0, rates)
        totals = rates.sum(axis=1)
        self._peak_rate_hz = max(self._peak_rate_hz, float(totals.max()))
        return totals, np.array([self._table(row) for row in rates])

    def _table(self, rates: NDArray[np.float64]) -> int:
        digest = hashlib.blake2b(rates.data, digest_size=16).digest()
        at = self._table_of.get(digest)
        if at is None:
            at = self._table_of[digest] = self._used
            self._used += rates.size
            self._tables = _with_room(self._tables, self._used)
            fill_alias_table(rates, self._tables[at : at + rates.size])
        return at
