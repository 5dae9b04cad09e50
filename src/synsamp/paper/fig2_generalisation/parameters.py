"""Parameters of Fig. 2."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.shared.boltzmann_trial import BoltzmannRule, TrialParameters

N_VARIANTS = 7
"""Two priors and five controls."""


class BimodalPrior(Parameters):
    """Mixture of Gaussians with equal weights (Eq. 27)."""

    means: tuple[Annotated[float, Field(ge=-100.0, le=100.0)], ...] = Field(
        (1.0, 0.0), min_length=1, max_length=5, description="μ of each mode"
    )
    stds: tuple[Annotated[float, Field(ge=1e-3, le=100.0)], ...] = Field(
        (0.15, 0.15), min_length=1, max_length=5, description="σ of each mode"
    )

    @model_validator(mode="after")
    def _fits(self) -> BimodalPrior:
        if len(self.means) != len(self.stds):
            raise ValueError("means and stds must have the same length")
        return self


class GeneralisationRule(BoltzmannRule):
    """Parameters of the synaptic sampling rule (Eq. 26)."""

    temperature: float = Field(1.0, ge=0.0, le=1000.0, description="T, temperature of the noise")
    prior: BimodalPrior = BimodalPrior()


class GeneralisationParameters(TrialParameters):
    """Parameters of Fig. 2."""

    rule: GeneralisationRule = GeneralisationRule()

    @property
    def n_variants(self) -> int:
        """Number of variants, controls included."""
        return N_VARIANTS
