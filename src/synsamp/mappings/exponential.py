"""w = exp(θ − θ0), the exponential mapping (Eq. 9): multiplicative dynamics, as in spines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synsamp.arguments import number
from synsamp.mappings.base import Mapping
from synsamp.noise.arithmetic import exp, scalar


@scalar
def weight(theta: float, p: Any) -> float:
    """exp(θ − θ0)."""
    return exp(theta - p[0])


@scalar
def dlog_slope(theta: float, p: Any) -> float:
    """d log(dw/dθ)/dθ = 1."""
    return 1.0 + 0.0 * theta


@scalar
def theta_of(w: float, p: Any) -> float:
    """θ0 + log w."""
    return p[0] + np.log(w)


@dataclass(frozen=True)
class Exponential(Mapping):
    """w = exp(θ − θ0) (Eq. 9, exponential mapping).

    Parameters
    ----------
    offset : float
        θ0; with the paper's 3 a retracted synapse (θ <= 0) has w < 0.05.
    """

    offset: float = 3.0

    weight_of: ClassVar[Any] = staticmethod(weight)
    slope_of: ClassVar[Any] = staticmethod(weight)
    dlog_slope_of: ClassVar[Any] = staticmethod(dlog_slope)
    theta_of: ClassVar[Any] = staticmethod(theta_of)

    def __post_init__(self) -> None:
        offset = number("offset", self.offset, at_least=-700, at_most=700)
        object.__setattr__(self, "offset", offset)
