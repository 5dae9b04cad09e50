"""Draws of pytrees, in memory or in a Zarr folder.

Each leaf is one array (chain, draw, …), named by the leaf's path. Draws on disk are read lazily,
a chunk at a time, so you can average over posteriors larger than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.arguments import function, one_of
from synsamp.errors import SynsampError, refuse
from synsamp.jax.pytree import Tree, paths
from synsamp.rule.arviz import convert
from synsamp.rule.draw_store import as_path, new_zarr_group

_CHUNK_NUMBERS = 2**18
_BARE = "theta"
"""Name on disk of a tree that is one array."""


class Draws:
    """Draws of a pytree, from ``run`` or ``open_draws``.

    Parameters
    ----------
    arrays : list of ndarray or Zarr array
        Draws of each leaf, (chain, draw, …).
    names : list of str
        Paths of the leaves.
    structure : PyTreeDef
        Structure of one draw.
    log_likelihood : ndarray, shape (chain, draw), or None
        Value in the step that led to each draw, on its minibatch; None if opened from disk.
    state : RunState or None
        Where the run ended; ``run(algorithm, draws.state, ...)`` continues.
    attrs : dict
        ``spread_inflation``, and ``speed`` if it was found automatically.

    Examples
    --------
    >>> draws[0, 10]  # the pytree of one draw
    >>> draws["dense/kernel"]  # all draws of one leaf, (chain, draw, …)
    >>> draws.values(lambda w: w["in"].std())  # a function of every draw: (chain, draw)
    """

    def __init__(
        self,
        arrays: list[Any],
        names: list[str],
        structure: Any,
        log_likelihood: NDArray[Any] | None = None,
        state: Any = None,
        attrs: dict[str, float] | None = None,
    ) -> None:
        self._arrays, self.names, self._structure = arrays, names, structure
        self.log_likelihood, self.state, self.attrs = log_likelihood, state, attrs or {}

    def __repr__(self) -> str:
        chains, draws = self.shape
        leaves = (f"{n} {a.shape[2:]}" for n, a in zip(self.names, self._arrays, strict=True))
        return f"Draws({chains} chains, {draws} draws: {', '.join(leaves)})"

    def __getitem__(self, which: Any) -> Any:
        """All draws of the leaf with this name, or the pytree of draw (chain, draw)."""
        if isinstance(which, str):
            return _read(self._arrays[self.names.index(one_of("name", which, self.names))])
        if not (isinstance(which, tuple) and len(which) == 2):
            raise refuse("index", "must be a name or (chain, draw)", which, "e.g. draws[0, -1]")
        chain, draw = (range(n)[k] for n, k in zip(self.shape, which, strict=True))
        return self.at(chain, draw)

    @property
    def shape(self) -> tuple[int, int]:
        """(chains, draws)."""
        chains, draws = self._arrays[0].shape[:2]
        return int(chains), int(draws)

    def tree(self) -> Tree:
        """All draws in memory; leaves have shape (chain, draw, …)."""
        return jax.tree.unflatten(self._structure, [_read(a) for a in self._arrays])

    def at(self, chain: int, draw: int) -> Tree:
        """The pytree of one draw."""
        leaves = [_read(a, (chain, draw)) for a in self._arrays]
        return jax.tree.unflatten(self._structure, leaves)

    def by_draw(self) -> Iterator[Tree]:
        """Iterate over draws of all chains, leaves (chain, …); one chunk is in memory at a time."""
        n = min(_rows(a) for a in self._arrays)
        for first in range(0, self.shape[1], n):
            chunk = [_read(a, np.s_[:, first : first + n]) for a in self._arrays]
            for k in range(chunk[0].shape[1]):
                yield jax.tree.unflatten(self._structure, [part[:, k] for part in chunk])

    def __len__(self) -> int:
        chains, draws = self.shape
        return chains * draws

    def values(self, of: Callable[[Tree], Any]) -> NDArray[Any]:
        """Function of every draw, compiled by JAX; shape (chain, draw, …)."""
        function("of", of, "pass a function of the parameters")
        of_chains = jax.jit(jax.vmap(of))
        return np.stack([np.asarray(of_chains(trees)) for trees in self.by_draw()], axis=1)

    def diagnose(self, **functions: Callable[[Tree], Any]) -> xr.Dataset:
        """R-hat, ESS and Monte-Carlo error (ArviZ) of named functions of the parameters.

        ``draws.diagnose(loss=lambda w: loss(w, x))`` returns a Dataset with the variable ``loss``,
        whose axis ``of`` holds mean, std, r_hat, ess_bulk, ess_tail and mcse_mean. Without
        functions: of the trace of the log-likelihood.
        """
        if not functions and self.log_likelihood is None:
            raise refuse("functions", "must be at least one", 0, "e.g. diagnose(norm=norm_of)")
        import arviz_stats  # takes seconds to import

        values = {name: self.values(of) for name, of in functions.items()}
        if not functions:
            values = {"log_likelihood": np.asarray(self.log_likelihood)}
        found = _dataset(values)
        over = ("chain", "draw")
        rows = {
            "mean": found.mean(over),
            "std": found.std(over, ddof=1),
            "r_hat": _by_arviz(arviz_stats.rhat, found),
            "ess_bulk": _by_arviz(arviz_stats.ess, found, method="bulk"),
            "ess_tail": _by_arviz(arviz_stats.ess, found, method="tail"),
            "mcse_mean": _by_arviz(arviz_stats.mcse, found, method="mean"),
        }
        return xr.concat(rows.values(), xr.Variable("of", list(rows)), join="exact")

    def to_arviz(self) -> Any:
        """All draws, and the trace of the log-likelihood, for ArviZ (0.23 or 1)."""
        posterior = _dataset(dict(zip(self.names, map(_read, self._arrays), strict=True)))
        trace = self.log_likelihood
        return convert(posterior, None if trace is None else _dataset({"lp": trace}))


def _dataset(values: dict[str, NDArray[Any]]) -> xr.Dataset:
    return xr.Dataset(
        {
            name: (("chain", "draw", *(f"{name}_{k}" for k in range(v.ndim - 2))), v)
            for name, v in values.items()
        }
    )


def _by_arviz(measure: Callable[..., Any], found: xr.Dataset, **options: Any) -> xr.Dataset:
    result = measure(found, **options)
    return result if isinstance(result, xr.Dataset) else xr.Dataset(result)


class DrawWriter:
    """Appends one pytree per draw for all chains at once; ``close`` returns the `Draws`."""

    def __init__(self, like: Tree, chains: int, draws: int, store: str | Path | None) -> None:
        leaves, self._structure = jax.tree.flatten(like)
        self._names = _names(like)
        self._n, self._chains, self._most = 0, chains, draws
        shapes = [(chains, draws, *leaf.shape) for leaf in leaves]
        if store is None:
            self._arrays: list[Any] = [
                np.empty(shape, leaf.dtype) for shape, leaf in zip(shapes, leaves, strict=True)
            ]
        else:
            self._arrays = _new_zarr(store, self._names, shapes, leaves)
        self._waiting: list[Any] = []
        self._values: list[Any] = []
        self._written, self._at_once = 0, min(_rows(a) for a in self._arrays)

    def append(self, trees: Tree, values: NDArray[Any]) -> None:
        """Add the next draws of all chains: leaves (draws, chain, …), and log-likelihoods."""
        self._waiting.append((jax.tree.leaves(trees), values))
        self._n += len(values)
        if self._n - self._written >= self._at_once:
            self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        blocks, values = zip(*self._waiting, strict=True)
        for array, *parts in zip(self._arrays, *blocks, strict=True):
            array[:, self._written : self._n] = np.moveaxis(np.concatenate(parts), 0, 1)
        self._values += values
        self._waiting, self._written = [], self._n

    def close(self, state: Any = None, attrs: dict[str, float] | None = None) -> Draws:
        """The draws; fewer than planned if the run was interrupted."""
        self._write()
        arrays = self._arrays
        if self._n < self._most:
            arrays = [self._cut(array) for array in arrays]
        trace = np.concatenate(self._values).T if self._values else np.empty((self._chains, 0))
        return Draws(arrays, self._names, self._structure, trace, state, attrs)

    def _cut(self, array: Any) -> Any:
        if isinstance(array, np.ndarray):
            return array[:, : self._n]
        array.resize((self._chains, self._n, *array.shape[2:]))
        return array


def _rows_of(shape: tuple[int, ...]) -> int:
    """Draws in a chunk: as many as give about a megabyte."""
    return int(np.clip(_CHUNK_NUMBERS // max(1, int(np.prod(shape[2:]))), 1, max(1, shape[1])))


def _rows(array: Any) -> int:
    """Draws that are read or written together."""
    return 1 if isinstance(array, np.ndarray) else int(array.chunks[1])


def _read(array: Any, where: Any = ...) -> NDArray[Any]:
    """A part of an array in memory."""
    if isinstance(array, np.ndarray):
        return np.asarray(array[where])
    try:
        return np.asarray(array[where])
    except MemoryError:
        remedy = "not enough memory; read them in parts with by_draw or values"
        raise refuse("draws", "must fit into memory", array.shape, remedy) from None
    except Exception as error:  # each codec has its own
        raise _damaged("every draw must be readable", error) from error


def _damaged(rule: str, error: Exception) -> SynsampError:
    remedy = "copy the folder again, or run again"
    return refuse("store", rule, f"{type(error).__name__}: {error}"[:200], remedy)


def open_draws(store: str | Path, like: Tree) -> Draws:
    """Open the draws written by ``run(..., store=...)``.

    Parameters
    ----------
    store : str or Path
        The Zarr folder.
    like : pytree
        Any pytree with the structure and shapes of the parameters.

    Returns
    -------
    Draws
        Read lazily, a chunk at a time.
    """
    import zarr  # slow to import, and rarely needed

    path, arrays = as_path(store), []
    names = _names(like)
    try:
        group = zarr.open_group(path, mode="r")
        stored = [group.get(name) for name in names]
        wanted = [a.nchunks if isinstance(a, zarr.Array) else 0 for a in stored]
    except (FileNotFoundError, NotADirectoryError) as error:
        remedy = "name the folder written by run(..., store=...)"
        raise refuse("store", "must be a Zarr folder", str(path), remedy) from error
    except Exception as error:  # of many types if the description of an array is damaged
        raise _damaged("must be an intact Zarr folder", error) from error
    leaves = jax.tree.leaves(like)
    for name, leaf, found, n in zip(names, leaves, stored, wanted, strict=True):
        if not isinstance(found, zarr.Array) or found.shape[2:] != np.shape(leaf):
            what = "nothing" if found is None else getattr(found, "shape", "a folder")
            rule = f"must hold {name} with axes (chain, draw, *{np.shape(leaf)})"
            raise refuse("store", rule, what, "pass a tree like the sampled one as like=")
        arrays.append(found)
        if found.shape[:2] != arrays[0].shape[:2]:
            shapes = {n: a.shape for n, a in zip(names, arrays, strict=False)}
            raise refuse("store", "must hold as many draws of each leaf", shapes, "run again")
        chunks = _chunks(found, path / name)
        if chunks < n:  # Zarr would read the others as fill values
            left = f"{chunks} of {n} chunks of {name}"
            raise refuse("store", "must hold every draw", left, "copy or run it again")
    return Draws(arrays, names, jax.tree.structure(like))


def _chunks(array: Any, folder: Path) -> int:
    """How many chunks of an array are there; Zarr lists all that there should be, in memory."""
    files = sum(path.is_file() for path in (folder / "c").rglob("*"))
    return files if files < array.nchunks else int(array.nchunks_initialized)


def _names(tree: Tree) -> list[str]:
    names = [_BARE if name.startswith("(") else name for name in paths(tree)]
    if len(set(names)) < len(names):
        raise refuse("paths of the parameters", "must differ", names, "rename a key")
    return names


def _new_zarr(
    store: str | Path, names: list[str], shapes: list[tuple[int, ...]], leaves: list[Any]
) -> list[Any]:
    group = new_zarr_group(store)
    return [
        group.create_array(
            name,
            shape=shape,
            chunks=(1, _rows_of(shape), *shape[2:]),
            dtype=str(leaf.dtype),
            config={"write_empty_chunks": True},  # so that a missing chunk is a lost one
            dimension_names=("chain", "draw", *(f"axis_{k}" for k in range(len(shape) - 2))),
        )
        for name, shape, leaf in zip(names, shapes, leaves, strict=True)
    ]
