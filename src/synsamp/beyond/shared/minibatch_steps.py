"""Steps on minibatches in one compiled JAX loop, bit-identical for any number of threads.

All random numbers of step k derive from the key of the run and k, so a resumed run needs only its
state and a count. Minibatches are drawn at each step, with replacement.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

ONE_THREAD: Any = {"xla_cpu_multi_thread_eigen": False}
"""Matrix products use one thread."""

Moving = Any
"""State that a step changes: a tree of arrays."""
Step = Callable[[Any, Moving, Any, Any], Moving]
"""(key, moving, images, labels) → moving."""
Advance = Callable[[Moving, Any, int, int, Any, Any], Moving]
"""(moving, key, first step, number of steps, images, labels) → moving."""


def use_one_thread() -> None:
    """Let JAX use one thread from now on; call it when a run begins, before JAX is used.

    JAX splits sums over a minibatch over as many threads as there are processors, so that their
    rounding depends on that number. It reads ``NPROC`` once, when it first uses its device, so a
    process that has used JAX before keeps its threads. Importing an experiment changes nothing.
    """
    os.environ.setdefault("NPROC", "1")


def compiled(step: Step, batch: int) -> Advance:
    """Compile a function that takes any number of steps."""

    def advance(moving: Moving, key: Any, first: Any, n: Any, images: Any, labels: Any) -> Moving:
        def one(k: Any, moving: Moving) -> Moving:
            for_batch, for_step = jax.random.split(jax.random.fold_in(key, k))
            chosen = jax.random.randint(for_batch, (batch,), 0, len(labels))
            return step(for_step, moving, images[chosen], labels[chosen])

        return jax.lax.fori_loop(first, first + n, one, moving)

    return jax.jit(advance, compiler_options=ONE_THREAD)


def key_of(seed: np.random.SeedSequence) -> Any:
    """A JAX key from a named seed."""
    return jax.random.wrap_key_data(jnp.asarray(seed.generate_state(2), jnp.uint32))


def as_arrays(moving: Moving) -> dict[str, NDArray[Any]]:
    """Convert a tree to arrays for a checkpoint."""
    return {f"leaf_{k}": np.asarray(leaf) for k, leaf in enumerate(jax.tree.leaves(moving))}


def as_tree(arrays: dict[str, Any], like: Moving) -> Moving:
    """Invert `as_arrays`; ``like`` has the structure of the tree."""
    leaves = [jnp.asarray(arrays[f"leaf_{k}"]) for k in range(len(arrays))]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)
