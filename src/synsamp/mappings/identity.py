"""Identity mapping w = θ, as in the Boltzmann machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from synsamp.mappings.base import Mapping
from synsamp.noise.arithmetic import scalar


@scalar
def weight(theta: float, p: Any) -> float:
    """θ itself."""
    return theta


@scalar
def slope(theta: float, p: Any) -> float:
    """One."""
    return 1.0 + 0.0 * theta


@scalar
def dlog_slope(theta: float, p: Any) -> float:
    """Zero."""
    return 0.0 * theta


@dataclass(frozen=True)
class Identity(Mapping):
    """w = θ: the parameter is the weight."""

    weight_of: ClassVar[Any] = staticmethod(weight)
    slope_of: ClassVar[Any] = staticmethod(slope)
    dlog_slope_of: ClassVar[Any] = staticmethod(dlog_slope)
    theta_of: ClassVar[Any] = staticmethod(weight)
