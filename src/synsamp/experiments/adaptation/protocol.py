"""One circuit through all phases, as a Methods section would tell it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import xarray as xr

from synsamp.analysis.tuning import counts_by_label, spike_counts
from synsamp.experiments.adaptation.images import describe_images
from synsamp.experiments.adaptation.parameters import (
    GRID_S,
    TURNOVER_S,
    AdaptationParameters,
)
from synsamp.experiments.adaptation.stdp import measure_stdp
from synsamp.experiments.shared.digit_circuit import (
    SYNAPSES,
    DigitStimulus,
    build_network,
    build_synapses,
    training_digits,
)
from synsamp.protocol import (
    Branch,
    Mark,
    Protocol,
    Show,
    active_count,
    at_marks,
    every,
    probe,
    theta,
    turnover,
    weight,
)
from synsamp.seeds import named_seed
from synsamp.spiking import Probe

LEARNING, CONTROL = "learning", "control"


def run(p: AdaptationParameters, seed: int) -> dict[str, Any]:
    """One circuit: what it is shown, how it learns, and the timing curve of its rule."""
    images = describe_images(training_digits(p.data), p.course)
    return {
        LEARNING: learning(p, images),
        "images": images,
        "stdp": partial(measure_stdp, p.rule, named_seed(seed, "stdp")),
    }


def learning(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """Phases one after the other; before a new digit a control goes on with the old ones."""
    course, source = p.course, training_digits(p.data)
    shown = {
        digits: DigitStimulus(source, digits, p.input)
        for digits in {*course.digits, course.all_digits}
    }
    steps: list[Any] = []
    for phase, digits in enumerate(course.digits):
        if phase == course.new_phase:
            old = shown[course.digits[phase - 1]]
            steps.append(
                Branch(
                    CONTROL,
                    [Show(old.order, course.length_s(phase)), Mark("end")],
                    record={"theta": at_marks(theta(SYNAPSES))},
                )
            )
        steps.append(Show(shown[digits].order, course.length_s(phase)))
    everything = shown[course.all_digits]
    tuning = probe(everything.order, p.probe_s, _spikes_by_digit(p, everything))
    return Protocol(
        build_network(images.sizes["pre"], p.circuit, build_synapses(p.rule)),
        steps,
        record={
            "active": every(GRID_S, active_count(SYNAPSES)),
            "candidates": every(GRID_S, theta(SYNAPSES, pre=images.candidate_input.values)),
            "turnover": every(TURNOVER_S, turnover(SYNAPSES)),
            "theta": every(p.snapshot_every_s, theta(SYNAPSES)),
            "weight": every(p.snapshot_every_s, weight(SYNAPSES)),
            "tuning": every(p.snapshot_every_s, tuning),
        },
        grid_s=GRID_S,
    )


def _spikes_by_digit(
    p: AdaptationParameters, shown: DigitStimulus
) -> Callable[[Probe], xr.DataArray]:
    """Spikes of each neuron while each digit was shown; those in the gaps do not count."""
    digits = p.course.all_digits

    def of(found: Probe) -> xr.DataArray:
        counts = spike_counts(
            found.time_s, found.neuron, found.shown_at_s, p.input.digit_s, p.circuit.neurons
        )
        spikes = counts_by_label(counts, shown.labels[found.shown[:, 0]], digits)
        return xr.DataArray(spikes, {"digit": list(digits)}, ("post", "digit"))

    return of
