"""The rule as a sampling algorithm with ``init`` and ``step``, as blackjax has them.

    algorithm = synsamp.jax.sampler(log_likelihood, prior=Gaussian(0, 1), speed=1e-4)
    state = algorithm.init(position)
    state, info = algorithm.step(key, state)

Both are pure functions: jit, vmap and scan them, or hand them to `synsamp.jax.run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from synsamp.arguments import function
from synsamp.errors import refuse
from synsamp.jax.pytree import Tree
from synsamp.jax.update import Progress, Settings
from synsamp.mappings import Identity
from synsamp.priors import Flat


class SamplerState(NamedTuple):
    """Where the sampler is, and what it keeps between two steps."""

    position: Tree
    progress: Progress


class SamplerInfo(NamedTuple):
    """What a step came across."""

    log_likelihood: jax.Array
    """At the position before the step, as the function gave it."""


class Sampler(NamedTuple):
    """``init(position)`` and ``step(key, state, *batch)``."""

    init: Callable[..., SamplerState]
    step: Callable[..., tuple[SamplerState, SamplerInfo]]


def sampler(
    log_likelihood: Callable[..., Any],
    *,
    speed: Any,
    prior: Any = Flat(),  # noqa: B008 (frozen)
    mapping: Any = Identity(),  # noqa: B008
    temperature: Any = 1.0,
    data_size: float = 1.0,
    floor: Any = None,
    preconditioner: Any = None,
) -> Sampler:
    """The rule for ``log_likelihood(w, *batch)``, a scalar.

    Of all examples together it is their sum, and ``data_size`` stays 1; of a minibatch it is the
    mean over its examples, and ``data_size`` is N. With a mapping the function is called with
    w = f(θ). The other settings are those of `synsamp.jax.sampling`.
    """
    function("log_likelihood", log_likelihood, "pass a function (w, *batch) -> log p(x|w)")
    settings = Settings(prior, mapping, temperature, speed, data_size, floor, preconditioner)
    value_and_gradient = jax.value_and_grad(_scalar(log_likelihood))

    def init(position: Tree, rng_key: Any = None) -> SamplerState:
        del rng_key  # blackjax hands one over
        progress = settings.init(position)
        return SamplerState(jax.tree.map(jnp.asarray, position), progress)

    def step(rng_key: Any, state: SamplerState, *batch: Any) -> tuple[SamplerState, SamplerInfo]:
        w = settings.weights(state.position)
        value, gradients = value_and_gradient(w, *batch)
        changes, progress = settings.update(rng_key, gradients, state.progress, state.position)
        moved = optax.apply_updates(state.position, changes)
        return SamplerState(moved, progress), SamplerInfo(value)

    return Sampler(init, step)


def _scalar(log_likelihood: Callable[..., Any]) -> Callable[..., jax.Array]:
    def value(*arguments: Any) -> jax.Array:
        found = jnp.asarray(log_likelihood(*arguments))
        if found.shape != ():
            remedy = "return the mean over the minibatch, or the sum of all examples"
            raise refuse("log_likelihood", "must return one number", found.shape, remedy)
        return found

    return value
