"""The results of all trials as one Dataset: dimensions of the sweep, then ``trial``, then its own.

Each worker writes the trial it has finished into its own place: a chunk holds one trial, so no
two workers ever write the same file, and nothing passes through the client. What differs in shape
or coordinates between trials (a stream that one trial made longer) cannot be laid side by side; it
stays in the trials' own folders and is named in the attribute ``not_stacked``.
"""

from __future__ import annotations

import fcntl
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.experiments.base import Results
from synsamp.runs.storage.atomic import open_in_place, remove
from synsamp.runs.storage.contents import STACKING, STORE

GROUP = "ensemble"
TRIAL = "trial"
SUMMARY = "summary"
OTHER_DIMENSIONS = ("claim", "quantile")
ABOUT = ("trial_seed", "finished")
"""Variables about the trials, which have no quantiles."""
CHUNK_BYTES = BLOCK_BYTES = 2**25
SUMMARY_SIZE = 10**5


def flatten(results: Results, reserved: Iterable[str] = ()) -> xr.Dataset:
    """Lay the datasets of one run into one: variable ``v`` of dataset ``d`` becomes ``d_v``.

    One of a branch, ``b/d``, gives ``b_d_v``; where ``v`` is called ``d``, it is ``d`` or ``b_d``.

    A dimension that means different things in two datasets, or that is called like one of the
    ensemble (``reserved`` and those that all ensembles have), becomes ``dimension_of_d``. Only
    index coordinates stay coordinates: others may differ between trials.
    """
    avoided = _ambiguous(results.values()) | {*reserved, TRIAL, *OTHER_DIMENSIONS}
    parts = []
    for path, data in results.items():
        name = path.replace("/", "_")
        plain = data.reset_coords().drop_attrs(deep=False)
        dims = {d: f"{d}_of_{name}" for d in data.dims if d in avoided}
        # First variables, then dimensions: a variable may be called like one of its dimensions.
        last = path.rpartition("/")[2]  # a record of one quantity is called like it
        own = plain.rename_vars({v: name if v == last else f"{name}_{v}" for v in plain.data_vars})
        parts.append(own.rename(dims))
    return xr.merge(parts, combine_attrs="drop", compat="equals", join="exact")


def _ambiguous(datasets: Iterable[xr.Dataset]) -> set[str]:
    """Dimensions that differ in length or coordinate between datasets."""
    first: dict[str, tuple[int, Any]] = {}
    found = set()
    for data in datasets:
        for dim, size in data.sizes.items():
            index = data.indexes.get(dim)
            known_size, known_index = first.setdefault(str(dim), (size, index))
            same = index is known_index or (
                index is not None and known_index is not None and index.equals(known_index)
            )
            if size != known_size or not same:
                found.add(str(dim))
    return found


class Stack:
    """The store that the trials of one ensemble fill.

    Each command fills a store of its own and puts it in the place of the results when all is in
    it: a worker that an earlier, killed command left behind cannot write into it.
    """

    def __init__(
        self, folder: Path, along: Mapping[str, Sequence[Any]], trials: int, token: str
    ) -> None:
        self._folder = folder
        self._store = folder / f"{STACKING}{token}"
        self._along = {**along, TRIAL: range(trials)}

    @property
    def reserved(self) -> tuple[str, ...]:
        """Dimensions of the ensemble, which no trial may use for its own."""
        return tuple(self._along)

    def clear(self) -> None:
        """Remove what earlier commands left half done."""
        for left in (*self._folder.glob(f"{STACKING}*"), *self._folder.glob(f".{STACKING}*")):
            remove(left)

    def place(self, trial: xr.Dataset, at: Sequence[int]) -> list[str]:
        """Write one trial at its place; returns the names of what does not fit."""
        with _quiet():
            self._make_once(trial)
            stored = self._open()
            unfit = [str(name) for name in trial.data_vars if not self._fits(trial, stored, name)]
            unfit += [str(n) for n in stored.data_vars if n not in trial.data_vars]
            fitting = trial.drop_vars([n for n in unfit if n in trial.variables])
            region = {dim: slice(i, i + 1) for dim, i in zip(self._along, at, strict=True)}
            if fitting.data_vars:
                fitting.drop_vars(list(fitting.coords)).expand_dims(list(region)).to_zarr(
                    self._store, group=GROUP, region=region, mode="r+", consolidated=False
                )
        return unfit

    def _open(self) -> xr.Dataset:
        """Read from disk as it is used, and keep nothing: all trials may be more than memory."""
        return xr.open_dataset(
            self._store, engine="zarr", group=GROUP, consolidated=False, chunks=None, cache=False
        )

    def _fits(self, trial: xr.Dataset, stored: xr.Dataset, name: Any) -> bool:
        if name not in stored.data_vars:
            return False
        new, old = trial[name], stored[name]
        if (*self._along, *new.dims) != old.dims or new.dtype != old.dtype:
            return False
        same = all(new.sizes[dim] == old.sizes[dim] for dim in new.dims)
        return same and all(
            c in stored.coords and new.coords[c].variable.equals(stored.coords[c].variable)
            for c in new.coords
        )

    def _make_once(self, trial: xr.Dataset) -> None:
        """Make the empty store after the first trial that ends, whoever runs it."""
        with _held(self._folder / ".stack.lock"):
            if self._store.exists():
                return
            making = self._store.with_name(f".{self._store.name}")
            shutil.rmtree(making, ignore_errors=True)
            template, encoding = self._template(trial)
            template.to_zarr(
                making,
                group=GROUP,
                mode="w",
                compute=False,
                consolidated=False,
                zarr_format=3,
                encoding=encoding,
            )
            making.rename(self._store)

    def _template(self, trial: xr.Dataset) -> tuple[xr.Dataset, dict[Any, Any]]:
        """A Dataset of the right shapes, nothing in it: one chunk per trial and variable."""
        import dask.array as da

        lead = tuple(self._along)
        sizes = [len(values) for values in self._along.values()]
        empty, encoding = {}, {}
        for name, variable in trial.data_vars.items():
            if variable.dtype.kind not in "biuf":
                continue  # text and the like are kept with their trial
            fill = np.nan if variable.dtype.kind == "f" else 0
            shape = (*sizes, *variable.shape)
            # One dask chunk, as nothing is computed; the store's chunks are what counts.
            data = da.full(shape, fill, dtype=variable.dtype, chunks=-1)
            empty[name] = ((*lead, *variable.dims), data, variable.attrs)
            chunks = [1] * len(sizes) + _chunk(variable.shape, variable.dtype.itemsize)
            encoding[name] = {"chunks": tuple(chunks)}
        coords = {dim: (dim, np.asarray(values)) for dim, values in self._along.items()}
        return xr.Dataset(empty, coords=coords).assign_coords(trial.coords), encoding

    def drop(self, names: Iterable[str]) -> None:
        """Remove variables that did not fit in every trial, and coordinates left without any."""
        for name in names:
            shutil.rmtree(self._store / GROUP / name, ignore_errors=True)
        with _quiet():
            left = self._open()
            used = {dim for variable in left.data_vars.values() for dim in variable.dims}
            for name in map(str, left.coords):
                if name not in used and name not in self._along:
                    shutil.rmtree(self._store / GROUP / name)

    def add(self, whole: xr.Dataset) -> None:
        """Add variables about all trials, and attributes."""
        with _quiet():
            whole.to_zarr(self._store, group=GROUP, mode="a", consolidated=False)

    def summarise(self, quantiles: Sequence[float]) -> None:
        """Store quantiles over trials of what is not too large, as the dataset ``summary``."""
        with _quiet():
            whole = self._open()
            finished = whole["finished"].load()
            mode: Literal["w", "a"] = "w"
            for name in sorted(str(n) for n in whole.data_vars):
                variable = whole[name]
                size = int(np.prod([variable.sizes[d] for d in variable.dims if d != TRIAL]))
                if TRIAL not in variable.dims or name in ABOUT or size > SUMMARY_SIZE:
                    continue
                found = _quantiles(variable, finished, quantiles)
                found.to_dataset(name=name).to_zarr(
                    self._store, group=SUMMARY, mode=mode, consolidated=False, zarr_format=3
                )
                mode = "a"

    def finish(self) -> None:
        """Put the filled store in the place of the results."""
        final = self._folder / STORE
        remove(final)
        for leftover in self._store.rglob("*.partial"):  # of a worker killed while it wrote
            leftover.unlink()
        self._store.rename(final)


def _quantiles(
    variable: xr.DataArray, finished: xr.DataArray, quantiles: Sequence[float]
) -> xr.DataArray:
    """Over trials, a stretch of the trial's own first dimension at a time: memory is bounded."""
    own = [dim for dim in variable.dims if dim not in finished.dims]
    length = variable.sizes[own[0]] if own else 1
    stretch = max(1, int(length * BLOCK_BYTES / max(8 * variable.size, 1)))
    parts = []
    for start in range(0, length, stretch):
        part = variable.isel({own[0]: slice(start, start + stretch)}) if own else variable
        values = part.load().where(finished).astype(float).transpose(..., TRIAL)
        found = xr.DataArray(
            _over_last_axis(values.values, quantiles),
            dims=("quantile", *values.dims[:-1]),
            coords={"quantile": list(quantiles)},
        )
        parts.append(found.assign_coords(values.isel({TRIAL: 0}, drop=True).coords))
    return xr.concat(parts, own[0]) if len(parts) > 1 else parts[0]


def _over_last_axis(values: NDArray[Any], quantiles: Sequence[float]) -> NDArray[np.float64]:
    """Linear quantiles of what is not NaN (NumPy's own go through Python for every element)."""
    ordered = np.sort(values, axis=-1)  # NaN comes last
    last = np.maximum(np.isfinite(values).sum(axis=-1) - 1, 0)
    found = []
    for q in quantiles:
        below = np.floor(q * last).astype(int)
        above = np.minimum(below + 1, last)
        low, high = (
            np.take_along_axis(ordered, at[..., None], -1)[..., 0] for at in (below, above)
        )
        found.append(low + (high - low) * (q * last - below))
    return np.stack(found)


def _chunk(shape: tuple[int, ...], itemsize: int) -> list[int]:
    """The trial's whole variable, cut along its first dimension where it is very large."""
    if not shape:
        return []
    rest = int(np.prod(shape[1:], dtype=np.int64)) * itemsize
    return [int(np.clip(CHUNK_BYTES // max(rest, 1), 1, max(shape[0], 1))), *shape[1:]]


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    with open_in_place(lock) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Zarr on strings: a format note for its developers
        yield
