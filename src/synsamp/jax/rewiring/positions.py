"""Sparse layers inside a position, which `sampler` and `run` rewire after their steps.

    position = {"in": layer.wired(key=1), "out": jnp.zeros((300, 10))}

Of a `Wired` layer only θ is a parameter of the rule: `thetas` and `rejoin` take a position apart
and put it together again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from synsamp.errors import refuse
from synsamp.jax.pytree import Tree
from synsamp.jax.rewiring.hard import HardRewiring
from synsamp.jax.rewiring.parts import ConnectionCost
from synsamp.jax.rewiring.slots import Wired


def is_wired(part: Any) -> bool:
    """Whether a part of a position is a sparse layer."""
    return isinstance(part, Wired)


def layers(position: Tree) -> list[Wired]:
    """All sparse layers of a position."""
    return [part for part in jax.tree.leaves(position, is_leaf=is_wired) if is_wired(part)]


def thetas(position: Tree) -> Tree:
    """The parameters of a position: θ in place of each sparse layer."""
    return jax.tree.map(lambda x: x.theta if is_wired(x) else x, position, is_leaf=is_wired)


def rejoin(position: Tree, parameters: Tree) -> Tree:
    """The position with other parameters."""

    def join(own: Any, theta: Any) -> Any:
        return Wired(theta, own.wires, own.layer) if is_wired(own) else theta

    return jax.tree.map(join, position, parameters, is_leaf=is_wired)


def rewired(key: Any, position: Tree, count: Any, gradients: Callable[[], list[Any]]) -> Tree:
    """The position after step ``count``, with new connections in the layers that are due.

    ``gradients`` returns the gradients of the loss in the whole matrices of all sparse layers.
    """

    def one(k: int, own: Wired) -> Wired:
        now = jax.random.fold_in(key, k)

        def change(own: Wired) -> Wired:
            more = (gradients()[k],) if own.layer.needs_gradient else ()
            return Wired(*own.layer.rewire(now, own.theta, own.wires, *more), own.layer)

        if own.layer.every == 1:
            return change(own)
        due = (count + 1) % own.layer.every == 0
        found: Wired = jax.lax.cond(due, change, lambda same: same, own)
        return found

    return replaced(position, [one(k, own) for k, own in enumerate(layers(position))])


def replaced(position: Tree, parts: list[Any]) -> Tree:
    """The position with something else in place of each sparse layer."""
    left = iter(parts)
    return jax.tree.map(lambda x: next(left) if is_wired(x) else x, position, is_leaf=is_wired)


def require_costs(position: Tree, priors: list[Any], floors: list[Any], names: list[str]) -> None:
    """Raise an error unless hard rewiring has its cost as prior, and that cost a lower bound.

    Without one θ of a dormant connection drifts away.
    """
    parts = jax.tree.leaves(position, is_leaf=is_wired)
    for part, prior, floor, name in zip(parts, priors, floors, names, strict=True):
        is_hard = is_wired(part) and isinstance(part.layer, HardRewiring)
        has_cost = isinstance(prior, ConnectionCost)
        if is_hard and not has_cost:
            remedy = "use layer.prior for this leaf, e.g. prior={'in': layer.prior, ...}"
            raise refuse(f"prior at {name}", "must be the cost of its layer", prior, remedy)
        if has_cost and not is_hard and floor is None:
            remedy = "start at layer.wired(key), or use a floor as SoftRewiring does"
            got = f"an array of shape {np.shape(part)}"
            raise refuse(f"position at {name}", "must be rewired or have a floor", got, remedy)
