"""The rule itself, written once: prior term + likelihood term + noise.

    dθ = [ b ∂log p_S(θ) + N b ∂log p_N(x|θ) + T b′(θ) ] dt + sqrt(2 T b) dW      (ml-mcmc2-meth)

Its stationary law is p*(θ) ∝ (p_S(θ) p_N(x|θ))^(1/T) (Theorem 1). Everything in the package that
moves a parameter, on arrays or in the spiking kernel, calls the functions of this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import scalar
from synsamp.priors.gaussian import ornstein_uhlenbeck


@scalar
def drift(
    b: Any, b_slope: Any, prior_gradient: Any, data_size: Any, likelihood_gradient: Any, T: Any
) -> Any:
    """The deterministic part; the factor N is written here and nowhere else."""
    return b * (prior_gradient + data_size * likelihood_gradient) + T * b_slope


@scalar
def chain_rule(slope: Any, weight_gradient: Any) -> Any:
    """∂log p_N/∂θ = dw/dθ · ∂log p_N/∂w for w = f(θ) (structsamp-general)."""
    return slope * weight_gradient


@scalar
def diffusion(b: Any, T: Any) -> Any:
    """sqrt(2 T b), what multiplies the Wiener increment."""
    return np.sqrt(2.0 * T * b)


@scalar
def euler_maruyama(theta: Any, drift: Any, diffusion: Any, sqrt_dt: Any, normal: Any) -> Any:
    """One step of discrete time (rule_discrete): dW becomes sqrt(Δt) ν."""
    return theta + (drift * sqrt_dt + diffusion * normal) * sqrt_dt


@scalar
def likelihood_jump(b: Any, data_size: Any, likelihood_gradient: Any) -> Any:
    """What the likelihood term adds at a postsynaptic spike, where S(t) is a delta pulse."""
    return drift(b, 0.0, 0.0, data_size, likelihood_gradient, 0.0)


# The exact transition under a Gaussian prior stands with that prior, and is known here too.
__all__ = [
    "chain_rule",
    "diffusion",
    "drift",
    "euler_maruyama",
    "likelihood_jump",
    "ornstein_uhlenbeck",
]
