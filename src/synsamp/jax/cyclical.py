"""Cyclical schedules: large steps find a mode, small steps sample it, then a restart (cSGMCMC).

    b_k = b/2 (1 + cos(π (k mod K)/K)),      T_k = 0 in the first part of a cycle, then T

(Zhang, Li, Zhang, Chen & Wilson 2020). Keep the last draws of each cycle, where steps are short.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

from synsamp.arguments import number, whole
from synsamp.jax.pytree import Schedule


class Cycles(NamedTuple):
    """Schedules of speed and temperature.

    Attributes
    ----------
    speed, temperature : callable
        Functions of the step count.
    """

    speed: Schedule
    temperature: Schedule


def cyclical(speed: float, steps: int, explore: float = 0.5, temperature: float = 1.0) -> Cycles:
    """Schedules of speed and temperature with restarts, for `sampler` and `sampling`.

    Parameters
    ----------
    speed : float
        b at the start of each cycle; it falls to 0 as a cosine.
    steps : int
        Steps per cycle. ``run(..., thin=steps)`` keeps the last position of each cycle.
    explore : float
        Fraction of each cycle without noise, in which a run may move to another mode.
    temperature : float
        T in the rest of the cycle.

    Returns
    -------
    Cycles
        The two schedules.

    Examples
    --------
    >>> cycles = cyclical(speed=1e-4, steps=1000)
    >>> sampler(log_likelihood, speed=cycles.speed, temperature=cycles.temperature)
    """
    speed = number("speed", speed, above=0, at_most=1e12)
    steps = whole("steps", steps, at_least=2, at_most=2**31 - 1)
    explore = number("explore", explore, at_least=0, below=1)
    temperature = number("temperature", temperature, at_least=0, at_most=1e12)

    def falling(count: Any) -> Any:
        return 0.5 * speed * (1.0 + jnp.cos(jnp.pi * (count % steps) / steps))

    def switched(count: Any) -> Any:
        return jnp.where(count % steps < explore * steps, 0.0, temperature)

    return Cycles(falling, switched)
