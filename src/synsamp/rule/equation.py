"""The synaptic sampling rule, written once: prior term + likelihood term + noise.

    dθ = [ b ∂log p_S(θ) + N b ∂log p_N(x|θ) + T b′(θ) ] dt + sqrt(2 T b) dW

=================== ==============================================================
equation            name and use
=================== ==============================================================
Eq. 5               synaptic sampling rule: constant speed b, temperature T = 1
Eq. 10              structural plasticity rule: w = exp(θ − θ0), hence a factor w
Eq. 12              general rule with speed b(θ) and temperature T, as above
Eq. 21              the rule in discrete time: one step Δt
=================== ==============================================================

Its stationary distribution is p*(θ) ∝ (p_S(θ) p_N(x|θ))^(1/T) (Theorem 1). All code that moves a
parameter, on arrays, in the spiking kernel or in JAX, calls the functions of this file.
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
    """Deterministic part of Eq. 12; the only place with the factor N = ``data_size``."""
    return b * (prior_gradient + data_size * likelihood_gradient) + T * b_slope


@scalar
def chain_rule(slope: Any, weight_gradient: Any) -> Any:
    """∂log p_N/∂θ = dw/dθ · ∂log p_N/∂w for w = f(θ) (Eq. 10, structural plasticity rule)."""
    return slope * weight_gradient


@scalar
def diffusion(b: Any, T: Any) -> Any:
    """sqrt(2 T b), the factor of the Wiener increment dW."""
    return np.sqrt(2.0 * T * b)


@scalar
def euler_maruyama(theta: Any, drift: Any, diffusion: Any, sqrt_dt: Any, normal: Any) -> Any:
    """One step of the rule in discrete time (Eq. 21): dW becomes sqrt(Δt) ν."""
    return theta + (drift * sqrt_dt + diffusion * normal) * sqrt_dt


@scalar
def likelihood_jump(b: Any, data_size: Any, likelihood_gradient: Any) -> Any:
    """Change of θ by the likelihood term at a postsynaptic spike, where S(t) is a delta pulse."""
    return drift(b, 0.0, 0.0, data_size, likelihood_gradient, 0.0)


# Defined with the Gaussian prior; part of the rule for its users.
__all__ = [
    "chain_rule",
    "diffusion",
    "drift",
    "euler_maruyama",
    "likelihood_jump",
    "ornstein_uhlenbeck",
]
