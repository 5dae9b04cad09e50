"""The rule as an Optax gradient transformation.

    optimiser = synsamp.jax.sampling(prior=Gaussian(0, 1), speed=1e-5, data_size=60_000)
    state = optimiser.init(params)
    updates, state = optimiser.update(gradients, state, params)
    params = optax.apply_updates(params, updates)

Gradients are those of the mean loss −log p_N(x|w) of a minibatch, as in any training loop; the
factor N = ``data_size`` turns it into the loss of all examples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from synsamp.arguments import number
from synsamp.arguments import seed as checked_seed
from synsamp.errors import refuse
from synsamp.jax.floors import Floor
from synsamp.jax.log_prior import LogPrior
from synsamp.jax.preconditioner import RMSProp
from synsamp.jax.pytree import LeafSetting, Schedule, Tree
from synsamp.jax.steps import LeafMethod
from synsamp.jax.update import AUTO, Progress, Settings, check_fault, is_array
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.speed import Speed


class SamplingState(NamedTuple):
    """State of the transformation.

    Attributes
    ----------
    key : jax.Array
        Key of the next step.
    progress : Progress
        Step count and what the method keeps between steps.
    """

    key: jax.Array
    progress: Progress


def sampling(
    *,
    speed: LeafSetting[float | Schedule | Speed] | None = None,
    learning_rate: float | Schedule | None = None,
    prior: LeafSetting[Prior | PriorByGroup | LogPrior] = Flat(),  # noqa: B008 (frozen)
    mapping: LeafSetting[Mapping] = Identity(),  # noqa: B008
    temperature: LeafSetting[float | Schedule] = 1.0,
    data_size: float = 1.0,
    floor: LeafSetting[Floor] | None = None,
    preconditioner: RMSProp | None = None,
    method: LeafMethod = Overdamped(),  # noqa: B008
    key: int | jax.Array = 0,
) -> optax.GradientTransformation:
    """The synaptic sampling rule as an Optax optimiser (Eq. 21, Δt = 1).

    Its iterates are samples from (prior × likelihood)^(1/T).

    Parameters
    ----------
    speed : float, Optax schedule, Speed, or pytree of them
        b, the learning rate of the mean loss divided by N.
    learning_rate : float or Optax schedule
        Instead of ``speed``: N b, as in ``optax.sgd(learning_rate)``.
    prior : Prior, PriorByGroup, LogPrior, pytree of them, or function of a leaf's path
        Prior of θ; a `LogPrior` is any log-density.
    mapping : Mapping, pytree of them, or function of a leaf's path
        w = f(θ). Gradients are then those in w, see `weights`.
    temperature : float, Optax schedule, or pytree of them
        T; 0 is the optimiser without noise.
    data_size : float
        N, the number of examples over which the loss is a mean.
    floor : ReflectingFloor or ClippingFloor, pytree of them, or function of a leaf's path
        Lower bound of θ.
    preconditioner : RMSProp, optional
        Adapts the speed; biases the stationary distribution unless it has ``adapt_steps``.
    method : Overdamped, Underdamped or Thermostat
        How θ moves; τ counts steps (default 10). Underdamped with minibatches is SGHMC.
    key : int or jax.Array
        Seed or JAX key.

    Returns
    -------
    optax.GradientTransformation
    """
    settings = Settings(
        prior=prior,
        mapping=mapping,
        temperature=temperature,
        speed=_speed_of(speed, learning_rate, data_size),
        data_size=data_size,
        floor=floor,
        preconditioner=preconditioner,
        method=method,
    )
    first_key = as_key(key)

    def init(params: Tree) -> SamplingState:
        _require_one_chain(first_key, params)
        return SamplingState(first_key, settings.init(params))

    def update(
        updates: Tree, state: SamplingState, params: Tree | None = None
    ) -> tuple[Tree, SamplingState]:
        if params is None:
            remedy = "call update(gradients, state, params): prior and mapping need θ"
            raise refuse("params", "must be given", None, remedy)
        next_key, now = jax.random.split(state.key)
        likelihood = jax.tree.map(jnp.negative, updates)
        changes, progress = settings.update(now, likelihood, state.progress, params)
        if not isinstance(progress.fault, jax.core.Tracer):
            check_fault(progress, params)
        return changes, SamplingState(next_key, progress)

    return optax.GradientTransformation(init, update)


def _speed_of(speed: Any, learning_rate: Any, data_size: float) -> Any:
    """The speed, given as such or as the learning rate N b of the mean loss."""
    if (speed is None) == (learning_rate is None):
        remedy = "speed is learning_rate / data_size"
        raise refuse("speed or learning_rate", "must be given, not both", speed, remedy)
    if speed is not None:
        if isinstance(speed, str) and speed == AUTO:
            remedy = "use a number, or synsamp.jax.sampler(speed='auto') with synsamp.jax.run"
            raise refuse("speed", "must be a number in an Optax loop", speed, remedy)
        return speed
    if callable(learning_rate):
        return lambda count: learning_rate(count) / data_size
    if not is_array(learning_rate):
        learning_rate = number("learning_rate", learning_rate, above=0)
    return learning_rate / data_size


def _require_one_chain(key: Any, params: Tree) -> None:
    """Raise an error if ``jax.vmap`` maps the parameters but not the key."""
    mapped = [type(leaf).__name__ == "BatchTracer" for leaf in (key, *jax.tree.leaves(params))]
    if any(mapped[1:]) and not mapped[0]:
        remedy = "build sampling(key=...) inside the function you vmap, or use synsamp.jax.run"
        raise refuse("init", "must not be mapped: chains would share one key", "vmap", remedy)


def weights(mapping: LeafSetting[Mapping], params: Tree) -> Tree:
    """Weights w = f(θ) of every leaf, the arguments of a model if ``sampling`` has a mapping.

    Pass ``jax.grad(loss)(weights(mapping, params), batch)`` to ``update``. If you differentiate
    through ``weights`` instead, leave ``mapping`` out of ``sampling``.

    Parameters
    ----------
    mapping : Mapping, pytree of them, or function of a leaf's path
        As for ``sampling``.
    params : pytree
        θ.

    Returns
    -------
    pytree
        The weights, in the structure of ``params``.
    """
    return Settings(mapping=mapping).weights(params)


def as_key(key: Any) -> jax.Array:
    """Convert a seed to a JAX key; old-style and typed keys are unchanged."""
    if is_array(key) and jnp.issubdtype(key.dtype, jnp.integer):
        return jax.random.key(key)
    if isinstance(key, jax.Array):
        old_style = key.dtype == jnp.uint32 and key.ndim == 1
        new_style = jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.ndim == 0
        if not (old_style or new_style):
            remedy = "use jax.random.key(0), or a seed such as 0"
            raise refuse("key", "must be one JAX key", (str(key.dtype), key.shape), remedy)
        return key
    high, low = divmod(checked_seed("key", key), 2**32)
    root = jax.random.key(low)  # which uses 32 bits
    return jax.random.fold_in(root, high) if high else root
