"""Turnover: synapses that became functional, or stopped being so, between equal time points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from synsamp.lab.scene import Arrays


class TurnoverCounts:
    """Counts since the start, by matrix; compared every ``every`` ticks."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._before: dict[str, NDArray[np.bool_]] = {}
        self.totals: dict[str, dict[str, int]] = {}

    def next_after(self, tick: int) -> int:
        """The next tick at which to count."""
        return (tick // self._every + 1) * self._every

    def count(self, tick: int, theta: Callable[[], Arrays]) -> None:
        """Compare with the last time point, if one is due."""
        if tick % self._every:
            return
        now = {name: values > 0 for name, values in theta().items()}
        self.totals = {
            name: {
                "formed": self._total(name, "formed") + _count(active & ~self._was(name, active)),
                "lost": self._total(name, "lost") + _count(self._was(name, active) & ~active),
            }
            for name, active in now.items()
        }
        self._before = now

    def _total(self, name: str, what: str) -> int:
        return self.totals.get(name, {}).get(what, 0)

    def _was(self, name: str, active: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return self._before.get(name, active)


def _count(which: NDArray[np.bool_]) -> int:
    return int(which.sum())
