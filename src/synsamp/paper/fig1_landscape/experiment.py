"""Figure 1: maximum likelihood learning against synaptic sampling, with two parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from synsamp.experiments.base import Experiment, Parameters, Results
from synsamp.models.landscape import Landscape
from synsamp.paper.fig1_landscape.claims import CLAIMS
from synsamp.paper.fig1_landscape.measures import measures
from synsamp.paper.fig1_landscape.run import run
from synsamp.paper.shared.limits import MOST_NUMBERS, MOST_STEPS, require_at_most

_DEFAULT = Landscape()

Place = Annotated[float, Field(ge=-3.0, le=3.0)]
Width = Annotated[float, Field(ge=0.2, le=2.0)]  # the grid has cells of 0.07
Height = Annotated[float, Field(ge=1e-3, le=1e3)]


class Peaks(Parameters):
    """The likelihood's peaks; the paper leaves them open."""

    centres: tuple[tuple[Place, Place], ...] = Field(
        _DEFAULT.centres, min_length=1, max_length=12, description="where the peaks are"
    )
    widths: tuple[Width, ...] = Field(
        _DEFAULT.widths, max_length=12, description="their standard deviations"
    )
    heights: tuple[Height, ...] = Field(
        _DEFAULT.heights, max_length=12, description="their relative heights"
    )

    @model_validator(mode="after")
    def _fits(self) -> Peaks:
        if not len(self.centres) == len(self.widths) == len(self.heights):
            raise ValueError("centres, widths and heights must have the same length")
        return self


class RuleSection(Parameters):
    """The rule's numbers."""

    speed: float = Field(1.0, ge=0.01, le=100.0, description="b, the sampling speed")
    temperature: float = Field(1.0, ge=0.2, le=20.0, description="T of the path in panel F")
    hot: float = Field(4.0, ge=0.2, le=20.0, description="a high T, to flatten the modes")
    cold: float = Field(0.01, ge=0.0, le=20.0, description="a low T, to stay at one mode")
    dt: float = Field(0.004, ge=1e-4, le=0.05, description="time step Δt (b·dt is η)")


class PriorSection(Parameters):
    """The prior N(0, std²) of both parameters."""

    std: float = Field(1.5, ge=0.1, le=10.0, description="prior N(0, std²): prefers small θ")


class LandscapeParameters(Parameters):
    """Parameters of Figure 1."""

    peaks: Peaks = Peaks()
    prior: PriorSection = PriorSection()
    rule: RuleSection = RuleSection()
    ml_paths: int = Field(24, ge=1, le=500, description="maximum likelihood paths")
    ml_time: float = Field(60.0, ge=0.1, le=1e4, description="time of each of them")
    path_time: float = Field(600.0, ge=1.0, le=1e5, description="time of the path in panel F")
    chains: int = Field(16, ge=4, le=1024, description="further chains, to measure the law")
    chain_time: float = Field(600.0, ge=10.0, le=1e5, description="time of each further chain")
    bins: int = Field(20, ge=4, le=60, description="bins per axis when the law is compared")

    @model_validator(mode="after")
    def _ends(self) -> LandscapeParameters:
        climbing = 2 * self.ml_paths * self.ml_time
        hotter = max(1.0, self.rule.hot / self.rule.temperature)
        sampling = 3 * self.path_time + (1 + hotter) * self.chains * self.chain_time
        require_at_most("steps", (climbing + sampling) / self.rule.dt, MOST_STEPS)
        # Two coordinates every tenth of a unit of time, or more often for fewer paths.
        kept = 20 * self.chains * self.chain_time + 50 * self.ml_paths * self.ml_time
        require_at_most("numbers in memory", kept + 300 * self.path_time, MOST_NUMBERS)
        return self


def draw(parameters: LandscapeParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.paper.fig1_landscape import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="landscape",
    alias="fig1",
    title="Maximum likelihood learning against synaptic sampling",
    summary="Two parameters, a few solutions: climbing ends in one, sampling visits them all.",
    parameters=LandscapeParameters,
    presets={
        "quick": LandscapeParameters(),
        "paper": LandscapeParameters(ml_paths=60, chains=64, chain_time=3000.0, path_time=3000.0),
    },
    trials={"quick": 4, "paper": 8},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "A likelihood function: given the inputs, a density for each setting of θ.",
        "B": "The function belongs to some underlying neural network with these two parameters.",
        "C": "Paths along the gradient of the likelihood from random starts (dots) each end in a "
        "local maximum (red triangles).",
        "D": "A prior that prefers small parameters.",
        "E": "The posterior, product of prior and likelihood.",
        "F": "One path of synaptic sampling fluctuates between solutions; the states it visits "
        "cluster near the local optima (red triangles).",
        "G": "One step taken apart: the drift (prior and likelihood) points to the next local "
        "maximum, the diffusion has a random direction.",
        "T": "High temperature flattens the landscape; as T → 0 the path stays at one maximum.",
    },
    assumptions=(
        "The paper leaves the likelihood and the prior of Fig. 1 open: here four Gaussian peaks "
        "and a Gaussian prior around 0.",
        "Panel B is a cartoon in the paper too: the peaks stand for the likelihood of a network "
        "with two parameters.",
        "Chains at the high temperature take shorter steps, by T over the high one: at the step of "
        "the others their states resolve Euler's error.",
        "Panel G shows a step of 0.12 time units so that the arrows can be seen; the simulation's "
        "step is rule.dt.",
    ),
)
