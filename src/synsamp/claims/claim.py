"""A claim, declared as data: what is said, which measure shows it, in which band it must fall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Band = tuple[float | None, float | None]
"""Lowest and highest value at which a claim holds; ``None`` leaves that side open."""


class Ratio(NamedTuple):
    """A measure that is meant as a ratio of means over seeds, not as a mean of ratios."""

    part: float
    whole: float


Value = float | bool | Ratio
"""What a run measures: a number, whether something happened, or both parts of a ratio."""


@dataclass(frozen=True)
class Claim:
    """One statement and how it is judged.

    ``measure`` names a number that every run yields; over seeds its 95 % interval must lie inside
    ``band``. ``reason`` says why the band is where it is. ``paper`` is the paper's own number.
    ``null`` names the same measure under a condition without the effect, which ``null_description`` puts
    into words: its interval must lie outside. ``exact``: the measure has no scatter between seeds;
    one run decides.
    """

    id: str
    statement: str
    source: str
    measure: str
    band: Band
    unit: str = ""
    reason: str = ""
    detail: str = ""
    paper: float | None = None
    null: str | None = None
    null_description: str = ""
    exact: bool = False

    def __post_init__(self) -> None:
        lowest, highest = self.band
        if lowest is None and highest is None:
            raise ValueError(f"claim {self.id!r}: a band open on both sides cannot fail")
        if lowest is not None and highest is not None and not lowest <= highest:
            raise ValueError(f"claim {self.id!r}: band must be (low, high), got {self.band!r}")
        if self.null == self.measure:
            raise ValueError(f"claim {self.id!r}: the null must be another measure")

    def admits(self, low: float, high: float) -> bool:
        """Whether all values from ``low`` to ``high`` lie in the band."""
        lowest, highest = self.band
        return (lowest is None or lowest <= low) and (highest is None or high <= highest)

    def excludes(self, low: float, high: float) -> bool:
        """Whether none of the values from ``low`` to ``high`` lies in the band."""
        lowest, highest = self.band
        return (lowest is not None and high < lowest) or (highest is not None and low > highest)
