"""Levels of recall out of the tests of a run, and claims about means over networks."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.intervals import mean_interval, ratio_interval, share_interval
from synsamp.experiments.base import Band, Claim
from synsamp.experiments.compensation.plan import MAIN, Plan

HOUR_S = 3600.0
SMALLEST_WHOLE = 0.05
"""Of trials; the least loss that lesion 1 must cause."""
Floats = NDArray[np.float64]


class RecallCourse:
    """Reads levels out of the tests."""

    def __init__(self, plan: Plan, course: xr.Dataset) -> None:
        self._c = course
        self.time_s = course.time.values
        self.recall = course.recall.mean("block").values
        main = [p for p in plan.phases if p.arm == MAIN]
        self.at_1 = main[1].start_s
        self.end_1 = main[1].start_s + main[1].duration_s
        self.at_2 = main[2].start_s if len(main) > 2 else None
        self.end = main[-1].start_s + main[-1].duration_s

    def rows(self, arm: str, lesions: int, start_s: float, stop_s: float) -> NDArray[np.int64]:
        """Numbers of the tests of an arm in a stretch of time, ends included."""
        c = self._c
        chosen = (c.arm.values == arm) & (c.lesions.values == lesions)
        chosen &= (c.time.values >= start_s - 1.0) & (c.time.values <= stop_s + 1.0)
        return np.flatnonzero(chosen)

    def level(self, arm: str, lesions: int, start_s: float, stop_s: float) -> Floats:
        """Mean recall per network in a stretch; NaN if there was no test."""
        rows = self.rows(arm, lesions, start_s, stop_s)
        if rows.size == 0:
            return np.full(len(self.recall), np.nan)
        return self.recall[:, rows].mean(axis=1)

    def last(self, arm: str, lesions: int, n: int = 3) -> Floats:
        """Mean recall per network over the last tests of an arm after so many lesions."""
        rows = self.rows(arm, lesions, 0.0, np.inf)[-n:]
        if rows.size == 0:
            return np.full(len(self.recall), np.nan)
        return self.recall[:, rows].mean(axis=1)

    def learned(self) -> Floats:
        """Mean recall per network in the half hour before lesion 1 (or half of a shorter phase)."""
        return self.level(MAIN, 0, *self.learned_span)

    @property
    def learned_span(self) -> tuple[float, float]:
        """Start and end of the stretch that counts as learned."""
        return self.at_1 - min(HOUR_S, self.at_1) / 2, self.at_1

    def first(self, arm: str, lesions: int) -> NDArray[np.int64]:
        """The test just after a lesion (or at the very start)."""
        return self.rows(arm, lesions, 0.0, np.inf)[:1]


def mean_claim(
    name: str, statement: str, where: str, values: Floats, band: Band, unit: str, detail: str = ""
) -> Claim:
    """Claim about the mean over networks of one value each."""
    tail = f"; {detail}" if detail else ""
    text = (
        f"mean {mean_text(values)} over {len(values)} networks"
        if len(values) > 1
        else "one network"
    )
    return Claim(name, statement, where, float(values.mean()), band, unit, text + tail)


def ratio_claim(
    name: str,
    statement: str,
    where: str,
    parts: Floats,
    wholes: Floats,
    band: Band,
    unit: str,
    detail: str,
) -> Claim:
    """Claim about the ratio of two means over networks.

    NaN, which no band holds, if the whole is too small to be told from none: a network that has
    learned nothing loses nothing, and must not seem to regain it.
    """
    found = ratio_interval(parts, wholes)
    value = found.value if wholes.mean() >= SMALLEST_WHOLE else float("nan")
    text = f"ratio of means {found.text(2)}; " if len(parts) > 1 and np.isfinite(value) else ""
    return Claim(name, statement, where, value, band, unit, text + detail)


def mean_text(values: Floats) -> str:
    """Mean with its interval, if there are enough networks for one."""
    return mean_interval(values).text(3) if len(values) > 1 else f"{values.mean():.3f}"


def share_claim(
    name: str, statement: str, where: str, hits: NDArray[np.bool_], band: Band, detail: str
) -> Claim:
    """Claim about the share of networks in which something is so."""
    found = share_interval(hits)
    text = f"share {found.text(2)}; {detail}"
    return Claim(name, statement, where, found.value, band, "of networks", text)
