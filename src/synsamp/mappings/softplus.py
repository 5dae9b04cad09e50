"""Softplus mapping: positive weights that grow linearly instead of exponentially."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synsamp.arguments import number
from synsamp.mappings.base import Mapping
from synsamp.noise.arithmetic import choose, exp, scalar


@scalar
def weight(theta: float, p: Any) -> float:
    """s log(1 + exp(θ/s)), arranged so that neither end overflows."""
    x = theta / p[0]
    return p[0] * (max(x, 0.0) + np.log1p(exp(-np.abs(x))))


@scalar
def slope(theta: float, p: Any) -> float:
    """The logistic function of θ/s."""
    x = theta / p[0]
    small = exp(-np.abs(x))
    return choose(x >= 0.0, 1.0, small) / (1.0 + small)


@scalar
def dlog_slope(theta: float, p: Any) -> float:
    """(1 − slope)/s."""
    return slope(-theta, p) / p[0]


@scalar
def theta_of(w: float, p: Any) -> float:
    """s log(exp(w/s) − 1)."""
    x = w / p[0]
    return p[0] * (x + np.log(-np.expm1(-x)))


@dataclass(frozen=True)
class Softplus(Mapping):
    """w = s log(1 + exp(θ/s)): positive weights that grow linearly in θ.

    Parameters
    ----------
    scale : float
        s, the width of the transition from 0 to linear growth.
    """

    scale: float = 1.0

    weight_of: ClassVar[Any] = staticmethod(weight)
    slope_of: ClassVar[Any] = staticmethod(slope)
    dlog_slope_of: ClassVar[Any] = staticmethod(dlog_slope)
    theta_of: ClassVar[Any] = staticmethod(theta_of)

    def __post_init__(self) -> None:
        scale = number("scale", self.scale, at_least=1e-12, at_most=1e12)
        object.__setattr__(self, "scale", scale)
