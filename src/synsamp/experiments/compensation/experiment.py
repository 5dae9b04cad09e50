"""Figure 5: a network compensates for lesions by itself, because its synapses never stop sampling.

Eight circuits of ten neurons, four that hear and four that see, learn spoken and written digits
shown together. Later sound alone calls up the visual code. Then the neurons for one digit are
removed (lesion 1), and later every functional connection between hidden neurons (lesion 2); both
times the network goes on under the one rule and finds another way.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from pydantic import Field, model_validator

from synsamp.analysis.peth import BIN_S
from synsamp.experiments.base import (
    Claim,
    Experiment,
    Parameters,
    Repeats,
    Results,
    RunContext,
    Seeds,
    State,
)
from synsamp.experiments.compensation.claims import judge
from synsamp.experiments.compensation.job import CompensationJob, Setup
from synsamp.experiments.compensation.network import CIRCUITS, LateralSection
from synsamp.experiments.compensation.plan import STEP_S, Plan, ScheduleSection, build_plan
from synsamp.experiments.compensation.probes import TestSection, build_stimuli
from synsamp.experiments.compensation.results import collect
from synsamp.experiments.compensation.stimuli import (
    InputSection,
    Pairs,
    load_pairs,
    longest_word_s,
)
from synsamp.experiments.shared.digit_circuit import N_PIXELS, CircuitSection, RuleSection
from synsamp.experiments.shared.limits import MOST_EVENTS, events, require_at_most

N_CHANNELS = 77
"""Of the ear."""


class CompensationParameters(Parameters):
    """What can be set."""

    seeds: int = Field(8, ge=1, le=1000, description="independent networks")
    schedule: ScheduleSection = ScheduleSection()
    test: TestSection = TestSection()
    input: InputSection = InputSection()
    lateral: LateralSection = LateralSection()
    rule: RuleSection = RuleSection()
    circuit: CircuitSection = CircuitSection()

    @model_validator(mode="after")
    def _fits(self) -> CompensationParameters:
        if self.test.every_s % STEP_S:
            raise ValueError(f"test.every_s must be a multiple of {STEP_S:g} s")
        schedule, test = self.schedule, self.test
        durations = (v for name, v in schedule.model_dump().items() if name.endswith("_s"))
        learnt = sum(durations)
        one_test = test.blocks * (test.block_s + test.burn_in_s)
        n_tests = learnt / test.every_s + 2 * schedule.frozen_tests + 10
        seconds = learnt + n_tests * one_test + test.tuning_s + 4 * test.rest_trials
        neurons = len(CIRCUITS) * self.circuit.neurons
        asked = events(
            self.seeds * seconds,
            self.circuit.neurons,
            len(CIRCUITS) * (N_CHANNELS * self.input.afferents + N_PIXELS + neurons),
            self.circuit.rate_hz,
            max(self.input.sound_peak_hz, self.input.image_peak_hz) + self.input.noise_hz,
            100.0,  # frames of the ear
        )
        require_at_most("spikes times synapses", asked, MOST_EVENTS)
        return self

    @property
    def plan(self) -> Plan:
        """Phases and tests."""
        return build_plan(self.schedule, self.test.every_s)


def _pairs(p: CompensationParameters, seed_for: Seeds, number: int) -> Pairs:
    split = int(seed_for("utterances", number).generate_state(1)[0])
    return load_pairs(p.input, split)


def run(p: CompensationParameters, context: RunContext) -> Results:
    """Run all networks through all phases."""
    makers = [partial(_job, p, context.seed_for, number) for number in range(p.seeds)]
    states = context.run_jobs("learning", makers)
    rng = np.random.default_rng(context.seed_for("drawn connections"))
    results = collect(p.plan, [state["tables"] for state in states], rng)
    return results | {"example": _example(p, _pairs(p, context.seed_for, 0))}


def _job(
    p: CompensationParameters, seed_for: Seeds, number: int, state: State | None
) -> CompensationJob:
    pairs = _pairs(p, seed_for, number)
    setup = Setup(
        plan=p.plan,
        rule=p.rule,
        circuit=p.circuit,
        lateral=p.lateral,
        test=p.test,
        n_heard=pairs.n_heard,
        n_seen=pairs.n_seen,
        n_bins=int(np.ceil(longest_word_s(p.input) / BIN_S)) + 1,
    )
    return CompensationJob(setup, build_stimuli(pairs, p.input), seed_for, number, state)


def _example(p: CompensationParameters, pairs: Pairs) -> xr.Dataset:
    """What panel A shows: a word and an image of the second digit, and the mean images."""
    sound = pairs.train_sounds[int(np.flatnonzero(pairs.train_classes == 1)[0])]
    starts = np.concatenate([[0.0], np.cumsum(sound.durations_s)])
    return xr.Dataset(
        {
            "sound_rate_hz": (("frame", "channel"), sound.rates_hz[:, :: p.input.afferents]),
            "frame_start_s": ("edge", starts),
            "image": (("row", "column"), pairs.images[1][0]),
            "mean_image": (("class", "pixel"), pairs.mean_images),
        },
        attrs={"height": pairs.images[0].shape[1], "width": pairs.images[0].shape[2]},
    )


def claims(p: CompensationParameters, results: Results) -> list[Claim]:
    """Judge what the paper says about Fig. 5 and its supplement."""
    return list(judge(p.plan, results))


PAPER = CompensationParameters()
QUICK = CompensationParameters(
    seeds=2,
    test=TestSection(every_s=1200.0, rest_trials=60),
    schedule=ScheduleSection(
        learning_s=2700.0,
        after_lesion_1_s=3600.0,
        after_lesion_2_s=0.0,
        no_lesion_s=0.0,
        noise_off_1_s=0.0,
        noise_off_2_s=0.0,
        likelihood_2_s=0.0,
        frozen_tests=2,
    ),
)


def draw(parameters: CompensationParameters, results: Results) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.compensation import figures

    return figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="compensation",
    alias="fig5",
    title="Inherent compensation for lesions",
    summary="A network that hears and sees digits recalls one from the other, loses neurons and "
    "connections, and rewires itself under the one rule that it learned by.",
    parameters=CompensationParameters,
    presets={"quick": QUICK, "paper": PAPER},
    run=run,
    claims=claims,
    draw=draw,
    captions={
        "A": "A spoken and a written digit are shown together. Each drives its own input neurons; "
        "x_A reaches four circuits that hear, x_V four that see. Lateral connections may grow "
        "between any two hidden neurons.",
        "B": "Rates of all neurons of z_V while only the sound is there, sorted by their peak "
        "(100 trials, Gaussian filter of 50 ms), and the image they have in mind: efficacies "
        "times rates. Beside it the mean image of the digit.",
        "C": "First three principal components of θ′, the lateral parameters of one neuron that "
        "lesion 2 left. After each lesion they move to another region.",
        "D": "Weights of z_V at marked times; a hundredth of the possible lateral connections "
        "(those that were there at the mark before in gray, the neuron of panel C in red) and the "
        "number of all; recall from sound alone of every network (thin) and their mean. Lesion 1 "
        "removes the neurons of z_V tuned to the second digit, lesion 2 all functional lateral "
        "connections for good. Dashed: controls.",
        "S1A": "Which lateral connections are functional before lesion 1, and the share of "
        "functional ones of each kind.",
        "S1B": "Without lesions the codes of both populations for the same word drift over hours "
        "(neurons in the order of the first histogram), while recall holds.",
    },
    assumptions=(
        "2.5 h of learning, 1.5 h after lesion 1, 3.5 h after lesion 2; the paper says more than "
        "7 h in all.",
        "Tuned to 2: significantly more spikes for 2 than for 1 with sound and image, from the "
        "running state (Welch's t-test, p < 0.05/40).",
        "Recall is tested on copies with b = 0 after 75 s of sound alone, in independent blocks; "
        "recall with every trial from rest is given beside it.",
        "The linear readout sees rates in five windows of the first part of each word, as long as "
        "the shortest test word: a circuit's total rate is fixed, so counts of whole words would "
        "betray their length.",
        "Test words are never learned from; readouts are fitted and tested on separate trials.",
        "θ′ belongs to the surviving neuron of z_V with the median number of parameters left.",
        "t1, t2: before each lesion; t3: just after lesion 2; t4: two hours later.",
        "A retracted synapse feels the likelihood by its w, as the equation has it; the text says "
        "it does not: --set rule.retracted_learn=false.",
    ),
    repeats=Repeats("seeds", "seed"),
    deviations=(
        "The speech is not TI-46, which is licensed: an embedded synthetic voice by default, the "
        "Free Spoken Digits with --set input.speech=fsdd --set input.speaker=jackson.",
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Only the term α e^w is clipped (at 5), not the whole change at 5 b; "
        "--set rule.clip=change does what the paper's text says.",
        "No neuron connects to itself; --set lateral.self_connections=true allows it.",
        "In the networks tried, recovery needs plasticity but not the noise: with T = 0 after a "
        "lesion, likelihood and prior regrow connections as well. See docs/compensation.md.",
    ),
)
