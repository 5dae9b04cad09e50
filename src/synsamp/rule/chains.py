"""Chains of one rule, in compiled or plain Python.

``Chains`` holds the parameters, random streams and step count. With compiled functions each chain
runs in a compiled loop on a thread pool; otherwise Python calls the user's functions, for all
chains at once or one by one. Both use the same normals from the same streams, so the tests can
compare them. The compiled loop returns to Python every 0.1 s, so that Ctrl-C works.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, numbers
from synsamp.errors import SynsampError, refuse
from synsamp.noise.streams import BLOCK, new_stream
from synsamp.rule.backends import MOST_CHAINS, ChainBackend, Pace, as_seed
from synsamp.rule.equation import chain_rule
from synsamp.rule.kernel import likelihood_data, prior_arguments, take_normals
from synsamp.rule.mala import MALA
from synsamp.rule.method import Method
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.rule import Rule
from synsamp.rule.vectorisation import require_shape

_BUFFER = 4 * BLOCK


class Chains(ChainBackend):
    """State of many chains under one rule; ``advance`` moves them.

    Parameters
    ----------
    rule : Rule
        Prior, likelihood, speed, temperature and mapping.
    start : array_like, shape (chains, parameters)
        Start values of θ.
    dt : float
        Time step Δt, in the time unit of the speed b; the paper's learning rate is η = b Δt.
    seed : int or numpy.random.SeedSequence
        Seed of the noise, of the choice of inputs and of hidden states.
    threads : int
        Number of threads; results do not depend on it.
    method : Overdamped, Underdamped or MALA
        How θ moves; default: the paper's dynamics.

    Attributes
    ----------
    theta : ndarray, shape (chains, parameters)
        Current parameters.
    step : int
        Number of steps so far.

    Examples
    --------
    >>> chains = Chains(Rule(prior=Gaussian(0, 1)), np.zeros((4, 2)), dt=0.01, seed=0)
    >>> chains.advance(1000, thin=10).shape
    (4, 100, 2)
    """

    def __init__(
        self,
        rule: Rule,
        start: ArrayLike,
        dt: float,
        seed: int | np.random.SeedSequence,
        threads: int = 1,
        method: Method = Overdamped(),  # noqa: B008 (frozen)
    ) -> None:
        instance("rule", rule, Rule, "make one with synsamp.Rule(...)")
        theta = numbers("start", start, shape=(None, None), remedy="(chains, parameters)")
        if 0 in theta.shape:
            raise refuse("start", "must hold at least one parameter", theta.shape)
        if len(theta) > MOST_CHAINS:
            raise refuse("chains", f"must be at most {MOST_CHAINS}", len(theta))
        super().__init__(rule, theta.shape[1], dt, threads, method)
        self.theta = np.ascontiguousarray(theta)
        self._state = np.zeros((len(theta), method.state_rows, theta.shape[1]))
        root = as_seed(seed)
        rule.check(self.theta)
        self._in_step = True  # False between an interruption and ``restore``
        self._pace = Pace()
        likelihood = rule.likelihood
        self._vectorised = likelihood is not None and likelihood.validate(
            rule.mapping.weight(self.theta) if rule.maps else self.theta
        )
        n = len(self.theta)
        noise_seeds, model_seeds, memory_seeds = (s.spawn(n) for s in root.spawn(3))
        self._streams = np.stack([new_stream(s) for s in noise_seeds])
        self._buffers = np.empty((n, _BUFFER), np.float32)
        self._positions = np.full(n, _BUFFER)
        self._rngs = [np.random.Generator(np.random.PCG64(s)) for s in model_seeds]
        self._memories = [likelihood.init_memory(s) if likelihood else () for s in memory_seeds]

    def _advance(self, n_steps: int, thin: int) -> NDArray[np.float64]:
        if not self._in_step:
            raise SynsampError(
                "chains must all be at the same step, got an interruption within one; "
                "continue from a saved state with restore(state)"
            )
        draws = np.empty((len(self.theta), self._n_draws(n_steps, thin), self.theta.shape[1]))
        kept = 0
        with ThreadPoolExecutor(self.threads) if self.threads > 1 else nullcontext() as pool:
            for n in self._pace.pieces(n_steps):
                more = self._n_draws(n, thin)
                self._in_step = False
                self._advance_piece(n, thin, draws[:, kept : kept + more], pool)
                self._in_step = True
                kept += more
        return draws

    def _advance_piece(self, n_steps: int, thin: int, draws: NDArray[Any], pool: Any) -> None:
        times = (self.step + np.arange(n_steps)) * np.float64(self.dt)
        temperatures = self.rule.temperatures(times, self.theta.shape[1])
        if self.rule.compiled:
            self._advance_compiled(n_steps, temperatures, thin, draws, pool)
        else:
            self._advance_plain(n_steps, temperatures, thin, draws)
        self.step += n_steps
        self._require_finite(self.theta, self.time)

    def _advance_compiled(
        self, n_steps: int, temperatures: NDArray[Any], thin: int, draws: NDArray[Any], pool: Any
    ) -> None:
        rule, size = self.rule, self.theta.shape[1]
        kernel, constants = self.method.kernel(rule), self.method.constants(self.dt)
        prior_parameters, prior_ranges = prior_arguments(rule, size)
        inputs, data = likelihood_data(rule, size)
        speed = rule.speed.for_kernel(size)

        def one(c: int) -> None:
            self._positions[c] = kernel(
                self.theta[c],
                self._state[c],
                self.step,
                n_steps,
                constants,
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
        constants, kept = self.method.constants(self.dt), 0
        normals = np.empty_like(self.theta, np.float32)
        for s in range(n_steps):
            gradient = self._plain_likelihood(self.step + s)
            for c in range(len(self.theta)):
                self._positions[c] = take_normals(
                    self._streams[c], self._buffers[c], self._positions[c], normals[c]
                )
            self.method.step(
                self.rule, self.theta, self._state, gradient, temperatures[s], constants, normals
            )
            self._require_finite(self.theta, (self.step + s + 1) * self.dt)
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
        assert self.rule.likelihood is not None
        found = self.rule.likelihood.evaluate(
            weights, step, self._rngs, self._memories, self._vectorised
        )
        gradient = np.asarray(found, float)
        require_shape(gradient, self.theta.shape)
        return gradient

    @property
    def fixed_gradient(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """Deterministic gradient of the log-likelihood in θ, of rows of θ.

        None without a likelihood, and with hidden states, which are random.
        """
        rule, likelihood = self.rule, self.rule.likelihood
        if likelihood is None or not likelihood.has_fixed_gradient:
            return None

        def gradient(theta: NDArray[np.float64]) -> NDArray[np.float64]:
            weights = rule.mapping.weight(theta) if rule.maps else theta
            # A vectorised function may rely on the number of chains: pass as many rows.
            n = len(self.theta) if self._vectorised else len(weights)
            found = [
                np.asarray(
                    likelihood.fixed_gradient(_rows(weights[k : k + n], n), self._vectorised)
                )
                for k in range(0, len(weights), n)
            ]
            whole = np.concatenate(found)[: len(weights)].astype(float)
            return chain_rule.py_func(rule.mapping.slope(theta), whole) if rule.maps else whole

        return gradient

    @property
    def accepted(self) -> float:
        """Share of accepted steps so far; 1 for methods without rejection."""
        if not isinstance(self.method, MALA):
            return 1.0
        return float(self._state[:, 0, 0].mean()) / max(self.step, 1)

    def state(self) -> dict[str, Any]:
        """Complete state for a checkpoint, as plain arrays and numbers."""
        moving = {"method": self._state.copy()} if self.method.state_rows else {}
        return {
            **moving,
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
        """Continue from a ``state()``; the continuation is bit-identical.

        Parameters
        ----------
        state : mapping
            A result of ``state()`` of chains with the same rule and number of chains.
        """
        self._in_step = True
        self.theta[:] = state["theta"]
        if self.method.state_rows:
            self._state[:] = state["method"]
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
    """``n`` rows: those given, padded with the last."""
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
