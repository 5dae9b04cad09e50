"""From a stimulus to the kernel's schedule: segments with alias tables.

Presentations are chosen in blocks of fixed size, so what is shown depends neither on how a run is
divided into calls nor on any buffer. Constant rates, which an environment may change every few
milliseconds, reuse the same arrays.

All state is in `InputState`; everything here can be rebuilt from it and the stimulus.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.input.pool import Pool, Segments
from synsamp.spiking.input.position import BLOCK, Chosen, InputState
from synsamp.spiking.input.stimulus import REPEAT_S, CheckedStimulus, Constant
from synsamp.spiking.kernel.memory import SILENCED, InputSchedule
from synsamp.spiking.network import Network

POOL_ENTRIES = 2**24
"""Number of table entries (8 bytes each) after which the pool is cleared."""


def most_within(times: NDArray[np.float64], window_s: float) -> int:
    """The largest number of (sorted) times within any window of this length."""
    ends = np.searchsorted(times, times + window_s, side="right")
    return int((ends - np.arange(ends.size)).max(initial=0))


class _Block(NamedTuple):
    """A block compiled for the kernel, with the arrays of an `InputSchedule`."""

    starts_s: NDArray[np.float64]  # of its presentations; the last entry is the end of the block
    ends_s: NDArray[np.float64]  # [group, segment]
    rate_hz: NDArray[np.float64]
    table_at: NDArray[np.int64]


_NO_TIMES, _NO_INPUTS = np.zeros(0), np.zeros(0, np.int64)
_REPEATS = np.full(BLOCK, REPEAT_S)


def _starts(start_s: float, durations_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Start times (s) of presentations, and the end of the last one.

    One cumulative sum from the block's start, so the times do not depend on how a run is divided.
    """
    return np.cumsum(np.concatenate([[start_s], durations_s]))


def _checked_choice(chosen: Any, library: Mapping[str, Any]) -> dict[str, NDArray[np.int64]]:
    arguments.instance("what choose() of the stimulus returns", chosen, Mapping)
    indices = {}
    for name in library:
        if name not in chosen:
            raise refuse("choose() of the stimulus", f"must choose for {name!r}", list(chosen))
        indices[name] = arguments.wholes(f"choice for {name!r}", chosen[name], shape=(BLOCK,))
    return indices


class InputFeed:
    """Builds the schedule of one stimulus; its caches can be rebuilt at any time."""

    def __init__(self, network: Network, shown: CheckedStimulus) -> None:
        self._network = network
        self._stimulus = shown.stimulus
        self._spikes = shown.spikes
        self.given_at_once = 0  # given spikes that can be in flight at the same time
        self._pool = Pool()
        self._made: dict[tuple[int, float], _Block] = {}
        self._laid: InputSchedule | None = None
        self._laid_of: list[tuple[int, float]] | None = None  # of which blocks
        self._constant: _Block | None = None  # the last one of constant rates

    def showing(self, shown: CheckedStimulus) -> InputFeed:
        """Return a feed of a new stimulus; it reuses these arrays if both have constant rates."""
        new, old = shown.stimulus, self._stimulus
        if not (
            isinstance(new, Constant)
            and isinstance(old, Constant)
            and new.library.keys() == old.library.keys()
            and not (shown.spikes or self._spikes)
        ):
            return InputFeed(self._network, shown)
        self._stimulus = new
        self._pool.start_over()
        self._made, self._laid_of = {}, None
        return self

    def covered_s(self, state: InputState) -> float:
        """End (s) of the present schedule."""
        return np.inf if self._stimulus is None else state.end_s

    @property
    def peak_rate_hz(self) -> float:
        """The largest total rate (Hz) of drawn spikes so far."""
        return self._pool.peak_rate_hz

    def extend(self, state: InputState, inputs_until_s: float, keep: bool = False) -> None:
        """Choose one more block; drop blocks in the past unless ``keep``."""
        if self._stimulus is None:
            return
        if not keep:
            state.blocks = [
                b for b in state.blocks if self._block(state, b).starts_s[-1] > inputs_until_s
            ]
            self._made = {(b.first, b.start_s): self._block(state, b) for b in state.blocks}
        if self._pool.used > POOL_ENTRIES:
            self.forget()
        chosen = self._stimulus.choose(state.rng, state.next, BLOCK)
        if not isinstance(self._stimulus, Constant):
            chosen = _checked_choice(chosen, self._stimulus.library)
        block = Chosen(state.next, state.end_s, dict(chosen))
        state.end_s = float(self._block(state, block).starts_s[-1])
        state.blocks.append(block)
        state.next += BLOCK

    def schedule(self, state: InputState, drawn_until_s: NDArray[np.float64]) -> InputSchedule:
        """Return the kernel's schedule of all blocks, with each group's cursor at its position.

        The same object as long as the blocks are the same; only the cursors are updated.
        """
        blocks = [(b.first, b.start_s) for b in state.blocks]
        if self._laid is None or self._laid_of != blocks:
            self._laid, self._laid_of = self._lay(state, self._laid), blocks
        schedule = self._laid
        for group, drawn_s in enumerate(drawn_until_s):
            schedule.cursor[group] = schedule.ends_s[group].searchsorted(drawn_s, side="right")
        schedule.given_cursor[0] = state.given
        return schedule

    def _lay(self, state: InputState, laid: InputSchedule | None) -> InputSchedule:
        n_groups = len(self._network.inputs)
        blocks = [self._block(state, b) for b in state.blocks]
        if not blocks:  # silence
            size = (n_groups, 1)
            nothing = np.full(size, np.inf), np.zeros(size), np.zeros(size, np.int64)
            blocks = [_Block(_NO_TIMES, *nothing)]
        if len(blocks) > 1:
            blocks = [_Block(*(np.concatenate(row, axis=-1) for row in zip(*blocks, strict=True)))]
        _, ends, rate, table = blocks[0]
        if laid is not None and laid.ends_s is ends and laid.tables is self._pool.tables:
            return laid  # its arrays were overwritten in place
        given_s, given_input = self._given(state)
        return InputSchedule(
            ends_s=ends,
            rate_hz=rate,
            table_at=table,
            cursor=np.zeros(n_groups, np.int64),
            tables=self._pool.tables,
            given_s=given_s,
            given_input=given_input,
            given_cursor=np.zeros(1, np.int64),
        )

    def shown_before(self, state: InputState, time_s: float) -> dict[str, NDArray[Any]]:
        """Presentations that began before ``time_s`` and have not been returned yet."""
        starts, picks = [np.zeros(0)], [np.zeros((0, len(self._network.inputs)), np.int64)]
        for block in state.blocks:
            begins = self._block(state, block).starts_s[:-1]
            begun = int(begins.searchsorted(time_s))
            new = slice(max(state.logged - block.first, 0), begun)
            starts.append(begins[new])
            state.logged = max(state.logged, block.first + begun)
            nothing = np.full(BLOCK, -1)
            columns = [block.indices.get(g.name, nothing)[new] for g in self._network.inputs]
            if columns:
                picks.append(np.stack(columns, axis=1))
        return {"start_s": np.concatenate(starts), "index": np.concatenate(picks)}

    def given_before(self, state: InputState, time_s: float) -> int:
        """Number of given spikes at or before ``time_s``."""
        return int(np.searchsorted(self._given(state)[0], time_s, side="right"))

    def forget(self) -> None:
        """Discard all caches, since inputs were silenced; they are rebuilt when needed."""
        self._pool.start_over()
        self._made, self._laid = {}, None

    # -- given spikes --------------------

    def _given(self, state: InputState) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        if not self._spikes:
            return _NO_TIMES, _NO_INPUTS
        times, inputs = [np.zeros(0)], [np.zeros(0, np.int64)]
        first = 0
        for group in self._network.inputs:
            if group.name in self._spikes:
                given = self._spikes[group.name]
                silent = state.silenced[group.name][given.input]
                times.append(state.set_s + given.time_s)
                inputs.append(np.where(silent, SILENCED, first + given.input))
            first += group.size
        time, source = np.concatenate(times), np.concatenate(inputs)
        order = np.argsort(time, kind="stable")
        longest = max((max(p.delays_s) for p in self._network.projections), default=0.0)
        self.given_at_once = most_within(time[order], longest)
        return time[order], source[order]

    # -- building blocks --------------------

    def _block(self, state: InputState, chosen: Chosen) -> _Block:
        key = (chosen.first, chosen.start_s)
        if key not in self._made:
            self._made[key] = self._build(state, chosen)
        return self._made[key]

    def _build(self, state: InputState, block: Chosen) -> _Block:
        if self._stimulus is None or block.indices.keys() != self._stimulus.library.keys():
            raise refuse(
                "stimulus",
                f"must have a library for {', '.join(block.indices)} as in the saved state",
                "none" if self._stimulus is None else ", ".join(self._stimulus.library),
            )
        if isinstance(self._stimulus, Constant):
            return self._build_constant(state, block, self._stimulus)
        durations: NDArray[np.float64] | None = None
        chosen: dict[str, tuple[NDArray[np.int64], Segments]] = {}
        for name, numbers in block.indices.items():
            library = self._stimulus.library[name]
            own, lengths, segments = self._pool.chosen(
                name, library, numbers.tolist(), state.silenced[name]
            )
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
        if durations is None:
            raise refuse("library of the stimulus", "must name an input group", "none")
        starts = _starts(block.start_s, durations)
        longest = max(segments.ends_s.size for _, segments in chosen.values())
        made = self._silent(starts, longest)
        for g, group in enumerate(self._network.inputs):
            if group.name in chosen:
                lengths, segments = chosen[group.name]
                ends = segments.ends_s + np.repeat(starts[:-1], lengths)
                ends[np.cumsum(lengths) - 1] = starts[1:]  # groups end a presentation together
                made.ends_s[g, : ends.size] = ends
                made.rate_hz[g, : ends.size] = segments.rate_hz
                made.table_at[g, : ends.size] = segments.table_at
        return made

    def _build_constant(self, state: InputState, block: Chosen, stimulus: Constant) -> _Block:
        """A block of equal presentations with one segment each."""
        made = None if state.blocks else self._constant  # no other block uses its arrays
        if made is None:
            made = self._silent(np.zeros(BLOCK + 1), BLOCK)
        self._constant = made
        made.starts_s[:] = _starts(block.start_s, _REPEATS)
        made.ends_s[:] = made.starts_s[1:]
        for g, group in enumerate(self._network.inputs):
            if group.name in block.indices:
                if block.indices[group.name].any():
                    rule = "must be the one of the saved state"
                    raise refuse("stimulus", rule, f"constant rates for {group.name!r}")
                rates = stimulus.library[group.name][0][None]
                silenced = state.silenced[group.name]
                made.rate_hz[g], made.table_at[g] = self._pool.rated(rates, silenced)
        return made

    def _silent(self, starts_s: NDArray[np.float64], n_segments: int) -> _Block:
        """A silent block to be filled; unused segments have zero length."""
        size = (len(self._network.inputs), n_segments)
        ends_s = np.full(size, starts_s[-1])
        return _Block(starts_s, ends_s, np.zeros(size), np.zeros(size, np.int64))
