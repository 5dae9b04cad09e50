"""What drives it: the new digit's phase without noise, without prior, in both readings.

The paper says that regrowth is "almost entirely driven by the prior and the noise term", that "a
substantial stochastic component is essential" to reconfigure, and that "the prior ensures that the
network connections remain sparse". Each is asked of arms that differ in just that from the circuit
as it is, in both readings of a retracted synapse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.fig4_adaptation.one_synapse import NO_LIKELIHOOD, PRINTED, READINGS
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import AGAIN, LEARNING, NO_PRIOR, NOISE_OFF, OTHER
from synsamp.paper.fig4_adaptation.records import record_of, turning

AS_IS = "as_is"
ARMS = (AS_IS, NOISE_OFF, NO_PRIOR, AGAIN)
N_BEST = 2

Bools = NDArray[np.bool_]


def mechanism(p: AdaptationParameters, results: Results) -> xr.Dataset:
    """One row of numbers per reading and arm, at the end of the new digit's phase.

    ``back_share``: of the connections at new inputs that were eliminated before, those that are
    active. ``useful_back``: the same of the candidate inputs and of the two neurons that answer
    most to the new digit. ``new_dots``: how many connections at background inputs appear from one
    snapshot to the next in that phase. ``active_share`` and ``background_active`` are of all
    synapses and of those at background inputs; ``turned`` counts neurons. ``active`` is the active
    share over time.
    """
    course, images = p.course, results["images"]
    trunks = (LEARNING, OTHER) if p.rule.learn_when_retracted else (OTHER, LEARNING)
    rows = [
        [_row(results, trunk if arm == AS_IS else f"{trunk}/{arm}", images, course) for arm in ARMS]
        for trunk in trunks
    ]
    found = xr.concat([xr.concat(row, "arm") for row in rows], "reading")
    return found.assign_coords(reading=list(READINGS), arm=list(ARMS))


def _row(results: Results, arm: str, images: xr.Dataset, course: Course) -> xr.Dataset:
    assert course.new_phase is not None
    assert course.new_digit is not None
    end_s = course.ends_s[course.new_phase]
    theta, spikes, weight, active = (
        record_of(results, arm, name).sel(time=slice(None, end_s))
        for name in ("theta", "tuning", "weight", "active")
    )
    tuning = turning(spikes, weight, images.mean_image, course.new_digit).isel(time=-1)
    before, after = eliminated_before(theta, course), theta.values[-1] > 0
    best = np.argsort(tuning.new_share.fillna(-1.0).values, kind="stable")[-N_BEST:]
    useful = np.ix_(best, images.candidate_input.values)
    background = always_background(images)
    size = theta.sizes["post"] * theta.sizes["pre"]
    phase = theta.sel(time=slice(course.start_s(course.new_phase), end_s))
    values: dict[str, Any] = {
        "back_share": _share(after & before, before, images.new.values),
        "useful_back": _of(after[useful] & before[useful], before[useful]),
        "new_dots": float(dots(phase, background)[0]),
        "active_share": float(after.mean()),
        "background_active": float(after[:, background].mean()),
        "turned": float(tuning.turned.sum()),
        "active": active.sum("post") / size,
    }
    return xr.Dataset(values)


def eliminated_before(theta: xr.DataArray, course: Course) -> Bools:
    """Connections that were active at the start and are not when the new digit comes."""
    assert course.new_phase is not None
    before = theta.sel(time=course.start_s(course.new_phase)).values > 0
    return np.asarray((theta.values[0] > 0) & ~before, bool)


def always_background(images: xr.Dataset) -> Bools:
    """Inputs that are background in every phase."""
    return np.asarray(images.background.values.all(axis=0), bool)


def dots(theta: xr.DataArray, inputs: Bools) -> tuple[int, int]:
    """Connections at some inputs that are new since the snapshot before, and all active ones."""
    active = theta.values[:, :, inputs] > 0
    return int((active[1:] & ~active[:-1]).sum()), int(active[1:].sum())


def _share(those: Bools, of: Bools, inputs: Bools) -> float:
    return _of(those[:, inputs], of[:, inputs])


def _of(those: Bools, all_of_them: Bools) -> float:
    """A share; of nothing it is 0."""
    return float(those.sum() / max(1, all_of_them.sum()))


# -- what the claims are about --------------------


def mechanism_measures(found: xr.Dataset) -> dict[str, Value]:
    """Arms relative to the circuit as it is, and the numbers themselves by reading and arm."""
    measures: dict[str, Value] = {}

    def number(name: str, reading: str, arm: str = AS_IS) -> float:
        return float(found[name].sel(reading=reading, arm=arm))

    printed = number("useful_back", PRINTED)
    for arm, name in ((AS_IS, "regrown"), (NOISE_OFF, "regrown_noise_off")):
        measures[name] = Ratio(number("useful_back", NO_LIKELIHOOD, arm), printed)
    for name, changed, ratio in (
        ("useful_back", NOISE_OFF, "rewired"),
        ("turned", NOISE_OFF, "retuned"),
        ("new_dots", NOISE_OFF, "dots"),
        ("active_share", NO_PRIOR, "connected"),
    ):
        for reading in READINGS:
            as_is = number(name, reading)
            for arm in (changed, AGAIN):
                value = Ratio(number(name, reading, arm), as_is)
                measures[f"{ratio}_{arm}_{reading}"] = value
    for name in ("back_share", "useful_back", "active_share", "background_active", "turned"):
        for reading in READINGS:
            for arm in ARMS:
                measures[f"{name}_{reading}_{arm}"] = number(name, reading, arm)
    return measures
