"""Reward."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp.protocol.records.base import IntervalRecord, RecordMemory
from synsamp.protocol.view import View


@dataclass(frozen=True)
class Reward(IntervalRecord):
    """Mean reward from environments since the previous row; NaN if no time has passed."""

    def begin(self, view: View) -> RecordMemory:
        """Remember reward and time."""
        return {"total": view.total_reward, "time_s": view.time_s}

    def row(self, view: View, memory: RecordMemory) -> float:
        """Reward divided by time."""
        passed = view.time_s - float(memory["time_s"])
        earned = view.total_reward - float(memory["total"])
        return earned / passed if passed > 0 else np.nan


reward = Reward
