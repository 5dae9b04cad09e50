"""A layer of which only the active connections are stored: K slots with an index and a sign.

    theta, wires = layer.start(key)                      # theta: parameters, wires: indices
    y = layer.apply(theta, wires, x)                     # x @ W
    theta, wires = layer.rewire(key, theta, wires)

`hard.py` rewires by DEEP R, `magnitude.py` by SET or RigL. Memory and work are proportional to K,
not to n_in·n_out. ``layer.wired(key)`` holds all of it as one part of a position: use it with
``x @ wired``, and `sampler` and `run` rewire it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.arguments import number, whole, wholes
from synsamp.errors import refuse
from synsamp.jax.rewiring.filling import fill

_PAYS_BELOW = 0.02
"""Fraction of connections below which the sparse product is faster (benchmarks/rewiring.py)."""


class Connections(NamedTuple):
    """Active connections of a layer, one per slot.

    Attributes
    ----------
    places : array of int, shape (connections,)
        Flat indices into (n_in, n_out).
    sign : array of ±1, shape (connections,)
        Signs.
    """

    places: jax.Array
    sign: jax.Array


@dataclass(frozen=True)
class Slots:
    """A layer with a fixed number of active connections; base of the ways to rewire it."""

    shape: tuple[int, int]
    connections: int

    @property
    def every(self) -> int:
        """Steps of `run` between two calls of ``rewire``."""
        return 1

    @property
    def needs_gradient(self) -> bool:
        """Whether ``rewire`` receives the gradient of the loss in all possible weights."""
        return False

    def start(
        self, key: int | jax.Array, scale: float | None = None
    ) -> tuple[jax.Array, Connections]:
        """Start values of θ, and random connections."""
        raise NotImplementedError

    def rewire(
        self, key: Any, theta: jax.Array, wires: Connections, *gradient: Any
    ) -> tuple[jax.Array, Connections]:
        """Replace some connections; K is unchanged."""
        raise NotImplementedError

    def wired(self, key: int | jax.Array, scale: float | None = None) -> Wired:
        """``start(key, scale)`` as one part of a position."""
        return Wired(*self.start(key, scale), self)

    def __post_init__(self) -> None:
        shape = wholes("shape", self.shape, shape=(2,), at_least=1, remedy="(n_in, n_out)")
        size = int(np.prod(shape))
        if size >= 2**30:
            raise refuse("shape", "must have fewer than 2**30 possible connections", size)
        object.__setattr__(self, "shape", tuple(map(int, shape)))
        remedy = f"a layer of {self.shape[0]} x {self.shape[1]} has {size} possible connections"
        count = whole("connections", self.connections, at_least=1, at_most=size, remedy=remedy)
        object.__setattr__(self, "connections", count)

    @property
    def size(self) -> int:
        """Number of possible connections."""
        return self.shape[0] * self.shape[1]

    def random_places(self, key: jax.Array) -> jax.Array:
        """Indices of K random connections."""
        nowhere = jnp.zeros(self.connections, jnp.int32)
        return fill(key, self.size, nowhere, jnp.ones(self.connections, bool))

    def scale(self, scale: float | None) -> float:
        """Standard deviation of start values; 2 / (connections per output) preserves variances."""
        if scale is None:
            return float(np.sqrt(2.0 * self.shape[1] / self.connections))
        return number("scale", scale, above=0)

    def weights(self, theta: jax.Array, wires: Connections) -> jax.Array:
        """w = s·θ of each slot."""
        self.require_slots(theta)
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

    def require_slots(self, theta: Any) -> None:
        """Raise an error unless θ has one number per slot."""
        if np.shape(theta) != (self.connections,):
            rule = f"must have one number for each of {self.connections} connections"
            raise refuse("theta", rule, np.shape(theta), "start with start(key)")


@dataclass(frozen=True, eq=False)
class Wired:
    """A layer with its active connections: use ``x @ wired`` as with a matrix (n_in, n_out).

    Attributes
    ----------
    theta : array, shape (connections,)
        Parameters of the active connections.
    wires : Connections
        Their places and signs.
    layer : HardRewiring or MagnitudeRewiring
        How they are rewired.
    """

    theta: Any
    wires: Connections
    layer: Slots

    __array_ufunc__: ClassVar[None] = None  # so that NumPy leaves ``x @ wired`` to this class

    def __rmatmul__(self, x: Any) -> jax.Array:
        """``x @ W`` for x of shape (…, n_in)."""
        return self.layer.apply(self.theta, self.wires, jnp.asarray(x))

    def dense(self) -> jax.Array:
        """The whole matrix (n_in, n_out), zeros included."""
        return self.layer.dense(self.theta, self.wires)


jax.tree_util.register_dataclass(Wired, ["theta", "wires"], ["layer"])


def turnover(before: Connections, after: Connections) -> jax.Array:
    """Fraction of connections in ``after`` that are not in ``before``.

    Parameters
    ----------
    before, after : Connections
        Connections of the same layer at two times.

    Returns
    -------
    jax.Array
        Between 0 and 1.
    """
    return jnp.mean(~jnp.isin(after.places, before.places))
