"""Soft rewiring: every possible connection has a θ, and the rule sets the number of active ones.

The prior costs ``cost``·θ for an active connection and nothing for a dormant one, down to a floor:

    p*(θ) ∝ exp(−cost·θ/T) for θ > 0,      1 for floor <= θ <= 0,      0 below

Without data a fraction p0 is active, with exponential θ of mean T/cost, and dormant θ are uniform
down to the floor. The fraction determines the floor: −T/cost · (1 − p0)/p0.

With data the kind of floor matters. A step that takes θ below the floor by more than its depth is
mirrored to θ > 0: if minibatch gradients cause such steps, a reflecting floor reactivates a
connection that was just removed. A clipping floor keeps it dormant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from synsamp.arguments import number, one_of
from synsamp.jax.floors import ClippingFloor, Floor, ReflectingFloor
from synsamp.jax.rewiring.parts import ConnectionCost, Rectified
from synsamp.jax.sampling import as_key

_FLOORS: dict[str, type[Floor]] = {"reflects": ReflectingFloor, "clips": ClippingFloor}


@dataclass(frozen=True, eq=False)
class SoftRewiring:
    """Prior, mapping and floor of one leaf of connections, for `sampling` and `sampler`.

    Parameters
    ----------
    signs : array of ±1
        Sign of each connection, in the shape of the leaf (see `random_signs`).
    active_share : float
        p0, the fraction of active connections without data.
    cost : float
        l1 cost of an active connection.
    temperature : float
        T of the leaf; its floor depends on it.
    at_floor : {"reflects", "clips"}
        "reflects" preserves the distribution without data; DEEP R's scripts clip.
    """

    signs: Any
    active_share: float
    cost: float
    temperature: float
    at_floor: str = "reflects"

    def __post_init__(self) -> None:
        share = number("active_share", self.active_share, above=0, below=1)
        cost = number("cost", self.cost, above=0, at_most=1e12)
        remedy = "without noise nothing is rewired; T = speed·noise²/2 in the terms of DEEP R"
        T = number("temperature", self.temperature, above=0, at_most=1e12, remedy=remedy)
        one_of("at_floor", self.at_floor, _FLOORS)
        for name, value in (("active_share", share), ("cost", cost), ("temperature", T)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "signs", self.mapping.signs)

    @property
    def prior(self) -> ConnectionCost:
        """The cost of active connections."""
        return ConnectionCost(self.cost)

    @property
    def mapping(self) -> Rectified:
        """w = s·max(θ, 0)."""
        return Rectified(self.signs)

    @property
    def floor(self) -> Floor:
        """Lower bound of dormant connections."""
        mean = self.temperature / self.cost
        return _FLOORS[self.at_floor](-mean * (1 - self.active_share) / self.active_share)

    def start(
        self, key: int | jax.Array, scale: float | None = None, active_share: float | None = None
    ) -> jax.Array:
        """Start values of θ: a fraction p0 (or ``active_share``) active, the others dormant.

        Active θ follow the distribution without data or, with ``scale``, abs(N(0, scale²)): the
        former has mean T/cost, which is often too small for a network to learn.
        """
        shape = self.signs.shape
        share = self.active_share
        if active_share is not None:
            share = number("active_share", active_share, at_least=0, at_most=1)
        which, above, below = jax.random.split(as_key(key), 3)
        if scale is None:
            active = jax.random.exponential(above, shape) * (self.temperature / self.cost)
        else:
            active = jnp.abs(jax.random.normal(above, shape)) * number("scale", scale, above=0)
        dormant = jax.random.uniform(below, shape, minval=self.floor.value, maxval=0.0)
        return jnp.where(jax.random.uniform(which, shape) < share, active, dormant)
