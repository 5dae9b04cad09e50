"""Student-t prior: like a Gaussian near its centre, with heavy tails."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma
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
    """Log density of m + s·t_ν."""
    df, mean, scale = p
    z = (theta - mean) / scale
    norm = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * np.log(df * np.pi) - np.log(scale)
    return norm - 0.5 * (df + 1.0) * np.log1p(z * z / df)


@scalar
def gradient(theta: float, p: Any) -> float:
    """−(ν + 1)(θ − m) / (ν s² + (θ − m)²)."""
    df, mean, scale = p
    x = theta - mean
    return -(df + 1.0) * x / (df * scale * scale + x * x)


@dataclass(frozen=True)
class StudentT(Prior):
    """Student-t prior.

    Parameters
    ----------
    df, mean, scale : float or array
        Degrees of freedom, centre and scale of θ; arrays have one value per parameter.
    """

    df: Values = 3.0
    mean: Values = 0.0
    scale: Values = 1.0

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)

    def __post_init__(self) -> None:
        object.__setattr__(self, "df", number_or_numbers("df", self.df, above=0, at_most=1e6))
        object.__setattr__(self, "mean", number_or_numbers("mean", self.mean, **LOCATION_BOUNDS))
        object.__setattr__(self, "scale", number_or_numbers("scale", self.scale, **SCALE_BOUNDS))
        require_one_shape(df=self.df, mean=self.mean, scale=self.scale)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draws from the scaled t distribution."""
        return np.asarray(
            np.asarray(self.mean) + self.scale * rng.standard_t(np.asarray(self.df), size)
        )
