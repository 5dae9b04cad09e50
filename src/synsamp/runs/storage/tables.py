"""Tables that grow in the results Zarr during a run, and shrink back on resume.

Only whole chunks are written before the end, each exactly once; the rows of the unfinished chunk
stay in memory and travel in the checkpoint, together with the checksums of the chunks. So a kill at
any moment can damage no row that a checkpoint counts on, a chunk that was damaged in the meantime
is noticed, and the files of a resumed run equal those of an uninterrupted one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr

from synsamp.columns import Table
from synsamp.packing import DamagedStateError
from synsamp.protocol.context import SavedState
from synsamp.runs.storage.atomic import remove
from synsamp.runs.storage.manifest import broken, digest_of

CHUNK_BYTES = 2**20
CHUNK_ROWS = 2**16


class ZarrTable:
    """One growing table; see `synsamp.protocol.context.GrowingTable`."""

    def __init__(
        self,
        store: Path,
        name: str,
        table: Table,
        coordinates: Mapping[str, Any],
        saved: SavedState | None,
    ) -> None:
        columns = table.columns
        if not columns:
            raise ValueError(f"table {name!r} needs at least one column")
        self._path = store / name
        self._columns = dict(columns)
        row_bytes = max(
            np.dtype(c.dtype).itemsize * int(np.prod([*c.dimensions.values()], dtype=np.int64))
            for c in columns.values()
        )
        self._chunk_rows = int(np.clip(CHUNK_BYTES // max(row_bytes, 1), 1, CHUNK_ROWS))
        self._buffers = {
            key: np.empty((self._chunk_rows, *c.dimensions.values()), c.dtype)
            for key, c in columns.items()
        }
        self._written = int(saved["written"]) if saved else 0
        self._files = dict(saved["files"]) if saved else {}
        self._filled = 0
        group = zarr.open_group(store, mode="a").require_group(name)
        if marked := [key for key, column in columns.items() if column.coordinate]:
            group.attrs["coordinates"] = " ".join(marked)  # xarray reads it
        self._arrays = {key: self._open(group, key, table.dimension) for key in columns}
        for key, values in coordinates.items():
            array = np.asarray(values)
            group.create_array(key, data=array, dimension_names=(key,), overwrite=True)
        if saved:
            self.append(**saved["tail"])

    def _open(self, group: zarr.Group, key: str, dimension: str) -> zarr.Array[Any]:
        """Make a column's array at the length the loaded checkpoint counts on.

        Only the chunks are left on the disk (`StreamSet.restore`), and checked; what describes
        them is written anew.
        """
        column = self._columns[key]
        shape = (self._written, *column.dimensions.values())
        attributes = {"units": column.unit, "description": column.description}
        return group.create_array(
            key,
            shape=shape,
            chunks=(self._chunk_rows, *column.dimensions.values()),
            dtype=column.dtype,
            dimension_names=(dimension, *column.dimensions),
            attributes={k: v for k, v in attributes.items() if v},
        )

    def __len__(self) -> int:
        return self._written + self._filled

    def append(self, **columns: Any) -> None:
        """Add rows: one array per column, all with the same first length."""
        if columns.keys() != self._columns.keys():
            raise ValueError(f"table {self._path.name!r} has columns {sorted(self._columns)}")
        rows = {key: np.asarray(value) for key, value in columns.items()}
        if masked := [key for key, value in columns.items() if np.ma.is_masked(value)]:
            raise ValueError(f"table {self._path.name!r}: {masked[0]} has masked values; fill them")
        count = {len(array) for array in rows.values()}
        if len(count) != 1:
            raise ValueError(f"table {self._path.name!r}: columns differ in length")
        done, total = 0, count.pop()
        while done < total:
            take = min(total - done, self._chunk_rows - self._filled)
            for key, array in rows.items():
                target = self._buffers[key][self._filled : self._filled + take]
                np.copyto(target, array[done : done + take], casting="same_kind")
            self._filled += take
            done += take
            if self._filled == self._chunk_rows:
                self._write()

    def saved(self) -> SavedState:
        """Return what a checkpoint must hold of this table."""
        tail = {key: buffer[: self._filled] for key, buffer in self._buffers.items()}
        return {"written": self._written, "tail": tail, "files": dict(self._files)}

    def close(self) -> None:
        """Write the rows of the last, unfinished chunk."""
        if self._filled:
            self._write()

    def _write(self) -> None:
        start, stop = self._written, self._written + self._filled
        for key, array in self._arrays.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Zarr on strings: a format note
                array.resize((stop, *array.shape[1:]))
                array[start:stop] = self._buffers[key][: self._filled]
            # A checkpoint written later counts on this chunk: it must be on the disk before.
            column = self._path / key
            chunk = column / "c" / str(start // self._chunk_rows)
            for file in (chunk, *chunk.rglob("*")):
                if (digest := digest_of(file, durable=True)) is not None:
                    self._files[file.relative_to(self._path).as_posix()] = digest
        self._written, self._filled = stop, 0


class TableSet:
    """All tables of a run, and what a checkpoint holds of them."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._tables: dict[str, ZarrTable] = {}
        self._saved: SavedState | None = None

    def open(self, name: str, table: Table, coordinates: Mapping[str, Any]) -> ZarrTable:
        """Open a table at the length of the loaded checkpoint, or empty."""
        if name in self._tables:
            raise RuntimeError(f"table {name!r} is open already")
        if self._saved is None:
            self.restore({})
        assert self._saved is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Zarr on strings: a format note for its developers
            found = ZarrTable(self._store, name, table, coordinates, self._saved.get(name))
        self._tables[name] = found
        return found

    @property
    def names(self) -> list[str]:
        """The names of the tables opened so far."""
        return list(self._tables)

    def collect(self) -> SavedState:
        """Return what the next checkpoint must hold."""
        return {name: table.saved() for name, table in self._tables.items()}

    def restore(self, saved: SavedState) -> None:
        """Go back to what a loaded checkpoint counts on, for the tables opened from now on.

        All else that a killed process left in the store is removed.
        """
        if self._tables:
            raise RuntimeError("call checkpoint.load() before opening tables")
        counted = {
            f"{name}/{file}": digest
            for name, table in saved.items()
            for file, digest in table["files"].items()
        }
        for name, why in broken(self._store, counted):
            raise DamagedStateError(f"{name}, which it counts on, is {why}")
        _keep_only(self._store, {self._store / name for name in counted})
        self._saved = saved

    def close(self) -> list[str]:
        """Write what is still in memory and return the tables' names."""
        for table in self._tables.values():
            table.close()
        return list(self._tables)


def _keep_only(store: Path, wanted: set[Path]) -> None:
    """Remove all files of a store but some."""
    if not wanted:
        remove(store)
    for path in store.rglob("*"):
        if path not in wanted and (path.is_symlink() or not path.is_dir()):
            path.unlink()
