"""Data of a run: arrays of which minibatches are drawn, or a loader of batches.

==================== ====================================================
``data=``            the log-likelihood receives
==================== ====================================================
tuple of arrays      ``(w, *arrays)``
dict of arrays       ``(w, dict)``
loader               ``(w, *batch)`` if a batch is a tuple, else ``(w, batch)``
==================== ====================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from synsamp.arguments import whole
from synsamp.errors import refuse

Examples = tuple[Any, ...]


class Data(NamedTuple):
    """Arrays on the device as one batch, or a function that returns the next batch of a loader."""

    whole: Examples
    batch_size: int | None
    next_batch: Callable[[], Examples] | None

    @property
    def is_random(self) -> bool:
        """Whether gradients are of minibatches."""
        return self.batch_size is not None or self.next_batch is not None


def as_data(data: Any, batch_size: Any) -> Data:
    """Check data and the size of minibatches."""
    if isinstance(data, (tuple, list, dict)) or data is None:
        batch = _arrays(data)
        return Data(batch, _size(batch_size, batch), None)
    if not isinstance(data, Iterable) or hasattr(data, "shape"):
        remedy = "pass a tuple such as (images, labels), a dict of arrays, or a loader"
        raise refuse("data", "must be arrays or a loader of batches", type(data).__name__, remedy)
    if batch_size is not None:
        remedy = "set the size of batches in the loader"
        raise refuse("batch_size", "must be None with a loader", batch_size, remedy)
    return Data((), None, _endless(data).__next__)


def rows_of(key: Any, batch: Examples, size: int) -> Examples:
    """``size`` random examples, with replacement."""
    leaves, structure = jax.tree.flatten(batch)
    chosen = jax.random.randint(key, (size,), 0, leaves[0].shape[0])
    return jax.tree.unflatten(structure, [array[chosen] for array in leaves])


def n_rows(batch: Examples) -> int:
    """Number of examples."""
    leaves = jax.tree.leaves(batch)
    return int(leaves[0].shape[0]) if leaves else 0


def _endless(loader: Iterable[Any]) -> Iterator[Examples]:
    """Batches of a loader, again and again."""
    while True:
        empty = True
        for batch in loader:
            empty = False
            moved = jax.tree.map(jnp.asarray, batch)
            yield tuple(moved) if isinstance(moved, (tuple, list)) else (moved,)
        if empty:
            remedy = "pass an object that can be iterated more than once, such as a DataLoader"
            raise refuse("data", "must give at least one batch each time", "none", remedy)


def _arrays(data: Any) -> Examples:
    if data is None:
        return ()
    found = jax.tree.map(jnp.asarray, data)
    lengths = [x.shape[0] if x.ndim else None for x in jax.tree.leaves(found)]
    if not lengths or None in lengths or 0 in lengths or len(set(lengths)) > 1:
        raise refuse("data", "must be arrays with the same number of rows, at least one", lengths)
    return (found,) if isinstance(found, dict) else tuple(found)


def _size(batch_size: Any, batch: Examples) -> int | None:
    if batch_size is None:
        return None
    if not batch:
        raise refuse("batch_size", "requires data", batch_size, "pass data=(inputs, targets)")
    return whole("batch_size", batch_size, at_least=1, at_most=n_rows(batch))
