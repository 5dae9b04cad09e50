"""One synapse by itself: does it come back if its neuron begins to answer to a new digit?

    dθ = b ( (μ − θ)/σ² + r N w (x̄ − min(c, α e^w)) ) dt + sqrt(2 T b) dW,   w = exp(θ − θ0)

is structsamp-spiking with spikes replaced by their means: the neuron spikes at r whatever is shown,
x̄ is the mean EPSP at those spikes. A useful input has its mean rate for the new digit, any other
that for the old ones. Below the clip c the second term is the slope of r N (x̄ w − α e^w), so the
law of θ follows from the Fokker–Planck equation; at T = 0 every θ goes its one way.
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
"""Cells of θ, from the floor on; 0 lies between two of them."""
STEP_S = 2.0
"""At T = 0; the strongest pull, at a useful synapse that has grown, has a time of 7 s."""
PRINTED, NO_LIKELIHOOD = "printed", "no_likelihood"
READINGS = (PRINTED, NO_LIKELIHOOD)
"""Of a retracted synapse: it learns as printed, or it feels no likelihood."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OneSynapse:
    """The numbers of the equation; ``prior=False`` leaves its first term out.

    ``learn_when_retracted`` is the reading: the likelihood acts at all θ, or at θ > 0 only.
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
        """The law of θ before learning: the prior, in each cell."""
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
        felt = self.learn_when_retracted | (theta > 0)
        return np.asarray(self.rate_hz * self.N * w * (x - self._expected(w)) * felt)

    def law(self, start: Floats, x: float, seconds: float, T: float) -> Floats:
        """Mass in each cell after a while with an input of mean EPSP ``x``."""
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
        """The w from which on α e^w is clipped."""
        return math.log(self.clip_limit / self.alpha)

    def _expected(self, w: Floats) -> Floats:
        return np.asarray(self.alpha * np.exp(np.minimum(w, self._bend)))


def active_share(mass: Floats) -> float:
    """Share of synapses with θ > 0."""
    return float(mass[THETA > 0].sum() / mass.sum())


def back_share(
    synapse: OneSynapse,
    x_old: float,
    x_new: float,
    seconds: tuple[float, float] = (4000.0, 4000.0),
    T: tuple[float, float] = (1.0, 1.0),
) -> float:
    """Share of eliminated synapses that are active again; two stretches of time, each with its T.

    Synapses start active, from the prior; those that ``x_old`` eliminates then meet ``x_new``.
    """
    before = synapse.law(np.where(THETA > 0, synapse.start, 0.0), x_old, seconds[0], T[0])
    gone = np.where(THETA > 0, 0.0, before)
    return active_share(synapse.law(gone, x_new, seconds[1], T[1]))


def predict(p: AdaptationParameters, images: xr.Dataset) -> xr.Dataset:
    """What single synapses would do in the run's phases, in both readings.

    ``useful_back``: share of useful eliminated synapses that are active again at the end of the new
    digit's phase, with noise and without in that phase. ``background_active``: active share at
    inputs that stay dark, with prior and without, at the end of that phase.
    """
    course, rule = p.course, p.rule
    assert course.new_phase is not None
    assert course.new_digit is not None
    seconds = (course.start_s(course.new_phase), course.length_s(course.new_phase))
    x_old = mean_epsp(p, images, course.before(course.new_phase))
    x_new, dark = mean_epsp(p, images, (course.new_digit,)), mean_rate(p, 0.0) * area_s()
    numbers = (
        rule.speed, rule.data_size, rule.alpha, rule.theta_0, rule.prior.mean, rule.prior.std, rule.clip_limit
    )  # fmt: skip
    rate_hz = p.circuit.rate_hz / p.circuit.neurons
    readings = [OneSynapse(*numbers, rate_hz, reading == PRINTED) for reading in READINGS]
    useful = [
        [
            back_share(one, x_old, x_new, seconds, (rule.temperature, T))
            for T in (rule.temperature, 0.0)
        ]
        for one in readings
    ]
    background = [
        [
            active_share(
                replace(one, prior=prior).law(one.start, dark, sum(seconds), rule.temperature)
            )
            for prior in (True, False)
        ]
        for one in readings
    ]
    return xr.Dataset(
        {
            "useful_back": (("reading", "noise"), useful),
            "background_active": (("reading", "prior"), background),
        },
        coords={"reading": list(READINGS), "noise": [True, False], "prior": [True, False]},
        attrs={"x_old": x_old, "x_new": x_new, "x_dark": dark},
    )


def area_s() -> float:
    """∫ ε(s) ds: the mean EPSP of an input of 1 Hz."""
    epsp = DoubleExponential()
    return epsp.fall_s - epsp.rise_s


def mean_rate(p: AdaptationParameters, gray: float) -> float:
    """Rate of an input over digit and gap, in Hz; ``gray`` is its mean gray value in digits."""
    shown = p.input
    lit = shown.digit_s / (shown.digit_s + shown.gap_s)
    return lit * shown.peak_rate_hz * gray + shown.noise_hz


def mean_epsp(p: AdaptationParameters, images: xr.Dataset, digits: tuple[int, ...]) -> float:
    """x̄ of the candidate inputs while some digits are shown."""
    gray = images.mean_image.sel(digit=list(digits)).isel(pre=images.candidate_input.values)
    return mean_rate(p, float(gray.mean())) * area_s()
