"""Prior and mapping of a rewiring connection: l1 cost and weight w = s·max(θ, 0).

A connection has a fixed sign s and is active for θ > 0. Dormant connections (θ <= 0) have no
weight, no cost and no gradient: only noise moves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from synsamp.arguments import number
from synsamp.errors import refuse
from synsamp.jax.sampling import as_key
from synsamp.mappings import Mapping
from synsamp.priors import Prior


def _log_density(theta: Any, p: Any) -> Any:
    return -p[0] * np.maximum(theta, 0.0)


def _gradient(theta: Any, p: Any) -> Any:
    return np.where(theta > 0.0, -p[0], 0.0)


@dataclass(frozen=True)
class ConnectionCost(Prior):
    """Cost of active connections: log p_S = −``cost``·θ for θ > 0, constant below (l1 of DEEP R).

    The prior is improper for θ < 0, so use it with a floor.

    Parameters
    ----------
    cost : float
        l1 cost of an active connection.
    """

    cost: float

    log_density_of: ClassVar[Any] = staticmethod(_log_density)
    gradient_of: ClassVar[Any] = staticmethod(_gradient)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", number("cost", self.cost, at_least=0, at_most=1e12))


def _weight(theta: Any, p: Any) -> Any:
    return p[0] * np.where(theta > 0.0, theta, 0.0)


def _slope(theta: Any, p: Any) -> Any:
    return p[0] * np.where(theta > 0.0, 1.0, 0.0)


def _dlog_slope(theta: Any, p: Any) -> Any:
    return 0.0 * theta


@dataclass(frozen=True, eq=False)
class Rectified(Mapping):
    """The mapping w = s·max(θ, 0) of connections with fixed signs s.

    Parameters
    ----------
    signs : array of ±1
        One sign per connection, in the shape of the leaf.
    """

    signs: ArrayLike | jax.Array

    weight_of: ClassVar[Any] = staticmethod(_weight)
    slope_of: ClassVar[Any] = staticmethod(_slope)
    dlog_slope_of: ClassVar[Any] = staticmethod(_dlog_slope)
    theta_of: ClassVar[Any] = None

    def __post_init__(self) -> None:
        signs = np.asarray(self.signs)
        if signs.dtype.kind not in "iuf" or not np.all(np.abs(signs) == 1):
            remedy = "use synsamp.jax.random_signs(key, shape)"
            raise refuse("signs", "must be +1 or -1", str(signs.dtype), remedy)
        object.__setattr__(self, "signs", signs.astype(np.int8))

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The signs."""
        return (self.signs,)


def random_signs(key: int | jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Random signs ±1, one per connection.

    Parameters
    ----------
    key : int or jax.Array
        Seed or JAX key.
    shape : tuple of int
        Shape of the leaf.

    Returns
    -------
    jax.Array of int8
        The signs.
    """
    return jax.random.rademacher(as_key(key), shape, jnp.int8)
