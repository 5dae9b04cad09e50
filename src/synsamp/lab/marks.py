"""Snapshots of a session at equal intervals, which grow so that their number stays bounded."""

from __future__ import annotations

from typing import Any

MOST = 48
"""Snapshots kept."""


class Marks:
    """Snapshots by tick; tick 0 is always kept."""

    def __init__(self, every: int) -> None:
        self._kept: dict[int, Any] = {}
        self._every = every

    @property
    def ticks(self) -> list[int]:
        """Ticks with a snapshot."""
        return sorted(self._kept)

    def next_after(self, tick: int) -> int:
        """The next tick at which a snapshot is wanted."""
        return (tick // self._every + 1) * self._every

    def due(self, tick: int) -> bool:
        """Whether a snapshot is wanted at this tick."""
        return tick % self._every == 0

    def add(self, tick: int, moment: Any) -> None:
        """Keep a snapshot; with too many, every second one goes and the interval doubles."""
        self._kept[tick] = moment
        if len(self._kept) > MOST:
            self._every *= 2
            self._kept = {t: kept for t, kept in self._kept.items() if t % self._every == 0}

    def last_before(self, tick: int) -> tuple[int, Any]:
        """The last snapshot at or before a tick."""
        found = max(t for t in self._kept if t <= tick)
        return found, self._kept[found]

    def forget_after(self, tick: int) -> None:
        """Drop snapshots of a continuation that was left."""
        self._kept = {t: kept for t, kept in self._kept.items() if t <= tick}
