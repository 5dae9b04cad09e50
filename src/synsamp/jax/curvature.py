"""Curvature of a posterior, and noise of its gradient, at some positions.

λ is the largest eigenvalue of sqrt(b) H sqrt(b), with the Hessian H of −log(prior × likelihood), by
power iteration on Hessian-vector products. The force after one noise-free step, F(θ + bFε) =
(1 − λε) F(θ), gives a second estimate: if steps jump back and forth over a narrow mode, the
curvature on either side is uninformative (as in `rule/step.py`).

The noise of minibatches adds b² Var(F) to the variance 2Tb of a step. So it enlarges the variance
of θ by about the fraction b Var(F)/(2T), from two minibatches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.jax.batches import Examples
from synsamp.jax.sampler import SampledPosterior, SamplerState

_ITERATIONS = 8
GRADIENTS = 3 * (_ITERATIONS + 4)
"""Cost of one position, in gradients: a Hessian-vector product costs about three."""


class HessianProduct(NamedTuple):
    """Result of one Hessian-vector product, with arrays (positions, …) for each leaf."""

    rooted: list[Any]
    """sqrt(b) F."""
    drift: list[Any]
    """b F."""
    v: list[Any]
    """Next vector of the power iteration, of length 1."""
    value: Any
    """vᵀ sqrt(b) H sqrt(b) v."""


def sharpest(
    posterior: SampledPosterior, states: SamplerState, batch: Examples, key: Any, euler_dt: float
) -> Any:
    """Largest b × curvature at each position; ``euler_dt`` is the ε of the noise-free step."""
    probe = _compiled(posterior)
    leaves, structure = jax.tree.flatten(states.position)
    v = [jax.random.normal(key, x.shape, x.dtype) for x in leaves]
    shift = np.zeros(len(states.progress.steps))
    for _ in range(2):
        for _ in range(_ITERATIONS + 1):
            found = probe(states, v, shift, batch, key)
            v = found.v
        value = np.asarray(found.value, float)
        if not np.any(value < 0):
            break
        shift = np.maximum(-value, 0.0)  # the largest in size is negative: shift, and repeat
    moved = [x + euler_dt * f for x, f in zip(leaves, found.drift, strict=True)]
    there = states._replace(position=jax.tree.unflatten(structure, moved))
    after = probe(there, v, shift, batch, key)
    strength = _dot(found.rooted, found.rooted)
    with np.errstate(invalid="ignore", divide="ignore"):
        jump = (1.0 - _dot(after.rooted, found.rooted) / strength) / euler_dt
    return np.fmax(value, np.where(strength > 0, jump, 0.0))


def noise(posterior: SampledPosterior, states: SamplerState, pairs: Any) -> float:
    """b Var(F)/(2T), the mean over parameters and positions, from pairs of (batch, key)."""
    probe = _compiled(posterior)
    v = [jnp.ones_like(x) for x in jax.tree.leaves(states.position)]
    one, two = (
        probe(states, v, np.zeros(len(states.progress.steps)), *pair).rooted for pair in pairs
    )
    position = jax.tree.map(lambda x: x[0], states.position)
    T = [
        np.mean(r.temperature(states.progress.steps[0])) for r in posterior.settings.rules(position)
    ]
    total = sum(
        float(jnp.sum((a - b) ** 2)) / (4.0 * t) for a, b, t in zip(one, two, T, strict=True) if t
    )
    return total / sum(x.size for x in v)


def _dot(a: list[Any], b: list[Any]) -> Any:
    """Scalar product at each position."""
    return sum(
        np.asarray(jnp.sum((x * y).reshape(len(x), -1), axis=1), float)
        for x, y in zip(a, b, strict=True)
    )


@functools.lru_cache(maxsize=32)
def _compiled(posterior: SampledPosterior) -> Callable[..., HessianProduct]:
    settings = posterior.settings

    def at(state: SamplerState, v: Any, shift: Any, batch: Examples, key: Any) -> HessianProduct:
        theta = state.position
        leaves, structure = jax.tree.flatten(theta)

        def drifts(leaves: list[Any]) -> Any:
            position = jax.tree.unflatten(structure, leaves)
            _, gradients = posterior.value_and_gradient(position, key, *batch)
            terms = settings.terms(position, gradients, state.progress)[0]
            roots = [
                jnp.sqrt(jnp.broadcast_to(t.b, x.shape)) for t, x in zip(terms, leaves, strict=True)
            ]
            return [t.drift(0.0) / r for t, r in zip(terms, roots, strict=True)], roots

        rooted, roots = drifts(leaves)
        roots = [jax.lax.stop_gradient(r) for r in roots]
        norm = jnp.sqrt(sum(jnp.vdot(x, x) for x in v))
        v = [x / jnp.where(norm > 0, norm, 1.0) for x in v]
        direction = [r * x for r, x in zip(roots, v, strict=True)]
        product = jax.jvp(lambda x: drifts(x)[0], (leaves,), (direction,))[1]
        value = -sum(jnp.vdot(x, y) for x, y in zip(v, product, strict=True))
        turned = [shift * x - y for x, y in zip(v, product, strict=True)]
        drift = [r * f for r, f in zip(roots, rooted, strict=True)]
        return HessianProduct(rooted, drift, turned, value)

    def at_all(states: SamplerState, v: Any, shift: Any, *fixed: Any) -> HessianProduct:
        found: HessianProduct = jax.lax.map(lambda own: at(*own, *fixed), (states, v, shift))
        return found

    return jax.jit(at_all)
