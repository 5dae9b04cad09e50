"""Rewiring by magnitude: remove the weakest connections, add others (SET, RigL).

    remove the fraction ζ of the connections with the smallest |w|
    add as many: at random (SET, Mocanu et al. 2018), or where |∂loss/∂w| is largest (RigL, Evci et
    al. 2020); they begin with w = 0

Both keep K connections, as `HardRewiring` does, and learn with any optimiser; θ of a slot is its
weight. `run` calls ``rewire`` every ``every`` steps; in a custom loop, call it yourself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp

from synsamp.arguments import number, one_of, whole
from synsamp.errors import refuse
from synsamp.jax.rewiring.filling import fill
from synsamp.jax.rewiring.slots import Connections, Slots
from synsamp.jax.sampling import as_key


@dataclass(frozen=True)
class MagnitudeRewiring(Slots):
    """A layer that replaces its weakest connections: SET, or RigL with a gradient.

    Parameters
    ----------
    shape : (int, int)
        (n_in, n_out).
    connections : int
        K, the number of active connections.
    fraction : float
        ζ, the fraction that each call of ``rewire`` replaces.
    grow : {"random", "gradient"}
        Which connections `run` adds: random ones (SET), or those with the largest gradient (RigL).
    every : int
        Steps of `run` between two calls of ``rewire``.

    Examples
    --------
    >>> layer = MagnitudeRewiring((784, 300), connections=2352)
    >>> theta, wires = layer.rewire(key, theta, wires)  # SET
    >>> theta, wires = layer.rewire(key, theta, wires, gradient)  # RigL
    """

    fraction: float = 0.3
    grow: Literal["random", "gradient"] = "random"
    every: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        number("fraction", self.fraction, above=0, at_most=1)
        one_of("grow", self.grow, ("random", "gradient"))
        whole("every", self.every, at_least=1)

    @property
    def needs_gradient(self) -> bool:
        """Whether ``rewire`` receives the gradient of the loss in all possible weights."""
        return self.grow == "gradient"

    def start(
        self, key: int | jax.Array, scale: float | None = None
    ) -> tuple[jax.Array, Connections]:
        """Weights N(0, scale²) of K random connections.

        The default scale² = 2 / (connections per output) preserves variances through ReLU.
        """
        where, size = jax.random.split(as_key(key))
        theta = jax.random.normal(size, (self.connections,)) * self.scale(scale)
        places = self.random_places(where)
        return theta, Connections(places, jnp.ones(self.connections, jnp.int8))

    def rewire(
        self,
        key: Any,
        theta: jax.Array,
        wires: Connections,
        gradient: jax.Array | None = None,
        *_: Any,
    ) -> tuple[jax.Array, Connections]:
        """Replace the weakest connections.

        Parameters
        ----------
        key : jax.Array
            Chooses among the dormant connections; not used with a gradient.
        theta, wires
            The layer.
        gradient : array, shape (n_in, n_out), optional
            ∂loss/∂w of all possible connections: ``jax.grad`` with respect to
            ``layer.dense(theta, wires)``. New connections are then those with the largest.
        """
        self.require_slots(theta)
        n = int(self.fraction * self.connections)
        if n == 0:
            return theta, wires
        weakest = jax.lax.top_k(-jnp.abs(theta), n)[1]
        if gradient is None:
            removed = jnp.zeros(self.connections, bool).at[weakest].set(True)
            places = fill(key, self.size, wires.places, removed)
        else:
            if gradient.shape != self.shape:
                raise refuse("gradient", f"must have shape {self.shape}", gradient.shape)
            kept = wires.places.at[weakest].set(self.size)  # out of range: dropped
            strength = jnp.abs(gradient).ravel().at[kept].set(-1.0, mode="drop")
            added = jax.lax.top_k(strength, min(n, self.size))[1].astype(jnp.int32)
            places = wires.places.at[weakest].set(added)
        same = places == wires.places
        return jnp.where(same, theta, 0.0).astype(theta.dtype), Connections(places, wires.sign)
