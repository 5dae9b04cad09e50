"""Gaussian prior N(θ; μ, σ²), the prior of the spiking networks (wta_dd_prior, sign corrected)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import require_finite, require_positive
from synsamp.noise.arithmetic import scalar
from synsamp.priors.base import Prior

_HALF_LOG_2_PI = 0.5 * np.log(2 * np.pi)


@scalar
def log_density(theta: float, p: Any) -> float:
    """log N(θ; μ, σ²)."""
    mean, std = p
    z = (theta - mean) / std
    return -0.5 * z * z - np.log(std) - _HALF_LOG_2_PI


@scalar
def gradient(theta: float, p: Any) -> float:
    """(μ − θ)/σ²; the paper prints the opposite sign, under which θ runs away."""
    mean, std = p
    return (mean - theta) / (std * std)


@dataclass(frozen=True)
class Gaussian(Prior):
    """Gaussian prior with mean μ and standard deviation σ (paper: 0.5 and 1)."""

    mean: Any = 0.0
    std: Any = 1.0

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)

    def __post_init__(self) -> None:
        require_finite(mean=self.mean)
        require_positive(std=self.std)

    def draw(self, rng: np.random.Generator, size: Any = None) -> NDArray[np.float64]:
        """Draws from N(μ, σ²)."""
        return np.asarray(rng.normal(self.mean, self.std, size))
