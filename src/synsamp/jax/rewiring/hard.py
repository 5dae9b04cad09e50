"""Hard rewiring (DEEP R): exactly K connections are active, and only those are stored.

A layer of n_in × n_out possible connections has K slots with an index, a sign and a θ > 0. The rule
moves θ under cost and noise. When θ of a slot falls to 0 or below, a random dormant connection
takes the slot and starts at about 0. Memory and work are proportional to K, not to n_in·n_out.

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
from synsamp.jax.rewiring.filling import FEW, fill, fill_few
from synsamp.jax.rewiring.parts import ConnectionCost
from synsamp.jax.sampling import as_key

_PAYS_BELOW = 0.02
"""Fraction of connections below which the sparse product is faster (docs/benchmarks.md)."""
_AT_BIRTH = 1e-12
"""θ of a new connection: active, with a negligible weight."""


class Connections(NamedTuple):
    """Active connections: flat indices into (n_in, n_out) and signs, one per slot."""

    places: jax.Array
    sign: jax.Array


@dataclass(frozen=True)
class HardRewiring:
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
        """Number of possible connections."""
        return self.shape[0] * self.shape[1]

    @property
    def prior(self) -> ConnectionCost:
        """The cost of active connections."""
        return ConnectionCost(self.cost)

    def start(
        self, key: int | jax.Array, scale: float | None = None
    ) -> tuple[jax.Array, Connections]:
        """θ = |N(0, ``scale``²)| of K random connections.

        The default scale² = 2 / (connections per output) preserves variances through ReLU.
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
        """Signs of connections: one bit of a hash of their index."""
        root = as_key(self.sign_seed)
        bits = jax.random.key_data(jax.vmap(lambda k: jax.random.fold_in(root, k))(places))
        return jnp.where(bits[..., 0] & 1, 1, -1).astype(jnp.int8)

    def rewire(
        self, key: Any, theta: jax.Array, wires: Connections
    ) -> tuple[jax.Array, Connections]:
        """Replace connections with θ <= 0 by random dormant ones; K is unchanged."""
        self._require_slots(theta)
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
        """``x @ W`` for x of shape (…, n_in), by the faster of the two products."""
        if x.ndim < 1 or x.shape[-1] != self.shape[0]:
            raise refuse("x", f"must have shape (..., {self.shape[0]})", x.shape)
        if self.connections >= _PAYS_BELOW * self.size:
            return x @ self.dense(theta, wires)
        rows = self.sparse_product(theta, wires, x.reshape(-1, self.shape[0]))
        return rows.reshape(*x.shape[:-1], self.shape[1])

    def sparse_product(self, theta: jax.Array, wires: Connections, x: jax.Array) -> jax.Array:
        """``x @ W`` slot by slot: each adds its input times its weight to its output.

        Internally examples are the last axis, so that a slot is contiguous in memory.
        """
        source, target = wires.places // self.shape[1], wires.places % self.shape[1]
        terms = x.T[source] * self.weights(theta, wires)[:, None]
        return jax.ops.segment_sum(terms, target, self.shape[1]).T

    def _require_slots(self, theta: Any) -> None:
        if np.shape(theta) != (self.connections,):
            rule = f"must have one number for each of {self.connections} connections"
            raise refuse("theta", rule, np.shape(theta), "start with start(key)")


def turnover(before: Connections, after: Connections) -> jax.Array:
    """Fraction of connections in ``after`` that are not in ``before``."""
    return jnp.mean(~jnp.isin(after.places, before.places))
