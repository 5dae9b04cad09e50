"""A likelihood of two parameters with a few separated peaks, as in Fig. 1.

    p_N(x|θ) ∝ Σ_k h_k exp(−|θ − c_k|² / 2 s_k²)

The paper does not specify the function; any smooth one with a few peaks shows the same effects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from synsamp.arguments import function, numbers
from synsamp.errors import refuse
from synsamp.noise.arithmetic import scalar
from synsamp.rule import Batch


@scalar
def likelihood_gradient(theta: Any, centres: Any, widths: Any, heights: Any) -> Any:
    """∂ log p_N(x|θ)/∂θ of the peaks."""
    out = np.zeros(2)
    out[0], out[1] = gradient_at(theta[0], theta[1], centres, widths, heights)
    return out


@scalar
def gradient_at(x: float, y: float, centres: Any, widths: Any, heights: Any) -> Any:
    """∂ log p_N(x|θ)/∂θ at θ = (x, y), as two numbers."""
    top = highest(x, y, centres, widths, heights)
    total = first = second = 0.0
    for k in range(widths.size):
        a, b = x - centres[k, 0], y - centres[k, 1]
        precision = 1.0 / widths[k] ** 2
        term = np.exp(np.log(heights[k]) - 0.5 * (a * a + b * b) * precision - top)
        total += term
        first -= term * a * precision
        second -= term * b * precision
    return first / total, second / total


@scalar
def log_likelihood_at(x: float, y: float, centres: Any, widths: Any, heights: Any) -> float:
    """log p_N(x|θ) at θ = (x, y) up to a constant, for compiled code."""
    top, total = highest(x, y, centres, widths, heights), 0.0
    for k in range(widths.size):
        a, b = x - centres[k, 0], y - centres[k, 1]
        total += np.exp(np.log(heights[k]) - 0.5 * (a * a + b * b) / widths[k] ** 2 - top)
    return top + np.log(total)


@scalar
def highest(x: float, y: float, centres: Any, widths: Any, heights: Any) -> float:
    """Logarithm of the largest term, by which all are scaled: so sums are accurate for any θ."""
    top = -np.inf
    for k in range(widths.size):
        a, b = x - centres[k, 0], y - centres[k, 1]
        top = max(top, np.log(heights[k]) - 0.5 * (a * a + b * b) / widths[k] ** 2)
    return top


@dataclass(frozen=True)
class Landscape:
    """A likelihood of two parameters with Gaussian peaks (Fig. 1).

    Parameters
    ----------
    centres : sequence of (float, float)
        Positions of the peaks.
    widths, heights : sequence of float
        Standard deviation and relative height of each peak.
    """

    centres: tuple[tuple[float, float], ...] = ((-0.9, -0.8), (1.8, -1.4), (0.8, 1.3), (-2.0, 1.3))
    widths: tuple[float, ...] = (0.5, 0.55, 0.5, 0.55)
    heights: tuple[float, ...] = (0.55, 1.0, 0.6, 0.8)

    def __post_init__(self) -> None:
        each = "give one per peak"
        size: Any = dict(at_least=1e-12, at_most=1e12, remedy=each)
        centres = numbers("centres", self.centres, shape=(None, 2), remedy=each)
        widths = numbers("widths", self.widths, shape=(None,), **size)
        heights = numbers("heights", self.heights, shape=(None,), **size)
        lengths = len(centres), len(widths), len(heights)
        if len(set(lengths)) != 1 or lengths[0] == 0:
            raise refuse("centres, widths and heights", "must have one length >= 1", lengths, each)

    @property
    def _arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        return np.array(self.centres, float), np.array(self.widths), np.array(self.heights)

    def likelihood(self) -> Batch:
        """The likelihood for a ``Rule``; the whole loop then runs compiled."""
        return Batch(likelihood_gradient, self._arrays)

    def log_likelihood(self, theta: ArrayLike) -> NDArray[np.float64]:
        """log p_N(x|θ) up to a constant, for θ of shape (…, 2)."""
        centres, widths, heights = self._arrays
        points = numbers("theta", theta)
        if points.shape[-1:] != (2,):
            raise refuse("theta", "must have shape (…, 2)", points.shape)
        distance = np.sum((points[..., None, :] - centres) ** 2, axis=-1)
        return np.asarray(
            np.logaddexp.reduce(np.log(heights) - 0.5 * distance / widths**2, axis=-1)
        )

    def maxima(
        self, log_density: Callable[[NDArray[np.float64]], Any] | None = None
    ) -> NDArray[np.float64]:
        """Local maxima of ``log_density`` (default: the likelihood), shape (at most peaks, 2)."""
        target = self.log_likelihood if log_density is None else log_density
        function("log_density", target)
        found: list[NDArray[np.float64]] = []
        for centre in self.centres:
            best = optimize.minimize(lambda t: -float(target(t)), centre, tol=1e-12).x
            if all(np.linalg.norm(best - other) > 1e-3 for other in found):
                found.append(best)
        return np.array(found)
