"""RMSprop preconditioner: speeds adapted to the curvature, from a running mean of gradients.

    v ← α v + (1 − α) g²,      b ← b / (ε + sqrt(v)),      g: gradient of the mean log-likelihood

(preconditioned SGLD: Li, Chen, Carlson & Carin 2016). While v changes, the speed depends on θ
through v, and the term T ∂b/∂θ would need second derivatives of the likelihood. Without it **the
stationary distribution is biased**: θ stays too long where gradients are large. After
``adapt_steps`` v stays fixed, so that the term is 0 and the stationary distribution is exact.
docs/reference/deep-reference.md reports the bias without that limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from synsamp.arguments import number, whole


@dataclass(frozen=True)
class RMSProp:
    """RMSprop preconditioner, which adapts the speed of each parameter.

    Parameters
    ----------
    decay : float
        α of the running mean v of squared gradients, 0 <= α < 1.
    floor : float
        ε > 0 in b / (ε + sqrt(v)).
    adapt_steps : int, optional
        Steps after which v stays fixed and the stationary distribution is unbiased; discard these
        steps by ``burn_in``. Default: v changes during the whole run.
    """

    decay: float = 0.99
    floor: float = 1e-5
    adapt_steps: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", number("decay", self.decay, at_least=0, below=1))
        object.__setattr__(self, "floor", number("floor", self.floor, above=0))
        if self.adapt_steps is not None:
            whole("adapt_steps", self.adapt_steps, at_least=1, at_most=2**31 - 1)

    def update(self, memory: Any, gradient: Any, count: Any) -> Any:
        """v after this gradient; the first gradient initialises it."""
        square = jnp.square(gradient)
        after = jnp.where(count == 0, square, self.decay * memory + (1 - self.decay) * square)
        return (
            after
            if self.adapt_steps is None
            else jnp.where(count < self.adapt_steps, after, memory)
        )

    def factor(self, memory: Any) -> Any:
        """Factor of b."""
        return 1.0 / (self.floor + jnp.sqrt(memory))
