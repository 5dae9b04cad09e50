"""One circuit through all phases, as a Methods section would tell it, and the arms beside it.

| arm | leaves | goes on |
| --- | --- | --- |
| ``learning`` | | through all phases |
| ``learning/control`` | before the new digit | with the old digits |
| ``free`` | | never spikes: prior and noise alone, for as long |

With ``mechanism``, to the end of the new digit's phase unless it says otherwise:

| arm | leaves | goes on |
| --- | --- | --- |
| ``learning/stays`` | after the new digit's phase | with the new digit, to the end of the return |
| ``learning/noise_off`` | before the new digit | without noise, T = 0 |
| ``learning/again`` | before the new digit | with nothing changed, on other noise |
| ``learning/no_prior`` | at the start | without prior |
| ``other_reading`` and its three arms | | with the other reading of a retracted synapse |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import xarray as xr

from synsamp.analysis.tuning import counts_by_label, spike_counts
from synsamp.paper.fig4_adaptation.images import describe_images
from synsamp.paper.fig4_adaptation.one_synapse import predict
from synsamp.paper.fig4_adaptation.parameters import SYNC_INTERVAL_S, AdaptationParameters
from synsamp.paper.fig4_adaptation.stdp import measure_stdp
from synsamp.paper.shared.digit_circuit import (
    SYNAPSES,
    DigitStimulus,
    RuleSection,
    build_network,
    build_synapses,
    training_digits,
)
from synsamp.priors import Gaussian
from synsamp.protocol import (
    Branch,
    Change,
    Protocol,
    Show,
    Silence,
    active_count,
    every,
    probe,
    theta,
    weight,
)
from synsamp.seeds import named_seed
from synsamp.spiking import Probe

LEARNING, OTHER, FREE = "learning", "other_reading", "free"
CONTROL, STAYS = "control", "stays"
NOISE_OFF, AGAIN, NO_PRIOR = "noise_off", "again", "no_prior"
SILENT_HZ = 1e-12
WIDE = 1e3
"""Standard deviation of a prior that pulls nowhere: its force is a millionth of the paper's."""

Shown = dict[tuple[int, ...], DigitStimulus]


def run(p: AdaptationParameters, seed: int) -> dict[str, Any]:
    """One circuit: what it is shown, how it learns, and the timing curve of its rule."""
    images = describe_images(training_digits(p.data), p.course)
    made: dict[str, Any] = {
        LEARNING: learning(p, images),
        FREE: free(p, images),
        "images": images,
        "stdp": partial(measure_stdp, p.rule, named_seed(seed, "stdp")),
    }
    if asks_why(p):
        made |= {OTHER: other_reading(p, images), "one_synapse": partial(predict, p, images)}
    return made


def asks_why(p: AdaptationParameters) -> bool:
    """Whether the arms about the mechanism are run: they need a new digit."""
    return p.mechanism and p.course.new_phase is not None


def learning(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """Phases one after the other; at each switch a control goes on with what was shown before."""
    course, shown = p.course, _stimuli(p)
    new, back = course.new_phase, course.return_phase
    steps: list[Any] = [_no_prior(p, shown)] if asks_why(p) else []
    for phase, digits in enumerate(course.digits):
        if phase == new:
            old = shown[course.digits[phase - 1]].order
            steps.append(Branch(CONTROL, [Show(old, course.length_s(phase))]))
            steps += _arms(p, shown) if asks_why(p) else []
        if asks_why(p) and back is not None and new is not None and phase == new + 1:
            longer = course.ends_s[back] - course.ends_s[new]
            steps.append(Branch(STAYS, [Show(shown[course.digits[new]].order, longer)]))
        steps.append(Show(shown[digits].order, course.length_s(phase)))
    candidates = theta(SYNAPSES, pre=images.candidate_input.values)
    return Protocol(
        build_network(images.sizes["pre"], p.circuit, build_synapses(p.rule)),
        steps,
        record={"candidates": every(SYNC_INTERVAL_S, candidates), **_looks(p, shown)},
        sync_interval_s=SYNC_INTERVAL_S,
    )


def other_reading(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """A circuit by the other reading of a retracted synapse, to the end of the new digit's phase.

    A reading is a kind of plasticity, not a number, so it cannot be a branch.
    """
    course, shown = p.course, _stimuli(p)
    assert course.new_phase is not None
    steps: list[Any] = [_no_prior(p, shown)]
    for phase in range(course.new_phase + 1):
        if phase == course.new_phase:
            steps += _arms(p, shown)
        steps.append(Show(shown[course.digits[phase]].order, course.length_s(phase)))
    synapses = build_synapses(the_other(p.rule))
    network = build_network(images.sizes["pre"], p.circuit, synapses)
    return Protocol(network, steps, record=_looks(p, shown), sync_interval_s=SYNC_INTERVAL_S)


def the_other(rule: RuleSection) -> RuleSection:
    """The rule with the other reading of a retracted synapse."""
    return rule.model_copy(update={"learn_when_retracted": not rule.learn_when_retracted})


def free(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """The same synapses in a circuit that never spikes: the rule is prior and noise alone."""
    silent = p.circuit.model_copy(update={"rate_hz": SILENT_HZ})
    return Protocol(
        build_network(images.sizes["pre"], silent, build_synapses(p.rule)),
        [Silence(p.course.ends_s[-1])],
        record={
            "active": every(SYNC_INTERVAL_S, active_count(SYNAPSES)),
            "theta": every(p.snapshot_every_s, theta(SYNAPSES)),
        },
        sync_interval_s=SYNC_INTERVAL_S,
        drift_interval_s=SYNC_INTERVAL_S,
    )


def _arms(p: AdaptationParameters, shown: Shown) -> list[Branch]:
    """Copies that go through the new digit's phase without noise, and once more as it is."""
    course = p.course
    assert course.new_phase is not None
    new, length_s = shown[course.digits[course.new_phase]].order, course.length_s(course.new_phase)
    # The images begin anew after a moment: spikes differ from then on, and with them the noise.
    again = [
        Show(new, part_s) for part_s in (SYNC_INTERVAL_S, length_s - SYNC_INTERVAL_S) if part_s
    ]
    looks = _looks(p, shown)
    return [
        Branch(NOISE_OFF, [Change(SYNAPSES, temperature=0.0), Show(new, length_s)], looks),
        Branch(AGAIN, again, looks),
    ]


def _no_prior(p: AdaptationParameters, shown: Shown) -> Branch:
    """A copy from the start on, to the end of the new digit's phase, that no prior pulls."""
    course = p.course
    assert course.new_phase is not None
    phases = range(course.new_phase + 1)
    steps = [Show(shown[course.digits[k]].order, course.length_s(k)) for k in phases]
    wide = Change(SYNAPSES, prior=Gaussian(p.rule.prior.mean, WIDE))
    return Branch(NO_PRIOR, [wide, *steps], _looks(p, shown))


def _stimuli(p: AdaptationParameters) -> Shown:
    source, course = training_digits(p.data), p.course
    groups = {*course.digits, course.all_digits}
    return {digits: DigitStimulus(source, digits, p.input) for digits in groups}


def _looks(p: AdaptationParameters, shown: Shown) -> dict[str, Any]:
    """What is recorded of every arm that spikes."""
    everything = shown[p.course.all_digits]
    tuning = probe(everything.order, p.probe_s, _spikes_by_digit(p, everything))
    return {
        "active": every(SYNC_INTERVAL_S, active_count(SYNAPSES)),
        "theta": every(p.snapshot_every_s, theta(SYNAPSES)),
        "weight": every(p.snapshot_every_s, weight(SYNAPSES)),
        "tuning": every(p.snapshot_every_s, tuning),
    }


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
