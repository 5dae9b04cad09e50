"""Run a sampler in one compiled loop on JAX's device.

Draws stay on the device until a block of them is full. The numbers of draws and of steps between
two draws are arguments of the loop, so one compilation serves a whole run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.arguments import flag, instance, whole
from synsamp.errors import refuse
from synsamp.jax.batches import Data, Examples, as_data, rows_of
from synsamp.jax.draws import Draws, DrawWriter
from synsamp.jax.pilot import find_rate, scaled, warn_if_too_fast
from synsamp.jax.pytree import Tree, require_parameters
from synsamp.jax.rewiring.positions import layers, thetas
from synsamp.jax.sampler import SampledPosterior, Sampler, SamplerState, sampler_of
from synsamp.jax.sampling import as_key
from synsamp.jax.update import check_fault
from synsamp.progress import progress_bar
from synsamp.rule.backends import MOST_CHAINS, Pace

_MOST_STEPS = 2**31 - 1
"""Counts on the device have 32 bits."""
_MOST_NUMBERS, _MOST_AT_ONCE = 2**20, 1024
"""Numbers, and draws, in one block on the device."""


class RunState(NamedTuple):
    """Where a run ended: pass it to ``run`` as the position to continue.

    Attributes
    ----------
    states : SamplerState
        States of all chains.
    keys : jax.Array
        Keys of their next steps.
    """

    states: SamplerState
    keys: jax.Array


def run(
    algorithm: Sampler,
    position: Tree | Callable[[Any], Tree] | RunState,
    *,
    steps: int,
    thin: int = 1,
    burn_in: int = 0,
    chains: int = 1,
    data: Any = None,
    batch_size: int | None = None,
    key: int | jax.Array = 0,
    store: str | Path | None = None,
    diagnostics: bool = True,
    progress: bool = True,
) -> Draws:
    """Run a sampler and return every ``thin``-th position after the burn-in.

    If you press Ctrl-C, you get the draws collected so far.

    Parameters
    ----------
    algorithm : Sampler
        Result of ``sampler(...)``.
    position : pytree, callable or RunState
        Start values; a function of a key that returns the start values of one chain; or
        ``draws.state`` of an earlier run, which continues.
    steps, thin, burn_in, chains : int
        As for ``synsamp.sample``. With the speed "auto" a pilot of 4,032 steps comes first.
    data : tuple or dict of arrays, or loader, optional
        Arrays with one example per row: the log-likelihood receives ``(w, *data)``, or for a dict
        ``(w, data)``. Or an iterable of batches, whose next batch all chains receive in each step.
    batch_size : int, optional
        Examples per step, drawn with replacement and separately for each chain; default: all.
    key : int or jax.Array
        Seed or JAX key.
    store : str or Path, optional
        New Zarr folder for the draws.
    diagnostics : bool
        Check the speed after the run.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Draws
        With ``log_likelihood`` (chain, draw), ``state`` and ``attrs``.

    Warns
    -----
    StepSizeWarning
        If the speed is too large for the curvature, or for the noise of minibatches, at the last
        positions. The check costs about a twentieth of the run.
    """
    instance("algorithm", algorithm, Sampler, "make one with synsamp.jax.sampler(...)")
    steps = whole("steps", steps, at_least=1, at_most=_MOST_STEPS)
    thin = whole("thin", thin, at_least=1)
    if thin > steps:
        raise refuse("thin", f"must be <= steps ({steps}), or nothing is kept", thin)
    burn_in = whole("burn_in", burn_in, at_least=0, at_most=_MOST_STEPS)
    chains = whole("chains", chains, at_least=1, at_most=MOST_CHAINS)
    flag("progress", progress)
    flag("diagnostics", diagnostics)
    given = as_data(data, batch_size)
    posterior = algorithm.posterior
    start_key, run_key = jax.random.split(as_key(key))
    check_key = jax.random.fold_in(run_key, _MOST_STEPS)
    if isinstance(position, RunState):
        states, keys = position
        chains = len(keys)
    else:
        states = _start(posterior, position, jax.random.split(start_key, chains))
        keys = jax.random.split(run_key, chains)
    begin = states
    if posterior.settings.is_automatic and not isinstance(position, RunState):
        states = _pilot(posterior, states, given, check_key)[1]
    moving = _Moving(algorithm, given, states, keys)
    writer = DrawWriter(_first(states.position), chains, steps // thin, store)
    with progress_bar("sampling", burn_in + steps // thin * thin, progress) as report:
        try:
            moving.skip(burn_in, report)
            moving.collect(steps // thin, thin, writer, report)
        except KeyboardInterrupt:
            pass
    states = moving.states
    attributes: dict[str, float] = {}
    if posterior.settings.is_automatic:
        attributes["speed"] = float(states.progress.rate[0])
    # Noise of minibatches exceeds the low temperatures of rewiring by design.
    checked = diagnostics and not layers(states.position)
    if checked and np.all(np.asarray(states.progress.steps) > 0):
        attributes["spread_inflation"] = warn_if_too_fast(
            posterior,
            states,
            given,
            check_key,
            (burn_in + steps) * chains,
            lambda: _pilot(scaled(posterior), begin, given, check_key)[0],
        )
    return writer.close(RunState(states, moving.keys), attributes)


class _Moving:
    """Chains on the device, and the buffers of their draws."""

    def __init__(self, algorithm: Sampler, data: Data, states: SamplerState, keys: Any) -> None:
        self.states, self.keys, self._data = states, keys, data
        self._loop = _loop(algorithm, data.batch_size)
        numbers = sum(x.size for x in jax.tree.leaves(states.position))
        self._room = int(np.clip(_MOST_NUMBERS // numbers, 1, _MOST_AT_ONCE))
        if data.next_batch is not None:
            self._room = 1
        room = lambda x: jnp.zeros((self._room, *x.shape), x.dtype)  # noqa: E731
        self._rows = jax.tree.map(room, states.position)
        self._values = jnp.zeros((self._room, len(keys)))
        self._pace = Pace()

    def _advance(self, rows: int, thin: int) -> None:
        data = self._data.whole
        if self._data.next_batch is not None:
            assert rows == thin == 1
            data = self._data.next_batch()
        self.states, self.keys, self._rows, self._values = jax.block_until_ready(
            self._loop(self.states, self.keys, self._rows, self._values, rows, thin, data)
        )

    def skip(self, n_steps: int, report: Callable[[int], None]) -> None:
        """Advance without keeping draws; the first row holds the last position."""
        most = 1 if self._data.next_batch is not None else _MOST_STEPS
        for n in self._pace.pieces(n_steps, most):
            self._advance(1, n)
            report(n)
        _check_all(self.states)

    def collect(
        self, draws: int, thin: int, writer: DrawWriter, report: Callable[[int], None]
    ) -> None:
        """Advance and keep every ``thin``-th position."""
        for n in Pace().pieces(draws, self._room):
            if n == 1:  # a draw may take long: return to Python within it
                self.skip(thin, report)
            else:
                self._advance(n, thin)
                _check_all(self.states)
                report(n * thin)
            writer.append(
                jax.tree.map(lambda x, n=n: np.asarray(x[:n]), self._rows),
                np.asarray(self._values[:n]),
            )


@functools.lru_cache(maxsize=32)  # a second run of the same sampler reuses it
def _loop(algorithm: Sampler, batch_size: int | None) -> Callable[..., Any]:
    """Compiled loop of ``n`` draws of all chains with ``thin`` steps each, for any n and thin."""

    def one_step(state: SamplerState, key: Any, data: Examples) -> Any:
        key, for_step, for_batch = jax.random.split(key, 3)
        batch = data if batch_size is None else rows_of(for_batch, data, batch_size)
        state, info = algorithm.step(for_step, state, *batch)
        return state, key, info.log_likelihood

    def of_chains(states: SamplerState, keys: Any, data: Examples) -> Any:
        if layers(states.position):  # jax.vmap would rewire every layer in every step
            return jax.lax.map(lambda own: one_step(own[0], own[1], data), (states, keys))
        return jax.vmap(one_step, in_axes=(0, 0, None))(states, keys, data)

    def block(
        states: SamplerState, keys: Any, rows: Any, values: Any, n: Any, thin: Any, data: Examples
    ) -> Any:
        def step(_: Any, carried: Any) -> Any:
            states, keys, _ = carried
            states, keys, value = of_chains(states, keys, data)
            return states, keys, value.astype(values.dtype)

        def draw(k: Any, carried: Any) -> Any:
            states, keys, rows, values = carried
            moved = jax.lax.fori_loop(0, thin, step, (states, keys, values[0]))
            states, keys, value = moved
            rows = jax.tree.map(lambda all_, x: all_.at[k].set(x), rows, states.position)
            return states, keys, rows, values.at[k].set(value)

        return jax.lax.fori_loop(0, n, draw, (states, keys, rows, values))

    return jax.jit(block, donate_argnums=(2, 3))


def _pilot(
    posterior: SampledPosterior, states: SamplerState, data: Data, key: Any
) -> tuple[float, SamplerState]:
    """Factor of the speed, and where the pilot ended."""
    algorithm = sampler_of(posterior)
    keys = jax.random.split(key, len(states.progress.steps))

    def advance(states: SamplerState, n: int) -> SamplerState:
        nonlocal keys
        moving = _Moving(algorithm, data, states, keys)
        moving.skip(n, lambda n: None)
        keys = moving.keys
        return moving.states

    return find_rate(posterior, states, advance, data, key)


def _start(posterior: SampledPosterior, position: Any, keys: Any) -> SamplerState:
    # A model may be callable too, but then it is a tree with leaves.
    make = position if callable(position) and jax.tree_util.all_leaves([position]) else None
    one = make(keys[0]) if make else position
    require_parameters("position", thetas(one))
    if posterior.settings.is_automatic and layers(one):
        raise refuse("speed", "must be a number with sparse layers", "auto", "try 0.1 to 0.5")
    posterior.start(one)  # a short error before JAX traces
    if make:
        found = [make(key) for key in keys]
        positions = jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)
    else:
        positions = jax.tree.map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * len(keys)), one)
    return jax.vmap(posterior.start)(positions)


def _first(positions: Tree) -> Tree:
    return jax.tree.map(lambda leaf: leaf[0], positions)


def _check_all(states: SamplerState) -> None:
    faults = np.asarray(states.progress.fault)
    for chain in np.flatnonzero(faults[:, 0] >= 0):
        first = _first(thetas(states.position))
        check_fault(states.progress._replace(fault=faults[chain]), first)
