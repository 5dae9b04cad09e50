"""Many chains of one rule, advanced together.

``Chains`` is the moving part: parameters, random streams, step count. The compiled path runs each
chain's loop on a thread pool; the plain path calls the user's Python functions on all chains at
once or chain by chain. Both take the same normals from the same streams, so one is the other's slow
twin. However many steps are asked for, the compiled loop comes back to Python after a short while,
so that Ctrl-C is heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, number, numbers, whole
from synsamp.arguments import seed as checked_seed
from synsamp.errors import SynsampError, refuse
from synsamp.noise.streams import BLOCK, new_stream
from synsamp.rule.equation import chain_rule, euler_maruyama
from synsamp.rule.kernel import chain_kernel, likelihood_data, prior_arguments, take_normals
from synsamp.rule.rule import Rule
from synsamp.rule.vectorisation import require_shape

_BUFFER = 4 * BLOCK
_PIECE_SECONDS = 0.1
"""How long the compiled loop may run before it comes back."""

MOST_STEPS = 10**15
MOST_CHAINS = 10**5
MOST_THREADS = 1024


class Pace:
    """Cuts steps into pieces of about ``_PIECE_SECONDS``, and remembers how many those are."""

    def __init__(self) -> None:
        self._size = 1

    def pieces(self, total: int, most: int = MOST_STEPS) -> Iterator[int]:
        """Pieces of ``total`` steps, of ``most`` steps at most."""
        done = 0
        while done < total:
            n = min(self._size, most, total - done)
            began = time.perf_counter()
            yield n
            took = time.perf_counter() - began
            done += n
            if took > 2 * _PIECE_SECONDS:
                self._size = max(1, n // 2)
            elif took < _PIECE_SECONDS and n == self._size:  # a short rest says nothing
                self._size *= 2


def as_seed(seed: Any) -> np.random.SeedSequence:
    """A number or a SeedSequence as a SeedSequence."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    return np.random.SeedSequence(checked_seed("seed", seed))


class Chains:
    """The state of many chains under one rule; ``advance`` moves them on.

    ``theta`` has shape (chains, parameters) and may be read at any time.
    """

    def __init__(
        self,
        rule: Rule,
        start: ArrayLike,
        dt: float,
        seed: int | np.random.SeedSequence,
        threads: int = 1,
    ) -> None:
        self.rule: Rule = instance("rule", rule, Rule, "make one with synsamp.Rule(...)")
        self.dt = number("dt", dt, above=0, at_most=1e12, remedy="try 1e-3 divided by the speed b")
        self.threads = whole("threads", threads, at_least=1, at_most=MOST_THREADS)
        self.theta = numbers("start", start, shape=(None, None), remedy="(chains, parameters)")
        if 0 in self.theta.shape:
            raise refuse("start", "must hold at least one parameter", self.theta.shape)
        if len(self.theta) > MOST_CHAINS:
            raise refuse("chains", f"must be at most {MOST_CHAINS}", len(self.theta))
        self.theta = np.ascontiguousarray(self.theta)
        root = as_seed(seed)
        rule.check(self.theta)
        self.step = 0
        self._origin = 0
        self._whole = True
        self._pace = Pace()
        likelihood = rule.likelihood
        self._together = likelihood is not None and likelihood.validate(
            rule.mapping.weight(self.theta) if rule.maps else self.theta
        )
        n = len(self.theta)
        noise_seeds, model_seeds, memory_seeds = (s.spawn(n) for s in root.spawn(3))
        self._streams = np.stack([new_stream(s) for s in noise_seeds])
        self._buffers = np.empty((n, _BUFFER), np.float32)
        self._positions = np.full(n, _BUFFER)
        self._rngs = [np.random.Generator(np.random.PCG64(s)) for s in model_seeds]
        self._memories = [likelihood.init_memory(s) if likelihood else () for s in memory_seeds]

    @property
    def time(self) -> float:
        """Time passed, step · dt."""
        return self.step * self.dt

    def burn_in(self, n_steps: int) -> None:
        """Move every chain on without keeping anything; thinning counts from here."""
        whole("n_steps", n_steps, at_least=0, at_most=MOST_STEPS)
        self.advance(n_steps, thin=self.step - self._origin + n_steps + 1)
        self._origin = self.step

    def advance(self, n_steps: int, thin: int = 1) -> NDArray[np.float64]:
        """Move every chain on; returns the states after each ``thin``-th step.

        Shape (chains, draws, parameters). Chunks of any length give the same bits.
        """
        n_steps = whole("n_steps", n_steps, at_least=0, at_most=MOST_STEPS)
        thin = whole("thin", thin, at_least=1)
        if not self._whole:
            raise SynsampError(
                "chains must all be at the same step, got an interruption within one; "
                "go on from a saved state with restore(state)"
            )
        draws = np.empty((len(self.theta), self._n_draws(n_steps, thin), self.theta.shape[1]))
        kept = 0
        with ThreadPoolExecutor(self.threads) if self.threads > 1 else nullcontext() as pool:
            for n in self._pace.pieces(n_steps):
                more = self._n_draws(n, thin)
                self._whole = False
                self._advance_piece(n, thin, draws[:, kept : kept + more], pool)
                self._whole = True
                kept += more
        return draws

    def _n_draws(self, n_steps: int, thin: int) -> int:
        done = self.step - self._origin
        return (done + n_steps) // thin - done // thin

    def _advance_piece(self, n_steps: int, thin: int, draws: NDArray[Any], pool: Any) -> None:
        times = (self.step + np.arange(n_steps)) * np.float64(self.dt)
        temperatures = self.rule.temperatures(times, self.theta.shape[1])
        if self.rule.compiled:
            self._advance_compiled(n_steps, temperatures, thin, draws, pool)
        else:
            self._advance_plain(n_steps, temperatures, thin, draws)
        self.step += n_steps
        self._require_finite(self.time)

    def _require_finite(self, time: float) -> None:
        if np.all(np.isfinite(self.theta)):
            return
        chain, parameter = np.argwhere(~np.isfinite(self.theta))[0]
        raise SynsampError(
            f"theta must stay finite, got {self.theta[chain, parameter]} in chain {chain}, "
            f"parameter {parameter} by time {time:g}; use a smaller dt (now {self.dt:g}) "
            "or check the likelihood gradient"
        )

    def _advance_compiled(
        self, n_steps: int, temperatures: NDArray[Any], thin: int, draws: NDArray[Any], pool: Any
    ) -> None:
        rule, size = self.rule, self.theta.shape[1]
        kernel = chain_kernel(rule)
        prior_parameters, prior_ranges = prior_arguments(rule, size)
        inputs, data = likelihood_data(rule, size)
        speed = rule.speed.for_kernel(size)

        def one(c: int) -> None:
            self._positions[c] = kernel(
                self.theta[c],
                self.step,
                n_steps,
                self.dt,
                temperatures,
                prior_parameters,
                prior_ranges,
                speed,
                rule.mapping.parameters,
                rule.data_size,
                inputs,
                (*data, *self._memories[c]),
                self._rngs[c],
                self._streams[c],
                self._buffers[c],
                self._positions[c],
                self._origin,
                thin,
                draws[c],
            )

        for _ in (map if pool is None else pool.map)(one, range(len(self.theta))):
            pass

    def _advance_plain(
        self, n_steps: int, temperatures: NDArray[Any], thin: int, draws: NDArray[Any]
    ) -> None:
        sqrt_dt, kept = np.sqrt(self.dt), 0
        normals = np.empty_like(self.theta, np.float32)
        for s in range(n_steps):
            gradient = self._plain_likelihood(self.step + s)
            drift, diffusion = self.rule.terms(self.theta, gradient, temperatures[s])
            for c in range(len(self.theta)):
                self._positions[c] = take_normals(
                    self._streams[c], self._buffers[c], self._positions[c], normals[c]
                )
            self.theta[:] = euler_maruyama.py_func(self.theta, drift, diffusion, sqrt_dt, normals)
            self._require_finite((self.step + s + 1) * self.dt)
            if (self.step + s + 1 - self._origin) % thin == 0:
                draws[:, kept] = self.theta
                kept += 1

    def _plain_likelihood(self, step: int) -> Any:
        if self.rule.likelihood is None:
            return 0.0
        if not self.rule.maps:
            return self._plain_gradient(self.theta, step)
        gradient = self._plain_gradient(self.rule.mapping.weight(self.theta), step)
        return chain_rule.py_func(self.rule.mapping.slope(self.theta), gradient)

    def _plain_gradient(self, weights: NDArray[Any], step: int) -> NDArray[np.float64]:
        found = self.rule.likelihood.evaluate(
            weights, step, self._rngs, self._memories, self._together
        )
        gradient = np.asarray(found, float)
        require_shape(gradient, self.theta.shape)
        return gradient

    @property
    def fixed_gradient(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """The log-likelihood's gradient in θ, of rows of θ, with nothing left to chance.

        None where there is none: no likelihood, or hidden states that are drawn.
        """
        rule, likelihood = self.rule, self.rule.likelihood
        if likelihood is None or not likelihood.has_fixed_gradient:
            return None

        def gradient(theta: NDArray[np.float64]) -> NDArray[np.float64]:
            weights = rule.mapping.weight(theta) if rule.maps else theta
            # A function of all chains may count on their number: give it as many rows.
            n = len(self.theta) if self._together else len(weights)
            found = [
                np.asarray(likelihood.fixed_gradient(_rows(weights[k : k + n], n), self._together))
                for k in range(0, len(weights), n)
            ]
            whole = np.concatenate(found)[: len(weights)].astype(float)
            return chain_rule.py_func(rule.mapping.slope(theta), whole) if rule.maps else whole

        return gradient

    def state(self) -> dict[str, Any]:
        """Everything that decides the future, as plain arrays and text (for checkpoints)."""
        return {
            "theta": self.theta.copy(),
            "step": self.step,
            "origin": self._origin,
            "streams": self._streams.copy(),
            "buffers": self._buffers.copy(),
            "positions": self._positions.copy(),
            "generators": np.array([_pack(rng) for rng in self._rngs], np.uint64),
            "memories": {
                str(k): np.stack(arrays)
                for k, arrays in enumerate(zip(*self._memories, strict=True))
            },
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a ``state``; what follows is the same bit for bit."""
        self._whole = True
        self.theta[:] = state["theta"]
        self.step, self._origin = int(state["step"]), int(state["origin"])
        self._streams[:] = state["streams"]
        self._buffers[:] = state["buffers"]
        self._positions[:] = state["positions"]
        for rng, words in zip(self._rngs, state["generators"], strict=True):
            _unpack(rng, words)
        for k, arrays in enumerate(zip(*self._memories, strict=True)):
            for array, stored in zip(arrays, state["memories"][str(k)], strict=True):
                array[...] = stored


def _rows(values: NDArray[Any], n: int) -> NDArray[Any]:
    """``n`` rows: those given, then the last again."""
    return values[np.minimum(np.arange(n), len(values) - 1)]


_LOW = 2**64 - 1


def _pack(rng: np.random.Generator) -> list[int]:
    """A PCG64 generator as six 64-bit words."""
    whole: Any = rng.bit_generator.state
    state, inc = whole["state"]["state"], whole["state"]["inc"]
    return [
        state >> 64,
        state & _LOW,
        inc >> 64,
        inc & _LOW,
        whole["has_uint32"],
        whole["uinteger"],
    ]


def _unpack(rng: np.random.Generator, words: Any) -> None:
    a, b, c, d, has, value = (int(w) for w in words)
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": a << 64 | b, "inc": c << 64 | d},
        "has_uint32": has,
        "uinteger": value,
    }
