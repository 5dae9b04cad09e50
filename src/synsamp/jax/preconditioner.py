"""RMSprop preconditioner: speeds adapted to the curvature, from a running mean of gradients.

    v ← α v + (1 − α) g²,      b ← b / (ε + sqrt(v)),      g: gradient of the mean log-likelihood

(preconditioned SGLD: Li, Chen, Carlson & Carin 2016). The speed now depends on θ through v, but the
term T ∂b/∂θ is omitted, since v is a running mean without a simple derivative. **The stationary
distribution is therefore biased**: θ stays too long where gradients are large. The bias decreases
with 1 − α, because v then follows θ slowly; docs/deep.md reports its measured size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from synsamp.arguments import number


@dataclass(frozen=True)
class RMSProp:
    """RMSprop preconditioner; biases the stationary distribution, see docs/deep.md.

    Parameters
    ----------
    decay : float
        α of the running mean v of squared gradients, 0 <= α < 1.
    floor : float
        ε > 0 in b / (ε + sqrt(v)).
    """

    decay: float = 0.99
    floor: float = 1e-5

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", number("decay", self.decay, at_least=0, below=1))
        object.__setattr__(self, "floor", number("floor", self.floor, above=0))

    def update(self, memory: Any, gradient: Any, count: Any) -> Any:
        """v after this gradient; the first gradient initialises it."""
        square = jnp.square(gradient)
        return jnp.where(count == 0, square, self.decay * memory + (1 - self.decay) * square)

    def factor(self, memory: Any) -> Any:
        """Factor of b."""
        return 1.0 / (self.floor + jnp.sqrt(memory))
