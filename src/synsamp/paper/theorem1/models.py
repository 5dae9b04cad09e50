"""Small models with known posteriors, and the distance of sampled states from a distribution.

========== ==================================================================== ===============
model      observation                                                          posterior
========== ==================================================================== ===============
counts     spike counts x ~ Poisson(e^θ), prior N(0, 4)                         skewed
two modes  x ~ N(θ, s²), prior a mixture of two Gaussians                       two modes
pair       x ~ N(θ, P⁻¹) of two parameters, prior N(0, 1) for each              correlated
hidden     x ~ ½ N(θ, s²) + ½ N(−θ, s²); z is the component of x                two modes
sides      on which side of 0 inputs lie: log p(xⁿ|θ) = −log(1 + e^(−xⁿθ))      one mode
========== ==================================================================== ===============

Except for the pairs, the parameters of a chain are independent copies of one parameter, so one
chain yields as many independent states as it has parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from synsamp.noise.arithmetic import scalar
from synsamp.priors import Gaussian, GaussianMixture, Prior
from synsamp.rule import Batch, HiddenStates, Online, Rule, Speed
from synsamp.rule.theory import fokker_planck

Floats = NDArray[np.float64]

SURE = 0.999
BY_CHANCE = float(stats.kstwobign.ppf(SURE))
"""Kolmogorov's D √n of states that follow the distribution stays below this in 99.9 % of cases."""


class GridDistribution:
    """The distribution ∝ exp(log_density(θ)) between two ends, on a fine grid."""

    def __init__(self, log_density: Callable[[Floats], Floats], low: float, high: float) -> None:
        self.grid = np.linspace(low, high, 20_001)
        logs = log_density(self.grid)
        density = np.exp(logs - logs.max())
        cumulative = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
        self.cumulative = cumulative / cumulative[-1]
        self.values = density / (cumulative[-1] * (self.grid[1] - self.grid[0]))

    def cdf(self, theta: Any) -> Any:
        """Cumulative distribution at each θ."""
        return np.interp(theta, self.grid, self.cumulative)

    def density(self, theta: Any) -> Any:
        """Density at each θ; 0 beyond the ends."""
        return np.interp(theta, self.grid, self.values, left=0.0, right=0.0)

    def quantile(self, share: Any) -> Any:
        """The θ below which this share lies."""
        return np.interp(share, self.cumulative, self.grid)


def distance(states: Floats, cdf: Callable[[Any], Any]) -> float:
    """Distance of independent states from a distribution, in units of what chance allows.

    Kolmogorov's largest gap D between the two cumulative distributions, times √n.
    """
    flat = np.ravel(states)
    gap = stats.kstest(flat, cdf).statistic
    return float(gap * np.sqrt(flat.size) / BY_CHANCE)


COUNTS = np.array([0.0, 1.0, 0.0])
SEEN, SEEN_STD = 0.2, 1.5
PRECISION = np.array([[2.0, -1.2], [-1.2, 1.5]])
CENTRE = np.array([0.8, -0.4])
HIDDEN_SEEN, HIDDEN_STD = 1.1, 0.7
INPUTS = np.random.default_rng(1).normal(0.6, 1.0, size=(20, 1))
"""Observations are fixed; only starts and noise differ between seeds."""


@dataclass(frozen=True, eq=False)
class ScalarPosterior:
    """A likelihood and a prior of one parameter, as the rule and as a density."""

    likelihood: Any
    prior: Prior
    log_likelihood: Callable[[Floats], Floats]
    low: float
    high: float

    def rule(self, speed: Any = 1.0, temperature: float = 1.0, likelihood: Any = None) -> Rule:
        """The rule that samples it; with another ``likelihood`` one that does not."""
        return Rule(likelihood or self.likelihood, self.prior, speed, temperature)

    def distribution(
        self, temperature: float = 1.0, over: Callable[[Floats], Floats] | None = None
    ) -> GridDistribution:
        """The distribution p*^(1/T), or p*^(1/T) divided by a function of θ."""

        def log_density(theta: Floats) -> Floats:
            logs = (self.prior.log_density(theta) + self.log_likelihood(theta)) / temperature
            return logs if over is None else logs - np.log(over(theta))

        return GridDistribution(log_density, self.low, self.high)

    def relaxation_time(self, speed: Any = 1.0, temperature: float = 1.0) -> float:
        """Time in which a deviation falls to 1/e, from the Fokker–Planck operator."""
        target = self.distribution(temperature)
        grid = np.linspace(target.quantile(1e-6), target.quantile(1 - 1e-6), 400)
        rule = Rule(Batch(self.slope), self.prior, speed, temperature)
        theory = fokker_planck(rule, grid, log_likelihood=lambda t: self.log_likelihood(t[:, 0]))
        return theory.relaxation_time()

    def slope(self, theta: Floats) -> Floats:
        """Slope of the log-likelihood, summed over hidden states and inputs, by differences."""
        h = 1e-5
        return np.asarray(self.log_likelihood(theta + h) - self.log_likelihood(theta - h)) / (2 * h)


@scalar
def counts_gradient(theta: Any, total: Any, n: Any) -> Any:
    """∂/∂θ of Σ log Poisson(x; e^θ)."""
    return total - n * np.exp(theta)


SKEWED = ScalarPosterior(
    Batch(counts_gradient, (COUNTS.sum(), float(COUNTS.size))),
    Gaussian(0.0, 2.0),
    lambda theta: COUNTS.sum() * theta - COUNTS.size * np.exp(theta),
    -16.0,
    8.0,
)


@scalar
def seen_gradient(theta: Any, x: Any, std: Any) -> Any:
    """∂/∂θ of log N(x; θ, s²)."""
    return (x - theta) / (std * std)


TWO_MODES = ScalarPosterior(
    Batch(seen_gradient, (SEEN, SEEN_STD)),
    GaussianMixture((-0.9, 1.0), (0.6, 0.5), (0.4, 0.6)),
    lambda theta: -0.5 * ((SEEN - theta) / SEEN_STD) ** 2,
    -14.0,
    14.0,
)


@scalar
def pair_gradient(theta: Any, precision: Any, centre: Any) -> Any:
    """∂/∂θ of log N(x; θ, P⁻¹) for every pair of neighbouring parameters."""
    out = np.empty_like(theta)
    for k in range(0, theta.size, 2):
        a, b = centre[0] - theta[k], centre[1] - theta[k + 1]
        out[k] = precision[0, 0] * a + precision[0, 1] * b
        out[k + 1] = precision[1, 0] * a + precision[1, 1] * b
    return out


PAIRS = Batch(pair_gradient, (PRECISION, CENTRE))
PAIR_PRIOR = Gaussian(0.0, 1.0)
NO_PRIOR = Gaussian(0.0, 1e6)
"""So wide that it has no effect; as a Gaussian it needs no other compiled loop."""
PAIR_PRECISION = PRECISION + np.eye(2)
PAIR_MEAN = np.linalg.solve(PAIR_PRECISION, PRECISION @ CENTRE)


@scalar
def respond(theta: Any, x: Any, rng: Any, drawn: Any) -> Any:
    """z ~ p(z|x, θ), the component of x; always the first if not ``drawn``."""
    z = np.ones(theta.size)
    for i in range(theta.size):
        log_odds = 2.0 * theta[i] * x[0] / HIDDEN_STD**2
        if drawn and rng.random() >= 1.0 / (1.0 + np.exp(-log_odds)):
            z[i] = -1.0
    return z


@scalar
def hidden_gradient(theta: Any, x: Any, z: Any, drawn: Any) -> Any:
    """∂/∂θ of log p(x, z|θ)."""
    return z * (x[0] - z * theta) / HIDDEN_STD**2


def hidden(drawn: bool) -> HiddenStates:
    """Responses drawn by the network, or a constant response."""
    return HiddenStates(hidden_gradient, np.array([[HIDDEN_SEEN]]), (drawn,), respond=respond)


def _marginal(theta: Floats) -> Floats:
    plus, minus = (-0.5 * ((HIDDEN_SEEN - s * theta) / HIDDEN_STD) ** 2 for s in (1, -1))
    return np.asarray(np.logaddexp(plus, minus))


HIDDEN = ScalarPosterior(hidden(drawn=True), Gaussian(0.3, 1.0), _marginal, -8.0, 8.0)


@scalar
def side_gradient(theta: Any, x: Any) -> Any:
    """∂/∂θ of log p(xⁿ|θ) of a single input."""
    return x / (1.0 + np.exp(x * theta))


def online(inputs: Floats, batch: int, data_size: float | None = None) -> Online:
    """``batch`` random rows of inputs at a time; N is their number unless given."""
    return Online(side_gradient, inputs, batch=batch, data_size=data_size)


def shuffled_inputs(copies: int, rng: np.random.Generator) -> Floats:
    """All inputs [input, copy], in a different order for each copy of a chain.

    A chain chooses one row for all its copies. In different orders, the noise of this choice is
    independent between copies.
    """
    return rng.permuted(np.repeat(INPUTS, copies, axis=1), axis=0)


SIDES = ScalarPosterior(
    Online(side_gradient, INPUTS),
    Gaussian(0.0, 1.0),
    lambda theta: -np.logaddexp(0.0, -INPUTS[:, 0] * np.asarray(theta)[..., None]).sum(axis=-1),
    -8.0,
    8.0,
)


@scalar
def speed_value(theta: Any, p: Any) -> Any:
    """b(θ): fast near 0, slow far out."""
    return p[0] + 1.0 / (1.0 + theta * theta)


@scalar
def speed_slope(theta: Any, p: Any) -> Any:
    """b′(θ), or 0 where the rule omits it."""
    return -2.0 * theta / (1.0 + theta * theta) ** 2 * p[1]


class UncorrectedSpeed(Speed):
    """A speed whose b′ is omitted on purpose, so it is not checked."""

    def check(self, theta: Floats) -> None:
        """Accept anything."""


SLOWEST = 0.3
SPEED = Speed(speed_value, speed_slope, (SLOWEST, 1.0))
UNCORRECTED = UncorrectedSpeed(speed_value, speed_slope, (SLOWEST, 0.0))


def speed_at(theta: Floats) -> Floats:
    """b(θ) of an array."""
    return np.asarray(SPEED.evaluate(theta)[0])
