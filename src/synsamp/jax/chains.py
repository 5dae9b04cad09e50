"""Chains of a rule whose likelihood was compiled by ``jax.jit``, on JAX's device.

The likelihood is a function of one chain's θ: a log-likelihood (a number, which JAX differentiates)
or a gradient (shaped like θ). θ stays on the device; draws are copied to the host once per block of
steps. The number of steps is an argument of the compiled loop, so one compilation serves a whole
run. Precision is JAX's: float32, or float64 with ``jax_enable_x64``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.errors import refuse
from synsamp.jax import bridge
from synsamp.jax.steps import STEPS, Terms, start_of
from synsamp.rule.backends import ChainBackend, Floats
from synsamp.rule.method import Method
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.rule import Rule
from synsamp.rule.vectorisation import brief

_MOST_NUMBERS = 2**20
"""Numbers in the draws of one block, which stay on the device."""
_MOST_AT_ONCE = 1024
"""Draws, or temperatures that change in time, in one block."""
_NEVER = 2**31 - 1


class JaxChains(ChainBackend):
    """Chains (chains, parameters) with the interface of `synsamp.Chains`."""

    def __init__(
        self,
        rule: Rule,
        start: Floats,
        dt: float,
        seed: np.random.SeedSequence,
        threads: int = 1,
        method: Method = Overdamped(),  # noqa: B008 (frozen)
    ) -> None:
        super().__init__(rule, np.shape(start)[1], dt, threads, method)
        if type(method) not in STEPS:
            remedy = "use Underdamped(), or compile the likelihood by numba.njit"
            raise refuse("method", "must be Overdamped or Underdamped in JAX", method, remedy)
        rule.check(np.asarray(start))
        self._theta = jnp.asarray(start)
        chains, size = self._theta.shape
        words = [s.generate_state(2) for s in seed.spawn(chains)]
        self._keys = jax.vmap(jax.random.wrap_key_data)(jnp.asarray(words, jnp.uint32))
        assert rule.likelihood is not None
        self._data = tuple(jnp.asarray(d) for d in rule.likelihood.data)
        _require_fit(rule, size, self._theta.dtype, self._data)
        self._room = int(np.clip(_MOST_NUMBERS // (chains * size), 1, _MOST_AT_ONCE))
        self._state = start_of(method, self._theta)
        self._constants = method.constants(self.dt)
        self._move = _loop(rule, size, STEPS[type(method)])

    @property
    def theta(self) -> Floats:  # type: ignore[override]  # read from the device
        """Current parameters, shape (chains, parameters)."""
        return np.asarray(self._theta, float)

    def _advance(self, n_steps: int, thin: int) -> Floats:
        thin = min(thin, _NEVER)  # counts on the device have 32 bits
        chains, size = self._theta.shape
        found, left = [np.empty((chains, 0, size))], n_steps
        most = min(self._room * thin, _NEVER)
        if callable(self.rule.temperature):
            most = min(most, _MOST_AT_ONCE)
        while left:
            n = min(left, most)
            found.append(self._advance_block(n, thin))
            left -= n
        return np.concatenate(found, axis=1)

    def _advance_block(self, n: int, thin: int) -> Floats:
        done = self.step - self._origin
        kept = self._n_draws(n, thin)
        self._theta, self._state, self._keys, draws = self._move(
            self._theta,
            self._state,
            self._keys,
            n,
            done % thin,
            thin,
            jnp.zeros((self._room, *self._theta.shape), self._theta.dtype),
            self._temperatures(n),
            self._constants,
            self._data,
        )
        self.step += n
        self._require_finite(np.asarray(self._theta), self.time)
        return np.asarray(np.moveaxis(np.asarray(draws[:kept]), 0, 1), float)

    def _temperatures(self, n: int) -> Any:
        """T of each step of a block, padded to one length; one value if T is constant."""
        size = self._theta.shape[1]
        if not callable(self.rule.temperature):
            return jnp.asarray(self.rule.temperature, self._theta.dtype)
        found = self.rule.temperatures((self.step + np.arange(n)) * np.float64(self.dt), size)
        padded = np.zeros((_MOST_AT_ONCE, *found.shape[1:]))
        padded[:n] = found
        return jnp.asarray(padded, self._theta.dtype)

    @property
    def fixed_gradient(self) -> Callable[[Floats], Floats]:
        """Gradient of the log-likelihood in θ, of rows of θ."""
        of_rows = jax.jit(jax.vmap(_likelihood_in_theta(self.rule), in_axes=(0, None)))
        return lambda theta: np.asarray(of_rows(jnp.asarray(theta), self._data), float)


def _gradient_in_w(rule: Rule) -> Callable[..., Any]:
    """The user's gradient, or the gradient of the user's log-likelihood."""
    assert rule.likelihood is not None
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
    assert rule.likelihood is not None
    leaf = jax.ShapeDtypeStruct((size,), dtype)
    bridge.require_traceable("prior", bridge.prior_gradient(rule.prior, (size,)), leaf)
    for name, found in zip(("b", "b′"), bridge.speed_functions(rule.speed), strict=True):
        bridge.require_traceable(f"speed {name}", found, leaf)
    if rule.maps:
        for name, found in zip(("w", "dw/dθ"), bridge.mapping_functions(rule.mapping), strict=True):
            bridge.require_traceable(f"mapping {name}", found, leaf)
    name = "likelihood"
    remedy = "pass the log-likelihood of one chain's θ, or its gradient"
    try:
        shape = jax.eval_shape(rule.likelihood.gradient, leaf, *data).shape
        jax.eval_shape(_gradient_in_w(rule), leaf, data)
    except Exception as error:  # a user's function may raise anything
        raise refuse(name, f"must take θ of shape ({size},)", brief(error), remedy) from None
    if shape not in ((), (size,)):
        raise refuse(name, f"must return one number or the shape ({size},)", shape, remedy)


@functools.lru_cache(maxsize=32)  # a second run of the same rule reuses it
def _loop(rule: Rule, size: int, move: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled loop of ``n`` steps of all chains, for any n."""
    prior = bridge.prior_gradient(rule.prior, (size,))
    speed, speed_slope = bridge.speed_functions(rule.speed)
    likelihood = _likelihood_in_theta(rule)
    data_size, changing = rule.data_size, callable(rule.temperature)

    def one_step(
        theta: Any, state: Any, key: Any, T: Any, constants: Any, data: tuple[Any, ...]
    ) -> Any:
        key, now = jax.random.split(key)
        normal = jax.random.normal(now, theta.shape, theta.dtype)
        b = speed(theta)

        def drift(T: Any) -> Any:
            found = likelihood(theta, data)
            return bridge.drift(b, speed_slope(theta), prior(theta), data_size, found, T)

        moved, state = move(state, Terms(b, drift), T, constants, normal)
        return theta + moved, state, key

    of_chains = jax.vmap(one_step, in_axes=(0, 0, 0, None, None, None))

    def block(
        theta: Any,
        moving: Any,
        keys: Any,
        n: Any,
        done: Any,
        thin: Any,
        draws: Any,
        T: Any,
        constants: Any,
        data: Any,
    ) -> Any:
        constants = tuple(jnp.asarray(c, theta.dtype) for c in constants)

        def step(s: Any, state: Any) -> Any:
            theta, moving, keys, kept, draws = state
            theta, moving, keys = of_chains(
                theta, moving, keys, T[s] if changing else T, constants, data
            )
            theta = theta.astype(draws.dtype)
            # The row advances after every thin-th step; JAX drops writes past the end.
            draws = draws.at[kept].set(theta)
            return theta, moving, keys, kept + ((done + s + 1) % thin == 0), draws

        state = (theta, moving, keys, jnp.zeros((), jnp.int32), draws)
        theta, moving, keys, _, draws = jax.lax.fori_loop(0, n, step, state)
        return theta, moving, keys, draws

    return jax.jit(block, donate_argnums=(0, 6))
