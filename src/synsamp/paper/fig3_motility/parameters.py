"""What can be set in Fig. 3."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.shared.digit_circuit import (
    N_PIXELS,
    CircuitSection,
    InputSection,
    RuleSection,
    Source,
    check_digits,
    require_an_end,
)
from synsamp.paper.shared.limits import MOST_NUMBERS, require_at_most

FINEST_LOOK = 2.5e-4
"""Least b · time between two looks, in units of σ²: for finer ones theory takes too long."""
CHANGE_WINDOW = 0.0144
"""b · time over which changes of w are taken: 4 h at b = 1e-6, 144 s at b = 1e-4."""


def _is_multiple(whole: float, part: float) -> bool:
    count = round(whole / part)
    return count >= 1 and abs(whole / part - count) <= 1e-9 * count


class WatchSection(Parameters):
    """How a circuit is watched at one speed."""

    speed: float = Field(ge=1e-12, le=1e-2, description="b, speed of sampling, 1/s")
    tracked_s: float = Field(ge=1.0, le=1e9, description="how long it is watched")
    sync_interval_s: float = Field(ge=0.1, le=1e7, description="between two records")
    look_every_s: float = Field(ge=0.1, le=1e8, description="grid of the survival curve")
    new_within_s: float = Field(ge=0.1, le=1e8, description="new: not active so long before")

    @model_validator(mode="after")
    def _fits(self) -> WatchSection:
        for name, whole, of in (
            ("look_every_s", self.look_every_s, "sync_interval_s"),
            ("new_within_s", self.new_within_s, "look_every_s"),
            ("tracked_s", self.tracked_s, "look_every_s"),
        ):
            if not _is_multiple(whole, getattr(self, of)):
                raise ValueError(f"{name} must be a multiple of {of} = {getattr(self, of):g} s")
        if self.tracked_s < 2 * self.new_within_s:
            raise ValueError("tracked_s must be at least twice new_within_s")
        return self

    @property
    def points(self) -> int:
        """Steps of the grid."""
        return round(self.tracked_s / self.sync_interval_s)


class MotilityParameters(Parameters):
    """What can be set."""

    settle_s: float = Field(28800.0, ge=1.0, le=1e8, description="learning before it is watched")
    slow_settle_s: float = Field(
        86400.0, ge=0.0, le=1e8, description="learning after the change of b, before it is watched"
    )
    fast: WatchSection = WatchSection(
        speed=1e-4,
        tracked_s=259200.0,
        sync_interval_s=144.0,
        look_every_s=1440.0,
        new_within_s=43200.0,
    )
    slow: WatchSection = WatchSection(
        speed=1e-6,
        tracked_s=1209600.0,
        sync_interval_s=14400.0,
        look_every_s=14400.0,
        new_within_s=43200.0,
    )
    digits: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(
        (1, 2), min_length=1, max_length=10, description="digits shown"
    )
    data: Source = Field("embedded", description="embedded (ones and twos) or mnist (all digits)")
    rule: RuleSection = RuleSection()
    circuit: CircuitSection = CircuitSection()
    input: InputSection = InputSection()

    @model_validator(mode="after")
    def _fits(self) -> MotilityParameters:
        if self.slow.speed >= self.fast.speed:
            raise ValueError("slow.speed must be below fast.speed")
        if (
            abs(
                self.slow.sync_interval_s
                * self.slow.speed
                / (self.fast.sync_interval_s * self.fast.speed)
                - 1
            )
            > 1e-6
        ):
            raise ValueError(
                "sync_interval_s · b must be the same for fast and slow, to compare them"
            )
        if not _is_multiple(self.slow.sync_interval_s, self.fast.sync_interval_s):
            raise ValueError("slow.sync_interval_s must be a multiple of fast.sync_interval_s")
        for name in ("settle_s", "slow_settle_s"):
            if getattr(self, name) and not _is_multiple(
                getattr(self, name), self.slow.sync_interval_s
            ):
                raise ValueError(
                    f"{name} must be a multiple of slow.sync_interval_s = {self.slow.sync_interval_s:g} s"
                )
        if self.fast.points < self.slow.points:
            raise ValueError("fast must be tracked for as many grid points as slow")
        if self.fast.sync_interval_s < 1e-4 / self.fast.speed:
            raise ValueError(
                "fast.sync_interval_s must be at least 1e-4/fast.speed, the refresh of the engine"
            )
        for name, watch in (("fast", self.fast), ("slow", self.slow)):
            if watch.look_every_s * watch.speed < FINEST_LOOK * self.rule.prior.std**2:
                raise ValueError(
                    f"{name}.look_every_s must be at least {FINEST_LOOK:g} prior_std²/b, "
                    "to be held against first passage"
                )
        if self.rule.temperature == 0 or self.rule.speed != self.fast.speed:
            raise ValueError("rule.temperature must be > 0 and rule.speed must equal fast.speed")
        try:
            check_digits(set(self.digits), self.data)
        except ValueError as error:
            raise ValueError(f"digits {error}") from None
        seconds = self.settle_s + self.fast.tracked_s + self.slow_settle_s + self.slow.tracked_s
        require_an_end(seconds, self.circuit, self.input)
        settling = (
            self.settle_s / self.fast.sync_interval_s
            + self.slow_settle_s / self.slow.sync_interval_s
        )
        numbers = (settling + self.fast.points + self.slow.points) * self.circuit.neurons * N_PIXELS
        require_at_most("records times synapses", numbers, MOST_NUMBERS)
        return self

    @property
    def change_steps(self) -> int:
        """Steps of the grid in the window over which changes of w are taken, at either speed."""
        return max(1, round(CHANGE_WINDOW / (self.fast.speed * self.fast.sync_interval_s)))


PAPER = MotilityParameters()
QUICK = MotilityParameters(
    settle_s=4800.0,
    slow_settle_s=4800.0,
    fast=WatchSection(
        speed=1e-4, tracked_s=20400.0, sync_interval_s=24.0, look_every_s=120.0, new_within_s=2400.0
    ),
    slow=WatchSection(
        speed=1e-6,
        tracked_s=24000.0,
        sync_interval_s=2400.0,
        look_every_s=2400.0,
        new_within_s=4800.0,
    ),
)
