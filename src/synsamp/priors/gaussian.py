"""Gaussian prior N(θ; μ, σ²) of the spiking networks (Eq. 37, sign corrected)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import number_or_numbers
from synsamp.noise.arithmetic import exp, scalar
from synsamp.priors.base import (
    LOCATION_BOUNDS,
    SCALE_BOUNDS,
    Prior,
    Size,
    Values,
    require_one_shape,
)

_HALF_LOG_2_PI = 0.5 * np.log(2 * np.pi)


@scalar
def log_density(theta: float, p: Any) -> float:
    """log N(θ; μ, σ²)."""
    mean, std = p
    z = (theta - mean) / std
    return -0.5 * z * z - np.log(std) - _HALF_LOG_2_PI


@scalar
def gradient(theta: float, p: Any) -> float:
    """(μ − θ)/σ², the gradient of the log density; Eq. 37 is printed with the opposite sign."""
    mean, std = p
    return (mean - theta) / (std * std)


@scalar
def ornstein_uhlenbeck(b: float, T: float, std: float, elapsed: float) -> tuple[float, float]:
    """Exact transition under a Gaussian prior alone: (remaining fraction of θ−μ, std of the noise).

    With ∂log p_S = (μ − θ)/σ² and constant b the rule is an Ornstein–Uhlenbeck process of rate
    b/σ² and stationary variance Tσ², so θ(t) = μ + keep·(θ(0) − μ) + spread·ν for any t.
    """
    rate_times_elapsed = b * elapsed / (std * std)
    keep = exp(-rate_times_elapsed)
    return keep, std * np.sqrt(T * -np.expm1(-2.0 * rate_times_elapsed))


@scalar
def transition(p: Any, b: float, T: float, elapsed: float) -> tuple[float, float, float]:
    """(mean, keep, spread) over ``elapsed``."""
    mean, std = p
    keep, spread = ornstein_uhlenbeck(b, T, std, elapsed)
    return mean, keep, spread


@dataclass(frozen=True)
class Gaussian(Prior):
    """Gaussian prior (Eq. 37, prior of the spiking networks; there mean 0.5, std 1).

    Parameters
    ----------
    mean, std : float or array
        Mean μ and standard deviation σ of θ; arrays have one value per parameter.
    """

    mean: Values = 0.0
    std: Values = 1.0

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)
    transition_of: ClassVar[Any] = staticmethod(transition)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number_or_numbers("mean", self.mean, **LOCATION_BOUNDS))
        object.__setattr__(self, "std", number_or_numbers("std", self.std, **SCALE_BOUNDS))
        require_one_shape(mean=self.mean, std=self.std)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draws from N(μ, σ²)."""
        return np.asarray(rng.normal(self.mean, self.std, size))
