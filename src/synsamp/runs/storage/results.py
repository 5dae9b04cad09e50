"""Results on disk: one Zarr group per dataset, with checksums once the run is finished.

Zarr reads a missing chunk as fill values and, by default, does not notice a flipped bit; a result
that lost data would look like a result. The manifest (``results.manifest``, in the format of the
``sha256sum`` command) turns both into a clear error, and two runs are bit-identical exactly if
their manifests are equal.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import xarray as xr
import zarr

from synsamp.claims.measures import MEASURES
from synsamp.errors import refuse
from synsamp.experiments.base import Results
from synsamp.runs.storage.atomic import damaged, remove
from synsamp.runs.storage.contents import RESULTS_MANIFEST, STORE
from synsamp.runs.storage.manifest import broken, digest_of, read_manifest, write_manifest

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def write_results(folder: Path, results: Results, tables: Iterable[str]) -> None:
    """Store the datasets next to the tables that the run has filled."""
    tables = list(tables)
    store, kept = folder / STORE, set(tables)
    check_result_names([*tables, *results])
    for name in _datasets_in(store):  # of a process that was killed while it stored
        if name not in kept and not any(table.startswith(f"{name}/") for table in kept):
            remove(store / name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Zarr on strings: a format note for its developers
        zarr.open_group(store, mode="a")
    add_results(folder, results)


def add_results(folder: Path, results: Results) -> None:
    """Store further datasets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, dataset in results.items():
            if not isinstance(dataset, xr.Dataset):
                raise TypeError(f"result {name!r} must be an xarray.Dataset")
            # A user's encoding may round; what is stored are the values themselves.
            dataset.drop_encoding().to_zarr(
                folder / STORE, group=name, mode="w", consolidated=False, zarr_format=3
            )


def write_results_manifest(folder: Path) -> None:
    """Write the checksums of all files of the results, each safely on the disk."""
    digests = {name: digest_of(folder / name, durable=True) for name in _files(folder)}
    write_manifest(
        folder / RESULTS_MANIFEST, {name: digest for name, digest in digests.items() if digest}
    )


def broken_results(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of every file that is not as the manifest says, and why."""
    written = read_manifest(folder / RESULTS_MANIFEST)
    outside = [name for name in written if not name.startswith(f"{STORE}/") or ".." in name]
    if outside:
        raise damaged(
            folder / RESULTS_MANIFEST, f"it names {outside[0]!r}, which is not of the results"
        )
    yield from broken(folder, written)
    for name in _files(folder):
        if name not in written:
            yield name, "not from the run"


def open_results(folder: Path) -> Results:
    """Open the datasets without checking them."""
    store = folder / STORE
    return {name: _open(store, name) for name in _datasets_in(store)}


def open_dataset(folder: Path, name: str) -> xr.Dataset | None:
    """Open one dataset without checking it; None if there is none of that name."""
    return _open(folder / STORE, name) if (folder / STORE / name).is_dir() else None


def _open(store: Path, name: str) -> xr.Dataset:
    """Open one dataset; attributes such as ``scale_factor`` are a user's notes and change nothing.

    xarray itself adds a fill value of NaN to floating-point variables, which is taken off again.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = xr.open_zarr(
            store,
            group=name,
            consolidated=False,
            chunks=None,
            decode_times=False,
            mask_and_scale=False,
        )
    for variable in found.variables.values():
        if _is_nan(variable.attrs.get("_FillValue")):
            del variable.attrs["_FillValue"]
    return found


def _is_nan(value: object) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _datasets_in(store: Path) -> list[str]:
    """Names of the groups that hold arrays: ``record``, ``branch/record``."""
    found = set()
    for path in store.rglob("zarr.json"):
        try:
            kind = json.loads(path.read_bytes())["node_type"]
        except (ValueError, KeyError, TypeError):
            continue  # the manifest reveals damage
        if kind == "array":
            found.add(path.parent.parent.relative_to(store).as_posix())
    return sorted(found)


def check_result_names(names: Iterable[str]) -> None:
    """Raise an error for names that are no words, are taken, or would overwrite each other."""
    known: set[str] = set()
    for name in names:
        if not all(NAME.fullmatch(part) for part in name.split("/")):
            rule = "must consist of letters, digits, - and _"
            raise refuse("name of a result", rule, name, "rename it")
        if name.split("/")[0].lower() == MEASURES:
            raise refuse("name of a result", "must not be that of the measures", name, "rename it")
        own = f"{name}/".lower()  # folders on macOS and Windows ignore capital letters
        clash = [
            k for k in known if f"{k}/".lower().startswith(own) or own.startswith(f"{k}/".lower())
        ]
        if clash:
            rule = f"must not overwrite the result {clash[0]!r}"
            raise refuse("name of a result", rule, name, "rename one of them")
        known.add(name)


def _files(folder: Path) -> list[str]:
    found = sorted(path for path in (folder / STORE).rglob("*") if not path.is_dir())
    return [path.relative_to(folder).as_posix() for path in found]
