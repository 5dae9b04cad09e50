"""Of one circuit, from what was recorded: shares and tuning over time, and what is drawn of it."""

from __future__ import annotations

import numpy as np
import xarray as xr

from synsamp.analysis.tuning import correlations, label_shares
from synsamp.experiments.adaptation.course import Course
from synsamp.experiments.adaptation.parameters import AdaptationParameters
from synsamp.experiments.adaptation.protocol import LEARNING
from synsamp.experiments.base import Results

TURNED = 0.8
"""A neuron has turned to a digit if more than this share of its spikes falls on it."""
N_SHOWN = 4


def analyse(p: AdaptationParameters, results: Results) -> dict[str, xr.Dataset]:
    """``adapting``: shares and tuning at each snapshot; ``shown``: what is drawn of a circuit."""
    course, images = p.course, results["images"]
    theta = results[f"{LEARNING}/theta"].theta
    adapting = active_shares(theta, images, course)
    if course.new_digit is not None:
        spikes = results[f"{LEARNING}/tuning"].tuning
        weight = results[f"{LEARNING}/weight"].weight
        adapting = adapting.merge(turning(spikes, weight, images.mean_image, course.new_digit))
    candidates = results[f"{LEARNING}/candidates"].candidates
    return {"adapting": adapting, "shown": choose_shown(adapting, candidates, course)}


def active_shares(theta: xr.DataArray, images: xr.Dataset, course: Course) -> xr.Dataset:
    """Share of active synapses at background and at mattering inputs of the phase."""
    active = theta.values > 0
    phases = [course.phase_at(float(t)) for t in theta.time]
    shares = {
        f"{kind}_active": (
            "time",
            [now[:, images[kind].values[p]].mean() for now, p in zip(active, phases, strict=True)],
        )
        for kind in ("background", "matters")
    }
    return xr.Dataset(shares, coords={"time": theta.time})


def turning(
    spikes: xr.DataArray, weight: xr.DataArray, mean_image: xr.DataArray, digit: int
) -> xr.Dataset:
    """Per snapshot and neuron: share of spikes on a digit, likeness of ŵ to its mean image.

    A neuron has turned if its share exceeds 0.8 and its weights look more like the mean of the
    digit than like that of any other.
    """
    column = [int(d) for d in mean_image.digit].index(digit)
    share = label_shares(spikes.values)[..., column]
    likeness = correlations(weight.values, mean_image.values)
    others = np.delete(likeness, column, axis=-1).max(axis=-1, initial=-1.0)
    own = likeness[..., column]
    axes = ("time", "post")
    return xr.Dataset(
        {
            "new_share": (axes, share),
            "new_likeness": (axes, own),
            "turned": (axes, (share > TURNED) & (own > others)),
        },
        coords={"time": spikes.time},
    )


def choose_shown(adapting: xr.Dataset, candidates: xr.DataArray, course: Course) -> xr.Dataset:
    """Neurons to draw, and the synapse of panel G.

    Neurons: the two that answer least to the new digit at the end of its phase, and the two that
    answer most. The synapse is chosen in the middle of that phase and judged after it: neuron with
    the largest share of spikes on the new digit at that time; of the candidate inputs the one with
    the largest θ there.
    """
    neurons, neuron, candidate = np.arange(candidates.sizes["post"]), 0, 0
    if course.new_phase is not None:
        share = adapting.new_share.fillna(-1.0)
        at_end = share.sel(time=course.ends_s[course.new_phase]).values
        neurons = np.argsort(at_end, kind="stable")
        middle = share.sel(time=course.middle_s(course.new_phase), method="ffill")
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
