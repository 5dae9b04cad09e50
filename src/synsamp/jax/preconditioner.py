"""Different speeds for different curvatures, found from the gradients on the way.

    v ← α v + (1 − α) g²,      b ← b / (ε + sqrt(v)),      g: gradient of the mean log-likelihood

(RMSprop as a metric: Li, Chen, Carlson & Carin 2016). The speed now depends on θ through v, and the
term T ∂b/∂θ that keeps the law is left out, since v is a memory and has no derivative at hand. So
**the law is biased**: θ stays too long where gradients are large. The bias falls with 1 − α, as v
then hardly follows θ; docs/deep.md has its measured size. Without a preconditioner there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from synsamp.arguments import number


@dataclass(frozen=True)
class RMSProp:
    """``decay`` α of the memory of squared gradients, and ``floor`` ε beside their root."""

    decay: float = 0.99
    floor: float = 1e-5

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", number("decay", self.decay, at_least=0, below=1))
        object.__setattr__(self, "floor", number("floor", self.floor, above=0))

    def update(self, memory: Any, gradient: Any, count: Any) -> Any:
        """v after this gradient; the first one is taken whole."""
        square = jnp.square(gradient)
        return jnp.where(count == 0, square, self.decay * memory + (1 - self.decay) * square)

    def factor(self, memory: Any) -> Any:
        """What multiplies b."""
        return 1.0 / (self.floor + jnp.sqrt(memory))
