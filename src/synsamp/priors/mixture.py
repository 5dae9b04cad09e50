"""Mixture of Gaussians, such as Eq. 27, the bimodal prior of the Boltzmann machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from synsamp.arguments import numbers
from synsamp.errors import refuse
from synsamp.noise.arithmetic import choose, exp, scalar
from synsamp.priors.base import LOCATION_BOUNDS, SCALE_BOUNDS, Prior, Size

# Parameters are one flat tuple of (log-height, mean, precision) per component. Its length is part
# of its type, so the compiler unrolls the sum over components and vectorises over θ.


@scalar
def _absorb(theta: float, so_far: Any, height: float, mean: float, precision: float) -> Any:
    """Add one component to (largest log term, Σ terms, Σ terms × their gradient), both sums scaled.

    Scaling by the largest term keeps the sums finite for any θ.
    """
    top, total, pull = so_far
    x = theta - mean
    log_term = height - 0.5 * x * x * precision
    smaller = exp(-np.abs(log_term - top))
    is_new_top = log_term > top
    keep = choose(is_new_top, smaller, 1.0)
    term = choose(is_new_top, 1.0, smaller)
    return max(top, log_term), total * keep + term, pull * keep - term * x * precision


def _sum_components(theta: float, so_far: Any, p: Any) -> Any:
    for k in range(0, len(p), 3):
        so_far = _absorb(theta, so_far, p[k], p[k + 1], p[k + 2])
    return so_far


@overload(_sum_components, inline="always")
def _sum_components_of(theta, so_far, p):  # type: ignore[no-untyped-def]
    if p.count == 0:
        return lambda theta, so_far, p: so_far
    return lambda theta, so_far, p: _sum_components(
        theta, _absorb(theta, so_far, p[0], p[1], p[2]), p[3:]
    )


@scalar
def _summed(theta: float, p: Any) -> Any:
    x = theta - p[1]
    first = (p[0] - 0.5 * x * x * p[2], 1.0, -x * p[2])
    return _sum_components(theta, first, p[3:])


@scalar
def log_density(theta: float, p: Any) -> float:
    """log Σ_k π_k N(θ; μ_k, σ_k²)."""
    top, total, _ = _summed(theta, p)
    return top + np.log(total)


@scalar
def gradient(theta: float, p: Any) -> float:
    """Σ_k r_k (μ_k − θ)/σ_k² with the responsibilities r_k of the components for θ."""
    _, total, pull = _summed(theta, p)
    return pull / total


@dataclass(frozen=True)
class GaussianMixture(Prior):
    """Mixture of Gaussians; the defaults are those of Eq. 27, prior of the Boltzmann machine.

    Parameters
    ----------
    means, stds : sequence of float
        Mean and standard deviation of each component.
    weights : sequence of float, optional
        Relative weights of the components; default: equal.
    """

    means: Sequence[float] = (1.0, 0.0)
    stds: Sequence[float] = (0.15, 0.15)
    weights: Sequence[float] | None = None

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)

    def __post_init__(self) -> None:
        one_axis = "give one value per component"
        means = numbers("means", self.means, shape=(None,), remedy=one_axis, **LOCATION_BOUNDS)
        stds = numbers("stds", self.stds, shape=(None,), remedy=one_axis, **SCALE_BOUNDS)
        lengths = [means.size, stds.size]
        if self.weights is not None:
            limits: Any = dict(above=0, at_most=1e6)
            weights = numbers("weights", self.weights, shape=(None,), remedy=one_axis, **limits)
            lengths.append(weights.size)
            object.__setattr__(self, "weights", tuple(map(float, weights)))
        if len(set(lengths)) != 1 or means.size == 0:
            raise refuse(
                "means, stds and weights", "must have the same length >= 1", lengths, one_axis
            )
        object.__setattr__(self, "means", tuple(map(float, means)))
        object.__setattr__(self, "stds", tuple(map(float, stds)))

    @property
    def shares(self) -> NDArray[np.float64]:
        """Normalised weights of the components."""
        raw = np.ones(len(self.means)) if self.weights is None else np.array(self.weights)
        return np.asarray(raw / raw.sum())

    def subset(self, mask: NDArray[np.bool_]) -> GaussianMixture:
        """The same mixture: its values belong to components, not to parameters of the model."""
        return self

    @property
    def parameters(self) -> tuple[Any, ...]:
        """(log-height, mean, precision) of each component, in one flat tuple."""
        stds = np.asarray(self.stds, float)
        heights = np.log(self.shares) - np.log(stds) - 0.5 * np.log(2 * np.pi)
        rows = np.stack([heights, np.asarray(self.means, float), 1.0 / stds**2], axis=1)
        return tuple(map(float, rows.reshape(-1)))

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draws from the mixture."""
        k = rng.choice(len(self.means), size, p=self.shares)
        return np.asarray(rng.normal(np.asarray(self.means)[k], np.asarray(self.stds)[k]))
