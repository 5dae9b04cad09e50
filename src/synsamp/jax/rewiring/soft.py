"""Soft rewiring: every possible connection has a θ, and the number of active ones is the rule's.

The prior costs ``cost``·θ for an active connection and nothing for a dormant one, down to a floor:

    p*(θ) ∝ exp(−cost·θ/T) for θ > 0,      1 for floor <= θ <= 0,      0 below

Without data, a share p0 is then active, with θ exponential of mean T/cost, and the dormant ones are
uniform down to the floor. The share fixes the floor: −T/cost · (1 − p0)/p0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from synsamp.arguments import number
from synsamp.jax.floors import ReflectingFloor
from synsamp.jax.rewiring.parts import ConnectionCost, Rectified
from synsamp.jax.sampling import as_key


@dataclass(frozen=True, eq=False)
class SoftRewiring:
    """Prior, mapping and floor of one leaf of connections, for `sampling` and `sampler`.

    signs:        ±1 for each connection, which give the leaf its shape (see `random_signs`)
    active_share: p0, the share of connections that is active without data
    cost:         l1 of an active connection
    temperature:  the T that the leaf is sampled at; its floor hangs on it
    """

    signs: Any
    active_share: float
    cost: float
    temperature: float

    def __post_init__(self) -> None:
        share = number("active_share", self.active_share, above=0, below=1)
        cost = number("cost", self.cost, above=0, at_most=1e12)
        remedy = "without noise nothing is rewired; T = speed·noise²/2 in the terms of DEEP R"
        heat = number("temperature", self.temperature, above=0, at_most=1e12, remedy=remedy)
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
    def floor(self) -> ReflectingFloor:
        """Where dormant connections turn back; reflecting, so that no θ piles up there."""
        mean = self.temperature / self.cost
        return ReflectingFloor(-mean * (1 - self.active_share) / self.active_share)

    def start(self, key: Any, scale: float | None = None) -> jax.Array:
        """θ to begin with: a share p0 active, the others spread down to the floor.

        Active ones follow the law without data, or |N(0, ``scale``²)|, as weights are mostly begun
        with: the law's mean T/cost is often tiny beside what a network needs.
        """
        shape = self.signs.shape
        which, above, below = jax.random.split(as_key(key), 3)
        if scale is None:
            active = jax.random.exponential(above, shape) * (self.temperature / self.cost)
        else:
            active = jnp.abs(jax.random.normal(above, shape)) * number("scale", scale, above=0)
        dormant = jax.random.uniform(below, shape, minval=self.floor.value, maxval=0.0)
        is_active = jax.random.uniform(which, shape) < self.active_share
        return jnp.where(is_active, active, dormant)
