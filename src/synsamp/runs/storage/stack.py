"""All trials as one Dataset: dimensions of the sweep, then ``trial``, then their own.

Results are stored once, in the folders of the trials. The Dataset of an ensemble reads them from
there as they are used. A variable whose shape or coordinates differ between trials (a record that
is longer in one of them) cannot be stacked; it stays in the trials' own folders and the attribute
``not_stacked`` names it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from synsamp.experiments.base import Results
from synsamp.runs.storage.contents import TRIALS
from synsamp.runs.storage.results import open_dataset, open_results

ENSEMBLE = "ensemble"
TRIAL = "trial"
SUMMARY = "summary"
POPULATION = "population"
NOT_STACKED = "not_stacked"
OTHER_DIMENSIONS = ("claim", "quantile")
BLOCK_BYTES = 2**25
SUMMARY_SIZE = 10**5


def trial_name(place: Sequence[int], shape: Sequence[int]) -> str:
    """Name a trial's folder by its combination of values (if several) and its number."""
    *point, number = place
    if not point:
        return f"{number:05d}"
    combination = int(np.ravel_multi_index(tuple(point), tuple(shape[:-1])))
    return f"{combination:0{len(str(math.prod(shape[:-1]) - 1))}d}-{number:05d}"


def flatten(results: Results, reserved: Iterable[str] = ()) -> xr.Dataset:
    """Merge the datasets of one run into one: variable ``v`` of dataset ``d`` becomes ``d_v``.

    A dataset of a branch, ``b/d``, gives ``b_d_v``; where ``v`` is called ``d``, ``d`` or ``b_d``.

    A dimension that means different things in two datasets, or that has the name of a dimension of
    the ensemble (``reserved``, and those of all ensembles), becomes ``dimension_of_d``. Only index
    coordinates and the ``population`` of neurons stay coordinates: others may differ between
    trials.
    """
    avoided = _ambiguous(results.values()) | {*reserved, TRIAL, *OTHER_DIMENSIONS}
    parts = []
    for path, data in results.items():
        plain = data.reset_coords().drop_attrs(deep=False)
        if POPULATION in data.coords and data[POPULATION].dims == ("neuron",):
            plain = plain.set_coords(POPULATION)
        renamed = {d for d in data.dims if d in avoided}
        if "neuron" in renamed and POPULATION in plain.coords:
            renamed.add(POPULATION)
        dims = {d: f"{d}_of_{path.replace('/', '_')}" for d in renamed}
        # First variables, then dimensions: a variable may be called like one of its dimensions.
        own = plain.rename_vars({v: _flat_name(path, str(v)) for v in plain.data_vars})
        parts.append(own.rename(dims))
    return xr.merge(parts, combine_attrs="drop", compat="equals", join="exact")


def _flat_name(path: str, variable: str) -> str:
    name = path.replace("/", "_")
    return name if variable == path.rpartition("/")[2] else f"{name}_{variable}"


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


def layout(trial: xr.Dataset) -> dict[str, str]:
    """Return a checksum of dimensions, type and coordinates for each variable of a flat trial.

    Variables can be stacked where these are equal. Text cannot, and has an empty one.
    """
    coordinates = {str(name): _digest(trial[name].values) for name in trial.coords}
    found = {}
    for name, variable in trial.data_vars.items():
        about = [variable.dims, variable.shape, variable.dtype.str]
        about.append([coordinates[c] for c in sorted(map(str, variable.coords))])
        stacks = variable.dtype.kind in "biuf"
        found[str(name)] = hashlib.sha256(repr(about).encode()).hexdigest()[:16] if stacks else ""
    return found


def _digest(values: NDArray[Any]) -> str:
    plain = np.ascontiguousarray(values.astype(str) if values.dtype.kind in "OT" else values)
    return hashlib.sha256(plain.dtype.str.encode() + plain.tobytes()).hexdigest()


def not_stacked(layouts: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the variables that are missing, text, or of another layout in some of the trials."""
    first: dict[str, str] = {}
    unfit: set[str] = set()
    for found in layouts:
        first = first or dict(found)
        unfit.update(n for n in {*first, *found} if not first.get(n) or first[n] != found.get(n))
    return sorted(unfit)


def open_ensemble(folder: Path, stored: xr.Dataset) -> xr.Dataset:
    """Add to what is ``stored`` about an ensemble the results of its trials, read when used."""
    lead = stored["finished"].dims
    done = stored["finished"].values
    trials = {
        tuple(map(int, place)): _Trial(folder / TRIALS / trial_name(place.tolist(), done.shape))
        for place in np.argwhere(done)
    }
    first = next(iter(trials.values()))
    results = open_results(first.path)
    unfit = [str(name) for name in stored.attrs.get(NOT_STACKED, ())]
    one = flatten(results, map(str, lead)).drop_vars(unfit, errors="ignore")
    sources = {
        _flat_name(path, str(v)): (path, str(v))
        for path, data in results.items()
        for v in data.reset_coords().data_vars
    }
    used = {dim for variable in one.data_vars.values() for dim in variable.dims}
    stacked = {
        name: xr.Variable(
            (*lead, *variable.dims),
            indexing.LazilyIndexedArray(
                _Stacked(trials, sources[str(name)], done.shape, variable.variable)
            ),
            variable.attrs,
        )
        for name, variable in one.data_vars.items()
    }
    coords = {name: c for name, c in one.coords.items() if used.issuperset(c.dims)}
    return xr.Dataset(stacked, coords=coords, attrs=stored.attrs).merge(
        stored, combine_attrs="override"
    )


class _Trial:
    """A trial's folder; its datasets are opened when first read, and their values not kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open: dict[str, xr.Dataset | None] = {}

    def read(self, dataset: str, variable: str, key: tuple[Any, ...]) -> Any:
        if dataset not in self._open:
            self._open[dataset] = open_dataset(self.path, dataset)
        found = self._open[dataset]
        assert found is not None
        return found[variable].variable[key].values


class _Stacked(BackendArray):
    """One variable of all trials; the trials that are not finished read as NaN or 0."""

    def __init__(
        self,
        trials: Mapping[tuple[int, ...], _Trial],
        source: tuple[str, str],
        lead: tuple[int, ...],
        one: xr.Variable,
    ) -> None:
        self._trials, self._source, self._lead = trials, source, lead
        self.shape = (*lead, *one.shape)
        self.dtype = one.dtype

    def __getitem__(self, key: Any) -> Any:
        support = indexing.IndexingSupport.OUTER
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        n = len(self._lead)
        places = [np.arange(size)[k] for size, k in zip(self._lead, key[:n], strict=True)]
        inner = [np.arange(size)[k] for size, k in zip(self.shape[n:], key[n:], strict=True)]
        shape = [at.shape for at in places]
        fill = np.nan if self.dtype.kind == "f" else 0
        own = tuple(size for at in inner for size in at.shape)
        found = np.full((*(at.size for at in places), *own), fill, self.dtype)
        for into, place in zip(
            np.ndindex(found.shape[:n]),
            product(*(map(int, at.ravel()) for at in places)),
            strict=True,
        ):
            if place in self._trials:
                found[into] = self._trials[place].read(*self._source, key[n:])
        return found.reshape((*(size for each in shape for size in each), *own))


def summarise(whole: xr.Dataset, quantiles: Sequence[float]) -> xr.Dataset:
    """Return quantiles over trials of every variable of the trials that is not too large."""
    found = {}
    for name, variable in whole.data_vars.items():
        size = math.prod(n for d, n in variable.sizes.items() if d != TRIAL)
        if TRIAL in variable.dims and size <= SUMMARY_SIZE:
            found[name] = _quantiles(variable, whole["finished"], quantiles)
    return xr.Dataset(found)


def _quantiles(
    variable: xr.DataArray, finished: xr.DataArray, quantiles: Sequence[float]
) -> xr.DataArray:
    """Over trials, a block of the trial's own first dimension at a time: memory is bounded."""
    own = [dim for dim in variable.dims if dim not in finished.dims]
    length = variable.sizes[own[0]] if own else 1
    block = max(1, int(length * BLOCK_BYTES / max(8 * variable.size, 1)))
    parts = []
    for start in range(0, length, block):
        part = variable.isel({own[0]: slice(start, start + block)}) if own else variable
        values = part.copy().load().where(finished).astype(float).transpose(..., TRIAL)
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
