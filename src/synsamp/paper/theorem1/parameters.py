"""Parameters of the experiment on Theorem 1."""

from __future__ import annotations

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.shared.limits import MOST_STEPS, require_at_most

LONGEST_RELAXATION = 10.0
"""Of all conditions within the bounds of T: two modes at T = 0.2."""


class TheoryParameters(Parameters):
    """Number of states, and how they are sampled."""

    copies: int = Field(4000, ge=100, le=10**6, description="independent states per condition")
    relaxations: float = Field(
        7.0, ge=1.0, le=50.0, description="duration of a run, in relaxation times"
    )
    dt: float = Field(0.004, ge=1e-4, le=0.02, description="time step Δt (b·dt is η)")
    online_dt: float = Field(5e-4, ge=1e-5, le=0.02, description="time step of online learning")
    batch: int = Field(5, ge=2, le=100, description="inputs per minibatch")
    cold: float = Field(0.25, ge=0.2, le=20.0, description="a low T")
    hot: float = Field(4.0, ge=0.2, le=20.0, description="a high T")

    @model_validator(mode="after")
    def _ends(self) -> TheoryParameters:
        time = self.relaxations * LONGEST_RELAXATION
        steps = 14 * self.copies * time * max(1.0, self.hot) / self.dt
        online = 4 * self.batch * self.copies * time / self.online_dt
        require_at_most("steps", steps + online, MOST_STEPS)
        return self
