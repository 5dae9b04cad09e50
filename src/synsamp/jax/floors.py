"""Lower bounds of θ: reflecting or clipping.

Reflection preserves the stationary distribution above the floor. Clipping sets θ to the floor, so a
fraction of all θ equals the floor exactly; the distribution without data has no such atom. The
published soft DEEP R clips.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from synsamp.arguments import number


@dataclass(frozen=True)
class ReflectingFloor:
    """Lower bound of θ; a θ below it is mirrored to the same distance above.

    Parameters
    ----------
    value : float
        The bound.
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", number("value", self.value))

    def __call__(self, theta: Any) -> Any:
        """θ, reflected where it is below the floor."""
        return self.value + jnp.abs(theta - self.value)


@dataclass(frozen=True)
class ClippingFloor:
    """Lower bound of θ; a θ below it is set to the bound.

    Parameters
    ----------
    value : float
        The bound.
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", number("value", self.value))

    def __call__(self, theta: Any) -> Any:
        """θ, clipped at the floor."""
        return jnp.maximum(theta, self.value)


Floor = ReflectingFloor | ClippingFloor
