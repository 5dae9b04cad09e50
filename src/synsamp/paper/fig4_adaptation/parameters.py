"""What can be set of Figure 4."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.fig4_adaptation.phases import MOST_PHASES, DigitPhase, read_phases
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

SYNC_INTERVAL_S = 10.0
"""Between two looks at numbers of synapses and at single ones."""


class AdaptationParameters(Parameters):
    """What can be set."""

    phases: Annotated[tuple[DigitPhase, ...], BeforeValidator(read_phases)] = Field(
        (DigitPhase(digits=(1,)), DigitPhase(digits=(1, 2)), DigitPhase(digits=(1,))),
        min_length=1,
        max_length=MOST_PHASES,
        description='digits shown in each phase, as "1;1,2;1" or "1;1,2@6000;1", or a file',
    )
    phase_s: float = Field(4000.0, ge=1.0, le=1e9, description="length of a phase")
    snapshot_every_s: float = Field(1000.0, ge=1.0, le=1e8, description="between two pictures")
    data: Source = Field("embedded", description="embedded (ones and twos) or mnist (all digits)")
    probe_s: float = Field(100.0, ge=5.0, le=1e4, description="length of a test of the tuning")
    mechanism: bool = Field(
        False, description="also run the arms that ask what drives it: noise off, no prior, …"
    )
    rule: RuleSection = RuleSection()
    circuit: CircuitSection = CircuitSection()
    input: InputSection = InputSection()

    @model_validator(mode="after")
    def _fits(self) -> AdaptationParameters:
        if self.snapshot_every_s % SYNC_INTERVAL_S:
            raise ValueError(f"snapshot_every_s must be a multiple of {SYNC_INTERVAL_S:g} s")
        course = self.course
        for length_s in map(course.length_s, range(len(self.phases))):
            if length_s % self.snapshot_every_s:
                raise ValueError(
                    "every phase must last a multiple of snapshot_every_s = "
                    f"{self.snapshot_every_s:g} s, not {length_s:g} s"
                )
        try:
            check_digits(set(course.all_digits), self.data)
        except ValueError as error:
            raise ValueError(f"phases {error}") from None
        # Every arm is a part of the course; all of them together take less than ten times as long.
        seconds = course.ends_s[-1] * (10 if self.mechanism else 2)
        snapshots = seconds / self.snapshot_every_s + 10
        require_an_end(seconds + snapshots * self.probe_s, self.circuit, self.input)
        pictures = snapshots * self.circuit.neurons * N_PIXELS
        require_at_most("numbers in memory", pictures, MOST_NUMBERS)
        require_at_most("numbers in memory", seconds, MOST_NUMBERS)
        return self

    @property
    def course(self) -> Course:
        """When the phases are."""
        return Course.of(self.phases, self.phase_s)
