"""Theorem 1: the rule's stationary law, and what speed, temperature, hidden states and online
learning do to it.

The models are small enough for their posteriors to be written down; `models` has them, `run` lets
the rule run in each, once as it should be and once with one part of it broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, model_validator

from synsamp.experiments.base import Experiment, Parameters, Results
from synsamp.paper.shared.limits import MOST_STEPS, require_at_most
from synsamp.paper.theorem1.claims import CLAIMS
from synsamp.paper.theorem1.measures import measures
from synsamp.paper.theorem1.run import run

LONGEST_RELAXATION = 10.0
"""Of all arms within the bounds of T: the two modes at T = 0.2."""


class TheoryParameters(Parameters):
    """How many states are compared with each law, and how they are reached."""

    copies: int = Field(4000, ge=100, le=10**6, description="independent states per arm")
    relaxations: float = Field(
        7.0, ge=1.0, le=50.0, description="length of a run, in relaxation times of its law"
    )
    dt: float = Field(0.004, ge=1e-4, le=0.02, description="time step Δt (b·dt is η)")
    online_dt: float = Field(5e-4, ge=1e-5, le=0.02, description="time step where inputs change")
    batch: int = Field(5, ge=2, le=100, description="inputs at a time in the minibatch")
    cold: float = Field(0.25, ge=0.2, le=20.0, description="a low T")
    hot: float = Field(4.0, ge=0.2, le=20.0, description="a high T")

    @model_validator(mode="after")
    def _ends(self) -> TheoryParameters:
        time = self.relaxations * LONGEST_RELAXATION
        steps = 14 * self.copies * time * max(1.0, self.hot) / self.dt
        online = 4 * self.batch * self.copies * time / self.online_dt
        require_at_most("steps", steps + online, MOST_STEPS)
        return self


def draw(parameters: TheoryParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.paper.theorem1 import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="theorem1",
    alias="theory",
    title="Theorem 1: what the rule samples from",
    summary="Small models whose posteriors are known: the rule follows them, and with any one part "
    "of it broken it does not.",
    parameters=TheoryParameters,
    presets={
        "quick": TheoryParameters(),
        "paper": TheoryParameters(copies=20_000),
    },
    trials={"quick": 4, "paper": 16},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Theorem 1 at T = 1. Sampled states (blue) against the posterior (black), and states "
        "of a rule with one part broken (orange): a skewed posterior and one with two modes, where "
        "the noise lacks its factor √2; two parameters, where the prior is left out (ellipses "
        "hold 50 and 95 % of the posterior). Right: distance from the law, one dot per seed.",
        "B": "Temperature. States at a low and a high T against p*^(1/T); dotted: p* itself. "
        "Without noise (T = 0) paths end in the maximum of the posterior (dashed).",
        "C": "A speed b(θ) that depends on the parameter. With the term T b′(θ) the law stays p*; "
        "without it (orange) it becomes p*/b (dotted).",
        "D": "Hidden states: the network draws its response z anew in every step, and the states "
        "follow the marginal posterior. Orange: a response that is always the same.",
        "E": "Online learning: one or a few of 20 inputs at a time. With the factor N the states "
        "follow the posterior of all inputs; without it (orange) they stay near the prior. After "
        "one pass through all inputs, online and batch rule differ by second order in N τ b.",
    },
    assumptions=(
        "The paper proves Theorem 1 and shows no figure of it; the models are chosen here so that "
        "their posteriors can be written down.",
        "States are independent copies after several relaxation times of the law's Fokker–Planck "
        "operator, so the distance has Kolmogorov's law if the theorem is right.",
        "What the models see is fixed; starts and noise differ between seeds.",
    ),
)
