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
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.mappings import Exponential
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.priors import Flat, Gaussian
from synsamp.rule import Rule, fokker_planck
from synsamp.rule.equation import drift
from synsamp.spiking import DoubleExponential, SynapseModel

CELL = 0.01
THETA = np.arange(SynapseModel().theta_min + CELL / 2, 6.0, CELL)
"""Cells of θ, from θ_min up; 0 lies between two of them."""
STEP_S = 2.0
"""Time step at T = 0; the shortest time constant, at a strong useful synapse, is 7 s."""
PRINTED, NO_LIKELIHOOD = "printed", "no_likelihood"
READINGS = (PRINTED, NO_LIKELIHOOD)
"""Readings of a retracted synapse: it learns, as printed, or the likelihood is switched off."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OneSynapse:
    """Parameters of the equation; ``prior=False`` leaves its first term out.

    ``learn_when_retracted``: the likelihood acts at all θ, or only at θ > 0.
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
    prior: bool = True

    @property
    def start(self) -> Floats:
        """Distribution of θ before learning: the prior, in each cell."""
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
        prior = Gaussian(self.mean, self.std) if self.prior else Flat()

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


def predict(p: AdaptationParameters, images: xr.Dataset) -> xr.Dataset:
    """Predict single synapses in the phases of a run, in both readings.

    ``useful_regrowth``: share of useful eliminated synapses that are active again at the end of the
    new digit's phase, with and without noise in that phase. ``background_active``: active share at
    inputs that stay dark, with and without prior, at the end of that phase.
    """
    timeline, rule = p.timeline, p.rule
    assert timeline.new_phase is not None
    assert timeline.new_digit is not None
    seconds = (timeline.start_s(timeline.new_phase), timeline.length_s(timeline.new_phase))
    x_old = mean_epsp(p, images, timeline.before(timeline.new_phase))
    x_new, dark = mean_epsp(p, images, (timeline.new_digit,)), mean_rate(p, 0.0) * area_s()
    values = (
        *(rule.speed, rule.data_size, rule.alpha, rule.theta_0),
        *(rule.prior.mean, rule.prior.std, rule.clip_limit),
    )
    rate_hz = p.circuit.rate_hz / p.circuit.neurons
    readings = [OneSynapse(*values, rate_hz, reading == PRINTED) for reading in READINGS]
    useful = [
        [
            regrowth(one, x_old, x_new, seconds, (rule.temperature, T))
            for T in (rule.temperature, 0.0)
        ]
        for one in readings
    ]
    background = [
        [
            active_share(
                replace(one, prior=prior).distribution(
                    one.start, dark, sum(seconds), rule.temperature
                )
            )
            for prior in (True, False)
        ]
        for one in readings
    ]
    return xr.Dataset(
        {
            "useful_regrowth": (("reading", "noise"), useful),
            "background_active": (("reading", "prior"), background),
        },
        coords={"reading": list(READINGS), "noise": [True, False], "prior": [True, False]},
        attrs={"x_old": x_old, "x_new": x_new, "x_dark": dark},
    )


def area_s() -> float:
    """∫ ε(s) ds: the mean EPSP of an input of 1 Hz."""
    epsp = DoubleExponential()
    return epsp.fall_s - epsp.rise_s


def mean_rate(p: AdaptationParameters, grey: float) -> float:
    """Rate of an input over digit and gap, in Hz; ``grey`` is its mean grey value in digits."""
    shown = p.input
    lit = shown.digit_s / (shown.digit_s + shown.gap_s)
    return lit * shown.peak_rate_hz * grey + shown.noise_hz


def mean_epsp(p: AdaptationParameters, images: xr.Dataset, digits: tuple[int, ...]) -> float:
    """x̄ of the candidate inputs while some digits are shown."""
    grey = images.mean_image.sel(digit=list(digits)).isel(pre=images.candidate_input.values)
    return mean_rate(p, float(grey.mean())) * area_s()
