"""The path of lateral parameters through the epochs (Fig. 5C), beside paths without a lesion.

θ′ of a neuron, by the paper: its parameters from and to other hidden neurons, but for those that
lesion 2 removed and that may not regrow. θ forgets over σ²/b = 2.8 h, so a path that only drifts
lies apart from itself after a while; and what lesion 2 leaves are parameters that were low at that
moment, which rise afterwards by themselves. So the same numbers are taken of two paths on which
nothing was removed, over the same epochs, with parameters chosen in the same way at the same time:
the control without lesions, and prior and noise alone (an Ornstein–Uhlenbeck process).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.manifold import principal_components, separation, shift
from synsamp.experiments.base import Results
from synsamp.paper.fig5_compensation.course import MAIN, NO_LESION, record_of
from synsamp.paper.fig5_compensation.parameters import STEP_S, ScheduleSection
from synsamp.paper.shared.digit_circuit import RuleSection
from synsamp.priors.gaussian import ornstein_uhlenbeck

SETTLING_S = 3600.0
"""Learning before this (or its first half) does not count as an epoch."""
BEFORE_S, AFTER_S, WINDOW_S = 1800.0, 1800.0, 1800.0
"""A shift is measured from the half hour before a lesion to the second half hour after it."""
COMPONENTS = 3
LESIONS, NONE, NOISE = "lesions", "no lesion", "prior and noise alone"
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def collect_path(schedule: ScheduleSection, rule: RuleSection, results: Results) -> xr.Dataset:
    """Numbers about the paths of all neurons, and the path of one."""
    path = on_grid(results[record_of(MAIN, "theta")])
    alive = results[record_of(MAIN, "test")].alive.values[-1].astype(bool)
    paths = {LESIONS: path}
    until = len(path) - 1
    control_ends_s = schedule.lesions_s[0] + schedule.no_lesion_s
    if control_ends_s > schedule.lesions_s[-1]:
        fork, first = round(schedule.lesions_s[0] / STEP_S), _epochs(schedule, until)[1][0]
        control = on_grid(results[record_of(NO_LESION, "theta")])
        paths[NONE] = np.concatenate([path[:fork], control])[: len(path)]
        until = len(paths[NONE]) - 1
        rng = np.random.default_rng(int(results["example"].attrs["surrogates"]))
        drift = drifting(path[first], until - first + 1, rule, rng)
        paths[NOISE] = np.concatenate([path[:first], drift])
    ratios = np.stack([_separations(each, alive, schedule, until) for each in paths.values()])
    chosen = _left(path, alive, schedule)
    counts = chosen.sum(axis=0) + chosen.sum(axis=1)
    tracked = _tracked(alive, counts)
    own = _own(path, chosen, tracked)
    scores = np.full((len(path), COMPONENTS), np.nan)
    explained = np.full(COMPONENTS, np.nan)
    found, share = principal_components(own, COMPONENTS)
    scores[:, : found.shape[1]], explained[: share.size] = found, share
    moved = [[_shift(each, alive, schedule, k) for each in paths.values()] for k in range(2)]
    return xr.Dataset(
        {
            "score": (("step", "component"), scores),
            "explained": ("component", explained),
            "neuron": ((), tracked),
            "parameters": ("hidden", counts),
            "survives": ("hidden", alive),
            "separation": (("path", "hidden"), ratios),
            "moved": (("lesion", "path"), np.array(moved)),
        },
        coords={
            "path": list(paths),
            "path_time": ("step", np.arange(len(path)) * STEP_S, {"units": "s"}),
        },
    )


def on_grid(theta: xr.Dataset) -> NDArray[np.float32]:
    """θ[step, post, pre], one row for each time: after the lesion, where there are two."""
    time = theta.time.values
    last = np.append(np.diff(time) > 1e-6, True)
    return np.asarray(theta.theta.values[last])


def drifting(
    start: NDArray[np.float32], steps: int, rule: RuleSection, rng: np.random.Generator
) -> NDArray[np.float32]:
    """A path from ``start`` on that prior and noise alone make, on the same grid."""
    keep, spread = ornstein_uhlenbeck(rule.speed, rule.temperature, rule.prior.std, STEP_S)
    path = np.empty((steps, *start.shape), np.float32)
    path[0] = start
    for row in range(1, steps):
        noise = spread * rng.standard_normal(start.shape)
        path[row] = rule.prior.mean + keep * (path[row - 1] - rule.prior.mean) + noise
    return path


def _tracked(alive: Mask, counts: NDArray[np.int64]) -> int:
    """The surviving visual neuron with the median number of parameters."""
    n = len(alive)
    left: list[int] = np.flatnonzero(alive).tolist()
    among = [k for k in left if k >= n // 2 and counts[k]] or left
    return sorted(among, key=lambda k: (counts[k], k))[len(among) // 2]


def _left(path: NDArray[np.float32], alive: Mask, schedule: ScheduleSection) -> Mask:
    """Parameters [post, pre] of surviving neurons that lesion 2 leaves, or would leave."""
    survives = np.outer(alive, alive) & ~np.eye(len(alive), dtype=bool)
    if len(schedule.lesions_s) == 1:
        return survives & np.isfinite(path[-1])
    return survives & (path[round(schedule.lesions_s[1] / STEP_S)] <= 0)


def _own(path: NDArray[np.float32], chosen: Mask, neuron: int) -> Floats:
    """θ′ over time, [time, parameter]: to the neuron, then from it."""
    incoming = path[:, neuron, chosen[neuron]]
    outgoing = path[:, chosen[:, neuron], neuron]
    return np.concatenate([incoming, outgoing], axis=1).astype(float)


def _separations(
    path: NDArray[np.float32], alive: Mask, schedule: ScheduleSection, until: int
) -> Floats:
    """Distance between epochs over distance within, of the θ′ of each surviving neuron."""
    chosen, ratio = _left(path, alive, schedule), np.full(len(alive), np.nan)
    epochs, rows = _epochs(schedule, until)
    for neuron in np.flatnonzero(alive & chosen.any(axis=0) & chosen.any(axis=1)).tolist():
        ratio[neuron] = separation(_own(path, chosen, neuron)[rows], epochs)
    return ratio


def _epochs(schedule: ScheduleSection, until: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of the epoch of each used row of a path up to row ``until``, and those rows."""
    epochs, rows = [], []
    edges = (0.0, *schedule.lesions_s, schedule.end_s)
    for number, (start_s, stop_s) in enumerate(pairwise(edges)):
        skipped = min(SETTLING_S, (stop_s - start_s) / 2) if number == 0 else 0.0
        first, last = round((start_s + skipped) / STEP_S) + 1, round(stop_s / STEP_S)
        rows.append(np.arange(first, min(last, until) + 1))
        epochs.append(np.full(rows[-1].size, number))
    return np.concatenate(epochs), np.concatenate(rows)


def _shift(path: NDArray[np.float32], alive: Mask, schedule: ScheduleSection, lesion: int) -> float:
    """How far θ moves across a lesion, root mean square; NaN if the path is too short.

    Of all surviving neurons: every lateral parameter (lesion 1), or what lesion 2 leaves.
    """
    if lesion >= len(schedule.lesions_s):
        return float("nan")
    at = round(schedule.lesions_s[lesion] / STEP_S)
    before = slice(at - round(BEFORE_S / STEP_S), at)
    after = slice(at + round(AFTER_S / STEP_S), at + round((AFTER_S + WINDOW_S) / STEP_S))
    if before.start < 0 or after.stop > len(path):
        return float("nan")
    survives = np.outer(alive, alive) & ~np.eye(len(alive), dtype=bool)
    chosen = _left(path, alive, schedule) if lesion == 1 else survives & np.isfinite(path[at])
    # a later lesion may have taken some of them within the window
    chosen &= np.isfinite(path[after.stop - 1])
    points = path[: after.stop, chosen].astype(float)
    return shift(points, before, after) if chosen.any() else float("nan")
