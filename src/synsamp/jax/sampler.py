"""The rule as a sampling algorithm with ``init`` and ``step``, like those of blackjax.

    algorithm = synsamp.jax.sampler(log_likelihood, prior=Gaussian(0, 1), speed=1e-4)
    state = algorithm.init(position)
    state, info = algorithm.step(key, state)

Both are pure functions: use them with jit, vmap and scan, or pass them to `synsamp.jax.run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from synsamp.arguments import function
from synsamp.errors import refuse
from synsamp.jax.floors import Floor
from synsamp.jax.preconditioner import RMSProp
from synsamp.jax.pytree import LeafSetting, Schedule, Tree
from synsamp.jax.update import Progress, Settings
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule.speed import Speed


class SamplerState(NamedTuple):
    """Position (pytree of θ) and internal state."""

    position: Tree
    progress: Progress


class SamplerInfo(NamedTuple):
    """Information about a step."""

    log_likelihood: jax.Array
    """Value at the position before the step."""


class Sampler(NamedTuple):
    """Pair of functions ``init(position)`` and ``step(key, state, *batch)``."""

    init: Callable[..., SamplerState]
    step: Callable[..., tuple[SamplerState, SamplerInfo]]


def sampler(
    log_likelihood: Callable[..., Any],
    *,
    speed: LeafSetting[float | Schedule | Speed],
    prior: LeafSetting[Prior | PriorByGroup] = Flat(),  # noqa: B008 (frozen)
    mapping: LeafSetting[Mapping] = Identity(),  # noqa: B008
    temperature: LeafSetting[float | Schedule] = 1.0,
    data_size: float = 1.0,
    floor: LeafSetting[Floor] | None = None,
    preconditioner: RMSProp | None = None,
) -> Sampler:
    """The synaptic sampling rule as an algorithm with ``init`` and ``step`` (Eq. 21, Δt = 1).

    Parameters
    ----------
    log_likelihood : callable
        ``log_likelihood(w, *batch)`` returns a scalar: the sum over all examples (``data_size`` 1),
        or the mean over a minibatch (``data_size`` N). With a mapping it receives w = f(θ).
    speed, prior, mapping, temperature, data_size, floor, preconditioner
        As for `synsamp.jax.sampling`.

    Returns
    -------
    Sampler

    Examples
    --------
    >>> algorithm = sampler(log_likelihood, prior=Gaussian(0, 1), speed=1e-4)
    >>> state = algorithm.init(position)
    >>> state, info = algorithm.step(key, state)
    """
    function("log_likelihood", log_likelihood, "pass a function (w, *batch) -> log p(x|w)")
    settings = Settings(prior, mapping, temperature, speed, data_size, floor, preconditioner)
    value_and_gradient = jax.value_and_grad(_scalar(log_likelihood))

    def init(position: Tree, rng_key: Any = None) -> SamplerState:
        del rng_key  # blackjax passes one
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
