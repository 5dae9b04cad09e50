"""A table as the filters want it: for each spine what each look at it gave, and when.

Only sessions in which a spine was looked at take part; a gap makes a longer interval. Spines that
were looked at in the same sessions share one pattern, for which the chance of never being seen is
computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse

Floats = NDArray[np.float64]

ABSENT, SIZED, SEEN = 0, 1, 2
"""What a look gives: nothing there, a size, or a spine whose size was not measured."""

MANY_INTERVALS = 400
"""Above this many different intervals they are rounded to 0.1 %, so that few matrices are kept."""


@dataclass(frozen=True, eq=False)
class Observations:
    """Looks at spines, padded to one length; ``length`` says how many of a row count."""

    kind: NDArray[np.int8]  # spine, look
    value: Floats  # spine, look: log size where kind is SIZED
    gap: NDArray[np.int64]  # spine, look: which interval came before it (0 for the first)
    length: NDArray[np.int64]
    intervals: Floats
    threshold: float  # log size
    threshold_given: bool  # by the user, so not to be fitted
    by_true_size: bool  # whether x or y must lie above the threshold for a spine to be seen
    pattern: NDArray[np.int64]  # spine: which row of the patterns it belongs to
    pattern_gap: NDArray[np.int64]
    pattern_length: NDArray[np.int64]
    span: float

    @property
    def n_spines(self) -> int:
        """Spines."""
        return len(self.length)

    @property
    def n_looks(self) -> int:
        """Looks at spines, absent or not."""
        return int(self.length.sum())

    def sized(self) -> Floats:
        """All measured log sizes."""
        return self.value[self.kind == SIZED]

    def seen_above(self, threshold: float, by_true_size: bool) -> Observations:
        """The same looks with another threshold or way of seeing."""
        return replace(self, threshold=threshold, by_true_size=by_true_size)

    def every(self, k: int) -> Observations:
        """The looks at every k-th spine."""
        return replace(
            self,
            kind=self.kind[::k],
            value=self.value[::k],
            gap=self.gap[::k],
            length=self.length[::k],
            pattern=self.pattern[::k],
        )

    @property
    def has_absences(self) -> bool:
        """Whether any look found nothing."""
        looked = np.arange(self.kind.shape[1]) < self.length[:, None]
        return bool((self.kind[looked] == ABSENT).any())


def observations(
    times: Floats, state: NDArray[np.int8], log_size: Floats, threshold: float | None = None
) -> Observations:
    """From ``state[spine, session]`` (1 seen, 0 absent, −1 not looked at) and sizes (NaN: none).

    Without a threshold the smallest measured size is taken: for a spine that is seen whenever
    its measured size lies above the threshold, that is the estimate of largest likelihood.
    """
    looked = state >= 0
    seen = (state == 1).any(axis=1)
    looked, state, log_size = looked[seen], state[seen], log_size[seen]
    sized = np.isfinite(log_size) & (state == 1)
    if not sized.any():
        raise refuse("table", "must hold sizes for this", "presence only", "add a column of sizes")
    given = threshold is not None
    if threshold is None:
        threshold = float(log_size[sized].min())
    length = looked.sum(axis=1).astype(np.int64)
    order = np.argsort(~looked, axis=1, kind="stable")[:, : int(length.max())]
    counts = np.arange(order.shape[1])[None, :] < length[:, None]
    when = np.where(counts, times[order], np.nan)
    interval = np.where(counts[:, 1:], np.diff(when, axis=1), np.nan)
    distinct = np.unique(interval[np.isfinite(interval)])
    if distinct.size > MANY_INTERVALS:
        interval = np.exp(np.round(np.log(interval), 3))
        distinct = np.unique(interval[np.isfinite(interval)])
    gap = np.zeros(order.shape, np.int64)
    gap[:, 1:] = np.where(counts[:, 1:], np.searchsorted(distinct, interval), 0)
    gap = np.where(counts, gap, 0)
    taken = np.take_along_axis(state, order, axis=1)
    value = np.take_along_axis(np.where(sized, log_size, np.nan), order, axis=1)
    kind = np.where(taken == 1, np.where(np.isfinite(value), SIZED, SEEN), ABSENT).astype(np.int8)
    rows, pattern = np.unique(
        np.concatenate([gap, length[:, None]], axis=1), axis=0, return_inverse=True
    )
    return Observations(
        kind,
        np.nan_to_num(value),
        gap,
        length,
        distinct if distinct.size else np.ones(1),
        threshold,
        given,
        False,
        pattern.ravel().astype(np.int64),
        np.ascontiguousarray(rows[:, :-1]),
        np.ascontiguousarray(rows[:, -1]),
        float(times[-1] - times[0]),
    )
