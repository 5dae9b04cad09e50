"""A floor that θ may not go below, and what happens to a step that would.

Reflecting keeps the rule's law above the floor (the mirrored step is one of the same process folded
at the floor). Clipping sets θ onto the floor, so that a share of all θ sits exactly there: an atom,
which the law without data does not have. The published soft-DEEP R clips.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from synsamp.arguments import number


@dataclass(frozen=True)
class ReflectingFloor:
    """θ below the floor is mirrored to the same distance above it."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", number("value", self.value))

    def __call__(self, theta: Any) -> Any:
        """θ, or its mirror image."""
        return self.value + jnp.abs(theta - self.value)


@dataclass(frozen=True)
class ClippingFloor:
    """θ below the floor is set onto it."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", number("value", self.value))

    def __call__(self, theta: Any) -> Any:
        """θ, or the floor."""
        return jnp.maximum(theta, self.value)


Floor = ReflectingFloor | ClippingFloor
