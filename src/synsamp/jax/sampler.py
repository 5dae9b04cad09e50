"""The rule as a sampling algorithm with ``init`` and ``step``, like those of blackjax.

    algorithm = synsamp.jax.sampler(log_likelihood, prior=Gaussian(0, 1), speed=1e-4)
    state = algorithm.init(position)
    state, info = algorithm.step(key, state)

Both are pure functions: use them with jit, vmap and scan, or pass them to `synsamp.jax.run`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import optax

from synsamp.arguments import function
from synsamp.errors import refuse
from synsamp.jax.floors import Floor
from synsamp.jax.log_prior import LogPrior
from synsamp.jax.preconditioner import RMSProp
from synsamp.jax.pytree import LeafSetting, Schedule, Tree, paths
from synsamp.jax.rewiring.positions import (
    layers,
    rejoin,
    replaced,
    require_costs,
    rewired,
    thetas,
)
from synsamp.jax.steps import LeafMethod
from synsamp.jax.update import AUTO, Progress, Settings
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.speed import Speed

_REWIRING = 2**31 - 1
"""Number of the key of rewiring, apart from those of the leaves' noise."""


class SamplerState(NamedTuple):
    """State of a sampler.

    Attributes
    ----------
    position : pytree
        θ.
    progress : Progress
        Step count and what the method keeps between steps.
    """

    position: Tree
    progress: Progress


class SampledPosterior(NamedTuple):
    """The rule of every leaf, and the log-likelihood."""

    settings: Settings
    value: Callable[..., jax.Array]
    """Log-likelihood of (w, key, *batch)."""
    takes_key: bool
    """Whether the log-likelihood is random."""

    def value_and_gradient(self, position: Tree, key: Any, *batch: Any) -> tuple[jax.Array, Tree]:
        """Log-likelihood, and its gradient in the weights of the parameters."""

        def value(w: Tree) -> jax.Array:
            return self.value(rejoin(position, w), key, *batch)

        found: tuple[jax.Array, Tree] = jax.value_and_grad(value)(self.weights(position))
        return found

    def weights(self, position: Tree) -> Tree:
        """w = f(θ), with θ alone of sparse layers."""
        return self.settings.weights(thetas(position))

    def start(self, position: Tree, rate: Any = 1.0) -> SamplerState:
        """Initial state, with a factor of an automatic speed."""
        parameters = thetas(position)
        progress = self.settings.init(parameters)
        require_costs(position, *self.settings.priors_and_floors(parameters), paths(parameters))
        rate = jnp.asarray(rate, progress.rate.dtype)
        return SamplerState(jax.tree.map(jnp.asarray, position), progress._replace(rate=rate))


class SamplerInfo(NamedTuple):
    """Information about a step.

    Attributes
    ----------
    log_likelihood : jax.Array
        Value at the position before the step.
    """

    log_likelihood: jax.Array


class Sampler(NamedTuple):
    """A sampling algorithm, made by `sampler`.

    Attributes
    ----------
    init : callable
        ``init(position)`` returns a `SamplerState`.
    step : callable
        ``step(key, state, *batch)`` returns the next `SamplerState` and a `SamplerInfo`.
    posterior : SampledPosterior
        What it samples, for `run`.
    """

    init: Callable[..., SamplerState]
    step: Callable[..., tuple[SamplerState, SamplerInfo]]
    posterior: SampledPosterior


def sampler(
    log_likelihood: Callable[..., Any],
    *,
    speed: LeafSetting[float | Schedule | Speed] | Literal["auto"],
    prior: LeafSetting[Prior | PriorByGroup | LogPrior] = Flat(),  # noqa: B008 (frozen)
    mapping: LeafSetting[Mapping] = Identity(),  # noqa: B008
    temperature: LeafSetting[float | Schedule] = 1.0,
    data_size: float = 1.0,
    floor: LeafSetting[Floor] | None = None,
    preconditioner: RMSProp | None = None,
    method: LeafMethod = Overdamped(),  # noqa: B008
) -> Sampler:
    """The synaptic sampling rule as an algorithm with ``init`` and ``step`` (Eq. 21, Δt = 1).

    Parameters
    ----------
    log_likelihood : callable
        ``log_likelihood(w, *batch)`` returns a scalar: the sum over all examples (``data_size`` 1),
        or the mean over a minibatch (``data_size`` N). With a mapping it receives w = f(θ). If it
        has an argument named ``key``, as for dropout, it receives a new JAX key in every step.
    speed, prior, mapping, temperature, data_size, floor, preconditioner, method
        As for `synsamp.jax.sampling`. With the speed "auto", `synsamp.jax.run` finds it in a pilot.

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
    settings = Settings(
        prior=prior,
        mapping=mapping,
        temperature=temperature,
        speed=speed,
        data_size=data_size,
        floor=floor,
        preconditioner=preconditioner,
        method=method,
    )
    takes_key = "key" in _arguments(log_likelihood)
    return sampler_of(SampledPosterior(settings, _scalar(log_likelihood, takes_key), takes_key))


@functools.lru_cache(maxsize=32)  # so that compiled loops are found again
def sampler_of(posterior: SampledPosterior) -> Sampler:
    """The algorithm that samples a posterior."""
    settings = posterior.settings

    def init(position: Tree, rng_key: Any = None) -> SamplerState:
        del rng_key  # blackjax passes one
        if settings.is_automatic:
            remedy = "use a number, or synsamp.jax.run, which finds the speed"
            raise refuse("speed", "must be a number outside of run", AUTO, remedy)
        return posterior.start(position)

    def step(rng_key: Any, state: SamplerState, *batch: Any) -> tuple[SamplerState, SamplerInfo]:
        own_key = rng_key
        if posterior.takes_key:
            rng_key, own_key = jax.random.split(rng_key)
        value, gradients = posterior.value_and_gradient(state.position, own_key, *batch)
        parameters = thetas(state.position)
        changes, progress = settings.update(rng_key, gradients, state.progress, parameters)
        moved = rejoin(state.position, optax.apply_updates(parameters, changes))
        if layers(moved):

            def gradients_of_all() -> Any:
                whole = rejoin(moved, posterior.weights(moved))
                matrices = [own.dense() for own in layers(whole)]
                of = jax.grad(lambda m: posterior.value(replaced(whole, m), own_key, *batch))
                return of(matrices)

            rewiring_key = jax.random.fold_in(rng_key, _REWIRING)
            moved = rewired(rewiring_key, moved, state.progress.steps, gradients_of_all)
        return SamplerState(moved, progress), SamplerInfo(value)

    return Sampler(init, step, posterior)


def _arguments(function: Callable[..., Any]) -> Collection[str]:
    try:
        return inspect.signature(function).parameters
    except ValueError:  # a builtin
        return ()


def _scalar(log_likelihood: Callable[..., Any], takes_key: bool) -> Callable[..., jax.Array]:
    def value(w: Tree, key: Any, *batch: Any) -> jax.Array:
        extra = {"key": key} if takes_key else {}
        found = jnp.asarray(log_likelihood(w, *batch, **extra))
        if found.shape != ():
            remedy = "return the mean over the minibatch, or the sum of all examples"
            raise refuse("log_likelihood", "must return one number", found.shape, remedy)
        return found

    return value
