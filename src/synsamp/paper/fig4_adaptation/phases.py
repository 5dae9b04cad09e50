"""Phases of input as a user writes them: ``1;1,2;1``, or a file with one phase per line."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from synsamp.data.reading import content_of
from synsamp.errors import SynsampError
from synsamp.experiments.base import Parameters

MOST_PHASES = 50
MOST_BYTES = 100_000
"""Of a file with phases."""


class DigitPhase(Parameters):
    """One stretch of time with one set of digits."""

    digits: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(
        min_length=1, max_length=10, description="digits shown"
    )
    duration_s: float | None = Field(
        None, ge=1.0, le=1e9, description="length; without it, phase_s"
    )


def read_phases(value: Any) -> Any:
    """Parse text; leave everything else to pydantic.

    Phases are separated by ``;`` or line ends, digits by commas; ``@6000`` gives a phase its own
    length in seconds, ``#`` starts a comment. Text that names a file stands for its content.
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
