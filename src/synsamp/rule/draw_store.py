"""Stores for draws: one array in memory, or a Zarr folder on disk.

Both return a Dataset with ``theta`` (chain, draw, parameter). The Zarr store keeps a few tens of
megabytes in memory, however long the run is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.arguments import instance, text
from synsamp.errors import refuse

Floats = NDArray[np.float64]
Shape = tuple[int, int, int]

DIMENSIONS = ("chain", "draw", "parameter")
_BUFFER_NUMBERS = 2**22
"""Numbers collected before they are written: 32 MB."""


class DrawStore(Protocol):
    """Receives draws in order, then returns them in parts or as a Dataset."""

    def append(self, draws: Floats) -> None:
        """Add the next draws, of shape (chains, some, parameters)."""

    def close(self) -> int:
        """Finish writing; returns the number of draws per chain."""

    def read(self, columns: slice) -> Floats:
        """All draws of some parameters."""

    def state(self, chain: int, draw: int) -> Floats:
        """One draw of all parameters."""

    def dataset(self, others: xr.Dataset) -> xr.Dataset:
        """The draws together with the variables and attributes of ``others``."""


class MemoryStore:
    """Draws in one array."""

    def __init__(self, shape: Shape) -> None:
        _require_memory(shape)
        self._draws = np.empty(shape)
        self._n = 0

    def append(self, draws: Floats) -> None:
        """Add the next draws."""
        self._draws[:, self._n : self._n + draws.shape[1]] = draws
        self._n += draws.shape[1]

    def close(self) -> int:
        """Free the unused part of an interrupted run."""
        if self._n < self._draws.shape[1]:
            self._draws = self._draws[:, : self._n].copy()
        return self._n

    @property
    def n_draws(self) -> int:
        """Number of draws per chain so far."""
        return self._n

    def joined(self, later: MemoryStore) -> MemoryStore:
        """These draws, and then those of another store."""
        found = MemoryStore((len(self._draws), 0, self._draws.shape[2]))
        found._draws = np.concatenate([self._draws, later._draws], axis=1)
        found._n = self._n + later._n
        return found

    def read(self, columns: slice) -> Floats:
        """All draws of some parameters."""
        return self._draws[:, :, columns]

    def state(self, chain: int, draw: int) -> Floats:
        """One draw."""
        return np.asarray(self._draws[chain, draw])

    def dataset(self, others: xr.Dataset) -> xr.Dataset:
        """Draws and ``others`` together."""
        return others.assign(theta=xr.DataArray(self._draws, dims=DIMENSIONS, name="theta"))


class ZarrStore:
    """Draws in a new Zarr folder, written during the run and read lazily through Dask."""

    def __init__(self, store: str | Path, shape: Shape) -> None:
        n_chains, n_draws, size = shape
        rows = max(1, min(n_draws, _BUFFER_NUMBERS // (n_chains * size)))
        columns = max(1, min(size, 2**17 // rows))
        self._path, self._rows = as_path(store), rows
        self._theta: Any = new_zarr_group(store).create_array(
            "theta",
            shape=shape,
            chunks=(n_chains, rows, columns),
            dtype="float64",
            fill_value=np.nan,  # what a lost chunk, or a run that was killed, leaves unwritten
            dimension_names=DIMENSIONS,
        )
        self._waiting: list[Floats] = []
        self._n = self._written = 0

    def append(self, draws: Floats) -> None:
        """Add the next draws; complete chunks are written at once."""
        self._waiting.append(draws)
        self._n += draws.shape[1]
        if self._n - self._written >= self._rows:
            self._write((self._n - self._written) // self._rows * self._rows)

    def _write(self, n: int) -> None:
        waiting = np.concatenate(self._waiting, axis=1)
        self._theta[:, self._written : self._written + n] = waiting[:, :n]
        self._waiting = [waiting[:, n:]]
        self._written += n

    def close(self) -> int:
        """Write the remaining draws and cut the array to the draws of an interrupted run."""
        if self._n > self._written:
            self._write(self._n - self._written)
        if self._n < self._theta.shape[1]:
            self._theta.resize((self._theta.shape[0], self._n, self._theta.shape[2]))
        return self._n

    def read(self, columns: slice) -> Floats:
        """All draws of some parameters, from disk."""
        return np.asarray(self._theta[:, :, columns])

    def state(self, chain: int, draw: int) -> Floats:
        """One draw."""
        return np.asarray(self._theta[chain, draw])

    def dataset(self, others: xr.Dataset) -> xr.Dataset:
        """Write ``others`` to the same folder; the returned Dataset reads lazily."""
        others.to_zarr(self._path, mode="a", consolidated=False)
        found: xr.Dataset = xr.open_zarr(self._path, consolidated=False)
        return found


def as_path(store: Any) -> Path:
    """A folder name as a path."""
    instance("store", store, (str, Path), "name a folder")
    return Path(text("store", str(store)))


def new_zarr_group(store: str | Path) -> Any:
    """Create a Zarr folder that must not exist yet."""
    import zarr  # slow to import, and rarely needed

    path = as_path(store)
    if path.exists():
        raise refuse("store", "must not exist yet", str(path), "name a new folder")
    try:
        return zarr.open_group(path, mode="w-")
    except OSError as error:
        raise refuse("store", "must be a folder that can be created", str(error)) from error


def _require_memory(shape: Shape) -> None:
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system without these values
        return
    wanted = 8 * int(np.prod([int(n) for n in shape], dtype=object))
    if wanted > most // 2:
        raise refuse(
            "draws",
            f"must fit into half of the memory ({most / 2e9:.3g} GB)",
            f"{wanted / 1e9:.3g} GB",
            "keep fewer with thin=, or write them to disk with store=",
        )
