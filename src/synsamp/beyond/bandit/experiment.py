"""The bandit: one synapse, two arms, and a law that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synsamp.beyond.bandit.claims import CLAIMS
from synsamp.beyond.bandit.measures import measures
from synsamp.beyond.bandit.parameters import BanditParameters
from synsamp.beyond.bandit.protocol import run
from synsamp.experiments.base import Experiment, Results


def draw(parameters: BanditParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.beyond.bandit import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="bandit",
    alias="two_arms",
    title="Learning from reward visits the states that theory says",
    summary="One synapse, two arms: the law (prior × reward^κ)^(1/T) against what is visited.",
    parameters=BanditParameters,
    presets={
        "quick": BanditParameters(relaxations=25.0),
        "paper": BanditParameters(relaxations=400.0),
    },
    trials={"quick": 4, "paper": 12},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Prior, expected reward, the law of both, and the states visited at the lowest speed.",
        "B": "Visited states (bars) and law (lines) at half and at twice the temperature.",
        "C": "Two controls: reward shuffled in time leaves the prior; without expected spikes in "
        "the eligibility the synapse runs to its ceiling.",
        "D": "As b falls, so does the noise of the gradient estimate against T, and the variance "
        "comes down to the law's.",
    },
    assumptions=(
        "The task is not in the 2018 paper: it is the smallest for which expected reward is known.",
        "Time constants are shorter than the paper's (1 s, 50 s, mean over 50 s), since they must "
        "be short against σ²/b for the law to hold; b is raised so that runs stay short.",
    ),
)
