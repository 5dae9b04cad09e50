"""A two-armed bandit: learning from reward with a known stationary distribution."""

from __future__ import annotations

from synsamp.beyond.bandit.claims import CLAIMS
from synsamp.beyond.bandit.measures import MEASURES
from synsamp.beyond.bandit.parameters import BanditParameters
from synsamp.beyond.bandit.protocol import run
from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with

EXPERIMENT = Experiment(
    name="bandit",
    alias="two_arms",
    title="Learning from reward visits the states that theory says",
    summary="One synapse, two choices: visited states compared with (prior × reward^κ)^(1/T).",
    parameters=BanditParameters,
    presets={
        "quick": BanditParameters(relaxations=25.0),
        "paper": BanditParameters(relaxations=400.0),
    },
    trials={"quick": 4, "paper": 12},
    run=run,
    measures=MEASURES,
    claims=CLAIMS,
    draw=draw_with("synsamp.beyond.bandit.figures"),
    captions={
        "A": "Prior, expected reward, stationary distribution in theory, and states visited at the "
        "lowest speed.",
        "B": "Visited states (bars) and theory (lines) at half and at twice the temperature.",
        "C": "Two controls: with reward shuffled in time, states follow the prior; without the "
        "expectation term of the eligibility trace the synapse drifts to its upper bound.",
        "D": "As b decreases, the noise of the gradient estimate relative to T decreases as well, "
        "and the variance approaches that of theory.",
    },
    assumptions=(
        "The task is not in the 2018 paper; it is the smallest with a known expected reward.",
        "Time constants are shorter than the paper's (1 s, 50 s, mean over 50 s), because "
        "theory requires them to be short relative to σ²/b; b is larger, so that runs are short.",
    ),
)
