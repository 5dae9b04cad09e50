"""The Gaussian prior with the sign that the paper prints: (θ − μ)/σ² instead of (μ − θ)/σ².

The gradient of log N(θ; μ, σ²) is (μ − θ)/σ², so the printed term is no prior: it drives θ away
from μ. Experiments offer it as ``rule.prior_sign=printed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synsamp.noise.arithmetic import exp, scalar
from synsamp.priors import Prior
from synsamp.priors.base import Size, Values


@scalar
def log_density(theta: float, p: Any) -> float:
    """The function with the printed gradient, +(θ − μ)²/2σ²; it cannot be normalised."""
    mean, std = p
    z = (theta - mean) / std
    return 0.5 * z * z


@scalar
def gradient(theta: float, p: Any) -> float:
    """(θ − μ)/σ², as Eq. 37 (prior of the spiking networks) is printed."""
    mean, std = p
    return (theta - mean) / (std * std)


@scalar
def transition(p: Any, b: float, T: float, elapsed: float) -> tuple[float, float, float]:
    """(mean, keep, spread) over ``elapsed``: distances from μ grow at the rate b/σ²."""
    mean, std = p
    rate_times_elapsed = b * elapsed / (std * std)
    spread = std * np.sqrt(T * np.expm1(2.0 * rate_times_elapsed))
    return mean, exp(rate_times_elapsed), spread


@dataclass(frozen=True)
class PrintedGaussian(Prior):
    """Prior term of Eq. 37 as printed; initial values are drawn from N(μ, σ²), as in the Methods.

    Parameters
    ----------
    mean, std : float or array
        μ and σ of θ.
    """

    mean: Values = 0.0
    std: Values = 1.0

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)
    transition_of: ClassVar[Any] = staticmethod(transition)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draws from N(μ, σ²)."""
        return np.asarray(rng.normal(self.mean, self.std, size))
