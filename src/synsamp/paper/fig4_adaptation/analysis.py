"""Of one circuit, from what was recorded: shares and tuning over time, and what is drawn of it."""

from __future__ import annotations

import numpy as np
import xarray as xr

from synsamp.experiments.base import Results
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.fig4_adaptation.mechanism import mechanism
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import CONTROL, FREE, LEARNING, STAYS, asks_why
from synsamp.paper.fig4_adaptation.records import record_of, turning

N_SHOWN = 4


def analyse(p: AdaptationParameters, results: Results) -> dict[str, xr.Dataset]:
    """Shares and tuning at each snapshot, what is drawn of a circuit, and arms compared.

    ``adapting`` is of the circuit, ``adapting_control``, ``adapting_stays`` and ``adapting_free``
    of its nulls; ``shown`` and ``shown_control`` say which neurons and which synapse.
    """
    course, images = p.course, results["images"]
    arms = {"": LEARNING, "_free": FREE}
    if course.new_phase is not None:
        arms["_control"] = f"{LEARNING}/{CONTROL}"
        if asks_why(p) and course.return_phase is not None:
            arms["_stays"] = f"{LEARNING}/{STAYS}"
    found = {}
    for suffix, arm in arms.items():
        adapting = active_shares(record_of(results, arm, "theta"), images, course)
        if course.new_digit is not None and arm != FREE:
            spikes, weight = (record_of(results, arm, name) for name in ("tuning", "weight"))
            tuning = turning(spikes, weight, images.mean_image, course.new_digit)
            adapting = adapting.merge(tuning)
        found[f"adapting{suffix}"] = adapting
        if suffix in ("", "_control"):
            candidates = record_of(results, arm, "candidates")
            found[f"shown{suffix}"] = choose_shown(adapting, candidates, course)
    if asks_why(p):
        found["mechanism"] = mechanism(p, results)
    return found


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
