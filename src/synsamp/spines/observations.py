"""A table in the form that the filters take: the observations of each spine and their intervals.

Only sessions in which a spine was imaged count; a gap makes a longer interval. Spines that were
imaged in the same sessions share one pattern, for which the probability of never being seen is
computed once.
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
    pattern_gap: NDArray[np.int64]
    pattern_length: NDArray[np.int64]
    span: float

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

    def every(self, k: int) -> Observations:
        """Observations of every k-th spine."""
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
        """Whether any spine was absent in any session."""
        imaged = np.arange(self.kind.shape[1]) < self.length[:, None]
        return bool((self.kind[imaged] == ABSENT).any())


def observations(
    times: Floats, state: NDArray[np.int8], log_size: Floats, threshold: float | None = None
) -> Observations:
    """Observations from ``state[spine, session]`` (1 seen, 0 absent, −1 not imaged) and log sizes.

    The default threshold is the smallest measured size, which is the maximum-likelihood estimate
    if a spine is seen whenever its measured size exceeds the threshold.
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
    return Observations(
        kind,
        np.nan_to_num(value),
        gap,
        length,
        distinct if distinct.size else np.ones(1),
        threshold,
        given,
        "measured",
        pattern.ravel().astype(np.int64),
        np.ascontiguousarray(rows[:, :-1]),
        np.ascontiguousarray(rows[:, -1]),
        float(times[-1] - times[0]),
    )
