"""Codes of both populations without lesions (Fig. S1B), and shares of functional synapses (S1A)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.codes import code_similarity
from synsamp.analysis.peth import BIN_S, peak_order
from synsamp.experiments.base import Results
from synsamp.paper.fig5_compensation.course import (
    HOUR_S,
    MAIN,
    NO_LESION,
    PLASTICITY_OFF,
    lesions_before,
    record_of,
)
from synsamp.paper.fig5_compensation.parameters import ScheduleSection

POPULATIONS = ("z_A", "z_V")
KINDS = ("x_A→z_A", "x_V→z_V", "z_A→z_A", "z_A→z_V", "z_V→z_A", "z_V→z_V")


def collect_codes(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Histograms of what was learned and, without lesions, at every hour; their likeness."""
    main = results[record_of(MAIN, "test")]
    learned = np.flatnonzero(lesions_before(main.time.values, schedule.lesions_s) == 0)[-1]
    parts, times = [main.code[learned].values], [schedule.lesions_s[0]]
    if record_of(NO_LESION, "test") in results:
        control = results[record_of(NO_LESION, "test")]
        since = control.time.values - schedule.lesions_s[0]
        hourly = np.flatnonzero(since % HOUR_S == 0)
        parts += list(control.code.values[hourly])
        times += list(control.time.values[hourly])
    histogram = np.stack(parts).astype(float)
    halves = _halves(histogram.shape[3] // 2)
    used = np.isfinite(histogram[0, 0, 0, 0])
    likeness = np.stack([_likeness(histogram[..., here, :][..., used]) for here in halves])
    order = np.stack(
        [[peak_order(c[here][:, used]) for c in histogram[0].mean(axis=0)] for here in halves]
    )
    more = {}
    if (frozen := record_of(f"{PLASTICITY_OFF}_1", "test")) in results:
        ends = results[frozen].code.values[[0, -1]].astype(float)
        alike = [_likeness(ends[..., here, :][..., used]) for here in halves]
        more["frozen"] = (
            ("population", "when"),
            np.array([[np.diagonal(each).mean(), each[0, 1]] for each in alike]),
            {"description": "likeness with plasticity off: at one time, first to last test"},
        )
    return xr.Dataset(
        {
            "histogram": (("code", "half", "class", "neuron", "bin"), np.float32(histogram)),
            "likeness": (("population", "code", "later_code"), likeness),
            "order": (("population", "class", "rank"), order),
            **more,
        },
        coords={
            "code_time": ("code", times, {"units": "s"}),
            "no_lesion": ("code", np.arange(len(times)) > 0),
            "population": list(POPULATIONS),
            "bin": np.arange(histogram.shape[-1]) * BIN_S,
        },
    )


def _likeness(part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Between independent halves, also at the same time: noise counts alike everywhere."""
    n = len(part)
    across = code_similarity(np.concatenate([part[:, 0], part[:, 1]]))[:n, n:]
    return 0.5 * (across + across.T)


def _halves(n_each: int) -> tuple[slice, slice]:
    return slice(0, n_each), slice(n_each, 2 * n_each)


def collect_shares(results: Results) -> xr.Dataset:
    """Share of functional synapses [mark, kind] among all of surviving neurons, but own."""
    marks = results[record_of(MAIN, "marks")]
    shares = []
    for number, alive in enumerate(marks.alive.values.astype(bool)):
        lateral, n = marks.lateral.values[number], len(alive)
        seen = marks.image_weight.values[number][alive[n // 2 :]]
        found = [float(marks.heard_share[number]), float((seen > 0).mean())]
        for source in _halves(n // 2):
            for target in _halves(n // 2):
                possible = np.zeros((n, n), bool)
                possible[target, source] = True
                possible &= np.outer(alive, alive) & ~np.eye(n, dtype=bool)
                found.append(float(lateral[possible].mean()))
        shares.append(found)
    return xr.Dataset(
        {"functional_share": (("mark", "kind"), np.array(shares))},
        coords={"mark": marks.mark.values, "kind": list(KINDS)},
    )
