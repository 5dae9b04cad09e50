"""Judge claims over seeds: holds, fails, undecided, or not specific.

Intervals are 95 % intervals: Student's for a mean, that of the linearised ratio for a ratio of
means, both on the log-odds or log scale if the measure has a range (`within_limits`), Wilson's for
a share of seeds. An exact measure spans from its smallest to its largest value, and one seed is
enough.
**holds**: the interval lies inside the band and the null's outside; **fails**: the interval lies
outside; **not specific**: the null lies inside, so the claim would hold for a system without the
effect; **undecided**: anything else, with the number of seeds that would decide it if estimate and
scatter stayed the same. One seed decides nothing, unless the measure is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from synsamp.analysis.intervals import (
    Interval,
    Limits,
    mean_interval,
    ratio_interval,
    share_interval,
    wilson_interval,
    within_limits,
)
from synsamp.claims.claim import Claim, Ratio, Value
from synsamp.claims.declared import near

Verdict = Literal["holds", "fails", "undecided", "not specific"]
MOST_NEEDED = 1_000
"""Largest number of seeds that is reported as needed; a mean that needs more lies at the edge of
the band. A thousand networks of Fig. 5 take a day on two cores."""


@dataclass(frozen=True)
class Judged:
    """A claim with its measure over seeds and its verdict.

    Parameters
    ----------
    claim : Claim
        What is claimed.
    measured : Interval
        Estimate over seeds with its 95 % interval.
    n : int
        Number of seeds.
    null : Interval or None
        Estimate of the null.
    verdict : str
        "holds", "fails", "undecided" or "not specific".
    needed : int or None
        Seeds that would decide, if undecided.
    """

    claim: Claim
    measured: Interval
    n: int
    null: Interval | None
    verdict: Verdict
    needed: int | None = None
    """Seeds that would decide an undecided claim; None if no number up to `MOST_NEEDED` would."""

    @property
    def paper_is(self) -> str:
        """Where the paper's number lies: ``"inside"``, ``"above"`` or ``"below"`` the interval.

        Empty without a number or a finite interval (one seed).
        """
        paper = self.claim.paper
        if paper is None or not all(map(math.isfinite, self.measured)):
            return ""
        if paper > self.measured.high:
            return "above"
        return "below" if paper < self.measured.low else "inside"


def judge_all(claims: Sequence[Claim], measures: Mapping[str, Sequence[Value]]) -> list[Judged]:
    """Judge claims by what was measured.

    Parameters
    ----------
    claims
        Claims that apply to these seeds (`Experiment.applicable_claims`).
    measures
        One value per seed, by the key of the measure (`measure_key`).

    Returns
    -------
    list of Judged
        One for each claim.

    Raises
    ------
    ValueError
        If the measure or the null of a claim is missing.
    """
    for claim in claims:
        for key in filter(None, (claim.key, claim.null_key)):
            if key not in measures:
                raise ValueError(
                    f"claim {claim.id!r}: {key!r} was not measured; {near(key, measures)}"
                )
    return [
        judge(claim, measures[claim.key], measures[claim.null_key] if claim.null_key else None)
        for claim in claims
    ]


def judge(claim: Claim, values: Sequence[Value], null: Sequence[Value] | None = None) -> Judged:
    """Judge one claim by its measure and its null, one value per seed each.

    Parameters
    ----------
    claim : Claim
        What is claimed.
    values : sequence of float, bool or Ratio
        The measure, one value per seed.
    null : sequence of float, bool or Ratio, optional
        The null, one value per seed.

    Returns
    -------
    Judged
        Estimate, interval and verdict.
    """
    measured = interval_of(values, claim.exact, claim.limits)
    nothing = None if null is None else interval_of(null, claim.exact, claim.null_limits)
    n = len(values)
    if claim.null_key is not None and nothing is None:
        raise ValueError(f"claim {claim.id!r}: its null {claim.null_key!r} was not measured")
    if n == 1 and not claim.exact:  # a share too, although it has an interval
        return Judged(claim, _endless(measured), n, nothing and _endless(nothing), "undecided")
    if claim.excludes(measured.low, measured.high):
        return Judged(claim, measured, n, nothing, "fails")
    if nothing is not None and claim.admits(nothing.low, nothing.high):
        return Judged(claim, measured, n, nothing, "not specific")
    clear = nothing is None or claim.excludes(nothing.low, nothing.high)
    if clear and claim.admits(measured.low, measured.high):
        return Judged(claim, measured, n, nothing, "holds")
    return Judged(claim, measured, n, nothing, "undecided", _needed(claim, values, null))


def _endless(found: Interval) -> Interval:
    return Interval(found.value, -math.inf, math.inf)


def interval_of(
    values: Sequence[Value], exact: bool = False, limits: Limits = (None, None)
) -> Interval:
    """Return the estimate over seeds with its interval, which depends on the type of the values."""
    if exact:
        numbers = [_ratio(value) if isinstance(value, Ratio) else float(value) for value in values]
        if not all(map(math.isfinite, numbers)):
            return Interval(math.nan, -math.inf, math.inf)
        return Interval(math.fsum(numbers) / len(numbers), min(numbers), max(numbers))
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return share_interval(np.array(values, bool))
    return within_limits(_symmetric(values), limits)


def _symmetric(values: Sequence[Value]) -> Interval:
    if all(isinstance(value, Ratio) for value in values):
        return ratio_interval(*zip(*values, strict=True))
    return mean_interval(np.array(values, float))


def _ratio(value: Ratio) -> float:
    return value.part / value.whole if value.whole else math.nan


def _needed(claim: Claim, values: Sequence[Value], null: Sequence[Value] | None) -> int | None:
    """Seeds after which measure and null would be clear of the band's ends; None: no number.

    None, too, if both lie in the band on average: more seeds would show that it is not specific.
    """
    if claim.exact:  # seeds differ although they should not: more of them do not help
        return None
    averages = [interval_of(each).value for each in (values, null) if each is not None]
    if len(averages) == 2 and all(claim.admits(average, average) for average in averages):
        return None
    counts = [_seeds_to_clear(claim, values, claim.limits)]
    if null is not None:
        counts.append(_seeds_to_clear(claim, null, claim.null_limits))
    return None if None in counts else max(c for c in counts if c is not None)


def _seeds_to_clear(claim: Claim, values: Sequence[Value], limits: Limits) -> int | None:
    """The smallest number at which an interval about the same estimate crosses no end."""
    m = len(values)
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        share = interval_of(values).value

        def at(n: int) -> Interval:
            return wilson_interval(share, n)

    elif m > 1 and math.isfinite((found := _symmetric(values)).value):
        deviation = (found.high - found.value) * math.sqrt(m) / special.stdtrit(m - 1, 0.975)

        def at(n: int) -> Interval:
            half = deviation * special.stdtrit(n - 1, 0.975) / math.sqrt(n)
            each = Interval(found.value, found.value - half, found.value + half)
            return within_limits(each, limits)

    else:
        return None

    def clear(n: int) -> bool:
        ends = at(n)[1:]
        return claim.admits(*ends) or claim.excludes(*ends)

    low, high = 2, MOST_NEEDED
    if not clear(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if clear(middle) else (middle + 1, high)
    return low
