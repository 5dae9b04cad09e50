"""One circuit through all phases, and its controls, in the order of a Methods section.

| branch | leaves | continues |
| --- | --- | --- |
| ``learning`` | | through all phases |
| ``learning/control`` | before the new digit | with the old digits |
| ``no_activity`` | | never spikes: prior and noise alone, for as long |

With ``controls``, to the end of the new digit's phase unless stated otherwise:

| branch | leaves | continues |
| --- | --- | --- |
| ``learning/digit_persists`` | after the new digit's phase | with it, to the end of the return |
| ``learning/noise_off`` | before the new digit | without noise, T = 0 |
| ``learning/replicate`` | before the new digit | with nothing changed but the noise |
| ``learning/no_prior`` | at the start | without prior |
| ``learning/maximum_likelihood`` | at the start | without prior and noise, with b falling as 1/t |
| ``alternative_rule`` and its three controls | | with the other reading of a retracted synapse |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.tuning import counts_by_label, spike_counts
from synsamp.data import Digits
from synsamp.models.one_synapse import OneSynapse, active_share, regrowth
from synsamp.paper.fig4_adaptation.parameters import (
    SYNC_INTERVAL_S,
    AdaptationParameters,
    Timeline,
)
from synsamp.paper.fig4_adaptation.stdp import measure_stdp
from synsamp.paper.shared.digit_circuit import (
    SYNAPSES,
    DigitStimulus,
    SpikingRule,
    build_network,
    build_prior,
    build_synapses,
    ink_shares,
    mean_images,
    training_digits,
)
from synsamp.priors import Flat
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
from synsamp.spiking import DoubleExponential, Probe

LEARNING, ALTERNATIVE_RULE, NO_ACTIVITY = "learning", "alternative_rule", "no_activity"
MAXIMUM_LIKELIHOOD = "maximum_likelihood"
CONTROL, DIGIT_PERSISTS = "control", "digit_persists"
NOISE_OFF, REPLICATE, NO_PRIOR = "noise_off", "replicate", "no_prior"
PRINTED, NO_LIKELIHOOD = "printed", "no_likelihood"
READINGS = (PRINTED, NO_LIKELIHOOD)
"""Readings of a retracted synapse: it learns, as printed, or the likelihood is switched off."""
SILENT_HZ = 1e-12
WIDE = 1e3
"""Standard deviation of a prior without effect: its force is a millionth of the paper's."""

Shown = dict[tuple[int, ...], DigitStimulus]
BACKGROUND, INFORMATIVE, NEW, NOT_NEW = 0.01, 0.5, 0.2, 0.05
N_CANDIDATES, N_EXAMPLES = 20, 16

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def run(p: AdaptationParameters, seed: int) -> dict[str, Any]:
    """One circuit, its controls, and the STDP curves of its rule."""
    images = classify_inputs(training_digits(p.data), p.timeline)
    made: dict[str, Any] = {
        LEARNING: learning(p, images),
        NO_ACTIVITY: no_activity(p, images),
        "images": images,
        "stdp": partial(measure_stdp, p.rule, named_seed(seed, "stdp")),
    }
    if p.with_controls:
        made |= {
            ALTERNATIVE_RULE: alternative_rule(p, images),
            "one_synapse": partial(predict, p, images),
        }
    return made


def learning(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """The phases in order; when the new digit appears, a control continues with the old digits."""
    timeline, shown = p.timeline, _stimuli(p)
    new, back = timeline.new_phase, timeline.return_phase
    steps: list[Any] = []
    if p.with_controls:
        steps = [_no_prior(p, shown), _maximum_likelihood(p, shown)]
    for phase, digits in enumerate(timeline.digits):
        if phase == new:
            old = shown[timeline.digits[phase - 1]].order
            steps.append(Branch(CONTROL, [Show(old, timeline.length_s(phase))]))
            steps += _controls(p, shown) if p.with_controls else []
        if p.with_controls and back is not None and new is not None and phase == new + 1:
            longer = timeline.ends_s[back] - timeline.ends_s[new]
            steps.append(Branch(DIGIT_PERSISTS, [Show(shown[timeline.digits[new]].order, longer)]))
        steps.append(Show(shown[digits].order, timeline.length_s(phase)))
    candidates = theta(SYNAPSES, pre=images.candidate_input.values)
    return Protocol(
        build_network(images.sizes["pre"], p.circuit, build_synapses(p.rule)),
        steps,
        record={"candidates": every(SYNC_INTERVAL_S, candidates), **_records(p, shown)},
        sync_interval_s=SYNC_INTERVAL_S,
    )


def alternative_rule(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """A circuit with the other reading of a retracted synapse, to the end of the new digit's phase.

    Plasticity cannot change within a protocol, so this is no branch.
    """
    timeline, shown = p.timeline, _stimuli(p)
    assert timeline.new_phase is not None
    steps: list[Any] = [_no_prior(p, shown)]
    for phase in range(timeline.new_phase + 1):
        if phase == timeline.new_phase:
            steps += _controls(p, shown)
        steps.append(Show(shown[timeline.digits[phase]].order, timeline.length_s(phase)))
    synapses = build_synapses(alternative(p.rule))
    network = build_network(images.sizes["pre"], p.circuit, synapses)
    return Protocol(network, steps, record=_records(p, shown), sync_interval_s=SYNC_INTERVAL_S)


def alternative(rule: SpikingRule) -> SpikingRule:
    """The rule with the other reading of a retracted synapse."""
    return rule.model_copy(update={"learn_when_retracted": not rule.learn_when_retracted})


def no_activity(p: AdaptationParameters, images: xr.Dataset) -> Protocol:
    """The same synapses in a circuit that never spikes: prior and noise alone."""
    silent = p.circuit.model_copy(update={"rate_hz": SILENT_HZ})
    return Protocol(
        build_network(images.sizes["pre"], silent, build_synapses(p.rule)),
        [Silence(p.timeline.ends_s[-1])],
        record={
            "active": every(SYNC_INTERVAL_S, active_count(SYNAPSES)),
            "theta": every(p.snapshot_every_s, theta(SYNAPSES)),
        },
        sync_interval_s=SYNC_INTERVAL_S,
        drift_interval_s=SYNC_INTERVAL_S,
    )


def _controls(p: AdaptationParameters, shown: Shown) -> list[Branch]:
    """Copies that see the new digit without noise, and with nothing changed but the noise."""
    timeline = p.timeline
    assert timeline.new_phase is not None
    new, length_s = (
        shown[timeline.digits[timeline.new_phase]].order,
        timeline.length_s(timeline.new_phase),
    )
    # A second step draws other images: spikes differ from then on, and with them the noise.
    replicate = [
        Show(new, part_s) for part_s in (SYNC_INTERVAL_S, length_s - SYNC_INTERVAL_S) if part_s
    ]
    records = _records(p, shown)
    return [
        Branch(NOISE_OFF, [Change(SYNAPSES, temperature=0.0), Show(new, length_s)], records),
        Branch(REPLICATE, replicate, records),
    ]


def _no_prior(p: AdaptationParameters, shown: Shown) -> Branch:
    """A copy without prior, from the start to the end of the new digit's phase."""
    timeline = p.timeline
    assert timeline.new_phase is not None
    phases = range(timeline.new_phase + 1)
    steps = [Show(shown[timeline.digits[k]].order, timeline.length_s(k)) for k in phases]
    wide = Change(SYNAPSES, prior=replace(build_prior(p.rule), std=WIDE))
    return Branch(NO_PRIOR, [wide, *steps], _records(p, shown))


def _maximum_likelihood(p: AdaptationParameters, shown: Shown) -> Branch:
    """A copy that learns by maximum likelihood, b falling as 1/t, to the end of the new phase.

    Without prior and noise the rule ascends the likelihood. It converges if the learning rate
    falls; with t counted in snapshots, b is divided by 1, 2, 3, …
    """
    timeline, part_s = p.timeline, p.snapshot_every_s
    assert timeline.new_phase is not None
    wide = replace(build_prior(p.rule), std=WIDE)
    steps: list[Any] = [Change(SYNAPSES, prior=wide, temperature=0.0)]
    phases = range(timeline.new_phase + 1)
    parts = [k for k in phases for _ in range(round(timeline.length_s(k) / part_s))]
    for count, phase in enumerate(parts, start=1):
        steps += [Change(SYNAPSES, speed=p.rule.speed / count)]
        steps += [Show(shown[timeline.digits[phase]].order, part_s)]
    return Branch(MAXIMUM_LIKELIHOOD, steps, _records(p, shown))


def _stimuli(p: AdaptationParameters) -> Shown:
    source, timeline = training_digits(p.data), p.timeline
    groups = {*timeline.digits, timeline.all_digits}
    return {digits: DigitStimulus(source, digits, p.input) for digits in groups}


def _records(p: AdaptationParameters, shown: Shown) -> dict[str, Any]:
    """What is recorded in every branch that spikes."""
    everything = shown[p.timeline.all_digits]
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
    """Count the spikes of each neuron during each digit, without the gaps."""
    digits = p.timeline.all_digits

    def of(found: Probe) -> xr.DataArray:
        counts = spike_counts(
            found.time_s, found.neuron, found.shown_at_s, p.input.digit_s, p.circuit.neurons
        )
        spikes = counts_by_label(counts, shown.labels[found.shown[:, 0]], digits)
        return xr.DataArray(spikes, {"digit": list(digits)}, ("post", "digit"))

    return of


# -- kinds of inputs --------------------


def classify_inputs(source: Digits, timeline: Timeline) -> xr.Dataset:
    """Classify the inputs (``pre``) by the images alone, before anything is simulated.

    An input is *background* in a phase if it is bright in less than 1 % of the images of every
    digit shown there, and *informative* if it is bright in more than half of the images of one of
    them. It is *new* with a digit if it is bright in more than 20 % of that digit's images and in
    less than 5 % of the images of any digit shown before. Mean images and examples are returned
    as well.
    """
    digits = timeline.all_digits
    height, width = source.images.shape[1:]
    mean, ink = mean_images(source, digits), ink_shares(source, digits)
    rows = [[digits.index(d) for d in phase] for phase in timeline.digits]
    return xr.Dataset(
        {
            "mean_image": (("digit", "pre"), mean),
            "ink": (("digit", "pre"), ink, {"description": "share of bright images"}),
            "background": (("phase", "pre"), np.stack([background(ink[r]) for r in rows])),
            "informative": (("phase", "pre"), np.stack([informative(ink[r]) for r in rows])),
            "new": ("pre", new_inputs(ink, timeline)),
            "candidate_input": ("candidate", candidate_inputs(mean, ink, timeline)),
            "examples": (
                ("digit", "example", "row", "column"),
                np.stack([source.by_digit(d)[:N_EXAMPLES] for d in digits]),
            ),
        },
        coords={"digit": list(digits)},
        attrs={"height": height, "width": width},
    )


def background(ink: Floats) -> Bools:
    """Inputs that are dark for all of these digits; ``ink[digit, input]``."""
    return np.asarray((ink < BACKGROUND).all(axis=0), bool)


def informative(ink: Floats) -> Bools:
    """Inputs that are bright in most images of one of these digits."""
    return np.asarray((ink > INFORMATIVE).any(axis=0), bool)


def new_inputs(ink: Floats, timeline: Timeline) -> Bools:
    """Inputs that are bright for the new digit and dark for all digits before it."""
    if timeline.new_phase is None or timeline.new_digit is None:
        return np.zeros(ink.shape[1], bool)
    new, old = _rows(timeline, timeline.new_phase, timeline.new_digit)
    return np.asarray((ink[new] > NEW) & (ink[old] < NOT_NEW).all(axis=0), bool)


def candidate_inputs(mean: Floats, ink: Floats, timeline: Timeline) -> NDArray[np.int64]:
    """Background inputs of the old digits that are brightest for the new one.

    Without a new digit: the brightest inputs of the first phase.
    """
    if timeline.new_phase is None or timeline.new_digit is None:
        first = [timeline.all_digits.index(d) for d in timeline.digits[0]]
        brightness, allowed = mean[first].max(axis=0), np.ones(mean.shape[1], bool)
    else:
        new, old = _rows(timeline, timeline.new_phase, timeline.new_digit)
        brightness, allowed = mean[new] - mean[old].max(axis=0), background(ink[old])
    order = np.argsort(np.where(allowed, -brightness, np.inf), kind="stable")
    return order[: min(N_CANDIDATES, int(allowed.sum()))].astype(np.int64)


def _rows(timeline: Timeline, phase: int, digit: int) -> tuple[int, list[int]]:
    """Rows of the new digit and of the digits shown before it."""
    place = timeline.all_digits.index
    return place(digit), [place(d) for d in timeline.before(phase)]


# -- theory of a single synapse --------------------


def predict(p: AdaptationParameters, images: xr.Dataset) -> xr.Dataset:
    """Predict single synapses in the phases of a run, in both readings.

    ``useful_regrowth``: share of useful eliminated synapses that are active again at the end of the
    new digit's phase, with and without noise in that phase. ``background_active``: active share at
    inputs that stay dark, with and without prior, at the end of that phase.
    """
    timeline, rule = p.timeline, p.rule
    assert timeline.new_phase is not None
    assert timeline.new_digit is not None
    seconds = (timeline.start_s(timeline.new_phase), timeline.length_s(timeline.new_phase))
    x_old = mean_epsp(p, images, timeline.before(timeline.new_phase))
    x_new, dark = mean_epsp(p, images, (timeline.new_digit,)), mean_rate(p, 0.0) * area_s()
    values = (
        *(rule.speed, rule.data_size, rule.alpha, rule.theta_0),
        *(rule.prior.mean, rule.prior.std, rule.clip_limit),
    )
    rate_hz = p.circuit.rate_hz / p.circuit.neurons
    own = build_prior(rule)
    readings = [OneSynapse(*values, rate_hz, reading == PRINTED, own) for reading in READINGS]
    useful = [
        [
            regrowth(one, x_old, x_new, seconds, (rule.temperature, T))
            for T in (rule.temperature, 0.0)
        ]
        for one in readings
    ]
    background = [
        [
            active_share(
                replace(one, prior=prior).distribution(
                    one.start, dark, sum(seconds), rule.temperature
                )
            )
            for prior in (own, Flat())
        ]
        for one in readings
    ]
    return xr.Dataset(
        {
            "useful_regrowth": (("reading", "noise"), useful),
            "background_active": (("reading", "prior"), background),
        },
        coords={"reading": list(READINGS), "noise": [True, False], "prior": [True, False]},
        attrs={"x_old": x_old, "x_new": x_new, "x_dark": dark},
    )


def area_s() -> float:
    """∫ ε(s) ds: the mean EPSP of an input of 1 Hz."""
    epsp = DoubleExponential()
    return epsp.fall_s - epsp.rise_s


def mean_rate(p: AdaptationParameters, grey: float) -> float:
    """Rate of an input over digit and gap, in Hz; ``grey`` is its mean grey value in digits."""
    shown = p.input
    lit = shown.digit_s / (shown.digit_s + shown.gap_s)
    return lit * shown.peak_rate_hz * grey + shown.noise_hz


def mean_epsp(p: AdaptationParameters, images: xr.Dataset, digits: tuple[int, ...]) -> float:
    """x̄ of the candidate inputs while some digits are shown."""
    grey = images.mean_image.sel(digit=list(digits)).isel(pre=images.candidate_input.values)
    return mean_rate(p, float(grey.mean())) * area_s()
