"""Derivation of the stationary distribution of the synapse.

The circuit spikes at rate ν; a spike is of the first neuron with probability
p(θ) = 1/(1 + e^−x(ŵ(θ) − ŵ_2)). A spike of the first neuron earns a_1, one of the second a_2, so
the expected reward per spike is V(θ) = a_2 + (a_1 − a_2) p(θ). The reward of a period Δ is the mean
over its spikes, r = Σ a_k / (νΔ), and is given during the next period.

A spike at t′ adds its score s = ∂log p(winner)/∂θ to e; E[s] = 0, and E[a s] = V′. Only spikes of
the rewarded period correlate with r, so for t in the period after

    E[r e] = (1/νΔ) ν ∫ e^−(t−t′)/τ_e dt′ V′,   on average over t:  K V′,
    K = (τ_e/Δ)² (1 − e^−Δ/τ_e)²,

whatever the rate ν. An offset of dopamine averages out, because E[e] = 0. With D = r/mean and a
mean that has settled at V,

    E[g] = τ_g E[D e] = τ_g K V′/V = τ_g K ∂log V,
    E[dθ] = b ( ∂log p_S + c τ_g K ∂log V ) dt,

so for small b the stationary distribution is ∝ (p_S V^κ)^(1/T) with κ = c τ_g K. The noise of g
acts like temperature: over times longer than τ_g it adds b c² τ_g Var(g) to T, which
vanishes with b.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synsamp.beyond.bandit.parameters import BanditParameters
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian
from synsamp.rule import Rule
from synsamp.rule.theory import FokkerPlanck, fokker_planck
from synsamp.spiking import DoubleExponential

INPUT_HZ = 500.0
EPSP = DoubleExponential(rise_s=0.05, fall_s=1.0)
"""The EPSP is so slow and the input so fast that x varies by only 3 %."""
X = INPUT_HZ * (EPSP.fall_s - EPSP.rise_s)
MAPPING = Exponential(1.0 + float(np.log(X / 2.0)))
"""Chosen such that x w = 2 e^(θ−1)."""
OTHER_THETA = 0.9
"""θ of the synapse onto the second neuron, which does not learn."""
THETA_MIN, THETA_MAX = -2.0, 5.0
GRID = np.linspace(THETA_MIN, THETA_MAX, 1401)


def gradient_weight(p: BanditParameters) -> float:
    """Weight c of the gradient for which the exponent of V is κ."""
    share = p.task.eligibility_s / p.task.period_s
    overlap = (share * -np.expm1(-1.0 / share)) ** 2
    return float(p.task.exponent / (p.task.gradient_s * overlap))


def effect(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Effect x ŵ of the input on the membrane potential."""
    return np.asarray(X * np.maximum(MAPPING.weight(theta) - MAPPING.weight(0.0), 0.0))


def chance_of_best(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability p(θ) that a spike is of the first neuron."""
    return np.asarray(1.0 / (1.0 + np.exp(effect(np.array(OTHER_THETA)) - effect(theta))))


def expected_reward(p: BanditParameters, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expected reward V(θ) per spike."""
    return np.asarray(p.task.other + (p.task.best - p.task.other) * chance_of_best(theta))


def stationary(p: BanditParameters, temperature: float) -> FokkerPlanck:
    """Fokker–Planck equation of prior and expected reward, between the bounds of θ."""

    def log_reward(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return p.task.exponent * np.log(expected_reward(p, theta[:, 0]))

    def gradient(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        chance = chance_of_best(theta)
        slope = np.where(theta > 0, X * MAPPING.slope(theta), 0.0)
        change = (p.task.best - p.task.other) * chance * (1.0 - chance) * slope
        return np.asarray(p.task.exponent * change / expected_reward(p, theta))

    rule = Rule(
        gradient, prior=Gaussian(p.rule.prior.mean, p.rule.prior.std), temperature=temperature
    )
    return fokker_planck(rule, GRID, log_likelihood=log_reward)


def moments(found: FokkerPlanck) -> tuple[float, float]:
    """Mean and standard deviation of the stationary distribution."""
    weight = found.stationary * found.cell
    mean = float((weight * GRID).sum())
    return mean, float(np.sqrt((weight * (GRID - mean) ** 2).sum()))
