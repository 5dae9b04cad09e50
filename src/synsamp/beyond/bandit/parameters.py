"""Parameters of the bandit."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from synsamp.experiments.base import GaussianSection, Parameters
from synsamp.paper.shared.limits import MOST_EVENTS, require_at_most

SpeedValue = Annotated[float, Field(ge=1e-3, le=10.0)]
Temperature = Annotated[float, Field(ge=0.05, le=20.0)]


class BanditTask(Parameters):
    """The two-armed bandit, and how reward reaches the synapse."""

    best: float = Field(1.0, ge=0.0, le=100.0, description="reward for a spike of the first neuron")
    other: float = Field(0.05, ge=1e-3, le=100.0, description="reward for a spike of the second")
    rate_hz: float = Field(10.0, ge=1.0, le=1000.0, description="ν, rate of the circuit")
    period_s: float = Field(0.1, ge=0.01, le=10.0, description="Δ, from one reward to the next")
    eligibility_s: float = Field(
        0.1, ge=0.01, le=10.0, description="τ_e, time constant of the eligibility trace"
    )
    gradient_s: float = Field(
        0.5, ge=0.01, le=100.0, description="τ_g, time constant of the gradient estimate"
    )
    mean_s: float = Field(
        3.0, ge=0.1, le=1000.0, description="time constant of the running mean of reward"
    )
    exponent: float = Field(
        2.0,
        ge=0.0,
        le=20.0,
        description="κ, exponent of expected reward in the stationary distribution",
    )


class BanditPrior(GaussianSection):
    """Prior of the one plastic synapse."""

    mean: float = Field(0.3, ge=-1.5, le=3.0, description="μ, mean of the prior of θ")
    std: float = Field(0.7, ge=0.1, le=3.0, description="σ, standard deviation of the prior of θ")


class BanditRule(Parameters):
    """Parameters of the rule, for all conditions."""

    prior: BanditPrior = BanditPrior()
    speeds: tuple[SpeedValue, SpeedValue, SpeedValue] = Field(
        (0.4, 0.12, 0.04), description="b, from fast to slow; theory holds as b → 0"
    )
    temperatures: tuple[Temperature, Temperature, Temperature] = Field(
        (0.5, 1.0, 2.0), description="T, low, middle and high; the middle one for all speeds"
    )

    @model_validator(mode="after")
    def _in_order(self) -> BanditRule:
        if not self.speeds[0] > self.speeds[1] > self.speeds[2]:
            raise ValueError("speeds must go from fast to slow")
        if not self.temperatures[0] < self.temperatures[1] < self.temperatures[2]:
            raise ValueError("temperatures must go from low to high")
        return self


class BanditParameters(Parameters):
    """A circuit of two neurons, one input, one plastic synapse."""

    task: BanditTask = BanditTask()
    rule: BanditRule = BanditRule()
    relaxations: float = Field(
        100.0, ge=5.0, le=1e5, description="duration of each run, in σ²/b of the slowest"
    )

    @model_validator(mode="after")
    def _ends(self) -> BanditParameters:
        seconds = 7 * self.relaxations * self.rule.prior.std**2 / self.rule.speeds[2]
        require_at_most("synapse updates", 600 * seconds, MOST_EVENTS)
        return self
