"""Pytrees of parameters: checks, and the prior, mapping or speed of each leaf.

A setting is one object for all leaves, a prefix pytree of the parameters (as elsewhere in JAX), or
a function of a leaf's path such as ``"dense/kernel"``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.arguments import instance
from synsamp.errors import refuse
from synsamp.rule.vectorisation import brief

Tree = Any
"""Any pytree: nested dicts, lists, tuples and registered classes with arrays as leaves."""

_T = TypeVar("_T")
Schedule = Callable[[Any], Any]
"""Function of the step count, like those of Optax."""
LeafSetting: TypeAlias = _T | Mapping[str, Any] | list[Any] | tuple[Any, ...] | Callable[[str], Any]
"""One setting for all leaves, a prefix pytree, or a function of a leaf's path."""


def path_name(path: tuple[Any, ...]) -> str:
    """A leaf's path as text: ``dense/kernel``; of a bare array ``(the array)``."""
    return jax.tree_util.keystr(path, simple=True, separator="/") or "(the array)"


def paths(tree: Tree) -> list[str]:
    """The paths of all leaves, in order."""
    return [path_name(path) for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]


def require_parameters(name: str, tree: Tree) -> None:
    """Raise an error unless all leaves are non-empty arrays of floats."""
    found, _ = jax.tree_util.tree_flatten_with_path(tree)
    if not found:
        remedy = "pass arrays of floats in a dict, list or tuple"
        raise refuse(name, "must hold at least one array", jax.tree.structure(tree), remedy)
    for path, leaf in found:
        at = f"{name} at {path_name(path)}"
        kind = getattr(leaf, "dtype", None)
        if kind is None:
            kind = np.result_type(leaf) if isinstance(leaf, (int, float)) else type(leaf).__name__
        if isinstance(kind, str) or not jnp.issubdtype(kind, jnp.floating):
            remedy = "keep counts and indices elsewhere, or cast with .astype(float)"
            raise refuse(at, "must be an array of floats", str(kind), remedy)
        if np.size(leaf) == 0:
            raise refuse(at, "must hold at least one number", np.shape(leaf), "leave it out")


def require_same_tree(name: str, tree: Tree, like: Tree) -> None:
    """Raise an error unless a tree has the structure and shapes of the parameters."""
    here: Any = jax.tree.structure(tree)
    there: Any = jax.tree.structure(like)
    if here != there:
        raise refuse(name, f"must be a tree like the parameters, {there}", here)
    for path, own, other in zip(paths(like), *map(jax.tree.leaves, (tree, like)), strict=True):
        if np.shape(own) != np.shape(other):
            at = f"{name} at {path}"
            raise refuse(at, f"must have the parameters' shape {np.shape(other)}", np.shape(own))


def per_leaf(
    name: str,
    setting: Any,
    tree: Tree,
    kinds: tuple[type, ...] | None,
    remedy: str,
    *,
    by_path: bool = True,
) -> list[Any]:
    """The setting of each leaf, in order; ``kinds`` None accepts any object.

    With ``by_path`` a function receives the path of a leaf; otherwise functions are settings.
    """
    if by_path and callable(setting) and not isinstance(setting, kinds or ()):
        try:
            found = [setting(path) for path in paths(tree)]
        except Exception as error:  # a user's function may raise anything
            rule = "must accept a leaf's path, such as 'dense/kernel'"
            raise refuse(f"{name} as a function", rule, brief(error), remedy) from None
    else:
        found = _broadcast(name, setting, tree)
    if kinds is not None:
        for path, own in zip(paths(tree), found, strict=True):
            instance(f"{name} at {path}", own, kinds, remedy)
    return found


def _broadcast(name: str, setting: Any, tree: Tree) -> list[Any]:
    found: list[Any] = []

    def spread(own: Any, part: Tree) -> None:  # parts of a model that are None have no leaves
        found.extend([own] * len(jax.tree.leaves(part)))

    try:
        jax.tree.map(spread, setting, tree, is_leaf=lambda x: x is None)
    except ValueError as error:
        text = str(error).splitlines()[0][:100]
        remedy = "pass one for all leaves, or a prefix of the tree of parameters"
        raise refuse(name, "must fit the tree of parameters", text, remedy) from None
    return found
