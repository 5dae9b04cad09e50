"""Parameters of Fig. 1."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from synsamp.experiments.base import GaussianSection, Parameters
from synsamp.models.landscape import Landscape
from synsamp.paper.shared.limits import MOST_NUMBERS, MOST_STEPS, require_at_most

_DEFAULT = Landscape()

Coordinate = Annotated[float, Field(ge=-3.0, le=3.0)]
Width = Annotated[float, Field(ge=0.2, le=2.0)]  # the grid has cells of 0.07
Height = Annotated[float, Field(ge=1e-3, le=1e3)]


class Peaks(Parameters):
    """Peaks of the likelihood; the paper does not specify them."""

    centres: tuple[tuple[Coordinate, Coordinate], ...] = Field(
        _DEFAULT.centres, min_length=1, max_length=12, description="positions of the peaks"
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


class LandscapePrior(GaussianSection):
    """Gaussian prior of both parameters, which prefers small θ."""

    mean: float = Field(0.0, ge=-3.0, le=3.0, description="μ, mean of the prior of θ")
    std: float = Field(1.5, ge=0.1, le=10.0, description="σ, standard deviation of the prior of θ")


class LandscapeRule(Parameters):
    """Parameters of the synaptic sampling rule."""

    speed: float = Field(1.0, ge=0.01, le=100.0, description="b, speed of sampling")
    temperature: float = Field(1.0, ge=0.2, le=20.0, description="T of the path in panel F")
    hot: float = Field(4.0, ge=0.2, le=20.0, description="a high T, which flattens the modes")
    cold: float = Field(0.01, ge=0.0, le=20.0, description="a low T, which stays at one mode")
    dt: float = Field(0.004, ge=1e-4, le=0.05, description="time step Δt (b·dt is η)")
    prior: LandscapePrior = LandscapePrior()


class LandscapeParameters(Parameters):
    """Parameters of Fig. 1."""

    peaks: Peaks = Peaks()
    rule: LandscapeRule = LandscapeRule()
    ml_paths: int = Field(24, ge=1, le=500, description="maximum likelihood paths")
    ml_time: float = Field(60.0, ge=0.1, le=1e4, description="duration of each of them")
    path_time: float = Field(600.0, ge=1.0, le=1e5, description="duration of the path in panel F")
    chains: int = Field(16, ge=4, le=1024, description="chains to compare with the posterior")
    chain_time: float = Field(600.0, ge=10.0, le=1e5, description="duration of each of them")
    bins: int = Field(20, ge=4, le=60, description="bins per axis in this comparison")

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
