"""What every implementation of the chains shares: settings, step count, checks.

Two classes implement ``ChainBackend``: `synsamp.rule.chains.Chains` (Numba or plain Python) and
`synsamp.jax.chains.JaxChains` (likelihoods compiled by ``jax.jit``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import number, whole
from synsamp.arguments import seed as checked_seed
from synsamp.errors import SynsampError, refuse
from synsamp.rule.method import Method
from synsamp.rule.rule import Rule

Floats = NDArray[np.float64]

MOST_STEPS = 10**15
MOST_CHAINS = 10**5
_MOST_THREADS = 1024
_PIECE_SECONDS = 0.1
"""Time between two returns to Python, where Ctrl-C is handled."""
_OVERHEADS = 8
"""A piece takes at least so many times its overhead."""


class DivergedError(SynsampError):
    """A parameter became infinite or NaN, because a step was too large or a gradient wrong."""


class ChainBackend:
    """Base of the classes that advance chains of one rule."""

    def __init__(self, rule: Rule, size: int, dt: float, threads: int, method: Method) -> None:
        self.rule, self.method = rule, method
        if isinstance(method, type) or not hasattr(method, "require_fit"):
            remedy = "use synsamp.Overdamped(), Underdamped() or MALA(log_likelihood)"
            raise refuse("method", "must be a sampling method", method, remedy)
        method.require_fit(rule, size)
        self.dt = number("dt", dt, above=0, at_most=1e12, remedy="try 1e-3 divided by the speed b")
        self.threads = whole("threads", threads, at_least=1, at_most=_MOST_THREADS)
        method.constants(self.dt)  # raises an error if a setting is missing
        self.step = 0
        self._origin = 0  # thinning counts from here

    @property
    def time(self) -> float:
        """Time since the start, step · dt."""
        return self.step * self.dt

    theta: Floats
    """Current parameters, shape (chains, parameters)."""

    def burn_in(self, n_steps: int) -> None:
        """Advance every chain without storing draws; thinning counts from here.

        Parameters
        ----------
        n_steps : int
            Number of steps.
        """
        n_steps = whole("n_steps", n_steps, at_least=0, at_most=MOST_STEPS)
        self._advance(n_steps, self.step - self._origin + n_steps + 1)
        self._origin = self.step

    def advance(self, n_steps: int, thin: int = 1) -> Floats:
        """Advance every chain and return the state after every ``thin``-th step.

        Parameters
        ----------
        n_steps : int
            Number of steps. Results do not depend on how a run is cut into calls.
        thin : int
            Keep one state out of this many, counted from the end of the burn-in.

        Returns
        -------
        ndarray of float, shape (chains, draws, parameters)
        """
        n_steps = whole("n_steps", n_steps, at_least=0, at_most=MOST_STEPS)
        return self._advance(n_steps, whole("thin", thin, at_least=1))

    @property
    def fixed_gradient(self) -> Callable[[Floats], Floats] | None:
        """Deterministic gradient of the log-likelihood in θ, of rows of θ, if there is one."""
        raise NotImplementedError

    @property
    def accepted(self) -> float:
        """Share of accepted steps so far; 1 for methods without rejection."""
        return 1.0

    def _advance(self, n_steps: int, thin: int) -> Floats:
        raise NotImplementedError

    def _n_draws(self, n_steps: int, thin: int) -> int:
        done = self.step - self._origin
        return (done + n_steps) // thin - done // thin

    def _require_finite(self, theta: NDArray[np.floating], time: float) -> None:
        if np.all(np.isfinite(theta)):
            return
        chain, parameter = np.argwhere(~np.isfinite(theta))[0]
        raise DivergedError(
            f"theta must stay finite, got {theta[chain, parameter]} in chain {chain}, parameter "
            f"{parameter} by time {time:g}; use a smaller dt (now {self.dt:g}) or check the "
            "likelihood gradient"
        )


class Pace:
    """Cuts a run into pieces of about ``_PIECE_SECONDS`` and adapts their number of steps.

    A piece takes a + n c. Where the overhead a is large, as with thousands of chains, pieces are
    longer, so that it stays a small part of the run. Pieces of 1, 1 and 2 steps measure it; the
    first is not counted, since it may include compilation.
    """

    def __init__(self) -> None:
        self._size, self._done, self._one = 1, 0, 0.0
        self._limit = _PIECE_SECONDS

    def pieces(self, total: int, most: int = MOST_STEPS) -> Iterator[int]:
        """Numbers of steps, each at most ``most``, that add up to ``total``."""
        done = 0
        while done < total:
            n = min(self._size, most, total - done)
            began = time.perf_counter()
            yield n
            self._learn(n, time.perf_counter() - began)
            done += n

    def _learn(self, n: int, took: float) -> None:
        self._done += 1
        if self._done < 3:
            self._one, self._size = took, self._done
        elif self._done == 3 and n == 2:
            self._limit = max(_PIECE_SECONDS, _OVERHEADS * (2 * self._one - took))
        if took > 2 * self._limit and self._done > 3:
            self._size = max(1, n // 2)
        elif took < self._limit and n == self._size and self._done > 1:
            self._size *= 2  # a shorter last piece is no measure


def as_seed(seed: int | np.random.SeedSequence) -> np.random.SeedSequence:
    """Convert a number to a SeedSequence."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    return np.random.SeedSequence(checked_seed("seed", seed))
