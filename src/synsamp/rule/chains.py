"""Many chains of one rule, advanced together.

``Chains`` is the moving part: parameters, random streams, step count. The compiled path runs each
chain's loop on a thread pool; the plain path calls the user's Python functions on all chains at
once. Both take the same normals from the same streams, so one is the other's slow twin.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import SynsampError, refuse
from synsamp.noise.streams import BLOCK, new_stream
from synsamp.rule.equation import chain_rule, euler_maruyama
from synsamp.rule.kernel import chain_kernel, likelihood_data, priors_and_runs, take_normals
from synsamp.rule.likelihood import HiddenStates
from synsamp.rule.rule import Rule

_BUFFER = 4 * BLOCK


class Chains:
    """The state of many chains under one rule; ``advance`` moves them on.

    ``theta`` has shape (chains, parameters) and may be read at any time.
    """

    def __init__(
        self,
        rule: Rule,
        start: NDArray[np.float64],
        dt: float,
        seed: np.random.SeedSequence,
        threads: int = 1,
    ) -> None:
        if not (np.isfinite(dt) and dt > 0):
            raise refuse("dt", "must be > 0 and finite", dt, "try 1e-3 divided by the speed b")
        if start.ndim != 2 or 0 in start.shape or not np.all(np.isfinite(start)):
            raise refuse("start", "must be finite with shape (chains, parameters)", start.shape)
        rule.check(start)
        self.rule, self.dt, self.threads = rule, float(dt), threads
        self.theta = np.array(start, float, order="C")
        self.step = 0
        self._origin = 0
        n = len(start)
        noise_seeds, model_seeds, memory_seeds = (s.spawn(n) for s in seed.spawn(3))
        self._streams = np.stack([new_stream(s) for s in noise_seeds])
        self._buffers = np.empty((n, _BUFFER), np.float32)
        self._positions = np.full(n, _BUFFER)
        self._rngs = [np.random.Generator(np.random.PCG64(s)) for s in model_seeds]
        keeps = isinstance(rule.likelihood, HiddenStates)
        self._memories = [rule.likelihood.remember(s) if keeps else () for s in memory_seeds]

    @property
    def time(self) -> float:
        """Time passed, step · dt."""
        return self.step * self.dt

    def burn_in(self, n_steps: int) -> None:
        """Move every chain on without keeping anything; thinning counts from here."""
        self.advance(n_steps, thin=self.step - self._origin + n_steps + 1)
        self._origin = self.step

    def advance(self, n_steps: int, thin: int = 1) -> NDArray[np.float64]:
        """Move every chain on; returns the states after each ``thin``-th step.

        Shape (chains, draws, parameters). Chunks of any length give the same bits.
        """
        n_chains, size = self.theta.shape
        done = self.step - self._origin
        n_draws = (done + n_steps) // thin - done // thin
        draws = np.empty((n_chains, n_draws, size))
        times = (self.step + np.arange(n_steps)) * np.float64(self.dt)
        temperatures = self.rule.temperatures(times, size)
        if self.rule.compiled:
            self._advance_compiled(n_steps, temperatures, thin, draws)
        else:
            self._advance_plain(n_steps, temperatures, thin, draws)
        self.step += n_steps
        self._require_finite(self.time)
        return draws

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
        self, n_steps: int, temperatures: NDArray[Any], thin: int, draws: NDArray[Any]
    ) -> None:
        rule, size = self.rule, self.theta.shape[1]
        kernel = chain_kernel(rule)
        prior_parameters, prior_runs = priors_and_runs(rule, size)
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
                prior_runs,
                speed,
                rule.mapping.parameters,
                rule.n_inputs,
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

        if self.threads == 1 or len(self.theta) == 1:
            for c in range(len(self.theta)):
                one(c)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(one, range(len(self.theta))))

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

    def _plain_gradient(self, weights: NDArray[Any], step: int) -> Any:
        likelihood = self.rule.likelihood
        if likelihood.compiled:
            # A compiled gradient speaks of one chain; here only the prior or speed is plain.
            chains = zip(weights, self._rngs, self._memories, strict=True)
            return np.stack(
                [
                    likelihood.evaluate(own, step, rng, *([memory] if memory else []))
                    for own, rng, memory in chains
                ]
            )
        gradient = np.asarray(likelihood.evaluate(weights, step, self._rngs[0]), float)
        if gradient.shape != self.theta.shape:
            raise refuse(
                "likelihood gradient",
                f"must have the shape of θ {self.theta.shape}",
                gradient.shape,
                "return one number per chain and parameter",
            )
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
