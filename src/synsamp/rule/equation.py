"""The rule itself, written once: prior term + likelihood term + noise.

    dθ = [ b ∂log p_S(θ) + N b ∂log p_N(x|θ) + T b′(θ) ] dt + sqrt(2 T b) dW      (ml-mcmc2-meth)

Its stationary law is p*(θ) ∝ (p_S(θ) p_N(x|θ))^(1/T) (Theorem 1). Everything in the package that
moves a parameter, on arrays or in the spiking kernel, calls the functions of this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp, scalar


@scalar
def drift(
    b: Any, b_slope: Any, prior_gradient: Any, n_inputs: Any, likelihood_gradient: Any, T: Any
) -> Any:
    """The deterministic part; the factor N is written here and nowhere else."""
    return b * (prior_gradient + n_inputs * likelihood_gradient) + T * b_slope


@scalar
def diffusion(b: Any, T: Any) -> Any:
    """sqrt(2 T b), what multiplies the Wiener increment."""
    return np.sqrt(2.0 * T * b)


@scalar
def euler_maruyama(theta: Any, drift: Any, diffusion: Any, sqrt_dt: Any, normal: Any) -> Any:
    """One step of discrete time (rule_discrete): dW becomes sqrt(Δt) ν."""
    return theta + (drift * sqrt_dt + diffusion * normal) * sqrt_dt


@scalar
def likelihood_jump(b: Any, n_inputs: Any, likelihood_gradient: Any) -> Any:
    """What the likelihood term adds at a postsynaptic spike, where S(t) is a delta pulse."""
    return drift(b, 0.0, 0.0, n_inputs, likelihood_gradient, 0.0)


@scalar
def ornstein_uhlenbeck(b: float, T: float, std: float, elapsed: float) -> tuple[float, float]:
    """Exact transition under a Gaussian prior alone: (share of θ−μ that is kept, std of the noise).

    With ∂log p_S = (μ − θ)/σ² and constant b the rule is an Ornstein–Uhlenbeck process of rate
    b/σ² and stationary variance Tσ², so θ(t) = μ + keep·(θ(0) − μ) + spread·ν for any t.
    """
    rate_times_elapsed = b * elapsed / (std * std)
    keep = exp(-rate_times_elapsed)
    return keep, std * np.sqrt(T * -np.expm1(-2.0 * rate_times_elapsed))
