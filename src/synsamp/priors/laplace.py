"""Laplace prior: a constant drift towards its centre, which favours sparse parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import number_or_numbers
from synsamp.noise.arithmetic import scalar
from synsamp.priors.base import (
    LOCATION_BOUNDS,
    SCALE_BOUNDS,
    Prior,
    Size,
    Values,
    require_one_shape,
)


@scalar
def log_density(theta: float, p: Any) -> float:
    """−|θ − m|/s − log 2s."""
    mean, scale = p
    return -np.abs(theta - mean) / scale - np.log(2.0 * scale)


@scalar
def gradient(theta: float, p: Any) -> float:
    """−sign(θ − m)/s; zero at the kink, where the density has no derivative."""
    mean, scale = p
    return -np.sign(theta - mean) / scale


@dataclass(frozen=True)
class Laplace(Prior):
    """Laplace prior (l1 regularisation).

    Parameters
    ----------
    mean, scale : float or array
        Centre and scale of θ (standard deviation √2·scale); arrays have one value per parameter.
    """

    mean: Values = 0.0
    scale: Values = 1.0

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number_or_numbers("mean", self.mean, **LOCATION_BOUNDS))
        object.__setattr__(self, "scale", number_or_numbers("scale", self.scale, **SCALE_BOUNDS))
        require_one_shape(mean=self.mean, scale=self.scale)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draws from the Laplace distribution."""
        return np.asarray(rng.laplace(self.mean, self.scale, size))
