"""The numbers that the claims of Fig. 4 are about, of one circuit and of its nulls alike.

What is measured of the circuit is measured by the same function of a copy without the effect: of
synapses under prior and noise alone (``…_free``), of a control that goes on with the old digits
(``…_control``) or, at the end, with the new one (``…_stays``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.fig4_adaptation.mechanism import (
    always_background,
    dots,
    eliminated_before,
    mechanism_measures,
)
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import CONTROL, FREE, LEARNING, STAYS
from synsamp.paper.fig4_adaptation.records import record_of
from synsamp.paper.fig4_adaptation.stdp_measures import stdp_measures

LOW = 0.25
"""Up to this share of active synapses their number is called low."""

Measures = dict[str, Value]


def measures(p: AdaptationParameters, results: Results) -> Measures:
    """All that the phases of this run can show."""
    course, images = p.course, results["images"]
    found = stdp_measures(results["stdp"])
    for suffix, arm in (("", LEARNING), ("_free", FREE)):
        active, theta = (record_of(results, arm, name) for name in ("active", "theta"))
        found |= named(elimination(results[f"adapting{suffix}"], course), suffix)
        found |= named(sparseness(active, images.sizes["pre"], course), suffix)
        found |= named(fluctuation(theta, images, course), suffix)
    if course.new_phase is not None:
        for suffix, arm in (("", LEARNING), ("_control", f"{LEARNING}/{CONTROL}")):
            theta, candidates = (record_of(results, arm, name) for name in ("theta", "candidates"))
            shown = results[f"shown{suffix}"]
            traces = candidates.isel(post=int(shown.synapse_post))
            found |= named(turned(results[f"adapting{suffix}"], course), suffix)
            found |= named(comeback(theta, images.new, course), suffix)
            found |= named(stability(traces, int(shown.synapse_pre), course), suffix)
            if not suffix and course.return_phase is not None:
                found |= probing(traces, int(shown.synapse_pre), course)
    if course.return_phase is not None:
        arms = {"": LEARNING, "_stays": f"{LEARNING}/{STAYS}"}
        for suffix, arm in arms.items():
            if f"adapting{suffix}" in results:
                theta = record_of(results, arm, "theta")
                found |= named(returned(results[f"adapting{suffix}"], course), suffix)
                found |= named(elimination_at_the_end(theta, images.new, course), suffix)
    if "mechanism" in results:
        found |= mechanism_measures(results["mechanism"])
    return found


def named(found: Mapping[str, Value], suffix: str) -> Measures:
    """The same measures of another arm."""
    return {f"{name}{suffix}": value for name, value in found.items()}


# -- elimination and sparseness --------------------


def elimination(adapting: xr.Dataset, course: Course) -> Measures:
    """What is left at the end of the first phase."""
    start, end = adapting.isel(time=0), adapting.sel(time=course.ends_s[0])
    background, matters = float(end.background_active), float(end.matters_active)
    return {
        "background_left": Ratio(background, float(start.background_active)),
        "background_active": background,
        "matters_active": matters,
    }


def sparseness(active: xr.DataArray, inputs: int, course: Course) -> Measures:
    """How many synapses are active: at most, at most after the first phase, and low since when."""
    share = active.sum("post") / (inputs * active.sizes["post"])
    high = share.time.values[share.values > LOW]
    found: Measures = {
        "largest_active_share": float(share.max()),
        "low_after_s": float(high[-1]) if high.size else 0.0,
    }
    if len(course.ends_s) > 1:
        later = share.sel(time=slice(course.ends_s[0], None))
        found["largest_active_share_later"] = float(later.max())
    return found


def fluctuation(theta: xr.DataArray, images: xr.Dataset, course: Course) -> Measures:
    """Of the active connections at background inputs, those that the last snapshot did not have.

    Of all snapshots after the first phase.
    """
    later = theta.sel(time=slice(course.ends_s[0], None))
    new, active = dots(later, always_background(images))
    return {"new_dots_share": Ratio(new, active)} if later.sizes["time"] > 1 else {}


# -- the new digit --------------------


def turned(adapting: xr.Dataset, course: Course) -> Measures:
    """How many neurons turn to the new digit, and how much they look like it.

    The second best neuron stands for "at least two". Whatever has no weights looks like nothing:
    at the end the worst, before no head start.
    """
    assert course.new_phase is not None
    end = adapting.sel(time=course.ends_s[course.new_phase])
    before = adapting.sel(time=course.ends_s[course.new_phase - 1])
    likeness = _second_best(end.new_likeness, -1.0)
    likeness_before = _second_best(before.new_likeness, 0.0)
    return {
        "two_turn": bool(end.turned.sum() >= 2),
        "turned": float(end.turned.sum()),
        "turned_before": float(before.turned.sum()),
        "second_share": _second_best(end.new_share, 0.0),
        "likeness_gain": likeness - likeness_before,
        "likeness": likeness,
        "likeness_before": likeness_before,
    }


def _second_best(values: xr.DataArray, nothing: float) -> float:
    return float(np.sort(values.fillna(nothing).values)[-2])


def comeback(theta: xr.DataArray, new: xr.DataArray, course: Course) -> Measures:
    """Connections eliminated before the new digit came and active again at the end of its phase."""
    assert course.new_phase is not None
    eliminated = eliminated_before(theta, course)
    back = eliminated & (theta.sel(time=course.ends_s[course.new_phase]).values > 0)
    at_new = [float(those[:, new.values].sum()) for those in (back, eliminated)]
    return {
        "back": float(back.sum()),
        "back_at_new": at_new[0],
        "back_at_new_share": Ratio(*at_new),
    }


# -- after the new digit --------------------


def returned(adapting: xr.Dataset, course: Course) -> Measures:
    """Whether no neuron is turned to the new digit any more."""
    assert course.return_phase is not None
    still = float(adapting.turned.sel(time=course.ends_s[course.return_phase]).sum())
    return {"all_return": still == 0, "still_turned": still}


def elimination_at_the_end(theta: xr.DataArray, new: xr.DataArray, course: Course) -> Measures:
    """Of the connections at new inputs that were active with the new digit, those that are gone."""
    assert course.new_phase is not None
    assert course.return_phase is not None
    had, have = (
        theta.sel(time=course.ends_s[phase]).values[:, new.values] > 0
        for phase in (course.new_phase, course.return_phase)
    )
    return {"gone_at_new_share": Ratio(float((had & ~have).sum()), float(had.sum()))}


# -- the synapse of panel G --------------------


def stability(traces: xr.DataArray, pre: int, course: Course) -> Measures:
    """Of the second half of the new digit's phase: share of time active, and regrowths.

    ``traces`` are of the neuron's candidates, ``pre`` is the input of the synapse that was chosen;
    ``candidates_…`` is the mean over all candidates. A regrowth is an upward crossing of θ = 0.
    """
    assert course.new_phase is not None
    late = _second_half(traces, course, course.new_phase)
    own = _place(traces, pre)
    return {
        "synapse_active_new": float(late[:, own].mean()),
        "candidates_active_new": float(late.mean()),
        "synapse_regrowths_new": float(_gains(late)[own]),
        "candidates_regrowths_new": float(_gains(late).mean()),
    }


def probing(traces: xr.DataArray, pre: int, course: Course) -> Measures:
    """The same of the phases before and after the new digit, mean of the two second halves."""
    assert course.new_phase is not None
    assert course.return_phase is not None
    around = (course.new_phase - 1, course.return_phase)
    halves = [_second_half(traces, course, phase) for phase in around]
    own = _place(traces, pre)
    active = np.mean([half.mean(axis=0) for half in halves], axis=0)
    gains = np.mean([_gains(half) for half in halves], axis=0)
    return {
        "synapse_active_around": float(active[own]),
        "candidates_active_around": float(active.mean()),
        "synapse_regrowths": float(gains[own]),
        "candidates_regrowths": float(gains.mean()),
    }


def _place(traces: xr.DataArray, pre: int) -> int:
    return int(traces.pre.values.tolist().index(pre))


def _second_half(traces: xr.DataArray, course: Course, phase: int) -> NDArray[np.bool_]:
    half = slice(course.middle_s(phase), course.ends_s[phase])
    return np.asarray(traces.transpose("time", "pre").sel(time=half).values > 0, bool)


def _gains(active: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray((active[1:] & ~active[:-1]).sum(axis=0), np.int64)
