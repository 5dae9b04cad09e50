"""The numbers that the claims of Fig. 4 are about, of one circuit."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Ratio, Value
from synsamp.experiments.adaptation.course import Course
from synsamp.experiments.adaptation.parameters import AdaptationParameters
from synsamp.experiments.adaptation.protocol import CONTROL, LEARNING
from synsamp.experiments.base import Results

SETTLED_S = 2000.0
"""The paper's circuit starts dense; what is said about sparseness holds after this time."""

Measures = dict[str, Value]


def measures(p: AdaptationParameters, results: Results) -> Measures:
    """All that the phases of this run can show."""
    course, adapting = p.course, results["adapting"]
    active, born = results[f"{LEARNING}/active"].active, results[f"{LEARNING}/turnover"].born
    found = elimination(adapting, course)
    found |= sparseness(active, born, results["images"].sizes["pre"])
    if course.new_phase is not None:
        found |= turned(adapting, course)
        theta = results[f"{LEARNING}/theta"].theta
        control = results[f"{LEARNING}/{CONTROL}/theta"].theta.isel(mark=-1)
        found |= comeback(theta, control, results["images"].new, course)
        shown = results["shown"]
        traces = results[f"{LEARNING}/candidates"].candidates.isel(post=int(shown.synapse_post))
        found |= one_synapse(traces, int(shown.synapse_pre), course)
    return found


def elimination(adapting: xr.Dataset, course: Course) -> Measures:
    """What is left at the end of the first phase."""
    start, end = adapting.isel(time=0), adapting.sel(time=course.ends_s[0])
    background, matters = float(end.background_active), float(end.matters_active)
    return {
        "background_left": Ratio(background, float(start.background_active)),
        "background_active": background,
        "matters_active": matters,
        "matters_left": Ratio(matters, float(start.matters_active)),
    }


def sparseness(active: xr.DataArray, born: xr.DataArray, inputs: int) -> Measures:
    """How many synapses are active, and how many come anew, once the circuit has settled."""
    share = active.sum("post") / (inputs * active.sizes["post"])
    share = share.sel(time=slice(SETTLED_S, None))
    births = born.sum("post")
    births = births.sel(time=births.time > SETTLED_S)  # windows that begin then or later
    if not births.size:
        return {}
    return {
        "largest_active_share": float(share.max()),
        "fewest_births": float(births.min()),
        "births": float(births.mean()),
    }


def turned(adapting: xr.Dataset, course: Course) -> Measures:
    """How many neurons turn to the new digit, how much they look like it, and whether all return.

    The second best neuron stands for "at least two". Whatever has no weights looks like nothing:
    at the end the worst, before no head start.
    """
    assert course.new_phase is not None
    end = adapting.sel(time=course.ends_s[course.new_phase])
    before = adapting.sel(time=course.ends_s[course.new_phase - 1])
    likeness = _second_best(end.new_likeness, -1.0)
    likeness_before = _second_best(before.new_likeness, 0.0)
    found: Measures = {
        "two_turn": bool(end.turned.sum() >= 2),
        "turned": float(end.turned.sum()),
        "turned_before": float(before.turned.sum()),
        "second_share": _second_best(end.new_share, 0.0),
        "likeness_gain": likeness - likeness_before,
        "likeness": likeness,
        "likeness_before": likeness_before,
    }
    if course.return_phase is not None:
        still = float(adapting.turned.sel(time=course.ends_s[course.return_phase]).sum())
        found |= {"all_return": still == 0, "still_turned": still}
    return found


def _second_best(values: xr.DataArray, nothing: float) -> float:
    return float(np.sort(values.fillna(nothing).values)[-2])


def comeback(
    theta: xr.DataArray, control: xr.DataArray, new: xr.DataArray, course: Course
) -> Measures:
    """Connections eliminated before the new digit came and active again at the end of its phase.

    ``control``: the same count in the circuit that went on with the old digits. Both also for the
    new inputs alone.
    """
    assert course.new_phase is not None
    before = theta.sel(time=course.ends_s[course.new_phase - 1]).values > 0
    eliminated = (theta.isel(time=0).values > 0) & ~before
    after = theta.sel(time=course.ends_s[course.new_phase]).values > 0
    counts = {
        "eliminated": eliminated,
        "back": eliminated & after,
        "back_control": eliminated & (control.values > 0),
    }
    found: Measures = {name: float(those.sum()) for name, those in counts.items()}
    at_new = {name: float(those[:, new.values].sum()) for name, those in counts.items()}
    found |= {f"{name}_at_new": number for name, number in at_new.items()}
    return found | {"back_over_control": Ratio(at_new["back"], at_new["back_control"])}


def one_synapse(traces: xr.DataArray, pre: int, course: Course) -> Measures:
    """The synapse of panel G (``traces`` of its neuron's candidates, and its own input ``pre``).

    Of the second half of a phase: share of time active and losses (downward crossings of θ = 0);
    of the whole phases before and after: regrowths (upward crossings). ``candidates_…`` is the
    mean over all candidates.
    """
    assert course.new_phase is not None
    active = traces.transpose("time", "pre") > 0
    own = traces.pre.values.tolist().index(pre)
    late = _second_half(active, course, course.new_phase)
    found = _own_and_all("active_new", late.mean(axis=0), own)
    found |= _own_and_all("losses_new", _gains(~late), own)
    if course.return_phase is not None:
        around = (course.new_phase - 1, course.return_phase)
        halves = [_second_half(active, course, phase).mean(axis=0) for phase in around]
        found |= _own_and_all("active_around", np.mean(halves, axis=0), own)
        gains = [
            _gains(active.sel(time=slice(course.start_s(phase), course.ends_s[phase])).values)
            for phase in around
        ]
        found |= _own_and_all("regrowths", np.sum(gains, axis=0), own)
    return found


def _second_half(active: xr.DataArray, course: Course, phase: int) -> NDArray[np.bool_]:
    return active.sel(time=slice(course.middle_s(phase), course.ends_s[phase])).values


def _gains(active: NDArray[np.bool_]) -> NDArray[np.int64]:
    return (active[1:] & ~active[:-1]).sum(axis=0)


def _own_and_all(name: str, values: NDArray[np.float64] | NDArray[np.int64], own: int) -> Measures:
    return {f"synapse_{name}": float(values[own]), f"candidates_{name}": float(values.mean())}
