"""From a stimulus to the schedule the kernel walks along: segments with alias tables.

Presentations are chosen in blocks of fixed size, so that neither the length of a run call nor the
state of any buffer changes what is shown. Alias tables are built once per distinct row of rates and
kept; a library too large for that is worked through with a pool that starts over.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking.draws import fill_alias_table
from synsamp.spiking.inputs import Schedule
from synsamp.spiking.network import Network

BLOCK = 256
"""Presentations chosen at a time."""
POOL_ENTRIES = 2**24
"""Table entries kept (8 bytes each) before the pool starts over."""


class _Segments(NamedTuple):
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
        self._segments = _Segments(np.zeros(1), np.zeros(1), np.zeros(1, np.int64))

    def __contains__(self, index: int) -> bool:
        return index in self._row_of

    def add(self, index: int, part: _Segments) -> None:
        """Take up a presentation; its ends are relative to its start."""
        row = len(self._row_of)
        start, stop = int(self._first[row]), int(self._first[row]) + len(part.ends_s)
        self._first = _with_room(self._first, row + 2)
        self._duration_s = _with_room(self._duration_s, row + 1)
        self._segments = _Segments(*(_with_room(values, stop) for values in self._segments))
        self._first[row + 1] = stop
        self._duration_s[row] = part.ends_s[-1]
        for values, new in zip(self._segments, part, strict=True):
            values[start:stop] = new
        self._row_of[index] = row

    def chosen(
        self, indices: list[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], _Segments]:
        """Durations and numbers of segments of some presentations, and all their segments."""
        rows = np.array([self._row_of[i] for i in indices])
        lengths = self._first[rows + 1] - self._first[rows]
        skip = np.cumsum(lengths) - lengths
        where = np.repeat(self._first[rows] - skip, lengths) + np.arange(lengths.sum())
        segments = _Segments(*(values[where] for values in self._segments))
        return self._duration_s[rows], lengths, segments


def _with_room(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a copy twice as long as needed if it is too short."""
    if size <= values.size:
        return values
    grown = np.zeros(2 * size, values.dtype)
    grown[: values.size] = values
    return grown


class _Block(NamedTuple):
    """A stretch of chosen presentations."""

    first: int
    starts_s: NDArray[np.float64]  # of its presentations; the last entry is the end of the block
    indices: dict[str, NDArray[np.int64]]
    segments: list[_Segments]  # per group, absolute times


class Feed:
    """Keeps the schedule filled."""

    def __init__(
        self, network: Network, stimulus: Any, rng: np.random.Generator, start_s: float
    ) -> None:
        self._network = network
        self._stimulus = stimulus
        self._rng = rng
        self._silenced = {g.name: np.zeros(g.size, bool) for g in network.inputs}
        self._blocks: list[_Block] = []
        self._logged = 0  # presentations already handed to the recorder
        self._end_s = start_s
        self._next = 0
        self._tables = np.zeros(1, np.uint64)
        self._used = 0
        self._peak_rate_hz = 0.0
        self._clear_pool()
        if stimulus is not None:
            self._check_names()

    # -- what the shell asks --------------------

    @property
    def covered_s(self) -> float:
        """How far the present schedule reaches."""
        return np.inf if self._stimulus is None else self._end_s

    @property
    def stimulus(self) -> Any:
        """What is shown."""
        return self._stimulus

    def extend(self, inputs_until_s: float, keep: bool = False) -> None:
        """Choose one more block; drop what lies wholly in the past unless it is to be kept."""
        if self._stimulus is None:
            return
        if not keep:
            self._blocks = [b for b in self._blocks if b.starts_s[-1] > inputs_until_s]
        if self._used > POOL_ENTRIES:
            self._restart_pool()
        chosen = self._stimulus.choose(self._rng, self._next, BLOCK)
        indices = {
            name: np.asarray(chosen[name], np.int64).reshape(BLOCK)
            for name in self._stimulus.library
        }
        self._blocks.append(self._build(self._next, self._end_s, indices))
        self._next += BLOCK
        self._end_s = float(self._blocks[-1].starts_s[-1])

    def schedule(self, inputs_until_s: float) -> Schedule:
        """The kernel's view of all blocks, with cursors at the present."""
        n_groups = len(self._network.inputs)
        rows = [
            [np.concatenate([b.segments[g][f] for b in self._blocks]) for f in range(3)]
            if self._blocks
            else [np.array([np.inf]), np.zeros(1), np.zeros(1, np.int64)]
            for g in range(n_groups)
        ]
        longest = max((len(row[0]) for row in rows), default=0)
        ends = np.full((n_groups, longest), np.inf)
        rate = np.zeros((n_groups, longest))
        table = np.zeros((n_groups, longest), np.int64)
        for g, row in enumerate(rows):
            for target, values in zip((ends, rate, table), row, strict=True):
                target[g, : len(values)] = values
        cursor = np.array(
            [np.searchsorted(ends[g], inputs_until_s, side="right") for g in range(n_groups)],
            np.int64,
        )
        return Schedule(ends, rate, table, cursor, self._tables)

    def shown_before(self, time_s: float) -> dict[str, NDArray[Any]]:
        """Presentations that began before ``time_s`` and were not asked for yet."""
        starts, picks = [], []
        for block in self._blocks:
            number = block.first + np.arange(BLOCK)
            new = (number >= self._logged) & (block.starts_s[:-1] < time_s)
            starts.append(block.starts_s[:-1][new])
            picks.append(
                np.stack(
                    [
                        block.indices.get(g.name, np.full(BLOCK, -1))[new]
                        for g in self._network.inputs
                    ],
                    axis=1,
                )
            )
        if not starts:
            return {"start_s": np.zeros(0), "index": np.zeros((0, len(self._network.inputs)), int)}
        result = {"start_s": np.concatenate(starts), "index": np.concatenate(picks)}
        self._logged += len(result["start_s"])
        return result

    @property
    def peak_rate_hz(self) -> float:
        """The largest total rate met so far."""
        return self._peak_rate_hz

    def change(self, stimulus: Any, now_s: float) -> None:
        """Another stimulus from ``now_s`` on (inputs before it must have been delivered)."""
        self._stimulus = stimulus
        if stimulus is not None:
            self._check_names()
        self._blocks = []
        self._end_s = now_s
        self._logged = self._next
        self._clear_pool()

    def silence(self, group: str, inputs: NDArray[np.int64]) -> None:
        """These inputs never spike again: their rates are taken as zero."""
        self._silenced[group][inputs] = True
        self._restart_pool()

    def silence_as(self, other: Feed) -> None:
        """Take over which inputs are silenced (before anything was built)."""
        self._silenced = {name: mask.copy() for name, mask in other._silenced.items()}

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on with the same presentations."""
        return {
            "next": self._next,
            "end_s": self._end_s,
            "logged": self._logged,
            "rng": self._rng.bit_generator.state,
            "silenced": {name: mask.copy() for name, mask in self._silenced.items()},
            "blocks": {
                str(i): {
                    "first": b.first,
                    "start_s": float(b.starts_s[0]),
                    "indices": {name: v.copy() for name, v in b.indices.items()},
                }
                for i, b in enumerate(self._blocks)
            },
        }

    def restore(self, state: Any) -> None:
        """Take up a saved state; the stimulus must be the one that was running."""
        self._next, self._logged = int(state["next"]), int(state["logged"])
        self._end_s = float(state["end_s"])
        self._rng.bit_generator.state = {**state["rng"], "state": dict(state["rng"]["state"])}
        self._silenced = {name: np.array(mask, bool) for name, mask in state["silenced"].items()}
        saved = [state["blocks"][str(i)] for i in range(len(state["blocks"]))]
        for block in saved:
            if self._stimulus is None or set(block["indices"]) != set(self._stimulus.library):
                raise refuse(
                    "stimulus",
                    f"must have a library for {', '.join(block['indices'])} as in the saved state",
                    "none" if self._stimulus is None else ", ".join(self._stimulus.library),
                )
        self._blocks = [
            self._build(
                int(b["first"]),
                float(b["start_s"]),
                {name: np.array(v, np.int64) for name, v in b["indices"].items()},
            )
            for b in saved
        ]

    # -- building blocks --------------------

    def _build(self, first: int, start_s: float, indices: dict[str, NDArray[np.int64]]) -> _Block:
        durations: NDArray[np.float64] | None = None
        chosen: dict[str, tuple[NDArray[np.int64], _Segments]] = {}
        for name, numbers in indices.items():
            wanted, ready = numbers.tolist(), self._ready[name]
            for i in wanted:
                if i not in ready:
                    ready.add(i, self._compile(name, i))
            own, lengths, segments = ready.chosen(wanted)
            chosen[name] = (lengths, segments)
            if durations is None:
                durations = own
            elif not np.allclose(own, durations, rtol=1e-9, atol=1e-9):
                bad = int(np.argmax(np.abs(own - durations)))
                raise refuse(
                    "parts of one presentation",
                    "must last equally long in all input groups",
                    (float(durations[bad]), float(own[bad])),
                    "pad the shorter one",
                )
        assert durations is not None
        # One running sum from the block's start: the same numbers however runs are cut up.
        starts = np.cumsum(np.concatenate([[start_s], durations]))
        per_group = []
        for group in self._network.inputs:
            if group.name not in chosen:
                per_group.append(_Segments(starts[-1:], np.zeros(1), np.zeros(1, np.int64)))
                continue
            lengths, segments = chosen[group.name]
            ends = segments.ends_s + np.repeat(starts[:-1], lengths)
            ends[np.cumsum(lengths) - 1] = starts[1:]  # groups end a presentation together
            per_group.append(segments._replace(ends_s=ends))
        return _Block(first, starts, indices, per_group)

    def _compile(self, group: str, index: int) -> _Segments:
        library = self._stimulus.library[group]
        if not 0 <= index < len(library):
            raise refuse(f"choice for {group!r}", f"must lie in 0..{len(library) - 1}", index)
        shown = library[index]
        durations = np.asarray(shown.durations_s, float)
        rates = np.array(shown.rates_hz, float, order="C")
        size = self._network.size_of(group)
        if rates.shape != (durations.size, size):
            raise refuse(
                f"rates_hz of presentation {index} for {group!r}",
                f"must have shape [n_segments, n_inputs] = {(durations.size, size)}",
                rates.shape,
            )
        totals = rates.sum(axis=1)  # NaN or infinity anywhere would show here
        if not (rates.min(initial=0.0) >= 0 and np.isfinite(totals).all()):
            raise refuse(
                f"rates_hz of presentation {index} for {group!r}", "must be >= 0", "others"
            )
        if durations.size == 0 or not (durations.min() > 0 and np.isfinite(durations.sum())):
            raise refuse(
                f"durations_s of presentation {index} for {group!r}", "must be > 0", durations
            )
        if self._silenced[group].any():
            rates[:, self._silenced[group]] = 0.0
            totals = rates.sum(axis=1)
        self._peak_rate_hz = max(self._peak_rate_hz, float(totals.max()))
        tables = np.array([self._table(row) for row in rates])
        return _Segments(np.cumsum(durations), totals, tables)

    def _table(self, rates: NDArray[np.float64]) -> int:
        digest = hashlib.blake2b(rates.tobytes(), digest_size=16).digest()
        at = self._table_of.get(digest)
        if at is None:
            at = self._table_of[digest] = self._used
            self._used += rates.size
            self._tables = _with_room(self._tables, self._used)
            fill_alias_table(rates, self._tables[at : at + rates.size])
        return at

    def _clear_pool(self) -> None:
        self._ready = {g.name: _Ready() for g in self._network.inputs}
        self._table_of: dict[bytes, int] = {}
        self._tables = np.zeros(1, np.uint64)
        self._used = 0
        self._peak_rate_hz = 0.0

    def _restart_pool(self) -> None:
        self._clear_pool()
        self._blocks = [self._build(b.first, float(b.starts_s[0]), b.indices) for b in self._blocks]

    def _check_names(self) -> None:
        known = {g.name for g in self._network.inputs}
        for name in self._stimulus.library:
            if name not in known:
                raise refuse(
                    "stimulus library",
                    f"must name input groups among {', '.join(sorted(known)) or '(none)'}",
                    name,
                )
