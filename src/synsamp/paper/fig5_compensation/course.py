"""The course of recall: the tests of all arms in one dataset, told by decoders.

``recall`` fits a decoder anew in each test, on the other blocks of it. ``recall_kept`` is told by
the decoders of the last test before lesion 1, where it is the same; before that it is NaN.

Levels are means of a few tests: *learned* of those in the half hour before lesion 1 (or half of a
shorter phase), *back* of those from 1 h after lesion 1 on, *again* of those around 2 h after lesion
2, *end* of the last three.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.experiments.base import Results
from synsamp.paper.fig5_compensation.decoding import blocks_of, fitted, told, told_by
from synsamp.paper.fig5_compensation.parameters import ScheduleSection

MAIN, NO_LESION = "main", "no_lesion"
PLASTICITY_OFF, NOISE_OFF, LIKELIHOOD = "plasticity_off", "noise_off", "likelihood_alone"
ARMS = {
    MAIN: 0,
    NO_LESION: 0,
    **{f"{PLASTICITY_OFF}_{n}": n for n in (1, 2)},
    **{f"{NOISE_OFF}_{n}": n for n in (1, 2)},
    f"{LIKELIHOOD}_2": 2,
}
"""Arms, and how many lesions had been made when they began."""
HOUR_S = 3600.0
COPIED = (
    "heard",
    "heard_by_chance",
    "seen",
    "likeness",
    "likeness_by_chance",
    "connections",
    "allowed",
)
Floats = NDArray[np.float64]


def record_of(arm: str, record: str) -> str:
    """Where a record of an arm stands in the results."""
    return f"network/{record}" if arm == MAIN else f"network/{arm}/{record}"


def lesions_before(time_s: Any, lesions_s: tuple[float, ...]) -> NDArray[np.int64]:
    """Lesions before each row of the main arm; of two rows at one time the second is after it."""
    time = np.asarray(time_s, float)
    found = np.zeros(time.size, np.int64)
    for lesion_s in lesions_s:
        found += time > lesion_s
        found[np.flatnonzero(time == lesion_s)[1:]] += 1
    return found


def collect_course(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """All tests, arm after arm."""
    arms = [arm for arm in ARMS if record_of(arm, "test") in results]
    parts, kept = [], []
    for arm in arms:
        data = results[record_of(arm, "test")].load()
        time = data.time.values
        lesions = np.full(time.size, ARMS[arm])
        blocks = [blocks_of(*row) for row in zip(data.counts.values, data.word.values, strict=True)]
        recall = np.stack([told(*each) for each in blocks])
        by_kept = np.full(recall.shape, np.nan)
        first = 0
        if arm == MAIN:
            lesions = lesions_before(time, schedule.lesions_s)
            first = int(np.flatnonzero(lesions == 0)[-1])
            kept = fitted(*blocks[first])
        by_kept[first:] = [told_by(kept, *each) for each in blocks[first:]]
        by_count = [told([c.sum(axis=1) for c in counts], words) for counts, words in blocks]
        both = ("test", "block")
        variables = {
            "recall": (both, recall, {"description": "from z_V, sound alone"}),
            "recall_by_count": (both, np.stack(by_count), {"description": "by counts of words"}),
            "recall_kept": (both, by_kept, {"description": "by the decoders before lesion 1"}),
            **{name: _along_tests(data[name]) for name in COPIED},
        }
        coords = {"time": time, "arm": np.full(time.size, arm), "lesions": lesions}
        parts.append(xr.Dataset(variables, {k: ("test", v) for k, v in coords.items()}))
    whole = xr.concat(parts, "test")
    whole.time.attrs["units"] = "s"
    return whole


def _along_tests(data: xr.DataArray) -> xr.DataArray:
    return data.drop_vars("time").rename(time="test")


class Course:
    """Reads levels out of the tests of one network."""

    def __init__(
        self, schedule: ScheduleSection, course: xr.Dataset, which: str = "recall"
    ) -> None:
        self.data = course
        self.time_s = course.time.values
        self.recall: Floats = course[which].mean("block").values
        self.at_1 = schedule.lesions_s[0]
        self.end_1 = self.at_1 + schedule.after_lesion_1_s
        self.at_2 = schedule.lesions_s[1] if len(schedule.lesions_s) > 1 else None
        self.end_s = schedule.end_s

    def rows(
        self, arm: str, lesions: int, start_s: float = 0.0, stop_s: float = np.inf
    ) -> NDArray[np.int64]:
        """Numbers of the tests of an arm in a stretch of time, ends included."""
        chosen = (self.data.arm.values == arm) & (self.data.lesions.values == lesions)
        chosen &= (self.time_s >= start_s - 1.0) & (self.time_s <= stop_s + 1.0)
        return np.flatnonzero(chosen)

    def level(self, arm: str, lesions: int, start_s: float, stop_s: float) -> float:
        """Mean recall in a stretch; NaN if there was no test."""
        rows = self.rows(arm, lesions, start_s, stop_s)
        return float(self.recall[rows].mean()) if rows.size else float("nan")

    def last(self, arm: str, lesions: int, n: int = 3) -> float:
        """Mean recall over the last tests of an arm after so many lesions."""
        return float(self.recall[self.rows(arm, lesions)[-n:]].mean())

    def hit(self, lesion: int) -> float:
        """Recall just after a lesion."""
        return float(self.recall[self.rows(MAIN, lesion)[0]])

    @property
    def learned_rows(self) -> NDArray[np.int64]:
        """Tests in the half hour before lesion 1, or in the second half of a shorter phase."""
        return self.rows(MAIN, 0, self.at_1 - min(HOUR_S, self.at_1) / 2, self.at_1)

    @property
    def learned(self) -> float:
        """Recall before lesion 1."""
        return float(self.recall[self.learned_rows].mean())

    @property
    def back(self) -> float:
        """Recall from one hour after lesion 1 on, or at the end of a shorter phase."""
        return self.level(MAIN, 1, min(self.at_1 + HOUR_S, self.end_1), self.end_1)

    @property
    def again_span(self) -> tuple[float, float]:
        """A quarter of an hour to either side of two hours after lesion 2, within the phase."""
        assert self.at_2 is not None
        centre = min(self.at_2 + 2 * HOUR_S, self.end_s - HOUR_S / 4)
        return centre - HOUR_S / 4, centre + HOUR_S / 4
