"""A single synapse in theory: does it regrow if its neuron begins to respond to a new digit?

    dθ = b ( (μ − θ)/σ² + r N w (x̄ − min(c, α e^w)) ) dt + sqrt(2 T b) dW,   w = exp(θ − θ0)

is the synaptic sampling rule with spikes replaced by their means: the neuron spikes at rate r,
and x̄ is the mean EPSP at its spikes. A useful input has its mean rate for the new digit, any other
input its mean rate for the old ones. Below the clip c the second term is the slope of
r N (x̄ w − α e^w), so the distribution of θ follows from the Fokker–Planck equation; at T = 0 every
θ follows a deterministic path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synsamp.mappings import Exponential
from synsamp.priors import Gaussian, Prior
from synsamp.rule import Rule, fokker_planck
from synsamp.rule.equation import drift

CELL = 0.01
THETA = np.arange(-5.0 + CELL / 2, 6.0, CELL)
"""Cells of θ, from the smallest that the simulator allows; 0 lies between two of them."""
STEP_S = 2.0
"""Time step at T = 0; the shortest time constant, at a strong useful synapse, is 7 s."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OneSynapse:
    """Parameters of the equation; θ starts from N(mean, std²).

    ``learn_when_retracted``: the likelihood acts at all θ, or only at θ > 0. ``prior``: another
    first term, for example ``Flat()`` for none; by default that of ``Gaussian(mean, std)``.
    """

    b: float = 1e-4
    N: float = 100.0
    alpha: float = math.exp(-2.0)
    theta_0: float = 3.0
    mean: float = 0.5
    std: float = 1.0
    clip_limit: float = 5.0
    rate_hz: float = 10.0
    learn_when_retracted: bool = True
    prior: Prior | None = None

    @property
    def start(self) -> Floats:
        """Probability of each cell before learning."""
        density = np.exp(Gaussian(self.mean, self.std).log_density(THETA))
        return np.asarray(density / density.sum())

    def likelihood(self, theta: Floats, x: float) -> Floats:
        """r N (x̄ w − α e^w), whose slope is the likelihood term; linear where α e^w is clipped."""
        w = self._weight(theta if self.learn_when_retracted else np.maximum(theta, 0.0))
        over = np.maximum(w - self._bend, 0.0)
        return np.asarray(
            self.rate_hz * self.N * (x * w - self._expected(w) - self.clip_limit * over)
        )

    def likelihood_gradient(self, theta: Floats, x: float) -> Floats:
        """Its slope, r N w (x̄ − min(c, α e^w))."""
        w = self._weight(theta)
        acts = self.learn_when_retracted | (theta > 0)
        return np.asarray(self.rate_hz * self.N * w * (x - self._expected(w)) * acts)

    def distribution(self, start: Floats, x: float, seconds: float, T: float) -> Floats:
        """Probability of each cell after some time with an input of mean EPSP ``x``."""
        prior = Gaussian(self.mean, self.std) if self.prior is None else self.prior

        def gradient(theta: Floats) -> Floats:
            return self.likelihood_gradient(theta, x)

        if T > 0:
            rule = Rule(gradient, prior=prior, speed=self.b, temperature=T)
            grid = fokker_planck(
                rule, THETA, log_likelihood=lambda theta: self.likelihood(theta[:, 0], x)
            )
            return np.maximum(grid.evolve(start, seconds), 0.0)
        theta, steps = THETA, max(1, round(seconds / STEP_S))
        for _ in range(steps):
            force = drift.py_func(self.b, 0.0, prior.gradient(theta), 1.0, gradient(theta), T)
            theta = np.maximum(theta + force * seconds / steps, THETA[0])
        edges = np.append(THETA - CELL / 2, np.inf)
        return np.asarray(np.histogram(theta, edges, weights=start)[0])

    def _weight(self, theta: Floats) -> Floats:
        return np.asarray(Exponential(self.theta_0).weight(theta))

    @property
    def _bend(self) -> float:
        """The w above which α e^w is clipped."""
        return math.log(self.clip_limit / self.alpha)

    def _expected(self, w: Floats) -> Floats:
        return np.asarray(self.alpha * np.exp(np.minimum(w, self._bend)))


def active_share(mass: Floats) -> float:
    """Share of synapses with θ > 0."""
    return float(mass[THETA > 0].sum() / mass.sum())


def regrowth(
    synapse: OneSynapse,
    x_old: float,
    x_new: float,
    seconds: tuple[float, float] = (4000.0, 4000.0),
    T: tuple[float, float] = (1.0, 1.0),
) -> float:
    """Share of eliminated synapses that regrow, in two periods, each with its temperature.

    Synapses start active, from the prior; those that ``x_old`` eliminates then receive ``x_new``.
    """
    before = synapse.distribution(np.where(THETA > 0, synapse.start, 0.0), x_old, seconds[0], T[0])
    gone = np.where(THETA > 0, 0.0, before)
    return active_share(synapse.distribution(gone, x_new, seconds[1], T[1]))
