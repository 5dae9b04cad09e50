"""Parameters of the comparison of priors."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.fig2_prior_comparison.models import Name, compared_priors
from synsamp.paper.shared.boltzmann_trial import BoltzmannRule, TrialParameters


class ComparedPriors(Parameters):
    """Width that the Gaussian, Laplace and Student-t prior share."""

    std: float = Field(
        0.52, ge=1e-3, le=100.0, description="σ, std of the Gaussian, Laplace and Student-t prior"
    )


class ComparisonRule(BoltzmannRule):
    """Parameters of the synaptic sampling rule (Eq. 26)."""

    prior: ComparedPriors = ComparedPriors()


class ComparisonParameters(TrialParameters):
    """Priors and temperatures to compare."""

    priors: tuple[Name, ...] = Field(
        ("uniform", "gaussian", "laplace", "student_t", "narrow_gaussian", "bimodal"),
        min_length=1,
        max_length=6,
        description="priors of the weights",
    )
    temperatures: tuple[Annotated[float, Field(ge=0.0, le=1000.0)], ...] = Field(
        (0.0, 0.25, 1.0, 4.0),
        min_length=1,
        max_length=50,
        description="temperatures T; 0 is no noise",
    )
    rule: ComparisonRule = ComparisonRule()

    @model_validator(mode="after")
    def _each_once(self) -> ComparisonParameters:
        for values in (self.priors, self.temperatures):
            if len(set(values)) < len(values):
                raise ValueError("priors and temperatures must each be named once")
        return self

    @property
    def n_variants(self) -> int:
        """Number of variants, controls included."""
        return len(compared_priors(self.priors, self.temperatures, self.rule.prior.std))
