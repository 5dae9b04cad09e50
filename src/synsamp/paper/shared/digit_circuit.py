"""The circuit of Figs. 3 and 4: ten winner-take-all neurons that receive handwritten digits.

Parameter sections, the network they describe, and digits as presentations: each image for 200 ms
as Poisson rates, then 50 ms of noise. Used by the experiments `adaptation` and `motility`;
`compensation` has the same neurons.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from synsamp.data import MNIST, Digits, RateSegments, load_digits
from synsamp.data.encoding import rates_from_unit, unit_interval
from synsamp.errors import refuse
from synsamp.experiments.base import GaussianSection, Parameters
from synsamp.mappings import Exponential
from synsamp.paper.shared.limits import MOST_EVENTS, events, require_at_most
from synsamp.paper.shared.printed_prior import PrintedGaussian
from synsamp.priors import Gaussian
from synsamp.spiking import (
    ChangeClip,
    DoubleExponential,
    Network,
    RandomOrder,
    SpikeLikelihood,
    SynapseModel,
    TermClip,
    winner_take_all_network,
)

SYNAPSES = "x->z"
"""The one projection of the circuit, as the engine names it."""

DigitsFrom = Literal["embedded", "mnist"]
EMBEDDED = frozenset({1, 2})
N_PIXELS = 28 * 28


class SpikingRule(Parameters):
    """The synaptic sampling rule."""

    speed: float = Field(1e-4, ge=1e-12, le=1e-2, description="b, speed of sampling, 1/s")
    temperature: float = Field(1.0, ge=0.0, le=100.0, description="T, temperature of the noise")
    data_size: float = Field(100.0, ge=0.0, le=1e5, description="N, weight of the likelihood")
    alpha: float = Field(math.exp(-2.0), ge=1e-6, le=10.0, description="α, scale of the inputs")
    theta_0: float = Field(3.0, ge=0.0, le=20.0, description="θ0 in w = exp(θ − θ0)")
    prior: GaussianSection = GaussianSection()
    prior_sign: Literal["corrected", "printed"] = Field(
        "corrected", description="prior term (μ − θ)/σ² (corrected) or (θ − μ)/σ² (printed)"
    )
    clip: Literal["term", "change"] = Field(
        "term", description="clip α e^w (term), or the whole change, in units of b (change)"
    )
    clip_limit: float = Field(5.0, ge=1e-3, le=1e6, description="where it is clipped")
    learn_when_retracted: bool = Field(
        True, description="the likelihood acts on synapses with θ <= 0, with w = exp(θ − θ0)"
    )


class CircuitSection(Parameters):
    """The winner-take-all circuit."""

    neurons: int = Field(10, ge=2, le=1000, description="neurons of the circuit")
    rate_hz: float = Field(100.0, ge=0.01, le=1e4, description="ρ_net, spikes of all neurons")
    adaptation_rise_s: float = Field(12.0, ge=1e-3, le=1e4, description="τ_r of the adaptation")
    adaptation_fall_s: float = Field(30.0, ge=1e-3, le=1e4, description="τ_f of the adaptation")
    adaptation_strength: float = Field(-8.0, ge=-1e3, le=0.0, description="γ of the adaptation")


class DigitInputSection(Parameters):
    """How a digit becomes spikes."""

    digit_s: float = Field(0.2, ge=1e-3, le=60.0, description="how long a digit is shown")
    gap_s: float = Field(0.05, ge=1e-3, le=60.0, description="noise alone after each digit")
    peak_rate_hz: float = Field(50.0, ge=0.01, le=1e4, description="rate of a white pixel")
    noise_hz: float = Field(1.0, ge=0.0, le=1e3, description="rate added to every input")


def require_an_end(seconds: float, circuit: CircuitSection, shown: DigitInputSection) -> None:
    """Refuse, within a validator, more simulated time than such circuits could ever be given."""
    asked = events(
        seconds,
        circuit.neurons,
        N_PIXELS,
        circuit.rate_hz,
        shown.peak_rate_hz + shown.noise_hz,
        1 / (shown.digit_s + shown.gap_s),
    )
    require_at_most("spikes times synapses", asked, MOST_EVENTS)


def build_prior(rule: SpikingRule) -> Gaussian | PrintedGaussian:
    """The prior term, with either sign."""
    kind = Gaussian if rule.prior_sign == "corrected" else PrintedGaussian
    return kind(rule.prior.mean, rule.prior.std)


def prior_alone(rule: SpikingRule, elapsed_s: float) -> tuple[float, float]:
    """Exact transition under prior and noise alone: fraction of θ − μ left, std of the noise."""
    prior = build_prior(rule)
    _, keep, spread = prior.transition_of(prior.parameters, rule.speed, rule.temperature, elapsed_s)
    return keep, spread


def build_synapses(rule: SpikingRule, b: float | None = None) -> SynapseModel:
    """The engine's synapses; ``b`` replaces the section's own speed."""
    return SynapseModel(
        prior=build_prior(rule),
        mapping=Exponential(rule.theta_0),
        plasticity=SpikeLikelihood(
            data_size=rule.data_size,
            alpha=rule.alpha,
            clip=TermClip(rule.clip_limit) if rule.clip == "term" else ChangeClip(rule.clip_limit),
            learn_when_retracted=rule.learn_when_retracted,
        ),
        speed=rule.speed if b is None else b,
        temperature=rule.temperature,
    )


def build_network(n_inputs: int, circuit: CircuitSection, synapses: SynapseModel) -> Network:
    """Inputs ``x``, one per pixel, to one circuit ``z``."""
    return winner_take_all_network(
        n_inputs,
        circuit.neurons,
        synapses,
        rate_hz=circuit.rate_hz,
        adaptation=DoubleExponential(circuit.adaptation_rise_s, circuit.adaptation_fall_s),
        adaptation_strength=circuit.adaptation_strength,
    )


@functools.lru_cache(maxsize=1)
def training_digits(source: DigitsFrom) -> Digits:
    """All training images of the source."""
    return load_digits(MNIST() if source == "mnist" else None).train


def check_digits(digits: set[int], source: DigitsFrom) -> None:
    """Refuse digits that the source does not hold, before anything is run."""
    if not digits <= set(range(10)):
        raise ValueError(f"must hold digits 0 to 9, not {max(digits)}")
    if source == "embedded" and not digits <= EMBEDDED:
        raise ValueError(
            f"must hold digits 1 and 2 only with data=embedded, not {min(digits - EMBEDDED)}: "
            "use data=mnist after `synsamp data fetch mnist`"
        )


class DigitPresentations:
    """Images as presentations, encoded when they are asked for: 12,700 at once take 160 MB."""

    def __init__(self, images: NDArray[np.float32], section: DigitInputSection) -> None:
        if not (images.min() >= 0 and images.max() <= 1):  # as a whole: it is quick
            unit_interval("images", images)
        self._images = images.reshape(len(images), -1)
        self._section = section
        self._durations_s = np.array([section.digit_s, section.gap_s])

    def __len__(self) -> int:
        return len(self._images)

    def __getitem__(self, index: int) -> RateSegments:
        # The same as encode_image(...).then(noise_gap(...)), with one check instead of three: this
        # is called for nearly every presentation of a long run.
        s = self._section
        rates_hz = np.full((2, self._images.shape[1]), s.noise_hz)
        pixels = self._images[index].astype(np.float64)
        rates_hz[0] = rates_from_unit(pixels, s.peak_rate_hz, s.noise_hz)
        return RateSegments(self._durations_s, rates_hz)


class DigitStimulus:
    """All images of some digits in random order, with the digit of each index."""

    def __init__(self, source: Digits, digits: tuple[int, ...], section: DigitInputSection) -> None:
        missing = [d for d in digits if not (source.labels == d).any()]
        if missing:
            raise refuse("digits", f"must be among {sorted(source.counts)}", missing[0])
        chosen = source.only(digits)
        self.labels = chosen.labels
        presentations: Any = DigitPresentations(chosen.images, section)
        self.order = RandomOrder(presentations)


def mean_images(source: Digits, digits: tuple[int, ...]) -> NDArray[np.float64]:
    """Mean grey value of every pixel, one row per digit."""
    return np.stack([source.by_digit(d).reshape(-1, _size(source)).mean(axis=0) for d in digits])


def ink_shares(source: Digits, digits: tuple[int, ...]) -> NDArray[np.float64]:
    """Share of a digit's images in which a pixel is bright (grey value > 0.5)."""
    return np.stack(
        [(source.by_digit(d).reshape(-1, _size(source)) > 0.5).mean(axis=0) for d in digits]
    )


def _size(source: Digits) -> int:
    return int(np.prod(source.images.shape[1:]))
