"""One step of a sampling method for an array of parameters, in JAX.

The methods are those of `rule/overdamped.py` and `rule/underdamped.py`, whose functions run here
through the bridge, and `jax/thermostat.py`. A step receives the terms of the rule at θ and returns
the change of θ and the state of the method: nothing, a velocity, or velocity and friction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp

from synsamp.errors import refuse
from synsamp.jax import bridge
from synsamp.jax.thermostat import Thermostat, begin, thermostat
from synsamp.rule.method import Method
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.underdamped import Underdamped

TAU = 10.0
"""Default τ in steps where a step is one unit of time: the momentum 0.9 that optimisers use."""


class Terms(NamedTuple):
    """What a step needs of the rule: b, and the drift for a temperature."""

    b: Any
    drift: Callable[[Any], Any]


def overdamped(state: Any, terms: Terms, T: Any, constants: Any, normal: Any) -> Any:
    """The paper's dynamics (Eq. 21)."""
    noise = bridge.diffusion(terms.b, T)
    return bridge.euler_maruyama(0.0, terms.drift(T), noise, constants[0], normal), state


def underdamped(v: Any, terms: Terms, T: Any, constants: Any, normal: Any) -> Any:
    """BAOAB: kick, half a drift, friction with noise, half a drift."""
    half_dt, kick_time, keep, heat = constants
    v = bridge.kick(v, terms.drift(T), kick_time)
    middle = bridge.glide(0.0, v, half_dt)
    v = bridge.refresh(v, terms.b, T, keep, heat, normal)
    return bridge.glide(middle, v, half_dt), v


LeafMethod = Method | Thermostat
STEPS: dict[type, Callable[..., Any]] = {
    Overdamped: overdamped,
    Underdamped: underdamped,
    Thermostat: thermostat,
}


def start_of(method: LeafMethod, theta: Any) -> Any:
    """State of a method for one array of parameters; velocities begin at 0."""
    if isinstance(method, Overdamped):
        return ()
    zeros = jnp.zeros_like(theta)
    return begin(method, zeros) if isinstance(method, Thermostat) else zeros


def with_unit_steps(method: Any) -> LeafMethod:
    """The method for steps of one unit of time, where τ counts steps."""
    if type(method) not in STEPS:
        remedy = "use Overdamped(), Underdamped() or synsamp.jax.Thermostat(); MALA is in sample"
        raise refuse("method", "must be a sampling method for pytrees", method, remedy)
    if isinstance(method, Underdamped) and method.tau is None:
        return method.tuned(TAU)
    return method
