"""Hard rewiring (DEEP R): exactly K connections are active, and only those are stored.

A layer of n_in × n_out possible connections has K slots with an index, a sign and a θ > 0. The rule
moves θ under cost and noise. When θ of a slot falls to 0 or below, a random dormant connection
takes the slot and starts at about 0. Call ``rewire`` after each step of the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from synsamp.arguments import number, seed
from synsamp.jax.rewiring.filling import FEW, fill, fill_few
from synsamp.jax.rewiring.parts import ConnectionCost
from synsamp.jax.rewiring.slots import Connections, Slots
from synsamp.jax.sampling import as_key

_AT_BIRTH = 1e-12
"""θ of a new connection: active, with a negligible weight."""


@dataclass(frozen=True)
class HardRewiring(Slots):
    """A layer with a fixed number of active connections (DEEP R, Bellec et al. 2018).

    Parameters
    ----------
    shape : (int, int)
        (n_in, n_out).
    connections : int
        K, the number of active connections.
    cost : float
        l1 cost of an active connection.
    sign_seed : int
        Determines the permanent sign of every possible connection.
    """

    cost: float = 0.0
    sign_seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cost", number("cost", self.cost, at_least=0, at_most=1e12))
        seed("sign_seed", self.sign_seed)

    @property
    def prior(self) -> ConnectionCost:
        """The cost of active connections."""
        return ConnectionCost(self.cost)

    def start(
        self, key: int | jax.Array, scale: float | None = None
    ) -> tuple[jax.Array, Connections]:
        """θ = abs(N(0, scale²)) of K random connections.

        The default scale² = 2 / (connections per output) preserves variances through ReLU.
        """
        where, size = jax.random.split(as_key(key))
        theta = jnp.abs(jax.random.normal(size, (self.connections,))) * self.scale(scale)
        places = self.random_places(where)
        return jnp.maximum(theta, _AT_BIRTH), Connections(places, self.sign_of(places))

    def sign_of(self, places: jax.Array) -> jax.Array:
        """Signs of connections: one bit of a hash of their index."""
        root = as_key(self.sign_seed)
        bits = jax.random.key_data(jax.vmap(lambda k: jax.random.fold_in(root, k))(places))
        return jnp.where(bits[..., 0] & 1, 1, -1).astype(jnp.int8)

    def rewire(
        self, key: Any, theta: jax.Array, wires: Connections
    ) -> tuple[jax.Array, Connections]:
        """Replace connections with θ <= 0 by random dormant ones; K is unchanged."""
        self.require_slots(theta)
        freed = theta <= 0.0

        def few() -> Connections:  # none at all in many steps
            found = fill_few(key, self.size, wires.places, freed, wires.sign, self.sign_of)
            return Connections(*found)

        def many() -> Connections:
            places = fill(key, self.size, wires.places, freed)
            return Connections(places, jnp.where(freed, self.sign_of(places), wires.sign))

        born = jnp.where(freed, jnp.asarray(_AT_BIRTH, theta.dtype), theta)
        # A layer that is nearly full has few dormant connections to hit.
        if 2 * self.connections > self.size:
            few = many
        return born, jax.lax.cond(jnp.sum(freed) <= FEW, few, many)
