"""A prior of a leaf given by its log-density, which JAX differentiates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from synsamp.arguments import function


@dataclass(frozen=True, eq=False)
class LogPrior:
    """Prior of a leaf θ from a function of it that returns log p_S, up to a constant.

    Parameters
    ----------
    log_density : callable
        Returns one number, or one per parameter; written with ``jax.numpy``.

    Examples
    --------
    >>> sampler(log_likelihood, prior=LogPrior(lambda w: -jnp.sum(jnp.abs(w))), speed=1e-4)
    """

    log_density: Callable[[Any], Any]

    def __post_init__(self) -> None:
        function("log_density", self.log_density, "pass a function of θ")

    def gradient(self, theta: Any) -> Any:
        """∂log p_S/∂θ."""
        return jax.grad(lambda x: jnp.sum(self.log_density(x)))(theta)
