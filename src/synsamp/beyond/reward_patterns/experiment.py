"""Two patterns, two populations: learning from reward alone."""

from __future__ import annotations

from synsamp.beyond.reward_patterns.claims import CLAIMS
from synsamp.beyond.reward_patterns.measures import MEASURES
from synsamp.beyond.reward_patterns.parameters import PatternParameters, PatternTask
from synsamp.beyond.reward_patterns.protocol import run
from synsamp.beyond.shared.reward_network import RewardRule
from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with

PAPER = PatternParameters(rule=RewardRule(weight_0=2.0))
QUICK = PatternParameters(
    task=PatternTask(period_s=0.03),
    rule=RewardRule(speed=0.008, gradient_weight=0.25, weight_0=2.0, theta_max=2.0),
    learning_s=1000.0,
    record_every_s=20.0,
)

EXPERIMENT = Experiment(
    name="reward_patterns",
    alias="patterns",
    title="Two patterns, two populations: learning from reward alone",
    summary="Two populations learn from reward to respond to one of two patterns each.",
    parameters=PatternParameters,
    presets={"quick": QUICK, "paper": PAPER},
    trials={"quick": 8, "paper": 12},
    run=run,
    measures=MEASURES,
    claims=CLAIMS,
    draw=draw_with("synsamp.beyond.reward_patterns.figures"),
    captions={
        "A": "Spikes of both populations in the first and in the last seconds of one run. Shaded: "
        "a pattern is shown, in the colour of the correct population.",
        "B": "Reward while patterns are shown, and the share of that time in which the correct "
        "population leads: mean over networks, ± one standard deviation. Grey: networks with "
        "the same amount of reward at random.",
        "C": "Each point is an input of a network: difference of its rate between the patterns, "
        "and how much more it excites the first population than the second at the end.",
    },
    assumptions=(
        "Rates are limited to 1000 Hz, about one spike per step of 1 ms; otherwise strong weights "
        "would increase them without bound.",
        "Rates of a pattern: 60 Hz × Gamma(0.2, 0.8) for each input, within 2 and 60 Hz; between "
        "patterns all inputs fire at 2 Hz, for 0.5 to 1 s like patterns. Each run draws its own.",
        "The rate of a population is that of all its spikes together, estimated in an "
        "exponential window of 0.25 s that restarts with each pattern and pause. The first "
        "population should respond to the first pattern, the second to the second.",
        "Where the published code has two potential synapses from each input to each neuron, there "
        "is one here, with w_0 = 2.",
        "Rates are ρ_0 exp(u + β) with ρ_0 = 5 Hz; the bias β starts at 0 and follows "
        "dβ/dt = (5 Hz − spikes)/50 s.",
        "No connections between the neurons, no inhibition.",
    ),
    deviations=(
        "w = exp(θ − 3) − exp(−3) where θ > 0: continuous at 0, where the 2018 paper has a step.",
        "The preset quick has a faster rule (b = 0.008 per s, with c = 0.25 so that the noise of "
        "g, which adds b c² to T, grows less), θ is at most 2, and reward comes every 30 ms.",
    ),
)
