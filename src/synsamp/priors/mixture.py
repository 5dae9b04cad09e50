"""Mixture of Gaussians, e.g. the bimodal prior of the Boltzmann machine (Eq. rbm_prior)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.noise.arithmetic import exp, scalar
from synsamp.priors.base import Prior, require_finite, require_positive

# Parameters are one flat tuple (log-heights, means, precisions): its length is part of its type,
# so the compiler unrolls the sums below and can run them over vectors of θ.


@scalar
def _largest_log_term(theta: float, p: Any) -> float:
    n = len(p) // 3
    x = theta - p[n]
    top = p[0] - 0.5 * x * x * p[2 * n]
    for k in range(1, n):
        x = theta - p[n + k]
        top = max(top, p[k] - 0.5 * x * x * p[2 * n + k])
    return top


@scalar
def log_density(theta: float, p: Any) -> float:
    """log Σ_k π_k N(θ; μ_k, σ_k²), as a log-sum-exp."""
    n = len(p) // 3
    top = _largest_log_term(theta, p)
    total = 0.0
    for k in range(n):
        x = theta - p[n + k]
        total += exp(p[k] - 0.5 * x * x * p[2 * n + k] - top)
    return top + np.log(total)


@scalar
def gradient(theta: float, p: Any) -> float:
    """Σ_k r_k (μ_k − θ)/σ_k² with the responsibilities r_k; stable however far θ is."""
    n = len(p) // 3
    top = _largest_log_term(theta, p)
    total = 0.0
    pull = 0.0
    for k in range(n):
        x = theta - p[n + k]
        r = exp(p[k] - 0.5 * x * x * p[2 * n + k] - top)
        total += r
        pull -= r * x * p[2 * n + k]
    return pull / total


@dataclass(frozen=True)
class GaussianMixture(Prior):
    """Mixture of Gaussians; ``weights`` default to equal shares."""

    means: tuple[float, ...] = (1.0, 0.0)
    stds: tuple[float, ...] = (0.15, 0.15)
    weights: tuple[float, ...] | None = None

    log_density_of: ClassVar[Any] = staticmethod(log_density)
    gradient_of: ClassVar[Any] = staticmethod(gradient)

    def __post_init__(self) -> None:
        shares = self.shares
        if not len(self.means) == len(self.stds) == shares.size > 0:
            raise refuse(
                "means, stds and weights",
                "must have the same length >= 1",
                (len(self.means), len(self.stds), shares.size),
                "give one value per component",
            )
        require_finite(means=self.means)
        require_positive(stds=self.stds, weights=shares)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The components' weights, summing to one."""
        n = len(self.means)
        raw = np.full(n, 1.0 / max(n, 1)) if self.weights is None else np.array(self.weights, float)
        return raw / raw.sum() if raw.size and np.all(raw > 0) else raw

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Log-heights, means and precisions in one flat tuple."""
        stds = np.asarray(self.stds, float)
        heights = np.log(self.shares) - np.log(stds) - 0.5 * np.log(2 * np.pi)
        return tuple(map(float, (*heights, *self.means, *(1.0 / stds**2))))

    def draw(self, rng: np.random.Generator, size: Any = None) -> NDArray[np.float64]:
        """Draws from the mixture: first the component, then its Gaussian."""
        k = rng.choice(len(self.means), size, p=self.shares)
        return np.asarray(rng.normal(np.asarray(self.means)[k], np.asarray(self.stds)[k]))
