"""Chains of a rule whose likelihood was made by ``jax.jit``, moved on JAX's device.

The function is a log-likelihood (a number, of which JAX takes the gradient) or a gradient (shaped
like θ), of one chain's θ. θ stays on the device; draws come to the host once per stretch of steps.
How many steps a stretch has is an argument of the loop, not a shape, so one compilation serves a
whole run. Numbers are JAX's: float32, or float64 where ``jax_enable_x64`` is set.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import number, whole
from synsamp.errors import SynsampError, refuse
from synsamp.jax import bridge
from synsamp.rule.chains import MOST_STEPS, MOST_THREADS
from synsamp.rule.rule import Rule

_MOST_NUMBERS = 2**20
"""Of draws that one stretch may keep on the device."""
_MOST_AT_ONCE = 1024
"""Draws, or temperatures that change in time, in one stretch."""
_NEVER = 2**31 - 1

Floats = NDArray[np.float64]


class JaxChains:
    """Moves (chains, parameters) as `synsamp.Chains` does; see `synsamp.rule.backends`."""

    def __init__(
        self,
        rule: Rule,
        start: Floats,
        dt: float,
        seed: np.random.SeedSequence,
        threads: int = 1,
    ) -> None:
        self.dt = number("dt", dt, above=0, at_most=1e12, remedy="try 1e-3 divided by the speed b")
        self.threads = whole("threads", threads, at_least=1, at_most=MOST_THREADS)
        rule.check(np.asarray(start))
        self.rule, self.step, self._origin = rule, 0, 0
        self._theta = jnp.asarray(start)
        chains, size = self._theta.shape
        words = [s.generate_state(2) for s in seed.spawn(chains)]
        self._keys = jax.vmap(jax.random.wrap_key_data)(jnp.asarray(words, jnp.uint32))
        self._data = tuple(jnp.asarray(d) for d in rule.likelihood.data)
        _require_fit(rule, size, self._theta.dtype, self._data)
        self._room = int(np.clip(_MOST_NUMBERS // (chains * size), 1, _MOST_AT_ONCE))
        self._move = _loop(rule, size)

    @property
    def theta(self) -> Floats:
        """Where the chains are."""
        return np.asarray(self._theta, float)

    @property
    def time(self) -> float:
        """Time passed, step · dt."""
        return self.step * self.dt

    def burn_in(self, n_steps: int) -> None:
        """Move every chain on without keeping anything; thinning counts from here."""
        whole("n_steps", n_steps, at_least=0, at_most=MOST_STEPS)
        self._advance(n_steps, _NEVER)
        self._origin = self.step

    def advance(self, n_steps: int, thin: int = 1) -> Floats:
        """Move every chain on; returns the states after each ``thin``-th step."""
        n_steps = whole("n_steps", n_steps, at_least=0, at_most=MOST_STEPS)
        return self._advance(n_steps, whole("thin", thin, at_least=1))

    def _advance(self, n_steps: int, thin: int) -> Floats:
        chains, size = self._theta.shape
        found, left = [np.empty((chains, 0, size))], n_steps
        most = min(self._room * thin, _NEVER)
        if callable(self.rule.temperature):
            most = min(most, _MOST_AT_ONCE)
        while left:
            n = min(left, most)
            found.append(self._stretch(n, thin))
            left -= n
        return np.concatenate(found, axis=1)

    def _stretch(self, n: int, thin: int) -> Floats:
        done = self.step - self._origin
        kept = (done + n) // thin - done // thin
        self._theta, self._keys, draws = self._move(
            self._theta,
            self._keys,
            n,
            done % thin,
            min(thin, _NEVER),
            jnp.zeros((self._room, *self._theta.shape), self._theta.dtype),
            self._temperatures(n),
            np.sqrt(self.dt),
            self._data,
        )
        self.step += n
        self._require_finite()
        return np.asarray(np.moveaxis(np.asarray(draws[:kept]), 0, 1), float)

    def _temperatures(self, n: int) -> Any:
        """T of each step of a stretch, padded to one length; where it is constant, only that."""
        size = self._theta.shape[1]
        if not callable(self.rule.temperature):
            return jnp.asarray(self.rule.temperature, self._theta.dtype)
        found = self.rule.temperatures((self.step + np.arange(n)) * np.float64(self.dt), size)
        padded = np.zeros((_MOST_AT_ONCE, *found.shape[1:]))
        padded[:n] = found
        return jnp.asarray(padded, self._theta.dtype)

    def _require_finite(self) -> None:
        theta = np.asarray(self._theta)
        if np.all(np.isfinite(theta)):
            return
        chain, parameter = np.argwhere(~np.isfinite(theta))[0]
        raise SynsampError(
            f"theta must stay finite, got {theta[chain, parameter]} in chain {chain}, parameter "
            f"{parameter} by time {self.time:g}; use a smaller dt (now {self.dt:g}) or check the "
            "likelihood"
        )

    @property
    def fixed_gradient(self) -> Callable[[Floats], Floats]:
        """The log-likelihood's gradient in θ, of rows of θ."""
        of_rows = jax.jit(jax.vmap(_likelihood_in_theta(self.rule), in_axes=(0, None)))
        return lambda theta: np.asarray(of_rows(jnp.asarray(theta), self._data), float)


def _gradient_in_w(rule: Rule) -> Callable[..., Any]:
    """The gradient as given, or that of the log-likelihood as given."""
    given = rule.likelihood.gradient

    def gradient(w: Any, data: tuple[Any, ...]) -> Any:
        if jax.eval_shape(given, w, *data).shape == ():
            return jax.grad(given)(w, *data)
        return given(w, *data)

    return gradient


def _likelihood_in_theta(rule: Rule) -> Callable[..., Any]:
    gradient = _gradient_in_w(rule)
    if not rule.maps:
        return gradient
    weight, slope = bridge.mapping_functions(rule.mapping)
    return lambda theta, data: bridge.chain_rule(slope(theta), gradient(weight(theta), data))


def _require_fit(rule: Rule, size: int, dtype: Any, data: tuple[Any, ...]) -> None:
    leaf = jax.ShapeDtypeStruct((size,), dtype)
    bridge.require_traceable("prior", bridge.prior_gradient(rule.prior, (size,)), leaf)
    for name, found in zip(("b", "b′"), bridge.speed_functions(rule.speed), strict=True):
        bridge.require_traceable(f"speed {name}", found, leaf)
    if rule.maps:
        for name, found in zip(("w", "dw/dθ"), bridge.mapping_functions(rule.mapping), strict=True):
            bridge.require_traceable(f"mapping {name}", found, leaf)
    name = "likelihood"
    remedy = "give a function of one chain's θ: its log-likelihood, or the gradient of it"
    try:
        shape = jax.eval_shape(rule.likelihood.gradient, leaf, *data).shape
        jax.eval_shape(_gradient_in_w(rule), leaf, data)
    except Exception as error:  # whatever a user's function may raise
        lines = str(error).splitlines() or [""]
        what = f"{type(error).__name__}: {lines[0][:80]}"
        raise refuse(name, f"must take θ of shape ({size},)", what, remedy) from None
    if shape not in ((), (size,)):
        raise refuse(name, f"must return one number or the shape ({size},)", shape, remedy)


@functools.lru_cache(maxsize=32)  # a second run of the same rule need not compile again
def _loop(rule: Rule, size: int) -> Callable[..., Any]:
    """``n`` steps of all chains, compiled once for any n."""
    prior = bridge.prior_gradient(rule.prior, (size,))
    speed, speed_slope = bridge.speed_functions(rule.speed)
    likelihood = _likelihood_in_theta(rule)
    data_size, changing = rule.data_size, callable(rule.temperature)

    def one_step(theta: Any, key: Any, T: Any, sqrt_dt: Any, data: tuple[Any, ...]) -> Any:
        key, now = jax.random.split(key)
        normal = jax.random.normal(now, theta.shape, theta.dtype)
        b = speed(theta)
        move = bridge.drift(
            b, speed_slope(theta), prior(theta), data_size, likelihood(theta, data), T
        )
        theta = bridge.euler_maruyama(theta, move, bridge.diffusion(b, T), sqrt_dt, normal)
        return theta, key

    of_chains = jax.vmap(one_step, in_axes=(0, 0, None, None, None))

    def stretch(
        theta: Any,
        keys: Any,
        n: Any,
        done: Any,
        thin: Any,
        draws: Any,
        T: Any,
        root: Any,
        data: Any,
    ) -> Any:
        root = jnp.asarray(root, theta.dtype)

        def step(s: Any, state: Any) -> Any:
            theta, keys, kept, draws = state
            theta, keys = of_chains(theta, keys, T[s] if changing else T, root, data)
            theta = theta.astype(draws.dtype)
            # Written at every step, moved on at every thin-th; beyond the end nothing is written.
            draws = draws.at[kept].set(theta)
            return theta, keys, kept + ((done + s + 1) % thin == 0), draws

        state = (theta, keys, jnp.zeros((), jnp.int32), draws)
        theta, keys, _, draws = jax.lax.fori_loop(0, n, step, state)
        return theta, keys, draws

    return jax.jit(stretch, donate_argnums=(0, 5))
