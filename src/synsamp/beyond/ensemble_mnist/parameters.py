"""Parameters of the experiment on averages over samples."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from synsamp.beyond.shared.labelled_digits import N_PIXELS, DigitsToLearn
from synsamp.experiments.base import Parameters
from synsamp.paper.shared.limits import MOST_PRODUCTS, require_at_most


class EnsembleRule(Parameters):
    """The rule samples (prior × likelihood)^(1/T)."""

    temperature: float = Field(1.0, ge=1e-6, le=100.0, description="T, temperature of the noise")
    learning_rate: float = Field(
        0.02, ge=1e-6, le=1.0, description="b·N, with b the speed of sampling"
    )
    hidden_gain: float = Field(
        20.0, ge=1e-3, le=1000.0, description="prior variance of a hidden weight, times inputs"
    )
    output_gain: float = Field(
        10.0, ge=1e-3, le=1000.0, description="prior variance of an output weight, times inputs"
    )
    bias_std: float = Field(1.0, ge=1e-3, le=100.0, description="std of a bias under the prior")


class EnsembleParameters(Parameters):
    """Parameters of one seed."""

    digits: DigitsToLearn = DigitsToLearn(training=1000)
    out_of_distribution: int = Field(
        1000, ge=10, le=10_000, description="number of rotated digits, and of letters"
    )
    hidden: int = Field(100, ge=1, le=5000, description="hidden neurons")
    batch: int = Field(50, ge=1, le=10_000, description="images per step")
    settling: int = Field(4000, ge=0, le=10**7, description="steps before the first sample")
    samples: int = Field(60, ge=2, le=1000, description="number of samples")
    steps_between: int = Field(200, ge=1, le=10**6, description="steps between samples")
    sgd_rate: float = Field(0.1, ge=1e-6, le=10.0, description="learning rate of plain SGD")
    rule: EnsembleRule = EnsembleRule()

    @property
    def n_parameters(self) -> int:
        """Weights and biases of the network."""
        return (N_PIXELS + 1) * self.hidden + (self.hidden + 1) * self.digits.classes

    @model_validator(mode="after")
    def _ends(self) -> Self:
        steps = self.settling + self.samples * self.steps_between
        products = 3.0 * steps * self.batch * self.n_parameters
        require_at_most("products of weights", products, MOST_PRODUCTS)
        return self
