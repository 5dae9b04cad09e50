"""Soft rewiring: every possible connection has a θ, and the number of active ones is the rule's.

The prior costs ``cost``·θ for an active connection and nothing for a dormant one, down to a floor:

    p*(θ) ∝ exp(−cost·θ/T) for θ > 0,      1 for floor <= θ <= 0,      0 below

Without data, a share p0 is then active, with θ exponential of mean T/cost, and the dormant ones are
uniform down to the floor. The share fixes the floor: −T/cost · (1 − p0)/p0.

With data the floor's kind matters. A step that throws θ below the floor by more than its depth is
mirrored to θ > 0: where gradients of minibatches make such steps, a reflecting floor hands back
what has just been removed. A clipping floor keeps it dormant.
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

    signs:        ±1 for each connection, which give the leaf its shape (see `random_signs`)
    active_share: p0, the share of connections that is active without data
    cost:         l1 of an active connection
    temperature:  the T that the leaf is sampled at; its floor hangs on it
    at_floor:     "reflects" (the law without data is exact) or "clips" (DEEP R's scripts)
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
        heat = number("temperature", self.temperature, above=0, at_most=1e12, remedy=remedy)
        one_of("at_floor", self.at_floor, _FLOORS)
        for name, value in (("active_share", share), ("cost", cost), ("temperature", heat)):
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
        """Where dormant connections turn back, or stay until noise lifts them."""
        mean = self.temperature / self.cost
        return _FLOORS[self.at_floor](-mean * (1 - self.active_share) / self.active_share)

    def start(
        self, key: Any, scale: float | None = None, active_share: float | None = None
    ) -> jax.Array:
        """θ to begin with: a share p0 active, or ``active_share``, the others down to the floor.

        Active ones follow the law without data, or |N(0, ``scale``²)|, as weights are mostly begun
        with: the law's mean T/cost is often tiny beside what a network needs.
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
