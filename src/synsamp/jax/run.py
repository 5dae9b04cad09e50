"""Run a sampler in one compiled loop on JAX's device.

θ stays on the device; each draw is copied to the host. The number of steps between two draws is an
argument of the loop, so one compilation serves a whole run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.arguments import flag, instance, whole
from synsamp.errors import refuse
from synsamp.jax.draws import Draws, DrawWriter
from synsamp.jax.pytree import Tree, require_parameters
from synsamp.jax.sampler import Sampler, SamplerState
from synsamp.jax.sampling import as_key
from synsamp.jax.update import check
from synsamp.progress import progress_bar
from synsamp.rule.backends import MOST_CHAINS, Pace

_MOST_STEPS = 2**31 - 1
"""Counts on the device have 32 bits."""


def run(
    algorithm: Sampler,
    position: Tree | Callable[[Any], Tree],
    *,
    steps: int,
    thin: int = 1,
    burn_in: int = 0,
    chains: int = 1,
    data: Tree = None,
    batch_size: int | None = None,
    key: int | jax.Array = 0,
    store: str | Path | None = None,
    progress: bool = True,
) -> Draws:
    """Run a sampler and return every ``thin``-th position after the burn-in.

    If you press Ctrl-C, you get the draws collected so far.

    Parameters
    ----------
    algorithm : Sampler
        Result of ``sampler(...)``.
    position : pytree or callable
        Start values, or a function of a key that returns the start values of one chain.
    steps, thin, burn_in, chains : int
        As for ``synsamp.sample``.
    data : tuple of arrays, optional
        Arrays with one example per row; the log-likelihood receives ``(w, *data)``.
    batch_size : int, optional
        Examples per step, drawn with replacement and separately for each chain; default: all.
    key : int or jax.Array
        Seed or JAX key.
    store : str or Path, optional
        New Zarr folder for the draws.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Draws
    """
    instance("algorithm", algorithm, Sampler, "make one with synsamp.jax.sampler(...)")
    steps = whole("steps", steps, at_least=1, at_most=_MOST_STEPS)
    thin = whole("thin", thin, at_least=1)
    if thin > steps:
        raise refuse("thin", f"must be <= steps ({steps}), or nothing is kept", thin)
    burn_in = whole("burn_in", burn_in, at_least=0, at_most=_MOST_STEPS)
    chains = whole("chains", chains, at_least=1, at_most=MOST_CHAINS)
    flag("progress", progress)
    whole_data = _as_data(data)
    batch_size = _as_batch_size(batch_size, whole_data)
    start_key, run_key = jax.random.split(as_key(key))
    states = _start(algorithm, position, jax.random.split(start_key, chains))
    keys = jax.random.split(run_key, chains)
    advance = _loop(algorithm, batch_size)
    writer = DrawWriter(_first(states.position), chains, steps // thin, store)
    pace = Pace()

    def move(n_steps: int) -> None:
        nonlocal states, keys
        for n in pace.pieces(n_steps):
            states, keys = jax.block_until_ready(advance(states, keys, n, whole_data))
            report(n)
        _check_all(states)

    with progress_bar("sampling", burn_in + steps // thin * thin, progress) as report:
        try:
            move(burn_in)
            for _ in range(steps // thin):
                move(thin)
                writer.append(states.position)
        except KeyboardInterrupt:
            pass
    return writer.close()


@functools.lru_cache(maxsize=32)  # a second run of the same sampler reuses it
def _loop(algorithm: Sampler, batch_size: int | None) -> Callable[..., Any]:
    """Compiled loop of ``n`` steps of all chains, for any n."""

    def one_chain(state: SamplerState, key: Any, n: Any, data: tuple[Any, ...]) -> Any:
        def step(_: Any, carried: tuple[SamplerState, Any]) -> tuple[SamplerState, Any]:
            state, key = carried
            key, for_step, for_batch = jax.random.split(key, 3)
            batch = data
            if batch_size is not None:
                chosen = jax.random.randint(for_batch, (batch_size,), 0, len(data[0]))
                batch = tuple(array[chosen] for array in data)
            return algorithm.step(for_step, state, *batch)[0], key

        return jax.lax.fori_loop(0, n, step, (state, key))

    return jax.jit(jax.vmap(one_chain, in_axes=(0, 0, None, None)))


def _start(algorithm: Sampler, position: Any, keys: Any) -> SamplerState:
    make = position if callable(position) else None
    one = make(keys[0]) if make else position
    require_parameters("position", one)
    algorithm.init(one)  # a short error before JAX traces
    if make:
        found = [make(key) for key in keys]
        positions = jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)
    else:
        positions = jax.tree.map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * len(keys)), one)
    return jax.vmap(algorithm.init)(positions)


def _first(positions: Tree) -> Tree:
    return jax.tree.map(lambda leaf: leaf[0], positions)


def _check_all(states: SamplerState) -> None:
    faults = np.asarray(states.progress.fault)
    for chain in np.flatnonzero(faults[:, 0] >= 0):
        check(states.progress._replace(fault=faults[chain]), _first(states.position))


def _as_data(data: Any) -> tuple[Any, ...]:
    if data is None:
        return ()
    instance("data", data, (tuple, list), "pass a tuple of arrays, such as (images,)")
    arrays = tuple(jnp.asarray(array) for array in data)
    lengths = [array.shape[0] if array.ndim else None for array in arrays]
    if not arrays or None in lengths or 0 in lengths or len(set(lengths)) > 1:
        raise refuse("data", "must be arrays with the same number of rows, at least one", lengths)
    return arrays


def _as_batch_size(batch_size: Any, data: tuple[Any, ...]) -> int | None:
    if batch_size is None:
        return None
    if not data:
        raise refuse("batch_size", "requires data", batch_size, "pass data=(inputs, targets)")
    return whole("batch_size", batch_size, at_least=1, at_most=len(data[0]))
