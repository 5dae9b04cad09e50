"""Parameters of Fig. 3."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.shared.digit_circuit import (
    N_PIXELS,
    CircuitSection,
    DigitInputSection,
    DigitsFrom,
    SpikingRule,
    check_digits,
    require_an_end,
)
from synsamp.paper.shared.limits import MOST_NUMBERS, require_at_most

SHORTEST_SESSION = 2.5e-4
"""Least b · time between imaging sessions, in σ²: the theory of shorter ones takes too long."""
CHANGE_WINDOW = 0.0144
"""b · time over which changes of w are measured: 4 h at b = 1e-6, 144 s at b = 1e-4."""


def _is_multiple(whole: float, part: float) -> bool:
    count = round(whole / part)
    return count >= 1 and abs(whole / part - count) <= 1e-9 * count


class ImagingSection(Parameters):
    """Imaging of a circuit at one speed."""

    speed: float = Field(ge=1e-12, le=1e-2, description="b, speed of sampling, 1/s")
    tracked_s: float = Field(ge=1.0, le=1e9, description="duration of imaging")
    record_every_s: float = Field(ge=0.1, le=1e7, description="between two records")
    session_every_s: float = Field(ge=0.1, le=1e8, description="between imaging sessions")
    new_within_s: float = Field(
        ge=0.1, le=1e8, description="new connections were not active this long before"
    )

    @model_validator(mode="after")
    def _fits(self) -> ImagingSection:
        for name, whole, of in (
            ("session_every_s", self.session_every_s, "record_every_s"),
            ("new_within_s", self.new_within_s, "session_every_s"),
            ("tracked_s", self.tracked_s, "session_every_s"),
        ):
            if not _is_multiple(whole, getattr(self, of)):
                raise ValueError(f"{name} must be a multiple of {of} = {getattr(self, of):g} s")
        if self.tracked_s < 2 * self.new_within_s:
            raise ValueError("tracked_s must be at least twice new_within_s")
        return self

    @property
    def points(self) -> int:
        """Number of records, minus 1."""
        return round(self.tracked_s / self.record_every_s)


class MotilityParameters(Parameters):
    """Parameters of Fig. 3."""

    settle_s: float = Field(28800.0, ge=1.0, le=1e8, description="learning before imaging")
    slow_settle_s: float = Field(
        86400.0, ge=0.0, le=1e8, description="learning after the change of b, before imaging"
    )
    fast: ImagingSection = ImagingSection(
        speed=1e-4,
        tracked_s=259200.0,
        record_every_s=144.0,
        session_every_s=1440.0,
        new_within_s=43200.0,
    )
    slow: ImagingSection = ImagingSection(
        speed=1e-6,
        tracked_s=1209600.0,
        record_every_s=14400.0,
        session_every_s=14400.0,
        new_within_s=43200.0,
    )
    digits: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(
        (1, 2), min_length=1, max_length=10, description="digits shown"
    )
    data: DigitsFrom = Field(
        "embedded", description="embedded (ones and twos) or mnist (all digits)"
    )
    rule: SpikingRule = SpikingRule()
    circuit: CircuitSection = CircuitSection()
    input: DigitInputSection = DigitInputSection()

    @model_validator(mode="after")
    def _fits(self) -> MotilityParameters:
        if self.slow.speed >= self.fast.speed:
            raise ValueError("slow.speed must be below fast.speed")
        steps = [each.record_every_s * each.speed for each in (self.fast, self.slow)]
        if abs(steps[1] / steps[0] - 1) > 1e-6:
            raise ValueError("record_every_s · speed must be the same for fast and slow")
        if not _is_multiple(self.slow.record_every_s, self.fast.record_every_s):
            raise ValueError("slow.record_every_s must be a multiple of fast.record_every_s")
        for name in ("settle_s", "slow_settle_s"):
            seconds, step_s = getattr(self, name), self.slow.record_every_s
            if seconds and not _is_multiple(seconds, step_s):
                raise ValueError(f"{name} must be a multiple of slow.record_every_s = {step_s:g} s")
        if self.fast.points < self.slow.points:
            raise ValueError("fast must have at least as many records as slow")
        if self.fast.record_every_s < 1e-4 / self.fast.speed:
            raise ValueError(
                "fast.record_every_s must be at least 1e-4/fast.speed, the step of the engine"
            )
        for name, imaging in (("fast", self.fast), ("slow", self.slow)):
            if imaging.session_every_s * imaging.speed < SHORTEST_SESSION * self.rule.prior.std**2:
                raise ValueError(
                    f"{name}.session_every_s must be at least {SHORTEST_SESSION:g} prior.std²/b, "
                    "for the comparison with first passage"
                )
        if self.rule.temperature == 0 or self.rule.speed != self.fast.speed:
            raise ValueError("rule.temperature must be > 0 and rule.speed must equal fast.speed")
        if self.rule.prior_sign != "corrected":
            raise ValueError("rule.prior_sign must be corrected: the theory is that of the prior")
        try:
            check_digits(set(self.digits), self.data)
        except ValueError as error:
            raise ValueError(f"digits {error}") from None
        seconds = self.settle_s + self.fast.tracked_s + self.slow_settle_s + self.slow.tracked_s
        require_an_end(seconds, self.circuit, self.input)
        settling = (
            self.settle_s / self.fast.record_every_s + self.slow_settle_s / self.slow.record_every_s
        )
        numbers = (settling + self.fast.points + self.slow.points) * self.circuit.neurons * N_PIXELS
        require_at_most("records times synapses", numbers, MOST_NUMBERS)
        return self

    @property
    def change_steps(self) -> int:
        """Records in the window over which changes of w are measured, at either speed."""
        return max(1, round(CHANGE_WINDOW / (self.fast.speed * self.fast.record_every_s)))


PAPER = MotilityParameters()
QUICK = MotilityParameters(
    settle_s=4800.0,
    slow_settle_s=4800.0,
    fast=ImagingSection(
        speed=1e-4,
        tracked_s=20400.0,
        record_every_s=24.0,
        session_every_s=120.0,
        new_within_s=2400.0,
    ),
    slow=ImagingSection(
        speed=1e-6,
        tracked_s=24000.0,
        record_every_s=2400.0,
        session_every_s=2400.0,
        new_within_s=4800.0,
    ),
)
