"""Underdamped dynamics with a thermostat, for gradients of minibatches (SGNHT).

    dθ = v dt,    dv = [ b F/τ − ξ v ] dt + sqrt(2 T b)/τ dW,    dξ = [ ⟨τ v²/(T b)⟩ − 1 ]/τ² dt

F is the gradient of log(prior × likelihood). Noise of minibatches in F heats θ. The friction ξ
rises until the mean ⟨·⟩ over the array is 1, so that v has the variance T b/τ of the rule whatever
the size of that noise, if it is about the same for all parameters of the array (Ding et al. 2014).
Without noise in F, ξ stays near 1/τ, and the dynamics is `synsamp.Underdamped`.

A step is kick, half a drift, half a step of ξ, friction with noise, and the halves in reverse
(Leimkuhler & Shang 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from synsamp.arguments import number
from synsamp.jax import bridge


@dataclass(frozen=True)
class Thermostat:
    """Underdamped dynamics whose friction compensates for the noise of minibatches (SGNHT).

    Parameters
    ----------
    tau : float
        Time τ over which the velocity averages the rule, in steps.

    Examples
    --------
    >>> sampler(log_likelihood, speed=1e-4, data_size=60_000, method=Thermostat(tau=10))
    """

    tau: float = 10.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "tau", number("tau", self.tau, above=0, at_most=1e9))

    def constants(self, dt: float) -> tuple[float, ...]:
        """Numbers that the step needs: Δt/2, Δt/τ, Δt, τ."""
        return 0.5 * dt, dt / self.tau, dt, self.tau


def begin(method: Thermostat, zeros: Any) -> Any:
    """Velocity 0 and friction 1/τ."""
    return zeros, jnp.asarray(1.0 / method.tau, zeros.dtype)


def thermostat(state: Any, terms: Any, T: Any, constants: Any, normal: Any) -> Any:
    """Change of θ, and velocity and friction after a step."""
    half_dt, kick_time, dt, tau = constants
    v, friction = state

    def heated(friction: Any, v: Any) -> Any:
        return friction + half_dt * (jnp.mean(tau * v**2 / (T * terms.b)) - 1.0) / tau**2

    v = bridge.kick(v, terms.drift(T), kick_time)
    middle = bridge.glide(0.0, v, half_dt)
    friction = heated(friction, v)
    # Noise of intensity 2Tb/τ² for the time Δt, under this friction; it may be 0 or negative.
    left = 2.0 * friction * dt
    share = jnp.where(jnp.abs(left) < 1e-4, 1.0 - 0.5 * left, -jnp.expm1(-left) / left)
    v = bridge.refresh(v, terms.b, T, jnp.exp(-friction * dt), 2.0 * dt * share / tau**2, normal)
    friction = heated(friction, v)
    return bridge.glide(middle, v, half_dt), (v, friction)
