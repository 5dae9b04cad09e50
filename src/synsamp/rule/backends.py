"""Who moves the chains of a rule: the loop of this package, or JAX's.

A likelihood says by how it was made where it runs: ``numba.njit`` in the compiled loop, plain
Python in the plain one, ``jax.jit`` in a loop on JAX's device (`synsamp.jax`, an extra that stands
on this folder and is therefore named here, not imported, until a function of its kind comes).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synsamp.rule.chains import Chains
from synsamp.rule.likelihood import Batch
from synsamp.rule.rule import Rule

Floats = NDArray[np.float64]


class ChainBackend(Protocol):
    """What `sample` asks of chains."""

    dt: float
    threads: int

    @property
    def time(self) -> float:
        """Time passed."""

    def burn_in(self, n_steps: int) -> None:
        """Move every chain on without keeping anything; thinning counts from here."""

    def advance(self, n_steps: int, thin: int = 1) -> Floats:
        """Move every chain on; the states after each ``thin``-th step."""

    @property
    def fixed_gradient(self) -> Callable[[Floats], Floats] | None:
        """The log-likelihood's gradient in θ, of rows of θ, with nothing left to chance."""


def make_backend(
    rule: Rule, start: Floats, dt: float, seed: np.random.SeedSequence, threads: int
) -> ChainBackend:
    """Chains at their start, moved by the loop that the rule's likelihood is made for."""
    if is_jax_jitted(rule.likelihood):
        found: ChainBackend = import_module("synsamp.jax.chains").JaxChains(
            rule, start, dt, seed, threads
        )
        return found
    return Chains(rule, start, dt, seed, threads)


def is_jax_jitted(likelihood: Any) -> bool:
    """Whether it is a batch likelihood whose function came out of ``jax.jit``."""
    jax = sys.modules.get("jax")  # whoever has such a function has imported it
    if jax is None or type(likelihood) is not Batch:
        return False
    return isinstance(likelihood.gradient, jax.stages.Wrapped)
