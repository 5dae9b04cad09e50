"""The lever: a network learns a movement from reward, and goes on changing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synsamp.beyond.lever.claims import CLAIMS
from synsamp.beyond.lever.measures import measures
from synsamp.beyond.lever.parameters import LeverParameters, Schedule, Task, Wiring
from synsamp.beyond.lever.protocol import run
from synsamp.beyond.shared.reward_network import Cues, RewardRule
from synsamp.experiments.base import Experiment, Results


def draw(parameters: LeverParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.beyond.lever import figures

    return figures.draw(parameters, runs)


PAPER = LeverParameters()
QUICK = LeverParameters(
    task=Task(period_s=0.03, keep=0.9),
    cues=Cues(inputs=20, shape=1.0),
    rule=RewardRule(speed=0.005, gradient_weight=0.12, weight_0=3.0, theta_max=2.0),
    wiring=Wiring(hidden=10, seeing=30, inhibitory=5),
    schedule=Schedule(
        learning_s=1200.0,
        same_s=400.0,
        changed_s=800.0,
        lesion_s=400.0,
        random_s=1200.0,
        noiseless_s=0.0,
        look_s=20.0,
    ),
)

EXPERIMENT = Experiment(
    name="lever",
    alias="lever_press",
    title="A lever learned from reward, while connections keep changing",
    summary="A recurrent network learns to move a lever, adapts to another order, and compensates "
    "for a lesion, under one rule.",
    parameters=LeverParameters,
    presets={"quick": QUICK, "paper": PAPER},
    trials={"quick": 4, "paper": 8},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Movements finished per minute of cued time: mean over networks, one standard "
        "deviation to either side. The order is exchanged at the first line, two fifths of the "
        "motor neurons are removed at the second. Dashed: controls.",
        "B": "θ of some connections between neurons over the same time; below 0 a connection is "
        "retracted.",
        "C": "While the task goes on as it was: connections that are left of those that were there "
        "at the beginning of that stretch.",
        "D": "Weights onto motor neurons at the beginning and at the end of that stretch, over the "
        "neurons that they come from: correlation of single synapses, of the difference between "
        "groups mixed from both populations, and of that which moves the lever. Dots: networks.",
    },
    assumptions=(
        "Rates rise no further than 1000 Hz, about one spike per step of 1 ms; without such an end "
        "strong weights drive them beyond every bound.",
        "The cue: 60 Hz × Gamma(0.2, 0.8) for each input, within 2 and 60 Hz; while the network "
        "waits and is rewarded all inputs fire at 2 Hz.",
        "Rates of up and down are those of all spikes of a population together, seen through an "
        "exponential window of 0.25 s. Nothing sets the lever back between trials.",
        "Inputs reach 30 of the 40 hidden neurons; any two excitatory neurons may connect, with a "
        "delay of 1 ms. Where the published code has up to ten potential synapses for a pair, with "
        "probability 0.5 each, there is one here, with w_0 = 5.",
        "Fixed connections: 0.5 onto inhibitory neurons (share 0.575), −1 from them onto "
        "excitatory ones (0.6) and among them (0.55), each ± 20 %, 1 ms.",
        "Inhibitory neurons: ρ_0 = 5 Hz, refractory period 2 ms, no homeostasis. Excitatory ones: "
        "ρ_0 = 5 Hz, and a bias that starts at 0 and keeps the mean rate.",
        "100,000 s are 50,000 s of learning, 25,000 s with the other order and 25,000 s after the "
        "lesion; the 2018 paper has its changes at other times.",
    ),
    deviations=(
        "w = w_0 (exp(θ − 3) − exp(−3)) where θ > 0: continuous at 0, where the 2018 paper has a "
        "step.",
        "The preset quick has a smaller network (20 inputs that reach motor neurons too, 10 "
        "hidden, 5 inhibitory neurons), a stronger cue (shape 1), a faster rule (b = 0.005 per s, "
        "c = 0.12, w_0 = 3, θ at most 2) and a lever that is moved every 30 ms (0.9 is kept).",
    ),
)
