"""The rule as an Optax gradient transformation.

    optimiser = synsamp.jax.sampling(prior=Gaussian(0, 1), speed=1e-5, data_size=60_000)
    state = optimiser.init(params)
    updates, state = optimiser.update(gradients, state, params)
    params = optax.apply_updates(params, updates)

Gradients are those of the loss −log p_N(x|w), the mean over the minibatch, as in any training loop;
the factor N = ``data_size`` makes it the loss of all examples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from synsamp.arguments import seed as checked_seed
from synsamp.errors import refuse
from synsamp.jax.pytree import Tree
from synsamp.jax.update import Progress, Settings, check
from synsamp.mappings import Identity
from synsamp.priors import Flat


class SamplingState(NamedTuple):
    """State of the transformation: the key of the next step, and what the rule keeps."""

    key: jax.Array
    progress: Progress


def sampling(
    *,
    speed: Any,
    prior: Any = Flat(),  # noqa: B008 (frozen)
    mapping: Any = Identity(),  # noqa: B008
    temperature: Any = 1.0,
    data_size: float = 1.0,
    floor: Any = None,
    preconditioner: Any = None,
    key: Any = 0,
) -> optax.GradientTransformation:
    """The rule as an optimiser; what it visits is a sample of (prior × likelihood)^(1/T).

    speed:          b, the learning rate of this form: a number, an Optax schedule or a ``Speed``,
                    or a tree of them
    prior:          a prior of θ, a tree of them, or a function of a leaf's path
    mapping:        w = f(θ), likewise. Gradients are then those in w, see `weights`
    temperature:    T, a number or schedule, or a tree of them; 0 is the optimiser without noise
    data_size:      N, the number of examples that the loss is a mean over
    floor:          ``ReflectingFloor`` or ``ClippingFloor``, a tree of them, or a function of path
    preconditioner: ``RMSProp(...)``; biases the law, see there
    key:            a seed or a JAX key
    """
    settings = Settings(prior, mapping, temperature, speed, data_size, floor, preconditioner)
    first_key = as_key(key)

    def init(params: Tree) -> SamplingState:
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
            check(progress, params)
        return changes, SamplingState(next_key, progress)

    return optax.GradientTransformation(init, update)


def weights(mapping: Any, params: Tree) -> Tree:
    """w = f(θ) of every leaf: what a model is called with where ``sampling`` has a mapping.

    ``jax.grad(loss)(weights(mapping, params), batch)`` is then the gradient to hand over. Who
    differentiates through this call instead leaves ``mapping`` out of ``sampling``.
    """
    return Settings(mapping=mapping).weights(params)


def as_key(key: Any) -> jax.Array:
    """A seed or a key of either of JAX's kinds, as a key."""
    if isinstance(key, jax.Array):
        old_style = key.dtype == jnp.uint32 and key.ndim == 1
        new_style = jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.ndim == 0
        if not (old_style or new_style):
            remedy = "use jax.random.key(0), or a seed such as 0"
            raise refuse("key", "must be one JAX key", (str(key.dtype), key.shape), remedy)
        return key
    high, low = divmod(checked_seed("key", key), 2**32)
    root = jax.random.key(low)  # which looks at 32 bits alone
    return jax.random.fold_in(root, high) if high else root
