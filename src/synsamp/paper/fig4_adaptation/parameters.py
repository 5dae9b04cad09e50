"""Parameters of Fig. 4, and the timeline of its phases.

Phases are written as ``1;1,2;1``, or in a file with one phase per line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from synsamp.data.reading import content_of
from synsamp.errors import SynsampError
from synsamp.experiments import Parameters
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

SYNC_INTERVAL_S = 10.0
"""Interval between recordings of the number of active synapses and of single synapses."""
MOST_PHASES = 50
MOST_BYTES = 100_000
"""Largest size of a file with phases."""


class DigitPhase(Parameters):
    """A phase: which digits are shown, and for how long."""

    digits: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(
        min_length=1, max_length=10, description="digits shown"
    )
    duration_s: float | None = Field(
        None, ge=1.0, le=1e9, description="length; without it, phase_s"
    )


def read_phases(value: Any) -> Any:
    """Parse phases from text, or from the file that it names; pydantic checks anything else.

    Phases are separated by ``;`` or line ends, digits by commas; ``@6000`` sets the length of a
    phase in seconds, ``#`` starts a comment.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return value
    text = _content(value)
    lines = (line.partition("#")[0] for line in text.splitlines())
    phases = [part.strip() for line in lines for part in line.split(";") if part.strip()]
    if not phases:
        raise ValueError('must hold at least one phase, as in "1;1,2;1"')
    return [_phase(part) for part in phases]


def _content(value: str) -> str:
    if not any(c.isalpha() for c in value):
        return value
    try:
        return content_of(value, MOST_BYTES, "").decode()
    except (SynsampError, UnicodeDecodeError):
        raise ValueError('must be like "1;1,2;1" or name a readable text file') from None


def _phase(text: str) -> dict[str, Any]:
    digits, separator, seconds = text.partition("@")
    try:
        found = [int(part) for part in digits.split(",")]
        length = float(seconds) if separator else None
    except ValueError:
        raise ValueError(f'must be like "1;1,2@6000;1", not {text[:40]!r}') from None
    return {"digits": found, "duration_s": length}


@dataclass(frozen=True)
class Timeline:
    """The phases in order: when each ends, and which digits it shows."""

    ends_s: tuple[float, ...]
    digits: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, phases: Sequence[DigitPhase], phase_s: float) -> Timeline:
        """Return the timeline of some phases; ``phase_s`` is the default length."""
        ends: list[float] = []
        for phase in phases:
            length = phase_s if phase.duration_s is None else phase.duration_s
            ends.append((ends[-1] if ends else 0.0) + length)
        return cls(tuple(ends), tuple(tuple(sorted(set(phase.digits))) for phase in phases))

    @property
    def all_digits(self) -> tuple[int, ...]:
        """Digits of all phases."""
        return tuple(sorted({digit for phase in self.digits for digit in phase}))

    @property
    def new_phase(self) -> int | None:
        """The first phase with a digit that no earlier phase shows, if any."""
        for number in range(1, len(self.digits)):
            if set(self.digits[number]) - set(self.before(number)):
                return number
        return None

    @property
    def new_digit(self) -> int | None:
        """The smallest digit that is new in that phase."""
        number = self.new_phase
        if number is None:
            return None
        return min(set(self.digits[number]) - set(self.before(number)))

    @property
    def return_phase(self) -> int | None:
        """A later phase with the same digits as the phase before the new digit, if any."""
        number = self.new_phase
        if number is None:
            return None
        later = range(number + 1, len(self.digits))
        return next((n for n in later if self.digits[n] == self.digits[number - 1]), None)

    @property
    def new_start_s(self) -> float:
        """When the new digit appears; only with a new digit."""
        assert self.new_phase is not None
        return self.start_s(self.new_phase)

    @property
    def new_end_s(self) -> float:
        """End of the new digit's phase; only with a new digit."""
        assert self.new_phase is not None
        return self.ends_s[self.new_phase]

    @property
    def return_end_s(self) -> float:
        """End of the phase in which the old digits return; only if they do."""
        assert self.return_phase is not None
        return self.ends_s[self.return_phase]

    @property
    def around_new(self) -> tuple[int, ...]:
        """The phase before the new digit's, that phase, and the one of the return, if any."""
        assert self.new_phase is not None
        back = () if self.return_phase is None else (self.return_phase,)
        return (self.new_phase - 1, self.new_phase, *back)

    def before(self, phase: int) -> tuple[int, ...]:
        """Digits shown before a phase."""
        return tuple(sorted({digit for shown in self.digits[:phase] for digit in shown}))

    def start_s(self, phase: int) -> float:
        """Start of a phase."""
        return self.ends_s[phase - 1] if phase else 0.0

    def length_s(self, phase: int) -> float:
        """Length of a phase."""
        return self.ends_s[phase] - self.start_s(phase)

    def middle_s(self, phase: int) -> float:
        """The middle of a phase."""
        return (self.start_s(phase) + self.ends_s[phase]) / 2

    def phase_at(self, time_s: float) -> int:
        """The phase at a time; at the end of a phase, that phase."""
        return next(n for n, end_s in enumerate(self.ends_s) if time_s <= end_s)


class AdaptationParameters(Parameters):
    """Parameters of Fig. 4."""

    phases: Annotated[tuple[DigitPhase, ...], BeforeValidator(read_phases)] = Field(
        (DigitPhase(digits=(1,)), DigitPhase(digits=(1, 2)), DigitPhase(digits=(1,))),
        min_length=1,
        max_length=MOST_PHASES,
        description='digits shown in each phase, as "1;1,2;1" or "1;1,2@6000;1", or a file',
    )
    phase_s: float = Field(4000.0, ge=1.0, le=1e9, description="length of a phase")
    snapshot_every_s: float = Field(1000.0, ge=1.0, le=1e8, description="between two snapshots")
    data: DigitsFrom = Field(
        "embedded", description="embedded (ones and twos) or mnist (all digits)"
    )
    probe_s: float = Field(100.0, ge=5.0, le=1e4, description="length of a test of the tuning")
    controls: bool = Field(
        False, description="also run controls: no noise, no prior, alternative rule, …"
    )
    rule: SpikingRule = SpikingRule()
    circuit: CircuitSection = CircuitSection()
    input: DigitInputSection = DigitInputSection()

    @model_validator(mode="after")
    def _fits(self) -> AdaptationParameters:
        if self.snapshot_every_s % SYNC_INTERVAL_S:
            raise ValueError(f"snapshot_every_s must be a multiple of {SYNC_INTERVAL_S:g} s")
        timeline = self.timeline
        for length_s in map(timeline.length_s, range(len(self.phases))):
            if length_s % self.snapshot_every_s:
                raise ValueError(
                    "every phase must last a multiple of snapshot_every_s = "
                    f"{self.snapshot_every_s:g} s, not {length_s:g} s"
                )
        try:
            check_digits(set(timeline.all_digits), self.data)
        except ValueError as error:
            raise ValueError(f"phases {error}") from None
        # All branches together take less than ten times as long as the main course.
        seconds = timeline.ends_s[-1] * (10 if self.controls else 2)
        snapshots = seconds / self.snapshot_every_s + 10
        require_an_end(seconds + snapshots * self.probe_s, self.circuit, self.input)
        pictures = snapshots * self.circuit.neurons * N_PIXELS
        require_at_most("numbers in memory", pictures, MOST_NUMBERS)
        require_at_most("numbers in memory", seconds, MOST_NUMBERS)
        return self

    @property
    def timeline(self) -> Timeline:
        """When each phase ends, and which digits it shows."""
        return Timeline.of(self.phases, self.phase_s)

    @property
    def with_controls(self) -> bool:
        """Whether the controls of the mechanism are run: they need a new digit."""
        return self.controls and self.timeline.new_phase is not None


# -- what a claim needs --------------------


def several_phases(p: AdaptationParameters) -> bool:
    """Whether the input changes."""
    return len(p.phases) > 1


def shows_new_digit(p: AdaptationParameters) -> bool:
    """Whether a new digit appears."""
    return p.timeline.new_phase is not None


def returns(p: AdaptationParameters) -> bool:
    """Whether the digits before the new one are shown again."""
    return p.timeline.return_phase is not None


def returns_with_controls(p: AdaptationParameters) -> bool:
    """Whether there is a copy in which the new digit persists instead."""
    return p.with_controls and returns(p)


def with_controls(p: AdaptationParameters) -> bool:
    """Whether the controls of the mechanism were run."""
    return p.with_controls
