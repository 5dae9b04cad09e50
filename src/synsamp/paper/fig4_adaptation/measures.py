"""Datasets derived from the records of Fig. 4, and the measures taken from them.

| dataset | contents |
| --- | --- |
| ``BRANCH/snapshots`` | active shares, and retuning of neurons to the new digit, over time |
| ``BRANCH/selected`` | neurons to draw, and the synapse of panel G |
| ``READING/summary``, ``READING/CONTROL/summary`` | the end of the new digit's phase |

A reading is ``printed`` or ``no_likelihood``: whether retracted synapses learn. The circuit has one
of them, the branch ``alternative_rule`` the other. A measure is a function of one run and, for
most, of the branch it is taken in.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.tuning import correlations, label_fractions
from synsamp.claims import Amount, Measure, Multiple, Portion, Ratio, Share, measures_in, variants
from synsamp.experiments import Results
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters as P
from synsamp.paper.fig4_adaptation.parameters import Timeline
from synsamp.paper.fig4_adaptation.protocol import (
    ALTERNATIVE_RULE,
    CONTROL,
    DIGIT_PERSISTS,
    LEARNING,
    MAXIMUM_LIKELIHOOD,
    NO_ACTIVITY,
    NO_PRIOR,
    NOISE_OFF,
    PRINTED,
    READINGS,
    REPLICATE,
)

N_SHOWN, N_BEST = 4, 2
RETUNED = 0.8
"""A neuron is retuned to a digit if more than this share of its spikes occurs during it."""
LOW = 0.25
"""Up to this share of active synapses their number is called low."""
CONTROLS = (NOISE_OFF, NO_PRIOR, REPLICATE)

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def analyse(p: P, results: Results) -> dict[str, xr.Dataset]:
    """Derive the datasets of one run."""
    timeline, images = p.timeline, results["images"]
    branches = [LEARNING, NO_ACTIVITY]
    if timeline.new_phase is not None:
        branches.append(f"{LEARNING}/{CONTROL}")
        if p.with_controls:
            branches.append(f"{LEARNING}/{MAXIMUM_LIKELIHOOD}")
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


def summaries(p: P, results: Results) -> dict[str, xr.Dataset]:
    """Summaries of both readings and their controls, at the end of the new digit's phase."""
    printed = p.rule.learn_when_retracted
    trunks = (LEARNING, ALTERNATIVE_RULE) if printed else (ALTERNATIVE_RULE, LEARNING)
    return {
        f"{reading}{control}/summary": _summary(results, f"{trunk}{control}", p.timeline)
        for reading, trunk in zip(READINGS, trunks, strict=True)
        for control in ("", *(f"/{name}" for name in CONTROLS))
    }


def _summary(results: Results, branch: str, timeline: Timeline) -> xr.Dataset:
    """Numbers at the end of the new digit's phase.

    ``regrowth_at_end``: of the connections at new inputs that were eliminated before, the share
    that is active. ``useful_regrowth``: the same for candidate inputs of the two neurons that
    respond most to the new digit. ``new_synapses``: connections at background inputs that appear
    from one snapshot to the next in that phase. ``active_share``, ``background_active``: of all
    synapses, of those at background inputs. ``retuned``: neurons. ``active``: share over time.
    """
    assert timeline.new_digit is not None
    images, until = results["images"], slice(None, timeline.new_end_s)
    theta = record_of(results, branch, "theta").sel(time=until)
    active = record_of(results, branch, "active").sel(time=until)
    tuning = _retuning(results, branch, timeline.new_digit).sel(time=until).isel(time=-1)
    before, after = eliminated_before(theta, timeline), theta.values[-1] > 0
    best = np.argsort(tuning.new_share.fillna(-1.0).values, kind="stable")[-N_BEST:]
    useful = np.ix_(best, images.candidate_input.values)
    background, new = always_background(images), images.new.values
    phase = theta.sel(time=slice(timeline.new_start_s, None))
    return xr.Dataset(
        {
            "regrowth_at_end": _share((after & before)[:, new], before[:, new]),
            "useful_regrowth": _share((after & before)[useful], before[useful]),
            "new_synapses": float(new_synapses(phase, background)[0]),
            "active_share": float(after.mean()),
            "background_active": float(after[:, background].mean()),
            "retuned": float(tuning.retuned.sum()),
            "active": active.sum("post") / (theta.sizes["post"] * theta.sizes["pre"]),
        }
    )


def eliminated_before(theta: xr.DataArray, timeline: Timeline) -> Bools:
    """Connections active at the start and eliminated when the new digit appears."""
    before = theta.sel(time=timeline.new_start_s).values > 0
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


# -- elimination and sparseness --------------------


def background_left(p: P, results: Results, branch: str) -> Multiple:
    """Active share at background inputs at the end of phase 1, relative to the start."""
    active = results[f"{branch}/snapshots"].background_active
    return Ratio(float(active.sel(time=p.timeline.ends_s[0])), float(active[0]))


def informative_active(p: P, results: Results, branch: str) -> Share:
    """Active share at informative inputs at the end of phase 1."""
    active = results[f"{branch}/snapshots"].informative_active
    return float(active.sel(time=p.timeline.ends_s[0]))


def largest_active_share(p: P, results: Results, branch: str) -> Share:
    """Largest active share of the run."""
    return float(_active_share(results, branch).max())


def largest_active_share_later(p: P, results: Results, branch: str) -> Share:
    """Largest active share from the end of phase 1."""
    later = slice(p.timeline.ends_s[0], None)
    return float(_active_share(results, branch).sel(time=later).max())


def low_after_s(p: P, results: Results, branch: str) -> Amount:
    """Time after which the active share stays low."""
    share = _active_share(results, branch)
    high = share.time.values[share.values > LOW]
    return float(high[-1]) if high.size else 0.0


def _active_share(results: Results, branch: str) -> xr.DataArray:
    active = record_of(results, branch, "active")
    return active.sum("post") / (results["images"].sizes["pre"] * active.sizes["post"])


def new_synapse_share(p: P, results: Results, branch: str) -> Portion:
    """Of active connections at background inputs after phase 1, those new since a snapshot."""
    later = record_of(results, branch, "theta").sel(time=slice(p.timeline.ends_s[0], None))
    return Ratio(*new_synapses(later, always_background(results["images"])))


# -- the new digit --------------------


def two_retuned(p: P, results: Results, branch: str) -> bool:
    """Whether at least two neurons are retuned to the new digit at the end of its phase."""
    retuned = results[f"{branch}/snapshots"].retuned.sel(time=p.timeline.new_end_s)
    return bool(retuned.sum() >= 2)


def similarity_gain(p: P, results: Results, branch: str) -> float:
    """Gain in similarity to the new digit over its phase, of the second best neuron.

    The second best neuron represents "at least two". Neurons without weights have similarity −1
    at the end, and 0 before.
    """
    similarity = results[f"{branch}/snapshots"].similarity
    end, before = (similarity.sel(time=t) for t in (p.timeline.new_end_s, p.timeline.new_start_s))
    return _second_best(end, -1.0) - _second_best(before, 0.0)


def _second_best(values: xr.DataArray, missing: float) -> float:
    return float(np.sort(values.fillna(missing).values)[-2])


def regrowth(p: P, results: Results, branch: str) -> Portion:
    """Eliminated connections at new inputs that are active at the end of the new digit's phase."""
    theta, new = record_of(results, branch, "theta"), results["images"].new.values
    eliminated = eliminated_before(theta, p.timeline)[:, new]
    active = theta.sel(time=p.timeline.new_end_s).values[:, new] > 0
    return Ratio(float((eliminated & active).sum()), float(eliminated.sum()))


# -- after the new digit --------------------


def all_return(p: P, results: Results, branch: str) -> bool:
    """Whether no neuron is retuned at the end of the phase after the new digit."""
    retuned = results[f"{branch}/snapshots"].retuned.sel(time=p.timeline.return_end_s)
    return bool(retuned.sum() == 0)


def eliminated_after(p: P, results: Results, branch: str) -> Portion:
    """Connections at new inputs active with the new digit that are eliminated after it."""
    theta, new = record_of(results, branch, "theta"), results["images"].new.values
    times = (p.timeline.new_end_s, p.timeline.return_end_s)
    had, have = (theta.sel(time=t).values[:, new] > 0 for t in times)
    return Ratio(float((had & ~have).sum()), float(had.sum()))


# -- the synapse of panel G, in second halves of phases --------------------


def synapse_active(p: P, results: Results, branch: str) -> Share:
    """Share of time active in the second half of the new digit's phase."""
    return _synapse_active(p, results, branch, *p.timeline.around_new[1:2])


def synapse_active_around(p: P, results: Results, branch: str) -> Share:
    """Share of time active, mean of the phases before and after the new digit's."""
    return _synapse_active(p, results, branch, *p.timeline.around_new[::2])


def synapse_regrowths(p: P, results: Results, branch: str) -> Amount:
    """Upward crossings of θ = 0 in the second half of the new digit's phase."""
    crossings, own = _regrowths(p, results, branch, *p.timeline.around_new[1:2])
    return float(crossings[own])


def synapse_regrowths_around(p: P, results: Results, branch: str) -> Amount:
    """Upward crossings of θ = 0, mean of the phases before and after the new digit's."""
    crossings, own = _regrowths(p, results, branch, *p.timeline.around_new[::2])
    return float(crossings[own])


def candidate_regrowths_around(p: P, results: Results, branch: str) -> Amount:
    """The same, mean over all candidate inputs of the neuron; NaN without a return."""
    if p.timeline.return_phase is None:
        return float("nan")
    return float(_regrowths(p, results, branch, *p.timeline.around_new[::2])[0].mean())


def _synapse_active(p: P, results: Results, branch: str, *phases: int) -> float:
    halves, own = _second_halves(p, results, branch, *phases)
    return float(np.mean([half[:, own].mean() for half in halves]))


def _regrowths(p: P, results: Results, branch: str, *phases: int) -> tuple[Floats, int]:
    """Upward crossings of every candidate, and the column of the synapse."""
    halves, own = _second_halves(p, results, branch, *phases)
    return np.mean([(half[1:] & ~half[:-1]).sum(axis=0) for half in halves], axis=0), own


def _second_halves(p: P, results: Results, branch: str, *phases: int) -> tuple[list[Bools], int]:
    """Active candidates [time, input] in the second half of some phases, and that column."""
    selected, timeline = results[f"{branch}/selected"], p.timeline
    traces = record_of(results, branch, "candidates").isel(post=int(selected.synapse_post))
    own = traces.pre.values.tolist().index(int(selected.synapse_pre))
    spans = [slice(timeline.middle_s(phase), timeline.ends_s[phase]) for phase in phases]
    return [traces.sel(time=span).transpose("time", "pre").values > 0 for span in spans], own


# -- controls; the branch is READING or READING/CONTROL --------------------


def retuned(p: P, results: Results, branch: str) -> Amount:
    """Neurons retuned to the new digit at the end of its phase."""
    return _at_end(p, results, branch, "retuned")


def _at_end(p: P, results: Results, branch: str, variable: str) -> Share:
    """A number of the summary."""
    return float(results[f"{branch}/summary"][variable])


def _relative(p: P, results: Results, branch: str, variable: str, to: str = "") -> Multiple:
    """That number relative to a reading: ``to``, or the same without the control's change."""
    both = branch, to or branch.partition("/")[0]
    return Ratio(*(_at_end(p, results, each, variable) for each in both))


MEASURES: tuple[Measure, ...] = (
    *measures_in(__name__),
    *variants(
        _at_end,
        useful_regrowth=("useful_regrowth",),
        regrowth_at_end=("regrowth_at_end",),
        **{name: (name,) for name in ("active_share", "background_active")},
    ),
    *variants(
        _relative,
        regrowth_relative_to_printed=("useful_regrowth", PRINTED),
        relative_regrowth=("useful_regrowth",),
        relative_retuning=("retuned",),
        relative_new_synapses=("new_synapses",),
        relative_active_share=("active_share",),
    ),
)
