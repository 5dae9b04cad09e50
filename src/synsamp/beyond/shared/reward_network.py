"""Stochastic neurons that learn from reward, with the values of Kappel et al. (2018).

Parameter sections, synapses, neurons, initial values and input patterns of the experiments
`reward_patterns` and `lever`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from synsamp.experiments.base import GaussianSection, Parameters
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian
from synsamp.spiking import Homeostasis, RewardGradient, StochasticNeurons, SynapseModel

SOURCE = "Kappel et al. 2018"
Floats = NDArray[np.float64]


class RewardRule(Parameters):
    """Parameters of learning from reward."""

    speed: float = Field(5e-5, ge=1e-9, le=1.0, description="b, speed of sampling, 1/s")
    temperature: float = Field(0.1, ge=0.0, le=100.0, description="T, temperature of the noise")
    eligibility_s: float = Field(1.0, ge=0.01, le=100.0, description="τ_e, eligibility trace")
    gradient_s: float = Field(50.0, ge=0.01, le=1e4, description="τ_g, gradient estimate")
    gradient_weight: float = Field(1.0, ge=0.0, le=1e4, description="c, weight of g")
    prior: GaussianSection = GaussianSection(mean=0.0, std=2.0)
    start_mean: float = Field(-0.5, ge=-2.0, le=5.0, description="mean of initial θ")
    start_std: float = Field(0.5, ge=0.0, le=5.0, description="standard deviation of initial θ")
    theta_0: float = Field(3.0, ge=0.0, le=20.0, description="θ0 in w = w_0 exp(θ − θ0)")
    weight_0: float = Field(1.0, ge=1e-3, le=1e3, description="w_0")
    theta_min: float = Field(-2.0, ge=-20.0, le=0.0, description="lowest θ")
    theta_max: float = Field(5.0, ge=0.1, le=20.0, description="highest θ")
    drift_interval_s: float = Field(
        0.1, ge=1e-3, le=10.0, description="interval at which w follows θ"
    )
    mean_s: float = Field(50.0, ge=0.1, le=1e6, description="time constant of the mean reward")


class Neurons(Parameters):
    """Neurons of rate ρ_0 exp(u + β) with homeostasis: dβ/dt = (target − spikes)/τ."""

    target_hz: float = Field(5.0, ge=0.1, le=100.0, description="mean rate of each neuron, and ρ_0")
    homeostasis_s: float = Field(50.0, ge=0.1, le=1e6, description="τ of the bias β")
    refractory_s: float = Field(0.005, ge=0.0, le=1.0, description="refractory period")
    max_rate_hz: float = Field(1000.0, ge=1.0, le=1e5, description="upper limit of rates (assumed)")


class Cues(Parameters):
    """Rates of the inputs during a stimulus and between stimuli."""

    inputs: int = Field(50, ge=2, le=10**4, description="input neurons")
    peak_hz: float = Field(60.0, ge=1.0, le=1e3, description="highest rate of an input")
    background_hz: float = Field(2.0, ge=0.0, le=1e3, description="lowest rate, and between trials")
    shape: float = Field(
        0.2, ge=0.01, le=100.0, description="shape of the gamma distribution of rates"
    )
    scale: float = Field(0.8, ge=0.01, le=100.0, description="its scale, in units of the peak")


def learning_synapses(rule: RewardRule) -> SynapseModel:
    """Return synapses that learn from reward."""
    return SynapseModel(
        prior=Gaussian(rule.prior.mean, rule.prior.std),
        mapping=Exponential(rule.theta_0 - math.log(rule.weight_0)),
        plasticity=RewardGradient(
            rule.eligibility_s, rule.gradient_s, rule.gradient_weight, rule.theta_max
        ),
        speed=rule.speed,
        temperature=rule.temperature,
        theta_min=rule.theta_min,
    )


def start_theta(rule: RewardRule, shape: tuple[int, int], seed: np.random.SeedSequence) -> Floats:
    """Initial θ; most synapses are retracted."""
    drawn = np.random.default_rng(seed).normal(rule.start_mean, rule.start_std, shape)
    return np.asarray(np.clip(drawn, rule.theta_min, rule.theta_max))


def stochastic_neurons(name: str, size: int, neurons: Neurons) -> StochasticNeurons:
    """Neurons with homeostasis of their mean rate."""
    homeostasis = Homeostasis(neurons.target_hz, neurons.homeostasis_s)
    return StochasticNeurons(
        name,
        size,
        neurons.target_hz,
        neurons.refractory_s,
        homeostasis=homeostasis,
        max_rate_hz=neurons.max_rate_hz,
    )


def draw_cues(cues: Cues, count: int, seed: np.random.SeedSequence) -> Floats:
    """Draw rates [cue, input]; a few inputs have high rates, most are near the background."""
    drawn = np.random.default_rng(seed).gamma(cues.shape, cues.scale, (count, cues.inputs))
    return np.asarray(np.clip(cues.peak_hz * drawn, cues.background_hz, cues.peak_hz))
