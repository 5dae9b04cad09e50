"""What the claims of Fig. 4 are about, measured for one circuit from what was recorded.

Inputs are sorted by the images alone: an input is *background* of a phase if it is bright in less
than 1 % of the images of every digit shown there, and *matters* if it is bright in more than half
of the images of one of them. It is *new* with a digit if it is bright in more than 20 % of that
digit's images and in less than 5 % of any digit shown before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.analysis.tuning import correlations, label_shares

BACKGROUND, MATTERS, NEW, NOT_NEW = 0.01, 0.5, 0.2, 0.05
TURNED = 0.8
"""A neuron has turned to a digit if more than this share of its spikes falls on it."""
N_CANDIDATES = 20

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PhaseCourse:
    """When the phases are, in snapshots and grid points, and which of them the claims compare."""

    last_snapshot: tuple[int, ...]  # of each phase
    first_point: tuple[int, ...]
    last_point: tuple[int, ...]
    digits: tuple[tuple[int, ...], ...]  # of each phase
    new_phase: int | None
    new_digit: int | None
    return_phase: int | None

    def middle(self, phase: int) -> tuple[int, int]:
        """The last snapshot in the first half of a phase, and the grid point of that time."""
        first = self.last_snapshot[phase - 1] if phase else 0
        snapshot = (first + self.last_snapshot[phase]) // 2
        return snapshot, snapshot * self.last_point[-1] // self.last_snapshot[-1]

    def second_half(self, phase: int) -> slice:
        """Grid points of the second half of a phase."""
        first, last = self.first_point[phase], self.last_point[phase]
        return slice((first + last) // 2, last + 1)

    def whole(self, phase: int) -> slice:
        """Grid points of a phase."""
        return slice(self.first_point[phase], self.last_point[phase] + 1)


def new_inputs(ink: Floats, digits: tuple[int, ...], course: PhaseCourse) -> Bools:
    """Inputs that are bright for the new digit and dark for all digits before it."""
    if course.new_phase is None or course.new_digit is None:
        return np.zeros(ink.shape[1], bool)
    before = sorted({d for phase in course.digits[: course.new_phase] for d in phase})
    old = ink[[digits.index(d) for d in before]]
    bright = ink[digits.index(course.new_digit)] > NEW
    return np.asarray(bright & (old < NOT_NEW).all(axis=0), bool)


def candidate_inputs(
    mean: Floats, ink: Floats, digits: tuple[int, ...], course: PhaseCourse
) -> NDArray[np.int64]:
    """Inputs to trace: background of the old digits, and of those the brightest for the new one.

    Decided by the images alone. Without a new digit: the brightest inputs of the first phase.
    """
    if course.new_phase is None or course.new_digit is None:
        bright = mean[[digits.index(d) for d in course.digits[0]]].max(axis=0)
        allowed = np.ones(bright.size, bool)
    else:
        before = sorted({d for phase in course.digits[: course.new_phase] for d in phase})
        rows = [digits.index(d) for d in before]
        bright = mean[digits.index(course.new_digit)] - mean[rows].max(axis=0)
        allowed = np.asarray((ink[rows] < BACKGROUND).all(axis=0), bool)
    order = np.argsort(np.where(allowed, -bright, np.inf), kind="stable")
    return order[: min(N_CANDIDATES, int(allowed.sum()))].astype(np.int64)


def active_share_by_input(
    theta: NDArray[Any], ink: Floats, digits: tuple[int, ...], course: PhaseCourse
) -> dict[str, Floats]:
    """Share of active synapses at background and at mattering inputs of the phase, per snapshot."""
    phase_of = np.searchsorted(course.last_snapshot, np.arange(len(theta)))
    rows = [[digits.index(d) for d in phase] for phase in course.digits]
    background = [(ink[r] < BACKGROUND).all(axis=0) for r in rows]
    matters = [(ink[r] > MATTERS).any(axis=0) for r in rows]
    active = theta > 0
    return {
        "background_active": np.array(
            [active[i][:, background[p]].mean() for i, p in enumerate(phase_of)]
        ),
        "matters_active": np.array(
            [active[i][:, matters[p]].mean() for i, p in enumerate(phase_of)]
        ),
    }


def tuning(
    spikes: NDArray[Any],
    theta: NDArray[Any],
    theta_0: float,
    mean: Floats,
    digits: tuple[int, ...],
    course: PhaseCourse,
) -> dict[str, Floats]:
    """Per snapshot and neuron: share of spikes on the new digit, likeness of ŵ to mean images.

    A neuron counts as turned if its share exceeds 0.8 and its weights look more like the mean of
    the new digit than like that of any other.
    """
    weight = np.maximum(np.exp(theta.astype(float) - theta_0) - np.exp(-theta_0), 0.0)
    likeness = correlations(weight, mean)
    if course.new_digit is None:
        nothing = np.full(likeness.shape[:-1], np.nan)
        return {"new_share": nothing, "new_likeness": nothing, "turned": np.zeros(nothing.shape)}
    column = digits.index(course.new_digit)
    share = label_shares(spikes)[..., column]
    others = np.delete(likeness, column, axis=-1)
    most = others.max(axis=-1) if others.shape[-1] else np.full(share.shape, -1.0)
    turned = (share > TURNED) & (likeness[..., column] > most)
    return {
        "new_share": share,
        "new_likeness": likeness[..., column],
        "turned": turned.astype(float),
    }


def comeback(
    theta: NDArray[Any], control_theta: NDArray[Any], new: Bools, course: PhaseCourse
) -> dict[str, float]:
    """Connections eliminated before the new digit came and active again at the end of its phase.

    ``control``: the same count in the circuit that went on with the old digits. Both are also
    given for the new inputs alone.
    """
    if course.new_phase is None:
        return {}
    before = theta[course.last_snapshot[course.new_phase - 1]] > 0
    eliminated = (theta[0] > 0) & ~before
    back = eliminated & (theta[course.last_snapshot[course.new_phase]] > 0)
    back_control = eliminated & (control_theta > 0)
    return {
        "eliminated": float(eliminated.sum()),
        "back": float(back.sum()),
        "back_control": float(back_control.sum()),
        "eliminated_at_new": float(eliminated[:, new].sum()),
        "back_at_new": float(back[:, new].sum()),
        "back_control_at_new": float(back_control[:, new].sum()),
    }


def one_synapse(trace: NDArray[Any], new_share: Floats, course: PhaseCourse) -> dict[str, float]:
    """The synapse of panel G, chosen in the middle of the new digit's phase and judged after it.

    Neuron: the one with the largest share of spikes on the new digit at that time. Input: of the
    candidates, the one with the largest θ there. Of the second half of each phase: share of time
    active and losses (downward crossings of θ = 0); of the whole phase: regrowths (upward
    crossings). ``all_…`` is the mean over all candidates.
    """
    if course.new_phase is None:
        return {"neuron": 0.0, "candidate": 0.0}
    snapshot, point = course.middle(course.new_phase)
    neuron = int(np.nanargmax(new_share[snapshot]))
    best = int(np.argmax(trace[point, neuron]))
    theta = trace[:, neuron]
    found = {"neuron": float(neuron), "candidate": float(best)}
    phases = {"before": course.new_phase - 1, "new": course.new_phase, "after": course.return_phase}
    for name, phase in phases.items():
        if phase is not None:
            late = theta[course.second_half(phase)]
            rows = {
                "late_active": (late > 0).mean(axis=0),
                "late_losses": _regrowths(-late),
                "regrowths": _regrowths(theta[course.whole(phase)]),
            }
            for measure, row in rows.items():
                found[f"{measure}_{name}"] = float(row[best])
                found[f"all_{measure}_{name}"] = float(row.mean())
    return found


def _regrowths(theta: NDArray[Any]) -> NDArray[np.int64]:
    active = theta > 0
    return (active[1:] & ~active[:-1]).sum(axis=0)
