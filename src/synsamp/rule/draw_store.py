"""Where draws are kept while they are made: in memory, or in a Zarr folder on disk.

Both end as one xarray DataArray ``theta`` (chain, draw, parameter). On disk only a few tens of
megabytes are in memory at a time, however long the run is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.errors import refuse

Floats = NDArray[np.float64]
Shape = tuple[int, int, int]

DIMENSIONS = ("chain", "draw", "parameter")
_BUFFER_NUMBERS = 2**22
"""Numbers gathered before they are written: 32 MB."""


class DrawStore(Protocol):
    """Takes draws in order; ``close`` hands back what there is, as ``read`` does in parts."""

    def append(self, draws: Floats) -> None:
        """The next draws, (chains, some, parameters)."""

    def close(self) -> int:
        """No more will come; returns how many draws per chain there are."""

    def read(self, columns: slice) -> Floats:
        """All draws of some parameters."""

    def state(self, chain: int, draw: int) -> Floats:
        """One draw of all parameters."""

    def dataset(self, others: xr.Dataset) -> xr.Dataset:
        """Draws and the variables and attributes of ``others`` together."""


class MemoryStore:
    """Draws in one array."""

    def __init__(self, shape: Shape) -> None:
        _require_memory(shape)
        self._draws = np.empty(shape)
        self._n = 0

    def append(self, draws: Floats) -> None:
        """The next draws."""
        self._draws[:, self._n : self._n + draws.shape[1]] = draws
        self._n += draws.shape[1]

    def close(self) -> int:
        """No more will come."""
        if self._n < self._draws.shape[1]:  # an interrupted run gives back the rest
            self._draws = self._draws[:, : self._n].copy()
        return self._n

    def read(self, columns: slice) -> Floats:
        """All draws of some parameters."""
        return self._draws[:, :, columns]

    def state(self, chain: int, draw: int) -> Floats:
        """One draw."""
        return self._draws[chain, draw]

    def dataset(self, others: xr.Dataset) -> xr.Dataset:
        """Draws and the others together."""
        theta = xr.DataArray(self._draws, dims=DIMENSIONS, name="theta")
        return others.assign(theta=theta)


class ZarrStore:
    """Draws in a new Zarr folder, written as they come; read back lazily through Dask."""

    def __init__(self, path: Path, shape: Shape) -> None:
        import zarr  # slow to import, and seldom wanted

        if path.exists():
            raise refuse("store", "must not exist yet", str(path), "name a new folder")
        n_chains, n_draws, size = shape
        rows = max(1, min(n_draws, _BUFFER_NUMBERS // (n_chains * size)))
        columns = max(1, min(size, 2**17 // rows))
        try:
            group = zarr.open_group(path, mode="w-")
        except OSError as error:
            raise refuse("store", "must be a folder that can be made", str(error)) from error
        self._path, self._rows = path, rows
        self._theta: Any = group.create_array(
            "theta",
            shape=shape,
            chunks=(n_chains, rows, columns),
            dtype="float64",
            dimension_names=DIMENSIONS,
        )
        self._waiting: list[Floats] = []
        self._n = self._written = 0

    def append(self, draws: Floats) -> None:
        """The next draws; whole chunks are written at once."""
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
        """Write the rest."""
        if self._n > self._written:
            self._write(self._n - self._written)
        if self._n < self._theta.shape[1]:
            self._theta.resize((self._theta.shape[0], self._n, self._theta.shape[2]))
        return self._n

    def read(self, columns: slice) -> Floats:
        """All draws of some parameters, from the disk."""
        return np.asarray(self._theta[:, :, columns])

    def state(self, chain: int, draw: int) -> Floats:
        """One draw."""
        return np.asarray(self._theta[chain, draw])

    def dataset(self, others: xr.Dataset) -> xr.Dataset:
        """Write the others beside the draws; what is returned reads when it is asked."""
        others.to_zarr(self._path, mode="a", consolidated=False)
        return xr.open_zarr(self._path, consolidated=False)


def _require_memory(shape: Shape) -> None:
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return
    wanted = 8 * int(np.prod([int(n) for n in shape], dtype=object))
    if wanted > most // 2:
        raise refuse(
            "draws",
            f"must fit into half of the memory ({most / 2e9:.3g} GB)",
            f"{wanted / 1e9:.3g} GB",
            "keep fewer with thin=, or write them to disk with store=",
        )
