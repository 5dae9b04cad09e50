"""The schedule of Fig. 5: phases, lesions, controls, and when the network is tested.

    learning        lesion 1        lesion 2
    |---------------|---------------|-------------------------|      main
                    |---------------------                           no lesion: codes drift
                    |- - - - - - - -|                                noise off after lesion 1
                                    |- - - - - - - -                 noise off after lesion 2
                                    |- - - -                         likelihood alone after lesion 2
                    .   .           .   .   .   .                    plasticity off after a lesion

A control starts from the very state that the main run has after the lesion. With plasticity off
nothing changes between two tests, so only the tests are run.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters

STEP_S = 100.0
"""Lateral θ is noted on this grid; phases and tests are multiples of it."""

MAIN, NO_LESION, PLASTICITY_OFF = "main", "no lesion", "plasticity off"
NOISE_OFF, LIKELIHOOD = "noise off", "likelihood alone"
LEARNED, LESION_1, LESION_2 = "learned", "lesion 1", "lesion 2"
"""States of the main run that are kept for the controls."""


class ScheduleSection(Parameters):
    """How long everything lasts; 0 leaves a part out."""

    learning_s: float = Field(9000.0, ge=1.0, le=1e8, description="before lesion 1")
    after_lesion_1_s: float = Field(5400.0, ge=1.0, le=1e8, description="until lesion 2")
    after_lesion_2_s: float = Field(12600.0, ge=0.0, le=1e8, description="0: no lesion 2")
    no_lesion_s: float = Field(9000.0, ge=0.0, le=1e8, description="control without lesions")
    noise_off_1_s: float = Field(5400.0, ge=0.0, le=1e8, description="T = 0 after lesion 1")
    noise_off_2_s: float = Field(7200.0, ge=0.0, le=1e8, description="T = 0 after lesion 2")
    likelihood_2_s: float = Field(
        3600.0, ge=0.0, le=1e8, description="neither noise nor prior after lesion 2"
    )
    frozen_tests: int = Field(3, ge=0, le=100, description="tests with b = 0 after each lesion")

    @model_validator(mode="after")
    def _fits(self) -> ScheduleSection:
        for name in type(self).model_fields:
            if name.endswith("_s") and getattr(self, name) % STEP_S:
                raise ValueError(f"{name} must be a multiple of {STEP_S:g} s")
        for name in ("noise_off_2_s", "likelihood_2_s"):
            if getattr(self, name) > 0 and self.after_lesion_2_s == 0:
                raise ValueError(f"{name} must be 0 if after_lesion_2_s is 0")
        if self.after_lesion_1_s + self.after_lesion_2_s < 2 * STEP_S:
            # one point of θ′ before the lesion and two after it are the fewest that say anything
            raise ValueError(f"after_lesion_1_s must be at least {2 * STEP_S:g} s without lesion 2")
        return self


@dataclass(frozen=True)
class Phase:
    """A stretch of one arm, with a lesion at its start (0: none)."""

    arm: str
    start_s: float  # biological time of the main run
    duration_s: float
    lesion: int = 0
    begins_with: str = ""  # a kept state; empty: goes on
    kept_as: str = ""  # name under which its state at the start, after the lesion, is kept


@dataclass(frozen=True)
class Row:
    """One test: where it stands, and what else is noted then."""

    phase: int
    step: int  # STEP_S since the phase began
    time_s: float  # of the whole experiment
    after: int  # lesions that have happened in this arm
    mark: str = ""  # t1 … t4: all synapses are noted, and recall from rest
    codes: bool = False  # histograms are noted


@dataclass(frozen=True)
class Plan:
    """Phases in the order in which they are run, and all tests."""

    phases: tuple[Phase, ...]
    rows: tuple[Row, ...]

    @property
    def steps(self) -> int:
        """Steps of all phases."""
        return sum(round(p.duration_s / STEP_S) for p in self.phases)

    def rows_of(self, phase: int) -> list[tuple[int, Row]]:
        """Numbers and rows of a phase."""
        return [(i, r) for i, r in enumerate(self.rows) if r.phase == phase]


def build_plan(schedule: ScheduleSection, test_every_s: float) -> Plan:
    """Lay out phases and tests."""
    s = schedule
    at_1 = s.learning_s
    at_2 = at_1 + s.after_lesion_1_s
    phases = [
        Phase(MAIN, 0.0, s.learning_s),
        Phase(MAIN, at_1, s.after_lesion_1_s, 1, kept_as=LESION_1),
    ]
    if s.after_lesion_2_s:
        phases.append(Phase(MAIN, at_2, s.after_lesion_2_s, 2, kept_as=LESION_2))
    if s.no_lesion_s:
        phases.append(Phase(NO_LESION, at_1, s.no_lesion_s, 0, LEARNED))
    if s.noise_off_1_s:
        phases.append(Phase(NOISE_OFF, at_1, s.noise_off_1_s, 1, LESION_1))
    if s.noise_off_2_s:
        phases.append(Phase(NOISE_OFF, at_2, s.noise_off_2_s, 2, LESION_2))
    if s.likelihood_2_s:
        phases.append(Phase(LIKELIHOOD, at_2, s.likelihood_2_s, 2, LESION_2))
    if s.frozen_tests:
        phases.append(Phase(PLASTICITY_OFF, at_1, 0.0, 1, LESION_1))
        if s.after_lesion_2_s:
            phases.append(Phase(PLASTICITY_OFF, at_2, 0.0, 2, LESION_2))
    rows: list[Row] = []
    for number, phase in enumerate(phases):
        rows += _rows(number, phase, schedule, round(test_every_s / STEP_S))
    return Plan(tuple(phases), tuple(rows))


def _rows(number: int, phase: Phase, s: ScheduleSection, every: int) -> list[Row]:
    last = round(phase.duration_s / STEP_S)
    if phase.arm == PLASTICITY_OFF:
        length_s = s.after_lesion_1_s if phase.lesion == 1 else s.after_lesion_2_s
        gap_s = length_s / max(s.frozen_tests - 1, 1)
        return [
            Row(number, 0, phase.start_s + i * gap_s, phase.lesion) for i in range(s.frozen_tests)
        ]
    marks, codes = _marks(phase, s, last), _codes(phase, last)
    if phase.arm != MAIN:
        every *= 2  # controls need no fine curve
    # A test with every mark, at both ends of the phase and on the grid.
    steps = sorted({*range(0, last + 1, every), last, *marks, *codes})
    return [
        Row(
            number,
            step,
            phase.start_s + step * STEP_S,
            phase.lesion,
            marks.get(step, ""),
            step in codes,
        )
        for step in steps
    ]


def _marks(phase: Phase, s: ScheduleSection, last: int) -> dict[int, str]:
    """t1 before lesion 1; t2 before lesion 2; t3 just after it; t4 two hours later.

    Without lesion 2: t2 just after lesion 1, t3 at the end.
    """
    if phase.arm != MAIN:
        return {}
    if phase.lesion == 0:
        return {last: "t1"}
    if not s.after_lesion_2_s:
        return {0: "t2", last: "t3"}
    if phase.lesion == 1:
        return {last: "t2"}
    return {0: "t3", min(round(7200.0 / STEP_S), last): "t4"}


def _codes(phase: Phase, last: int) -> set[int]:
    """Histograms: of what was learned (panel B), and every hour without lesions (S1B)."""
    if phase.arm == MAIN:
        return {last} if phase.lesion == 0 else set()
    hour = round(3600.0 / STEP_S)
    return set(range(0, last + 1, hour)) if phase.arm == NO_LESION else set()
