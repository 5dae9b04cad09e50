"""A table in the form that the filters take: the observations of each spine and their intervals.

Only sessions in which a spine was imaged count; a gap makes a longer interval. Spines that were
imaged in the same sessions share one pattern, for which the probability of entering the table is
computed once.

In a table of *kept* names, a spine that returns has its old name, and enters with probability
1 − P(absent in every session). In a table of *renamed* returns, a name ends with its first loss.
What is observed of a name is one run of sessions: the absence before it, the sizes, the absence
after it. The expected number of runs per place on the dendrite is

    P(seen at first) + Σ over sessions k of P(absent in k − 1, seen in k).

Both are sums of probabilities of absences, with signs: ``shares @ P(blank) + 1``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse

Floats = NDArray[np.float64]

ABSENT, SIZED, SEEN = 0, 1, 2
"""Kinds of observation: no spine, a spine with its size, a spine whose size was not measured."""

MANY_INTERVALS = 400
"""Above this many distinct intervals they are rounded to 0.1 %, to store fewer matrices."""

ThresholdOn = Literal["true", "measured"]
"""Which size must exceed the threshold for a spine to be seen: the true x or the measured y."""


@dataclass(frozen=True, eq=False)
class Blanks:
    """Rows of absences from a time on; a pattern enters the table with 1 + ``shares`` @ P(rows)."""

    gap: NDArray[np.int64]  # [row, observation]
    length: NDArray[np.int64]
    elapsed: Floats  # time from the first session of the pattern to the first absence of the row
    shares: Floats  # [pattern, row]


@dataclass(frozen=True, eq=False)
class Observations:
    """Observations of spines, padded to one length; ``length`` is the number in each row."""

    kind: NDArray[np.int8]  # [spine, observation]
    value: Floats  # [spine, observation]: log size where kind is SIZED
    gap: NDArray[np.int64]  # [spine, observation]: index of the interval before it (0 if first)
    length: NDArray[np.int64]
    intervals: Floats
    threshold: float  # log size
    threshold_given: bool  # by the user, so it is not fitted
    threshold_on: ThresholdOn
    pattern: NDArray[np.int64]  # [spine]: its row among the patterns
    blanks: Blanks
    session: NDArray[np.int64]  # [spine, observation]: its number in the table
    elapsed: Floats  # [spine]: time from its first session to its first observation
    span: float
    missed: float = 0.0  # probability that a spine above the threshold is missed in a session
    can_miss: bool = False  # whether ``missed`` may be above 0

    @property
    def n_spines(self) -> int:
        """Number of spines."""
        return len(self.length)

    @property
    def n_observations(self) -> int:
        """Number of observations, absences included."""
        return int(self.length.sum())

    def sized(self) -> Floats:
        """All measured log sizes."""
        return self.value[self.kind == SIZED]

    def with_threshold(self, threshold: float, threshold_on: ThresholdOn) -> Observations:
        """A copy with another threshold, applied to true or measured sizes."""
        return replace(self, threshold=threshold, threshold_on=threshold_on)

    def with_missed(self, missed: float) -> Observations:
        """A copy in which a spine above the threshold is missed with this probability."""
        return replace(self, missed=missed, can_miss=True)

    def every(self, k: int) -> Observations:
        """Observations of every k-th spine."""
        return replace(
            self,
            kind=self.kind[::k],
            value=self.value[::k],
            gap=self.gap[::k],
            length=self.length[::k],
            pattern=self.pattern[::k],
            elapsed=self.elapsed[::k],
            session=self.session[::k],
        )

    @property
    def has_absences(self) -> bool:
        """Whether any spine was absent in any session."""
        imaged = np.arange(self.kind.shape[1]) < self.length[:, None]
        return bool((self.kind[imaged] == ABSENT).any())


def observations(
    times: Floats,
    state: NDArray[np.int8],
    log_size: Floats,
    threshold: float | None = None,
    renamed: bool = False,
) -> Observations:
    """Observations from ``state[spine, session]`` (1 seen, 0 absent, −1 not imaged) and log sizes.

    The default threshold is the smallest measured size, which is the maximum-likelihood estimate
    if a spine is seen whenever its measured size exceeds the threshold. ``renamed`` says that a
    name ends with its first loss.
    """
    imaged = state >= 0
    seen = (state == 1).any(axis=1)
    imaged, state, log_size = imaged[seen], state[seen], log_size[seen]
    sized = np.isfinite(log_size) & (state == 1)
    if not sized.any():
        raise refuse(
            "table", "must hold sizes to fit a process", "presence only", "add a column of sizes"
        )
    given = threshold is not None
    if threshold is None:
        threshold = float(log_size[sized].min())
    length = imaged.sum(axis=1).astype(np.int64)
    order = np.argsort(~imaged, axis=1, kind="stable")[:, : int(length.max())]
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
    gaps, lengths = np.ascontiguousarray(rows[:, :-1]), np.ascontiguousarray(rows[:, -1])
    distinct = distinct if distinct.size else np.ones(1)
    if renamed:
        blanks = _before_runs(gaps, lengths, distinct)
        first, last = _runs(kind, length)
        since = np.cumsum(np.where(np.arange(kind.shape[1]) > 0, distinct[gap], 0.0), axis=1)
        shift = np.minimum(first[:, None] + np.arange(kind.shape[1]), kind.shape[1] - 1)
        kind, value, gap, order = (
            np.take_along_axis(a, shift, 1) for a in (kind, value, gap, order)
        )
        elapsed = since[np.arange(len(first)), first]
        length = last - first + 1
        kind = np.where(np.arange(kind.shape[1]) < length[:, None], kind, ABSENT).astype(np.int8)
    else:
        blanks = Blanks(gaps, lengths, np.zeros(len(rows)), -np.eye(len(rows)))
        elapsed = np.zeros(len(kind))
    return Observations(
        kind=kind,
        value=np.nan_to_num(value),
        gap=gap,
        length=length,
        intervals=distinct,
        threshold=threshold,
        threshold_given=given,
        threshold_on="measured",
        pattern=pattern.ravel().astype(np.int64),
        blanks=blanks,
        session=order,
        elapsed=elapsed,
        span=float(times[-1] - times[0]),
    )


def _runs(
    kind: NDArray[np.int8], length: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last observation of each name: the absences before and after, if there are any."""
    within = np.arange(kind.shape[1]) < length[:, None]
    seen = within & (kind != ABSENT)
    start = np.argmax(seen, axis=1)
    after = np.arange(kind.shape[1]) > start[:, None]
    lost = within & (kind == ABSENT) & after
    last = np.where(lost.any(axis=1), np.argmax(lost, axis=1), length - 1)
    if (seen & (np.arange(kind.shape[1]) > last[:, None])).any():
        raise ValueError("a name is seen again after its first loss; split it")
    return np.maximum(start - 1, 0), last


def _before_runs(gap: NDArray[np.int64], length: NDArray[np.int64], intervals: Floats) -> Blanks:
    """Rows of one absence (− the first, + each that a run may follow) and of two (−)."""
    place: dict[tuple[float, int], int] = {}  # (elapsed, interval before the second or -1)
    entries = []
    for k, (gaps, n) in enumerate(zip(gap, length, strict=True)):
        since = np.round(np.cumsum([0.0, *intervals[gaps[1:n]]]), 9).tolist()
        entries.append((k, (0.0, -1), -1.0))
        for i in range(n - 1):
            entries.append((k, (since[i], -1), 1.0))
            entries.append((k, (since[i], int(gaps[i + 1])), -1.0))
    for _, row, _ in entries:
        place.setdefault(row, len(place))
    shares = np.zeros((len(length), len(place)))
    for k, row, sign in entries:
        shares[k, place[row]] += sign
    gaps_after = np.array([[0, max(g, 0)] for _, g in place], np.int64)
    lengths = np.array([1 if g < 0 else 2 for _, g in place], np.int64)
    return Blanks(gaps_after, lengths, np.array([e for e, _ in place]), shares)
