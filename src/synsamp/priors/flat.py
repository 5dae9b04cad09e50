"""Flat prior: with it the rule samples from the likelihood alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synsamp.noise.arithmetic import scalar
from synsamp.priors.base import Prior


@scalar
def log_density(theta: float, p: Any) -> float:
    """Zero; the density is improper."""
    return 0.0 * theta


@scalar
def gradient(theta: float, p: Any) -> float:
    """Zero, as in the paper's simulations with a uniform prior."""
    return 0.0 * theta


@scalar
def transition(p: Any, b: float, T: float, elapsed: float) -> tuple[float, float, float]:
    """Diffusion: (mean, keep, spread) = (0, 1, sqrt(2 T b t))."""
    return 0.0, 1.0, np.sqrt(2.0 * T * b * elapsed)


@dataclass(frozen=True)
class Flat(Prior):
    """Uniform (improper) prior, without parameters."""

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)
    transition_of: ClassVar[Any] = staticmethod(transition)
