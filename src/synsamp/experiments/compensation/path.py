"""The path of lateral parameters through the epochs (Fig. 5C).

θ′ of a neuron: its parameters from and to other hidden neurons, but for those that a lesion removed
and that may not regrow. What lesion 2 leaves is what has θ <= 0 then, and what is chosen for being
low rises afterwards by itself; so the lesion is compared with the control without lesions, in which
parameters are chosen in the same way at the same time and nothing is removed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.manifold import (
    principal_components,
    separation,
    separation_p_value,
    shift,
)
from synsamp.experiments.base import Results
from synsamp.experiments.compensation.course import MAIN, NO_LESION, record_of
from synsamp.experiments.compensation.parameters import STEP_S, ScheduleSection

SETTLING_S = 3600.0
"""Learning before this (or its first half) does not count as an epoch."""
BEFORE_S, AFTER_S, WINDOW_S = 1800.0, 1800.0, 1800.0
"""A shift is measured from the half hour before a lesion to the second half hour after it."""
COMPONENTS = 3
Floats = NDArray[np.float64]


def collect_path(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Numbers about the paths of all neurons, and the path of one."""
    path = on_grid(results[record_of(MAIN, "theta")])
    control = None
    if record_of(NO_LESION, "theta") in results:
        control = on_grid(results[record_of(NO_LESION, "theta")])
    alive = results[record_of(MAIN, "test")].alive.values[-1].astype(bool)
    n = len(alive)
    allowed = np.isfinite(path[-1]) & ~np.eye(n, dtype=bool)
    epochs, rows = _epochs(schedule)
    ratio, counts = np.full(n, np.nan), np.zeros(n, np.int64)
    for neuron in np.flatnonzero(alive).tolist():
        own = _own(path, allowed, neuron)
        counts[neuron] = own.shape[1]
        if own.shape[1]:
            ratio[neuron] = separation(own[rows], epochs)
    tracked = _tracked(alive, counts)
    own = _own(path, allowed, tracked)
    scores = np.full((len(path), COMPONENTS), np.nan)
    explained = np.full(COMPONENTS, np.nan)
    found, share = principal_components(own, COMPONENTS)
    scores[:, : found.shape[1]], explained[: share.size] = found, share
    return xr.Dataset(
        {
            "score": (("step", "component"), scores),
            "explained": ("component", explained),
            "neuron": ((), tracked),
            "parameters": ((), own.shape[1]),
            "separation": ("hidden", ratio),
            "separation_p": ((), separation_p_value(own[rows], epochs)),
            "moved": (("lesion", "with_lesion"), _shifts(path, control, alive, schedule)),
        },
        coords={"path_time": ("step", np.arange(len(path)) * STEP_S, {"units": "s"})},
    )


def on_grid(theta: xr.Dataset) -> NDArray[np.float32]:
    """θ[step, post, pre], one row for each time: after the lesion, where there are two."""
    time = theta.time.values
    last = np.append(np.diff(time) > 0, True)
    return np.asarray(theta.theta.values[last])


def _tracked(alive: NDArray[np.bool_], counts: NDArray[np.int64]) -> int:
    """The surviving visual neuron with the median number of parameters."""
    n = len(alive)
    left: list[int] = np.flatnonzero(alive).tolist()
    among = [k for k in left if k >= n // 2 and counts[k]] or left
    return sorted(among, key=lambda k: (counts[k], k))[len(among) // 2]


def _own(path: NDArray[Any], allowed: NDArray[np.bool_], neuron: int) -> Floats:
    """θ′ over time, [time, parameter]: to the neuron, then from it."""
    incoming = path[:, neuron, allowed[neuron]]
    outgoing = path[:, allowed[:, neuron], neuron]
    return np.concatenate([incoming, outgoing], axis=1).astype(float)


def _epochs(schedule: ScheduleSection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of the epoch of each used row of the path, and those rows."""
    epochs, rows = [], []
    edges = (0.0, *schedule.lesions_s, schedule.end_s)
    for number, (start_s, stop_s) in enumerate(pairwise(edges)):
        skipped = min(SETTLING_S, (stop_s - start_s) / 2) if number == 0 else 0.0
        rows.append(np.arange(round((start_s + skipped) / STEP_S) + 1, round(stop_s / STEP_S) + 1))
        epochs.append(np.full(rows[-1].size, number))
    return np.concatenate(epochs), np.concatenate(rows)


def _shifts(
    path: NDArray[Any],
    control: NDArray[Any] | None,
    alive: NDArray[np.bool_],
    schedule: ScheduleSection,
) -> Floats:
    """How far θ moves across each lesion, [lesion, (with, without)], root mean square.

    Of all surviving neurons: every lateral parameter (lesion 1), or those with θ <= 0 at that
    moment in the arm itself (lesion 2, which leaves just these).
    """
    result = np.full((2, 2), np.nan)
    fork = round(schedule.lesions_s[0] / STEP_S)
    arms = [path]
    if control is not None:
        arms.append(np.concatenate([path[:fork], control]))  # with its own history
    survives = np.outer(alive, alive) & ~np.eye(len(alive), dtype=bool)
    for lesion, lesion_s in enumerate(schedule.lesions_s):
        at = round(lesion_s / STEP_S)
        before = slice(at - round(BEFORE_S / STEP_S), at)
        after = slice(at + round(AFTER_S / STEP_S), at + round((AFTER_S + WINDOW_S) / STEP_S))
        for arm, values in enumerate(arms):
            if before.start < 0 or after.stop > len(values):
                continue
            low = values[at] <= 0 if lesion == 1 else np.isfinite(values[at])
            ever = np.isfinite(values[before.start]) & np.isfinite(values[after.stop - 1])
            chosen = survives & low & ever
            if chosen.any():
                points = values[:, chosen].astype(float)[: after.stop]
                result[lesion, arm] = shift(points, before, after)
    return result
