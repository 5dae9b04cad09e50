"""Measures of Fig. 4, each a function of one run and, for most, of the branch it is taken in."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Ratio
from synsamp.experiments import Results
from synsamp.paper.fig4_adaptation.analysis import (
    always_background,
    eliminated_before,
    new_synapses,
    record_of,
)
from synsamp.paper.fig4_adaptation.one_synapse import PRINTED
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters as P

LOW = 0.25
"""Up to this share of active synapses their number is called low."""
SHORT_LAG_S = 0.010

Floats = NDArray[np.float64]

# -- elimination and sparseness --------------------


def background_left(p: P, results: Results, branch: str) -> Ratio:
    """Active share at background inputs at the end of phase 1, relative to the start."""
    active = results[f"{branch}/snapshots"].background_active
    return Ratio(float(active.sel(time=p.timeline.ends_s[0])), float(active[0]))


def informative_active(p: P, results: Results, branch: str) -> float:
    """Active share at informative inputs at the end of phase 1."""
    active = results[f"{branch}/snapshots"].informative_active
    return float(active.sel(time=p.timeline.ends_s[0]))


def largest_active_share(p: P, results: Results, branch: str) -> float:
    """Largest active share of the run."""
    return float(_active_share(results, branch).max())


def largest_active_share_later(p: P, results: Results, branch: str) -> float:
    """Largest active share from the end of phase 1."""
    later = slice(p.timeline.ends_s[0], None)
    return float(_active_share(results, branch).sel(time=later).max())


def low_after_s(p: P, results: Results, branch: str) -> float:
    """Time after which the active share stays low."""
    share = _active_share(results, branch)
    high = share.time.values[share.values > LOW]
    return float(high[-1]) if high.size else 0.0


def _active_share(results: Results, branch: str) -> xr.DataArray:
    active = record_of(results, branch, "active")
    return active.sum("post") / (results["images"].sizes["pre"] * active.sizes["post"])


def new_synapse_share(p: P, results: Results, branch: str) -> Ratio:
    """Of active connections at background inputs after phase 1, those new since a snapshot."""
    later = record_of(results, branch, "theta").sel(time=slice(p.timeline.ends_s[0], None))
    return Ratio(*new_synapses(later, always_background(results["images"])))


# -- the new digit --------------------


def two_retuned(p: P, results: Results, branch: str) -> bool:
    """Whether at least two neurons are retuned to the new digit at the end of its phase."""
    return bool(_at_phase_end(p, results, branch).retuned.sum() >= 2)


def similarity_gain(p: P, results: Results, branch: str) -> float:
    """Gain in similarity to the new digit over its phase, of the second best neuron.

    The second best neuron represents "at least two". Neurons without weights have similarity −1
    at the end, and 0 before.
    """
    end, before = (_at_phase_end(p, results, branch, shift).similarity for shift in (0, -1))
    return _second_best(end, -1.0) - _second_best(before, 0.0)


def _at_phase_end(p: P, results: Results, branch: str, shift: int = 0) -> xr.Dataset:
    """Snapshot at the end of the new digit's phase, or of one ``shift`` phases later."""
    assert p.timeline.new_phase is not None
    end_s = p.timeline.ends_s[p.timeline.new_phase + shift]
    return results[f"{branch}/snapshots"].sel(time=end_s)


def _second_best(values: xr.DataArray, missing: float) -> float:
    return float(np.sort(values.fillna(missing).values)[-2])


def regrowth(p: P, results: Results, branch: str) -> Ratio:
    """Eliminated connections at new inputs that are active at the end of the new digit's phase."""
    assert p.timeline.new_phase is not None
    theta, new = record_of(results, branch, "theta"), results["images"].new.values
    eliminated = eliminated_before(theta, p.timeline)[:, new]
    active = theta.sel(time=p.timeline.ends_s[p.timeline.new_phase]).values[:, new] > 0
    return Ratio(float((eliminated & active).sum()), float(eliminated.sum()))


# -- after the new digit --------------------


def all_return(p: P, results: Results, branch: str) -> bool:
    """Whether no neuron is retuned at the end of the phase after the new digit."""
    assert p.timeline.return_phase is not None
    end_s = p.timeline.ends_s[p.timeline.return_phase]
    return bool(results[f"{branch}/snapshots"].retuned.sel(time=end_s).sum() == 0)


def eliminated_after(p: P, results: Results, branch: str) -> Ratio:
    """Connections at new inputs active with the new digit that are eliminated after it."""
    assert p.timeline.new_phase is not None
    assert p.timeline.return_phase is not None
    theta, new = record_of(results, branch, "theta"), results["images"].new.values
    had, have = (
        theta.sel(time=p.timeline.ends_s[phase]).values[:, new] > 0
        for phase in (p.timeline.new_phase, p.timeline.return_phase)
    )
    return Ratio(float((had & ~have).sum()), float(had.sum()))


# -- the synapse of panel G, in second halves of phases --------------------


def synapse_active(p: P, results: Results, branch: str) -> float:
    """Share of time active in the second half of the new digit's phase."""
    (half,), own = _during(p, results, branch)
    return float(half[:, own].mean())


def synapse_regrowths(p: P, results: Results, branch: str) -> float:
    """Upward crossings of θ = 0 in the second half of the new digit's phase."""
    (half,), own = _during(p, results, branch)
    return float(_upward_crossings(half)[own])


def synapse_active_around(p: P, results: Results, branch: str) -> float:
    """Share of time active, mean of the phases before and after the new digit's."""
    halves, own = _around(p, results, branch)
    return float(np.mean([half[:, own].mean() for half in halves]))


def synapse_regrowths_around(p: P, results: Results, branch: str) -> float:
    """Upward crossings of θ = 0, mean of the phases before and after the new digit's."""
    halves, own = _around(p, results, branch)
    return float(np.mean([_upward_crossings(half)[own] for half in halves]))


def candidate_regrowths_around(p: P, results: Results, branch: str) -> float:
    """The same, mean over all candidate inputs of the neuron; NaN without a return."""
    if p.timeline.return_phase is None:
        return float("nan")
    halves, _ = _around(p, results, branch)
    return float(np.mean([_upward_crossings(half) for half in halves], axis=0).mean())


_Halves = tuple[list[NDArray[np.bool_]], int]
"""Active candidates, [time, input] for each half of a phase, and the column of the synapse."""


def _during(p: P, results: Results, branch: str) -> _Halves:
    assert p.timeline.new_phase is not None
    return _second_halves(p, results, branch, p.timeline.new_phase)


def _around(p: P, results: Results, branch: str) -> _Halves:
    assert p.timeline.new_phase is not None
    assert p.timeline.return_phase is not None
    return _second_halves(p, results, branch, p.timeline.new_phase - 1, p.timeline.return_phase)


def _second_halves(p: P, results: Results, branch: str, *phases: int) -> _Halves:
    selected = results[f"{branch}/selected"]
    traces = record_of(results, branch, "candidates").isel(post=int(selected.synapse_post))
    own = traces.pre.values.tolist().index(int(selected.synapse_pre))
    traces, timeline = traces.transpose("time", "pre"), p.timeline
    spans = [slice(timeline.middle_s(phase), timeline.ends_s[phase]) for phase in phases]
    return [np.asarray(traces.sel(time=span).values > 0, bool) for span in spans], own


def _upward_crossings(active: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray((active[1:] & ~active[:-1]).sum(axis=0), np.int64)


# -- controls; the branch is READING or READING/CONTROL --------------------


def useful_regrowth(p: P, results: Results, branch: str) -> float:
    """Share of useful eliminated connections that are active at the end."""
    return _of_summary(results, branch, "useful_regrowth")


def regrowth_at_end(p: P, results: Results, branch: str) -> float:
    """Share of eliminated connections at all new inputs that are active at the end."""
    return _of_summary(results, branch, "regrowth")


def active_share(p: P, results: Results, branch: str) -> float:
    """Active share of all synapses at the end."""
    return _of_summary(results, branch, "active_share")


def background_active(p: P, results: Results, branch: str) -> float:
    """Active share at inputs that are background in all phases, at the end."""
    return _of_summary(results, branch, "background_active")


def retuned(p: P, results: Results, branch: str) -> float:
    """Neurons retuned to the new digit at the end."""
    return _of_summary(results, branch, "retuned")


def regrowth_relative_to_printed(p: P, results: Results, branch: str) -> Ratio:
    """Useful regrowth relative to the printed rule."""
    return Ratio(*(_of_summary(results, each, "useful_regrowth") for each in (branch, PRINTED)))


def relative_regrowth(p: P, results: Results, branch: str) -> Ratio:
    """Useful regrowth relative to the circuit without the control's change."""
    return _relative(results, branch, "useful_regrowth")


def relative_retuning(p: P, results: Results, branch: str) -> Ratio:
    """Retuned neurons, relative to the same."""
    return _relative(results, branch, "retuned")


def relative_new_synapses(p: P, results: Results, branch: str) -> Ratio:
    """New connections at background inputs, relative to the same."""
    return _relative(results, branch, "new_synapses")


def relative_active_share(p: P, results: Results, branch: str) -> Ratio:
    """Active share, relative to the same."""
    return _relative(results, branch, "active_share")


def _of_summary(results: Results, branch: str, name: str) -> float:
    return float(results[f"{branch}/summary"][name])


def _relative(results: Results, branch: str, name: str) -> Ratio:
    reading = branch.partition("/")[0]
    return Ratio(*(_of_summary(results, each, name) for each in (branch, reading)))


# -- STDP: deviation from theory, and nulls with the timing undone --------------------


def single_error(p: P, results: Results) -> float:
    """Largest deviation of single pairs from theory."""
    return _largest(results["stdp"].single, results["stdp"].single_theory)


def single_error_reversed(p: P, results: Results) -> float:
    """The same with lags reversed."""
    return _largest(results["stdp"].single[:, ::-1], results["stdp"].single_theory)


def regular_error(p: P, results: Results) -> float:
    """Largest deviation of regular pairs from theory."""
    return _largest(results["stdp"].regular, results["stdp"].regular_theory)


def regular_error_reversed(p: P, results: Results) -> float:
    """The same with lags reversed."""
    return _largest(results["stdp"].regular[::-1], results["stdp"].regular_theory)


def regular_sign(p: P, results: Results) -> float:
    """The smaller of potentiation at a lag of about 10 ms and depression at about −10 ms."""
    return _right_sign(results["stdp"].paired_lag.values, results["stdp"].regular.values)


def regular_sign_reversed(p: P, results: Results) -> float:
    """The same with lags reversed."""
    return _right_sign(results["stdp"].paired_lag.values, results["stdp"].regular.values[::-1])


def depression_slope(p: P, results: Results) -> float:
    """d log(depression)/dw at a lag at which the presynaptic spike has no effect."""
    return _slope(results["stdp"].weight.values, results["stdp"].single.values[:, 0])


def depression_slope_reversed(p: P, results: Results) -> float:
    """The same with weights in reverse order."""
    return _slope(results["stdp"].weight.values, results["stdp"].single.values[::-1, 0])


def poisson_error(p: P, results: Results) -> float:
    """Root mean square deviation of Poisson pairs from theory, in standard errors."""
    return _in_errors(results["stdp"], "poisson")


def poisson_error_shuffled(p: P, results: Results) -> float:
    """The same with lags shuffled among pairs."""
    return _in_errors(results["stdp"], "shuffled")


def _largest(measured: xr.DataArray, theory: xr.DataArray) -> float:
    return float(np.abs(measured.values - theory.values).max())


def _right_sign(lag_s: Floats, change: Floats) -> float:
    after, before = (int(np.argmin(np.abs(lag_s - at))) for at in (SHORT_LAG_S, -SHORT_LAG_S))
    return float(min(change[after], -change[before]))


def _slope(weight: Floats, change: Floats) -> float:
    return float(np.polyfit(weight, np.log(-change), 1)[0])


def _in_errors(stdp: xr.Dataset, name: str) -> float:
    deviation = (stdp[name] - stdp.poisson_theory) / stdp[f"{name}_error"]
    return float(np.sqrt((deviation**2).mean()))


MEASURES = (
    *(background_left, informative_active, largest_active_share, largest_active_share_later),
    *(low_after_s, new_synapse_share, two_retuned, similarity_gain, regrowth),
    *(all_return, eliminated_after, synapse_active, synapse_regrowths),
    *(synapse_active_around, synapse_regrowths_around, candidate_regrowths_around),
    *(useful_regrowth, regrowth_at_end, active_share, background_active, retuned),
    *(regrowth_relative_to_printed, relative_regrowth, relative_retuning),
    *(relative_new_synapses, relative_active_share),
    *(single_error, single_error_reversed, regular_error, regular_error_reversed),
    *(regular_sign, regular_sign_reversed, depression_slope, depression_slope_reversed),
    *(poisson_error, poisson_error_shuffled),
)
