"""Hard rewiring (DEEP R): exactly K connections are active, and only those are stored.

A layer of n_in × n_out possible connections has K slots with an index, a sign and a θ > 0. The rule
moves θ under cost and noise. When θ of a slot falls to 0 or below, a random dormant connection
takes the slot and starts at about 0. Call ``rewire`` after each step of the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import jax
import jax.numpy as jnp

from synsamp.arguments import number, seed, whole
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
    temperature : float
        T of the leaf, for `sampler` and `sampling`; `for_run` chooses it.

    Examples
    --------
    >>> layer = HardRewiring.for_run((784, 300), connections=2352, speed=0.5, steps=6000)
    >>> sampler(log_likelihood, speed=0.5, prior=layer.prior, temperature=layer.temperature)
    """

    cost: float = 0.0
    sign_seed: int = 0
    temperature: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cost", number("cost", self.cost, at_least=0, at_most=1e12))
        seed("sign_seed", self.sign_seed)
        limits: Any = dict(at_least=0, at_most=1e12)
        object.__setattr__(self, "temperature", number("temperature", self.temperature, **limits))

    @classmethod
    def for_run(
        cls, shape: tuple[int, int], connections: int, *, speed: float, steps: int, **more: Any
    ) -> Self:
        """A layer whose cost and temperature suit the length of a run.

        Both follow from the typical θ at the start, s = sqrt(2 / (connections per output)). In half
        of the run the cost takes a connection that the data do not support from s to 0, and over
        the whole run noise alone moves θ by s/4::

            cost = 2 s / (speed · steps),      T = (s/4)² / (2 · speed · steps)

        Parameters
        ----------
        shape, connections
            As for the class.
        speed : float
            b of the run: the learning rate of the mean loss, with ``data_size`` 1.
        steps : int
            Steps of the run.
        more
            Further settings of the class.
        """
        speed = number("speed", speed, above=0, at_most=1e12)
        path = speed * whole("steps", steps, at_least=1)
        s = cls(shape, connections).scale(None)
        return cls(shape, connections, 2.0 * s / path, temperature=s**2 / (32.0 * path), **more)

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
        self, key: Any, theta: jax.Array, wires: Connections, *_: Any
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
