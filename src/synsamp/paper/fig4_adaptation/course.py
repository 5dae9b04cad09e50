"""When the phases are, and which of them the claims compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synsamp.paper.fig4_adaptation.phases import DigitPhase


@dataclass(frozen=True)
class Course:
    """Phases one after the other: when each ends, and which digits it shows."""

    ends_s: tuple[float, ...]
    digits: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, phases: Sequence[DigitPhase], phase_s: float) -> Course:
        """Phases as a user gives them; ``phase_s`` is the length of those without their own."""
        ends: list[float] = []
        for phase in phases:
            length = phase_s if phase.duration_s is None else phase.duration_s
            ends.append((ends[-1] if ends else 0.0) + length)
        return cls(tuple(ends), tuple(tuple(sorted(set(phase.digits))) for phase in phases))

    @property
    def all_digits(self) -> tuple[int, ...]:
        """All digits of all phases."""
        return tuple(sorted({digit for phase in self.digits for digit in phase}))

    # -- which phases --------------------

    @property
    def new_phase(self) -> int | None:
        """The first phase that shows a digit which no phase before it showed, if any."""
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
        """A later phase that shows again what was shown just before the new digit, if any."""
        number = self.new_phase
        if number is None:
            return None
        later = range(number + 1, len(self.digits))
        return next((n for n in later if self.digits[n] == self.digits[number - 1]), None)

    def before(self, phase: int) -> tuple[int, ...]:
        """Digits that were shown before a phase."""
        return tuple(sorted({digit for shown in self.digits[:phase] for digit in shown}))

    # -- when --------------------

    def start_s(self, phase: int) -> float:
        """When a phase begins."""
        return self.ends_s[phase - 1] if phase else 0.0

    def length_s(self, phase: int) -> float:
        """How long a phase lasts."""
        return self.ends_s[phase] - self.start_s(phase)

    def middle_s(self, phase: int) -> float:
        """The middle of a phase."""
        return (self.start_s(phase) + self.ends_s[phase]) / 2

    def phase_at(self, time_s: float) -> int:
        """The phase that had been shown at a time; at the moment between two, the first of them."""
        return next(n for n, end_s in enumerate(self.ends_s) if time_s <= end_s)
