"""A claim, declared as data: a statement, the measure that tests it, and its band."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from synsamp.analysis.intervals import Limits

Band = tuple[float | None, float | None]
"""Lowest and highest value at which a claim holds; ``None`` leaves that side open."""


Kind = Literal["statement", "implication", "question"]
"""Who claims it: the paper states it, the paper's text or theory implies it, or we ask."""


class Ratio(NamedTuple):
    """A measure whose estimate over seeds is the ratio of means, not the mean of ratios.

    Parameters
    ----------
    part, whole : float
        Numerator and denominator in one run.
    """

    part: float
    whole: float


Value = float | bool | Ratio
"""What a measure returns: a number, whether something happened, or both parts of a ratio."""

Share = Annotated[float, (0.0, 1.0)]
"""Return type of a measure that is a share or a probability."""
Correlation = Annotated[float, (-1.0, 1.0)]
"""Return type of a measure that is a correlation."""
Amount = Annotated[float, (0.0, None)]
"""Return type of a measure that cannot be negative."""
Portion = Annotated[Ratio, (0.0, 1.0)]
"""Return type of a ratio whose part lies within its whole."""
Multiple = Annotated[Ratio, (0.0, None)]
"""Return type of a ratio of two amounts."""


def measure_key(measure: str, branch: str = "") -> str:
    """Return the name under which the value of a measure is stored.

    Parameters
    ----------
    measure
        Name of a declared measure.
    branch
        Branch in which it is taken, as ``"learning/noise_off"``; empty: the main course.

    Returns
    -------
    str
        The measure, followed by ``@`` and the branch if there is one.

    Examples
    --------
    >>> measure_key("active_share"), measure_key("active_share", "learning/noise_off")
    ('active_share', 'active_share@learning.noise_off')
    """
    return f"{measure}@{branch.replace('/', '.')}" if branch else measure


@dataclass(frozen=True)
class Claim:
    """One statement and how it is judged over seeds.

    The claim holds if the 95 % interval of the measure lies inside the band and the interval of
    the null, the same measure without the effect, lies outside.

    Parameters
    ----------
    id
        Short name with hyphens, unique in an experiment.
    statement
        What is claimed, as a sentence.
    source
        Where the paper says so, as ``"Fig. 4H"``.
    measure
        Name of a measure that the experiment declares.
    band
        Lowest and highest value at which the claim holds.
    unit
        Unit of the measure.
    reason
        Why the band is where it is.
    detail
        How the measure is computed, in words.
    paper
        The value that the paper reports.
    branch
        Branch in which the measure is taken; empty: the main course.
    null_branch
        Branch in which the null is taken (``""``: the main course). Without ``null_measure``,
        the null is the same measure in this branch.
    null_measure
        Declared measure that serves as the null, if it is not the same one.
    null_description
        What the null is, in words.
    kind
        ``"statement"`` if the paper states it, ``"implication"`` if it follows from what the paper
        states, ``"question"`` if it is our own.
    exact
        Whether the measure has no scatter between seeds, so that one run decides.
    needs
        Whether the claim applies, as a function of the parameters; ``None``: always.
    limits, null_limits
        Range of the measure and of the null, which their intervals do not leave. The experiment
        sets them by the return types of the measures: `Share`, `Correlation`, `Amount`, `Portion`
        or `Multiple`.
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
    branch: str = ""
    null_branch: str | None = None
    null_measure: str | None = None
    null_description: str = ""
    kind: Kind = "question"
    exact: bool = False
    needs: Callable[..., bool] | None = None
    limits: Limits = (None, None)
    null_limits: Limits = (None, None)

    def __post_init__(self) -> None:
        lowest, highest = self.band
        if lowest is None and highest is None:
            raise ValueError(f"claim {self.id!r}: a band open on both sides cannot fail")
        if lowest is not None and highest is not None and not lowest <= highest:
            raise ValueError(f"claim {self.id!r}: band must be (low, high), got {self.band!r}")
        if self.null_key == self.key:
            raise ValueError(f"claim {self.id!r}: the null must be another measure or branch")

    @property
    def key(self) -> str:
        """Name under which the measure is stored."""
        return measure_key(self.measure, self.branch)

    @property
    def null_key(self) -> str | None:
        """Name under which the null is stored; ``None``: the claim has no null."""
        if self.null_measure is None and self.null_branch is None:
            return None
        return measure_key(self.null_measure or self.measure, self.null_branch or "")

    def admits(self, low: float, high: float) -> bool:
        """Whether all values from ``low`` to ``high`` lie in the band."""
        lowest, highest = self.band
        return (lowest is None or lowest <= low) and (highest is None or high <= highest)

    def excludes(self, low: float, high: float) -> bool:
        """Whether none of the values from ``low`` to ``high`` lies in the band."""
        lowest, highest = self.band
        return (lowest is not None and high < lowest) or (highest is not None and low > highest)
