"""Datasets derived from the records of Fig. 4: per snapshot, per selected synapse, per control.

| dataset | contents |
| --- | --- |
| ``BRANCH/snapshots`` | active shares, and retuning of neurons to the new digit, over time |
| ``BRANCH/selected`` | neurons to draw, and the synapse of panel G |
| ``READING/summary``, ``READING/CONTROL/summary`` | the end of the new digit's phase |

A reading is ``printed`` or ``no_likelihood``: whether retracted synapses learn. The circuit has one
of them, the branch ``alternative_rule`` the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.tuning import correlations, label_fractions
from synsamp.experiments import Results
from synsamp.paper.fig4_adaptation.one_synapse import READINGS
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters, Timeline
from synsamp.paper.fig4_adaptation.protocol import (
    ALTERNATIVE_RULE,
    CONTROL,
    DIGIT_PERSISTS,
    LEARNING,
    NO_ACTIVITY,
    NO_PRIOR,
    NOISE_OFF,
    REPLICATE,
)

N_SHOWN = 4
N_BEST = 2
RETUNED = 0.8
"""A neuron is retuned to a digit if more than this share of its spikes occurs during it."""
CONTROLS = (NOISE_OFF, NO_PRIOR, REPLICATE)

Bools = NDArray[np.bool_]


def analyse(p: AdaptationParameters, results: Results) -> dict[str, xr.Dataset]:
    """Derive the datasets of one run."""
    timeline, images = p.timeline, results["images"]
    branches = [LEARNING, NO_ACTIVITY]
    if timeline.new_phase is not None:
        branches.append(f"{LEARNING}/{CONTROL}")
        if p.with_controls and timeline.return_phase is not None:
            branches.append(f"{LEARNING}/{DIGIT_PERSISTS}")
    found = {}
    for branch in branches:
        snapshots = active_shares(record_of(results, branch, "theta"), images, timeline)
        if timeline.new_digit is not None and branch != NO_ACTIVITY:
            snapshots = snapshots.merge(_retuning(results, branch, timeline.new_digit))
        found[f"{branch}/snapshots"] = snapshots
        if branch in (LEARNING, f"{LEARNING}/{CONTROL}"):
            candidates = record_of(results, branch, "candidates")
            found[f"{branch}/selected"] = select(snapshots, candidates, timeline)
    return found | (summaries(p, results) if p.with_controls else {})


def record_of(results: Results, branch: str, name: str) -> xr.DataArray:
    """A record of a branch from the start of the run: first that of the course it left."""
    trunk, _, copy = branch.partition("/")
    whole = results[f"{trunk}/{name}"][name]
    if not copy:
        return whole
    own = results[f"{branch}/{name}"][name]
    return xr.concat([whole.sel(time=whole.time < float(own.time[0])), own], "time")


def active_shares(theta: xr.DataArray, images: xr.Dataset, timeline: Timeline) -> xr.Dataset:
    """Share of active synapses at background and at informative inputs of the current phase."""
    active = theta.values > 0
    phases = [timeline.phase_at(float(t)) for t in theta.time]
    shares = {
        f"{kind}_active": (
            "time",
            [now[:, images[kind].values[p]].mean() for now, p in zip(active, phases, strict=True)],
        )
        for kind in ("background", "informative")
    }
    return xr.Dataset(shares, coords={"time": theta.time})


def _retuning(results: Results, branch: str, digit: int) -> xr.Dataset:
    spikes, weight = (record_of(results, branch, name) for name in ("tuning", "weight"))
    return retuning(spikes, weight, results["images"].mean_image, digit)


def retuning(
    spikes: xr.DataArray, weight: xr.DataArray, mean_image: xr.DataArray, digit: int
) -> xr.Dataset:
    """Response of neurons to a digit: share of spikes, similarity of ŵ to its mean image.

    A neuron is retuned if its share exceeds 0.8 and its weights resemble the mean image of the
    digit more than that of any other.
    """
    column = [int(d) for d in mean_image.digit].index(digit)
    share = label_fractions(spikes.values)[..., column]
    similarity = correlations(weight.values, mean_image.values)
    others = np.delete(similarity, column, axis=-1).max(axis=-1, initial=-1.0)
    own = similarity[..., column]
    axes = ("time", "post")
    return xr.Dataset(
        {
            "new_share": (axes, share),
            "similarity": (axes, own),
            "retuned": (axes, (share > RETUNED) & (own > others)),
        },
        coords={"time": spikes.time},
    )


def select(snapshots: xr.Dataset, candidates: xr.DataArray, timeline: Timeline) -> xr.Dataset:
    """Select neurons to draw, and the synapse of panel G.

    Neurons: the two that respond least to the new digit at the end of its phase, and the two that
    respond most. The synapse is selected in the middle of that phase and evaluated afterwards: of
    the neuron with the largest share of spikes on the new digit, the candidate input with the
    largest θ.
    """
    neurons, neuron, candidate = np.arange(candidates.sizes["post"]), 0, 0
    if timeline.new_phase is not None:
        share = snapshots.new_share.fillna(-1.0)
        at_end = share.sel(time=timeline.ends_s[timeline.new_phase]).values
        neurons = np.argsort(at_end, kind="stable")
        middle = share.sel(time=timeline.middle_s(timeline.new_phase), method="ffill")
        neuron = int(np.argmax(middle.values))
        candidate = int(np.argmax(candidates.sel(time=float(middle.time)).values[neuron]))
    half = min(N_SHOWN, neurons.size) // 2
    return xr.Dataset(
        {
            "post": ("row", [*neurons[:half], *neurons[-half:]]),
            "synapse_post": ((), neuron),
            "synapse_pre": ((), int(candidates.pre[candidate])),
        }
    )


# -- controls, in both readings of a retracted synapse --------------------


def summaries(p: AdaptationParameters, results: Results) -> dict[str, xr.Dataset]:
    """Summaries of both readings and their controls, at the end of the new digit's phase."""
    trunks = (LEARNING, ALTERNATIVE_RULE)
    if not p.rule.learn_when_retracted:
        trunks = (ALTERNATIVE_RULE, LEARNING)
    return {
        f"{reading}{control}/summary": _summary(results, f"{trunk}{control}", p.timeline)
        for reading, trunk in zip(READINGS, trunks, strict=True)
        for control in ("", *(f"/{name}" for name in CONTROLS))
    }


def _summary(results: Results, branch: str, timeline: Timeline) -> xr.Dataset:
    """Numbers at the end of the new digit's phase.

    ``regrowth``: of the connections at new inputs that were eliminated before, the share that is
    active. ``useful_regrowth``: the same for candidate inputs of the two neurons that respond most
    to the new digit. ``new_synapses``: connections at background inputs that appear from one
    snapshot to the next in that phase. ``active_share`` and ``background_active``: of all synapses
    and of those at background inputs. ``retuned``: neurons. ``active``: active share over time.
    """
    assert timeline.new_phase is not None
    assert timeline.new_digit is not None
    images, end_s = results["images"], timeline.ends_s[timeline.new_phase]
    until = slice(None, end_s)
    theta, active = (
        record_of(results, branch, name).sel(time=until) for name in ("theta", "active")
    )
    tuning = _retuning(results, branch, timeline.new_digit).sel(time=until).isel(time=-1)
    before, after = eliminated_before(theta, timeline), theta.values[-1] > 0
    best = np.argsort(tuning.new_share.fillna(-1.0).values, kind="stable")[-N_BEST:]
    useful = np.ix_(best, images.candidate_input.values)
    background, new = always_background(images), images.new.values
    phase = theta.sel(time=slice(timeline.start_s(timeline.new_phase), end_s))
    values: dict[str, Any] = {
        "regrowth": _share((after & before)[:, new], before[:, new]),
        "useful_regrowth": _share((after & before)[useful], before[useful]),
        "new_synapses": float(new_synapses(phase, background)[0]),
        "active_share": float(after.mean()),
        "background_active": float(after[:, background].mean()),
        "retuned": float(tuning.retuned.sum()),
        "active": active.sum("post") / (theta.sizes["post"] * theta.sizes["pre"]),
    }
    return xr.Dataset(values)


def eliminated_before(theta: xr.DataArray, timeline: Timeline) -> Bools:
    """Connections active at the start and eliminated when the new digit appears."""
    assert timeline.new_phase is not None
    before = theta.sel(time=timeline.start_s(timeline.new_phase)).values > 0
    return np.asarray((theta.values[0] > 0) & ~before, bool)


def always_background(images: xr.Dataset) -> Bools:
    """Inputs that are background in every phase."""
    return np.asarray(images.background.values.all(axis=0), bool)


def new_synapses(theta: xr.DataArray, inputs: Bools) -> tuple[int, int]:
    """Active connections at some inputs, over snapshots: new since the previous one, and all."""
    active = theta.values[:, :, inputs] > 0
    return int((active[1:] & ~active[:-1]).sum()), int(active[1:].sum())


def _share(part: Bools, whole: Bools) -> float:
    """A share; 0 if there is nothing to share."""
    return float(part.sum() / max(1, whole.sum()))
