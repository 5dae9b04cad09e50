"""The path of lateral parameters through the epochs (Fig. 5C), boiled down when a network is done.

θ′ of a neuron: its parameters from and to other hidden neurons, but for those that a lesion removed
and that may not regrow. What lesion 2 leaves is what has θ <= 0 then, and what is chosen for being
low rises afterwards by itself; so the lesion is compared with the control without lesions, in which
parameters are chosen in the same way at the same time and nothing is removed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.analysis.manifold import separation, separation_p_value, shift
from synsamp.experiments.compensation.network import Hidden
from synsamp.experiments.compensation.plan import MAIN, STEP_S, Plan

SETTLING_S = 3600.0
"""Learning before this (or its first half) does not count as an epoch."""
BEFORE_S, AFTER_S, WINDOW_S = 1800.0, 1800.0, 1800.0
"""A shift is measured from the half hour before a lesion to the second half hour after it."""


def summarise_path(tables: dict[str, NDArray[Any]], plan: Plan, hidden: Hidden) -> None:
    """Replace the paths of all parameters by the path of one neuron and by numbers."""
    path, control = tables.pop("path"), tables.pop("path_no_lesion")
    allowed = _allowed(tables, hidden)
    alive = np.flatnonzero(~tables["removed_neuron"]).tolist()
    epochs, rows = _epochs(plan)
    ratio = np.full(hidden.n, np.nan)
    counts = np.zeros(hidden.n, np.int64)
    for neuron in alive:
        own = _own(path, allowed, neuron)
        counts[neuron] = own.shape[1]
        if own.shape[1]:
            ratio[neuron] = separation(own[rows], epochs)
    # The tracked neuron: the surviving visual one with the median number of parameters.
    visual = [k for k in alive if k >= hidden.n_each and counts[k]] or alive
    tracked = sorted(visual, key=lambda k: (counts[k], k))[len(visual) // 2]
    own = _own(path, allowed, tracked)
    tables["separation"] = ratio
    tables["separation_p"] = np.array(separation_p_value(own[rows], epochs))
    tables["tracked_neuron"] = np.array(int(tracked))
    tables["tracked_count"] = np.array(own.shape[1])
    tables["tracked_path"] = np.full((len(path), 2 * hidden.n), np.nan, np.float32)
    tables["tracked_path"][:, : own.shape[1]] = own
    tables["moved"] = _shifts(path, control, tables["removed_neuron"], plan)


def _allowed(tables: dict[str, NDArray[Any]], hidden: Hidden) -> NDArray[np.bool_]:
    gone = tables["removed_neuron"]
    allowed = ~(tables["removed_connection"] | gone[:, None] | gone[None, :])
    return allowed & ~np.eye(hidden.n, dtype=bool)


def _own(path: NDArray[Any], allowed: NDArray[np.bool_], neuron: int) -> NDArray[np.float64]:
    """θ′ over time, [time, parameter]: to the neuron, then from it."""
    incoming = path[:, neuron, allowed[neuron]]
    outgoing = path[:, allowed[:, neuron], neuron]
    return np.concatenate([incoming, outgoing], axis=1).astype(float)


def _epochs(plan: Plan) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of the epoch of each used row of the path, and those rows."""
    epochs, rows = [], []
    for number, phase in enumerate(p for p in plan.phases if p.arm == MAIN):
        skipped = min(SETTLING_S, phase.duration_s / 2) if number == 0 else 0.0
        start = round((phase.start_s + skipped) / STEP_S) + 1
        stop = round((phase.start_s + phase.duration_s) / STEP_S)
        rows.append(np.arange(start, stop + 1))
        epochs.append(np.full(rows[-1].size, number))
    return np.concatenate(epochs), np.concatenate(rows)


def _shifts(
    path: NDArray[Any], control: NDArray[Any], gone: NDArray[np.bool_], plan: Plan
) -> NDArray[np.float64]:
    """How far θ moves across each lesion, [lesion, (with, without)], root mean square.

    Of all surviving neurons: every lateral parameter (lesion 1), or those with θ <= 0 at that
    moment in the arm itself (lesion 2, which leaves just these).
    """
    result = np.full((2, 2), np.nan)
    main = [p for p in plan.phases if p.arm == MAIN]
    fork = round(main[1].start_s / STEP_S)
    arms = (path, np.concatenate([path[:fork], control]))  # the control with its own history
    survives = ~(gone[:, None] | gone[None, :]) & ~np.eye(len(gone), dtype=bool)
    for lesion, phase in enumerate(main[1:]):
        at = round(phase.start_s / STEP_S)
        before = slice(at - round(BEFORE_S / STEP_S), at)
        after = slice(at + round(AFTER_S / STEP_S), at + round((AFTER_S + WINDOW_S) / STEP_S))
        for arm, values in enumerate(arms):
            if before.start < 0 or after.stop > len(values):
                continue
            low = values[at] <= 0 if lesion == 1 else np.isfinite(values[at])
            ever = np.isfinite(values[before.start]) & np.isfinite(values[after.stop - 1])
            chosen = survives & low & ever
            if chosen.any():
                result[lesion, arm] = shift(
                    values[:, chosen].astype(float)[: after.stop], before, after
                )
    return result
