"""Figure 4: connections and weights adapt to a changing distribution of inputs.

Ten winner-take-all neurons see handwritten ones, then ones and twos, then ones again, while every
synapse follows the one rule

    dθ = b ( (μ − θ)/σ² + N w S(t) (x(t) − α e^w) ) dt + sqrt(2 T b) dW,   w = exp(θ − θ0)

(structsamp-spiking with the sign of the prior mended). Any digits and phases will do:
``--set phases="1;1,2;1"``, or the name of a file with one phase per line.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import BeforeValidator, Field, model_validator

from synsamp.experiments.adaptation.claims import judge
from synsamp.experiments.adaptation.job import GRID_S, TURNOVER_S, CircuitPlan, PhasesJob, Segment
from synsamp.experiments.adaptation.measures import (
    PhaseCourse,
    active_share_by_input,
    candidate_inputs,
    comeback,
    new_inputs,
    one_synapse,
    tuning,
)
from synsamp.experiments.adaptation.phases import (
    MOST_PHASES,
    DigitPhase,
    new_digit,
    new_digit_phase,
    read_phases,
    return_phase,
)
from synsamp.experiments.adaptation.stdp import measure_stdp
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
from synsamp.experiments.shared.digit_circuit import (
    N_PIXELS,
    CircuitSection,
    DigitStimulus,
    InputSection,
    RuleSection,
    Source,
    check_digits,
    ink_shares,
    mean_images,
    require_an_end,
    training_digits,
)
from synsamp.experiments.shared.limits import MOST_NUMBERS, require_at_most

N_SHOWN, N_EXAMPLES = 4, 16


class AdaptationParameters(Parameters):
    """What can be set."""

    phases: Annotated[tuple[DigitPhase, ...], BeforeValidator(read_phases)] = Field(
        (DigitPhase(digits=(1,)), DigitPhase(digits=(1, 2)), DigitPhase(digits=(1,))),
        min_length=1,
        max_length=MOST_PHASES,
        description='digits shown in each phase, as "1;1,2;1" or "1;1,2@6000;1", or a file',
    )
    phase_s: float = Field(4000.0, ge=1.0, le=1e9, description="length of a phase")
    snapshot_every_s: float = Field(1000.0, ge=1.0, le=1e8, description="between two pictures")
    seeds: int = Field(8, ge=1, le=1000, description="independent circuits")
    data: Source = Field("embedded", description="embedded (ones and twos) or mnist (all digits)")
    probe_s: float = Field(100.0, ge=5.0, le=1e4, description="length of a test of the tuning")
    rule: RuleSection = RuleSection()
    circuit: CircuitSection = CircuitSection()
    input: InputSection = InputSection()

    @model_validator(mode="after")
    def _fits(self) -> AdaptationParameters:
        if self.snapshot_every_s % TURNOVER_S:
            raise ValueError(f"snapshot_every_s must be a multiple of {TURNOVER_S:g} s")
        for phase in self.phases:
            if self.length_of(phase) % self.snapshot_every_s:
                raise ValueError(
                    "every phase must last a multiple of snapshot_every_s = "
                    f"{self.snapshot_every_s:g} s, not {self.length_of(phase):g} s"
                )
        try:
            check_digits({digit for phase in self.phases for digit in phase.digits}, self.data)
        except ValueError as error:
            raise ValueError(f"phases {error}") from None
        seconds = sum(self.length_of(phase) for phase in self.phases)
        tests = len(self.digits) * (len(self.phases) + 1) * self.probe_s
        require_an_end(self.seeds * (seconds + tests), self.circuit, self.input)
        pictures = self.seeds * (seconds / self.snapshot_every_s + 1) * self.circuit.neurons
        require_at_most("numbers in memory", pictures * N_PIXELS, MOST_NUMBERS)
        require_at_most("numbers in memory", self.seeds * seconds, MOST_NUMBERS)
        return self

    def length_of(self, phase: DigitPhase) -> float:
        """Length of a phase in seconds."""
        return self.phase_s if phase.duration_s is None else phase.duration_s

    @property
    def course(self) -> PhaseCourse:
        """When the phases are."""
        ends = np.cumsum([self.length_of(phase) for phase in self.phases])
        starts = [0.0, *ends[:-1]]
        return PhaseCourse(
            last_snapshot=tuple(round(t / self.snapshot_every_s) for t in ends),
            first_point=tuple(round(t / GRID_S) for t in starts),
            last_point=tuple(round(t / GRID_S) for t in ends),
            digits=tuple(tuple(sorted(set(phase.digits))) for phase in self.phases),
            new_phase=new_digit_phase(self.phases),
            new_digit=new_digit(self.phases),
            return_phase=return_phase(self.phases),
        )

    @property
    def digits(self) -> tuple[int, ...]:
        """All digits of all phases."""
        return tuple(sorted({digit for phase in self.phases for digit in phase.digits}))


def run(p: AdaptationParameters, context: RunContext) -> Results:
    """Run all circuits through all phases."""
    makers = [partial(_job, p, context.seed_for, number) for number in range(p.seeds)]
    ended = context.run_jobs("learning", makers)
    images = _images(p)
    plan = _plan(p, images)
    tables = [state["tables"] for state in ended]
    circuits = _circuits(p, plan, tables)
    measures = _measures(p, images, circuits, tables)
    return {
        "images": images,
        "circuits": circuits,
        "measures": measures,
        "shown": _shown(p, measures),
        "stdp": measure_stdp(p.rule, context.seed_for("stdp")),
    }


def _job(p: AdaptationParameters, seed_for: Seeds, number: int, state: State | None) -> PhasesJob:
    return PhasesJob(_plan(p, _images(p)), seed_for, number, state)


def _images(p: AdaptationParameters) -> xr.Dataset:
    source = training_digits(p.data)
    height, width = source.images.shape[1:]
    examples = np.stack([source.by_digit(d)[:N_EXAMPLES] for d in p.digits])
    mean, ink = mean_images(source, p.digits), ink_shares(source, p.digits)
    return xr.Dataset(
        {
            "mean_image": (("digit", "input"), mean),
            "ink": (
                ("digit", "input"),
                ink,
                {"description": "share of bright images"},
            ),
            "example": (("digit", "example", "row", "column"), examples),
            "candidate": ("candidate", candidate_inputs(mean, ink, p.digits, p.course)),
            "new_input": ("input", new_inputs(ink, p.digits, p.course)),
        },
        coords={"digit": list(p.digits)},
        attrs={"height": height, "width": width},
    )


def _plan(p: AdaptationParameters, images: xr.Dataset) -> CircuitPlan:
    source = training_digits(p.data)
    stimuli = [DigitStimulus(source, digits, p.input) for digits in p.course.digits]
    segments: list[Segment] = []
    for number, (stimulus, phase) in enumerate(zip(stimuli, p.phases, strict=True)):
        points = round(p.length_of(phase) / GRID_S)
        if number == p.course.new_phase:
            segments.append(Segment(stimuli[number - 1], points, control=True))
        segments.append(Segment(stimulus, points))
    return CircuitPlan(
        segments=tuple(segments),
        everything=DigitStimulus(source, p.digits, p.input),
        digits=p.digits,
        candidates=images.candidate.values,
        snapshot_points=round(p.snapshot_every_s / GRID_S),
        probe_s=p.probe_s,
        n_inputs=images.sizes["input"],
        rule=p.rule,
        circuit=p.circuit,
        input=p.input,
    )


def _circuits(p: AdaptationParameters, plan: CircuitPlan, tables: list[Any]) -> xr.Dataset:
    both = {name: np.stack([np.asarray(t[name]) for t in tables]) for name in tables[0]}
    points = np.arange(plan.points + 1) * GRID_S
    return xr.Dataset(
        {
            "theta": (("seed", "snapshot", "neuron", "input"), both["theta"]),
            "spikes": (("seed", "snapshot", "neuron", "digit"), both["spikes"]),
            "active": (("seed", "time", "neuron"), both["active"]),
            "trace": (("seed", "time", "neuron", "candidate"), both["trace"]),
            "born": (("seed", "turnover"), both["born"]),
            "died": (("seed", "turnover"), both["died"]),
            "control_theta": (("seed", "neuron", "input"), both["control_theta"]),
        },
        coords={
            "time": ("time", points, {"units": "s"}),
            "snapshot_time": (
                "snapshot",
                np.arange(both["theta"].shape[1]) * p.snapshot_every_s,
                {"units": "s"},
            ),
            "turnover_time": (
                "turnover",
                np.arange(1, both["born"].shape[1] + 1) * TURNOVER_S,
                {"units": "s"},
            ),
            "digit": list(p.digits),
        },
    )


def _measures(
    p: AdaptationParameters, images: xr.Dataset, circuits: xr.Dataset, tables: list[Any]
) -> xr.Dataset:
    course, digits = p.course, p.digits
    mean, ink = images.mean_image.values, images.ink.values
    found: list[dict[str, Any]] = []
    for number, table in enumerate(tables):
        theta = np.asarray(table["theta"])
        measured: dict[str, Any] = dict(active_share_by_input(theta, ink, digits, course))
        measured |= tuning(
            circuits.spikes.values[number], theta, p.rule.theta_0, mean, digits, course
        )
        measured |= comeback(
            theta, np.asarray(table["control_theta"]), images.new_input.values, course
        )
        measured |= one_synapse(
            np.asarray(table["trace"]),
            measured["new_share"],
            course,
        )
        found.append(measured)
    dimensions = {0: ("seed",), 1: ("seed", "snapshot"), 2: ("seed", "snapshot", "neuron")}
    variables = {}
    for name in found[0]:
        values = np.stack([np.asarray(one[name], float) for one in found])
        variables[name] = (dimensions[values.ndim - 1], values)
    return xr.Dataset(
        variables,
        coords={"last_snapshot": ("phase", list(course.last_snapshot))},
        attrs={
            "new_phase": -1 if course.new_phase is None else course.new_phase,
            "new_digit": -1 if course.new_digit is None else course.new_digit,
            "return_phase": -1 if course.return_phase is None else course.return_phase,
        },
    )


def _shown(p: AdaptationParameters, measures: xr.Dataset) -> xr.Dataset:
    """Which neurons of the first circuit are drawn.

    The two that answer most to the new digit at the end of its phase, and the two least.
    """
    neurons = np.arange(p.circuit.neurons)
    if measures.attrs["new_phase"] >= 0:
        end = int(measures.last_snapshot.values[measures.attrs["new_phase"]])
        share = np.nan_to_num(measures.new_share.values[0, end], nan=-1.0)
        neurons = np.argsort(share, kind="stable")
    half = min(N_SHOWN, neurons.size) // 2
    chosen = np.concatenate([neurons[:half], neurons[::-1][:half][::-1]])
    return xr.Dataset({"neuron": ("row", chosen)})


def claims(p: AdaptationParameters, results: Results) -> list[Claim]:
    """Judge what the paper says about Fig. 4."""
    return list(judge(results))


PAPER = AdaptationParameters()
QUICK = AdaptationParameters(seeds=2)


def draw(parameters: AdaptationParameters, results: Results) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.adaptation import figures

    return figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="adaptation",
    alias="fig4",
    title="Connections adapt to a changing input",
    summary="Ten spiking neurons see ones, then ones and twos, then ones: connections that matter "
    "survive, others come and go, and the circuit rewires itself.",
    parameters=AdaptationParameters,
    presets={"quick": QUICK, "paper": PAPER},
    run=run,
    claims=claims,
    draw=draw,
    captions={
        "A": "A winner-take-all circuit: every input neuron may connect to every one of ten "
        "neurons that inhibit each other.",
        "B": "What a pair of spikes does to a synapse under the likelihood term; points are "
        "measured in the running engine, lines are ε(lag) − α e^w.",
        "C": "The same with both neurons at 20 Hz, as in pairing experiments.",
        "D": "Two data sets: ones in the first and last phase, ones and twos in the second.",
        "E": "Weight vectors of four neurons; most initial weights vanish, and with the new digit "
        "some neurons learn it and forget it again.",
        "F": "Active connections of the same neurons. Those to background inputs are eliminated, "
        "some return with the new digit, and isolated ones come and go all the time.",
        "G": "One synapse that is useful for the new digit: driven by prior and noise in the first "
        "and last phase, stable in the second. The prior is drawn at the left.",
        "H": "The number of active synapses stays low (all circuits of the run).",
    },
    assumptions=(
        "Phases last 4,000 s; the paper does not say.",
        "All images of a digit are equally likely, as in the paper; so in phase 2 a digit is a 1 "
        "with 6,742/12,700.",
        "A neuron's tuning is tested with plasticity off, from the running state, on a copy.",
        "The synapse of panel G is chosen in the middle of the new digit's phase and judged after: "
        "the neuron with the largest share of spikes on the new digit; of the 20 inputs that are "
        "background for the old digits and brightest for the new one, the one with the largest θ.",
        "Chance for reactivation is the same circuit, on the same noise, that goes on with the "
        "old digits.",
    ),
    repeats=Repeats("seeds", "seed"),
    deviations=(
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Only the term α e^w is clipped (at 5), not the whole change at 5 b; "
        "--set rule.clip=change does what the paper's text says.",
        "Panel C pairs Poisson spike trains of 20 Hz; the experiment used regular trains.",
    ),
)
