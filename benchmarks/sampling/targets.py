"""Four posteriors: logistic regression, a hierarchical model, two modes, a correlated Gaussian.

Each has a gradient and a log-likelihood compiled by Numba for the rule, and start values. The same
densities in JAX are in ``peers/blackjax/sampling.py``; a test compares both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp.priors import Flat, Gaussian, Prior
from synsamp.rule import Batch, Rule

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """A posterior: gradient and log-likelihood ``f(θ, *data)``, prior, number of parameters."""

    name: str
    gradient: Callable[..., Any]
    log_likelihood: Callable[..., Any]
    data: tuple[Floats, ...]
    prior: Prior
    size: int

    @property
    def rule(self) -> Rule:
        """The synaptic sampling rule of this posterior."""
        return Rule(Batch(self.gradient, self.data), self.prior)

    def log_posterior(self, theta: Floats) -> float:
        """log(prior × likelihood) of one θ, up to a constant."""
        return float(self.log_likelihood(theta, *self.data) + self.prior.log_density(theta).sum())


@njit
def _logistic_gradient(theta, x, y):
    logits = x @ theta
    return (y - 1.0 / (1.0 + np.exp(-logits))) @ x


@njit
def _logistic(theta, x, y):
    logits = x @ theta
    return np.sum(y * logits - np.logaddexp(0.0, logits))


def logistic() -> Target:
    """Logistic regression: an intercept and 30 correlated features, 500 examples."""
    rng = np.random.default_rng(1)
    distance = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    features = rng.multivariate_normal(np.zeros(30), 0.7**distance, 500)
    x = np.column_stack([np.ones(500), features])
    chance = 1.0 / (1.0 + np.exp(-x @ rng.normal(0, 0.5, 31)))
    y = (rng.random(500) < chance).astype(float)
    return Target("logistic", _logistic_gradient, _logistic, (x, y), Gaussian(0.0, 1.0), 31)


@njit
def _schools_gradient(theta, y, sigma):
    out = np.empty(theta.size)
    width = np.exp(theta[1])
    out[0] = out[1] = 0.0
    for k in range(y.size):
        pull = (y[k] - (5.0 * theta[0] + width * theta[2 + k])) / sigma[k] ** 2
        out[0] += 5.0 * pull
        out[1] += pull * width * theta[2 + k]
        out[2 + k] = pull * width
    return out


@njit
def _schools(theta, y, sigma):
    found = 0.0
    for k in range(y.size):
        error = y[k] - (5.0 * theta[0] + np.exp(theta[1]) * theta[2 + k])
        found -= 0.5 * (error / sigma[k]) ** 2
    return found


def hierarchical() -> Target:
    """Eight schools, not centred: mean, log of the width, and eight deviations."""
    y = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
    sigma = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
    prior = Gaussian(0.0, 1.0)
    return Target("hierarchical", _schools_gradient, _schools, (y, sigma), prior, 10)


@njit
def _modes_gradient(theta, centre, std):
    far = 2.0 * (theta @ centre) / std[0] ** 2
    return (np.tanh(0.5 * far) * centre - theta) / std[0] ** 2


@njit
def _modes(theta, centre, std):
    down = -0.5 * np.sum((theta - centre) ** 2) / std[0] ** 2
    up = -0.5 * np.sum((theta + centre) ** 2) / std[0] ** 2
    return np.logaddexp(down, up)


def two_modes() -> Target:
    """Two equal Gaussians in the plane, five standard deviations apart."""
    centre, std = np.array([1.5, 1.5]), np.array([0.85])
    return Target("two modes", _modes_gradient, _modes, (centre, std), Flat(), 2)


@njit
def _gaussian_gradient(theta, precision):
    return -precision @ theta


@njit
def _gaussian(theta, precision):
    return -0.5 * theta @ (precision @ theta)


def gaussian() -> Target:
    """Gaussian of ten parameters, rotated, with variances from 1 to 100."""
    turned, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(10, 10)))
    precision = turned @ np.diag(np.logspace(0, -2, 10)) @ turned.T
    return Target("Gaussian", _gaussian_gradient, _gaussian, (precision,), Flat(), 10)


TARGETS = {t.name: t for t in (logistic(), hierarchical(), two_modes(), gaussian())}
