"""A lever: a network learns a movement from reward while its connections keep changing."""

from __future__ import annotations

from synsamp.beyond.lever.claims import CLAIMS
from synsamp.beyond.lever.measures import ALSO_MEASURED, MEASURES
from synsamp.beyond.lever.parameters import LeverNetwork, LeverParameters, LeverSchedule, LeverTask
from synsamp.beyond.lever.protocol import run
from synsamp.beyond.shared.reward_network import Cues, RewardRule
from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with

PAPER = LeverParameters()
QUICK = LeverParameters(
    task=LeverTask(period_s=0.03, keep=0.9),
    cues=Cues(inputs=20, shape=1.0),
    rule=RewardRule(speed=0.005, gradient_weight=0.12, weight_0=3.0, theta_max=2.0),
    wiring=LeverNetwork(hidden=10, seeing=30, inhibitory=5),
    schedule=LeverSchedule(
        learning_s=1200.0,
        same_s=400.0,
        changed_s=800.0,
        lesion_s=400.0,
        random_s=1200.0,
        noiseless_s=0.0,
        record_every_s=20.0,
    ),
)

EXPERIMENT = Experiment(
    name="lever",
    alias="lever_press",
    title="A lever learned from reward, while connections keep changing",
    summary="A recurrent network learns to move a lever, adapts to a reversed order, and "
    "compensates for a lesion, under one rule.",
    parameters=LeverParameters,
    presets={"quick": QUICK, "paper": PAPER},
    trials={"quick": 4, "paper": 8},
    run=run,
    measures=MEASURES,
    also_measured=ALSO_MEASURED,
    claims=CLAIMS,
    draw=draw_with("synsamp.beyond.lever.figures"),
    captions={
        "A": "Movements completed per minute of cued time: mean over networks, ± one standard "
        "deviation. The order is reversed at the first line, two fifths of the motor neurons are "
        "removed at the second. Dashed: controls.",
        "B": "θ of some connections between neurons over the same time; below 0 a connection is "
        "retracted.",
        "C": "Share of connections that survive while the task continues unchanged.",
        "D": "Correlation between weights onto motor neurons at the start and end of that period: "
        "of single synapses, of the difference between groups mixed from both populations, and of "
        "the difference that moves the lever. Dots: networks.",
    },
    assumptions=(
        "Rates are limited to 1000 Hz, about one spike per step of 1 ms; otherwise strong weights "
        "would increase them without bound.",
        "The cue: 60 Hz × Gamma(0.2, 0.8) for each input, within 2 and 60 Hz; during "
        "pauses and reward all inputs fire at 2 Hz.",
        "Rates of up and down are those of all spikes of a population together, estimated "
        "in an exponential window of 0.25 s. The lever is not reset between trials.",
        "Inputs reach 30 of the 40 hidden neurons; any two excitatory neurons may connect, with a "
        "delay of 1 ms. Where the published code has up to ten potential synapses for a pair, with "
        "probability 0.5 each, there is one here, with w_0 = 5.",
        "Fixed connections: 0.5 onto inhibitory neurons (share 0.575), −1 from them onto "
        "excitatory ones (0.6) and among them (0.55), each ± 20 %, 1 ms.",
        "Inhibitory neurons: ρ_0 = 5 Hz, refractory period 2 ms, no homeostasis. Excitatory ones: "
        "ρ_0 = 5 Hz, and a bias that starts at 0 and keeps the mean rate.",
        "100,000 s are 50,000 s of learning, 25,000 s in reversed order and 25,000 s after the "
        "lesion; the changes in the 2018 paper come at other times.",
    ),
    deviations=(
        "w = w_0 (exp(θ − 3) − exp(−3)) where θ > 0: continuous at 0, where the 2018 paper has a "
        "step.",
        "The preset quick has a smaller network (20 inputs that reach motor neurons too, 10 "
        "hidden, 5 inhibitory neurons), a stronger cue (shape 1), a faster rule (b = 0.005 per s, "
        "c = 0.12, w_0 = 3, θ at most 2) and a lever that is moved every 30 ms (0.9 is kept).",
    ),
)
