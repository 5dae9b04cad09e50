"""Hard rewiring (DEEP R): exactly K connections are active, and only those are stored.

A layer of n_in × n_out possible connections has K slots with an index, a sign and a θ > 0. The rule
moves the K θs under their cost and noise; a slot whose θ falls to 0 or below is given to a dormant
connection, drawn at random, which begins at about 0. So memory and work go by K, not by n_in·n_out.

    theta, wires = layer.start(key)                      # theta: parameters, wires: indices
    y = layer.apply(theta, wires, x)                     # x @ W
    theta, wires = layer.rewire(key, theta, wires)       # after each step of the rule
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.arguments import number, seed, whole, wholes
from synsamp.errors import refuse
from synsamp.jax.rewiring.filling import fill
from synsamp.jax.rewiring.parts import ConnectionCost
from synsamp.jax.sampling import as_key

_PAYS_BELOW = 0.02
"""Share of connections below which the sparse product is the faster one (docs/deep.md)."""
_AT_BIRTH = 1e-12
"""θ of a new connection: there, and without effect."""


class Connections(NamedTuple):
    """Which connections are active: flat indices into (n_in, n_out) and their signs, per slot."""

    places: jax.Array
    sign: jax.Array


@dataclass(frozen=True)
class HardRewiring:
    """A layer with exactly ``connections`` active ones of ``shape`` = (n_in, n_out).

    ``cost`` is l1. A connection's sign is fixed for good by ``sign_seed``, also while it is
    dormant, without being stored.
    """

    shape: tuple[int, int]
    connections: int
    cost: float = 0.0
    sign_seed: int = 0

    def __post_init__(self) -> None:
        shape = wholes("shape", self.shape, shape=(2,), at_least=1, remedy="(n_in, n_out)")
        size = int(np.prod(shape))
        if size >= 2**30:
            raise refuse("shape", "must have fewer than 2**30 possible connections", size)
        object.__setattr__(self, "shape", tuple(map(int, shape)))
        remedy = f"a layer of {self.shape[0]} x {self.shape[1]} has {size} possible connections"
        count = whole("connections", self.connections, at_least=1, at_most=size, remedy=remedy)
        object.__setattr__(self, "connections", count)
        object.__setattr__(self, "cost", number("cost", self.cost, at_least=0, at_most=1e12))
        seed("sign_seed", self.sign_seed)

    @property
    def size(self) -> int:
        """How many connections are possible."""
        return self.shape[0] * self.shape[1]

    @property
    def prior(self) -> ConnectionCost:
        """The cost of active connections."""
        return ConnectionCost(self.cost)

    def start(self, key: Any, scale: float | None = None) -> tuple[jax.Array, Connections]:
        """θ = |N(0, ``scale``²)| of K random connections; the default keeps variances through ReLU.

        That is scale² = 2 / (connections per output).
        """
        if scale is None:
            scale = float(np.sqrt(2.0 * self.shape[1] / self.connections))
        number("scale", scale, above=0)
        where, size = jax.random.split(as_key(key))
        theta = jnp.abs(jax.random.normal(size, (self.connections,))) * scale
        nowhere = jnp.zeros(self.connections, jnp.int32)
        places = fill(where, self.size, nowhere, jnp.ones(self.connections, bool))
        return jnp.maximum(theta, _AT_BIRTH), Connections(places, self.sign_of(places))

    def sign_of(self, places: jax.Array) -> jax.Array:
        """The fixed signs of connections: one bit of a hash of their place."""
        root = as_key(self.sign_seed)
        bits = jax.random.key_data(jax.vmap(lambda k: jax.random.fold_in(root, k))(places))
        return jnp.where(bits[..., 0] & 1, 1, -1).astype(jnp.int8)

    def rewire(
        self, key: Any, theta: jax.Array, wires: Connections
    ) -> tuple[jax.Array, Connections]:
        """Give the slots with θ <= 0 to random dormant connections; K stays as it is."""
        self._require_slots(theta)
        freed = theta <= 0.0

        def replace() -> tuple[jax.Array, Connections]:
            places = fill(key, self.size, wires.places, freed)
            born = jnp.where(freed, jnp.asarray(_AT_BIRTH, theta.dtype), theta)
            return born, Connections(places, jnp.where(freed, self.sign_of(places), wires.sign))

        return jax.lax.cond(jnp.any(freed), replace, lambda: (theta, wires))

    def weights(self, theta: jax.Array, wires: Connections) -> jax.Array:
        """w = s·θ of each slot."""
        self._require_slots(theta)
        return wires.sign * theta

    def dense(self, theta: jax.Array, wires: Connections) -> jax.Array:
        """The whole matrix (n_in, n_out), zeros included."""
        flat = jnp.zeros(self.size, theta.dtype)
        placed = flat.at[wires.places].set(self.weights(theta, wires), unique_indices=True)
        return placed.reshape(self.shape)

    def apply(self, theta: jax.Array, wires: Connections, x: jax.Array) -> jax.Array:
        """``x @ W`` for rows x of n_in numbers, by whichever of the two products is faster."""
        if x.ndim != 2 or x.shape[1] != self.shape[0]:
            raise refuse("x", f"must have shape (any, {self.shape[0]})", x.shape)
        if self.connections >= _PAYS_BELOW * self.size:
            return x @ self.dense(theta, wires)
        return self.sparse_product(theta, wires, x)

    def sparse_product(self, theta: jax.Array, wires: Connections, x: jax.Array) -> jax.Array:
        """``x @ W`` slot by slot: each adds its input times its weight to its output.

        Examples run along the last axis inside, so that a slot is one stretch of memory.
        """
        source, target = wires.places // self.shape[1], wires.places % self.shape[1]
        terms = x.T[source] * self.weights(theta, wires)[:, None]
        return jax.ops.segment_sum(terms, target, self.shape[1]).T

    def _require_slots(self, theta: Any) -> None:
        if np.shape(theta) != (self.connections,):
            rule = f"must have one number for each of {self.connections} connections"
            raise refuse("theta", rule, np.shape(theta), "begin with start(key)")


def turnover(before: Connections, after: Connections) -> jax.Array:
    """The share of connections that were not there before."""
    return jnp.mean(~jnp.isin(after.places, before.places))
