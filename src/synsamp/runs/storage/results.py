"""Results on disk: one Zarr group per dataset, sealed by checksums once the run is finished.

Zarr reads a missing chunk as fill values and, by default, does not notice a flipped bit; a result
that lost data would look like a result. The seal (``results.manifest``, in the format of the
``sha256sum`` command) turns both into a clear error, and two runs agree bit for bit exactly if
their seals are equal.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import xarray as xr
import zarr

from synsamp.experiments.base import Results
from synsamp.runs.storage.atomic import damaged, remove
from synsamp.runs.storage.contents import RESULTS_MANIFEST, STORE
from synsamp.runs.storage.manifest import broken, digest_of, read_manifest, write_manifest

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def write_results(folder: Path, results: Results, tables: Iterable[str]) -> None:
    """Store the datasets beside the tables that the run has filled."""
    store, kept = folder / STORE, set(tables)
    clash = sorted(set(results) & kept)
    if clash:
        raise ValueError(f"results and tables must have different names, both have {clash}")
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
            check_result_name(name)
            if not isinstance(dataset, xr.Dataset):
                raise TypeError(f"result {name!r} must be an xarray.Dataset")
            dataset.to_zarr(folder / STORE, group=name, mode="w", consolidated=False, zarr_format=3)


def write_results_manifest(folder: Path) -> None:
    """Write the checksums of all files of the results, each safely on the disk."""
    digests = {name: digest_of(folder / name, durable=True) for name in _files(folder)}
    write_manifest(
        folder / RESULTS_MANIFEST, {name: digest for name, digest in digests.items() if digest}
    )


def broken_results(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of every file that is not as the seal of the results says, and why."""
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
    """Open the datasets as they are, unchecked."""
    store = folder / STORE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: xr.open_zarr(
                store, group=name, consolidated=False, chunks=None, decode_times=False
            )
            for name in _datasets_in(store)
        }


def open_dataset(folder: Path, name: str) -> xr.Dataset | None:
    """Open one dataset as it is, unchecked; None if there is none of that name."""
    store = folder / STORE
    if not (store / name).is_dir():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return xr.open_zarr(store, group=name, consolidated=False, chunks=None, decode_times=False)


def _datasets_in(store: Path) -> list[str]:
    """Names of the groups that hold arrays: ``record``, ``branch/record``."""
    found = set()
    for path in store.rglob("zarr.json"):
        try:
            kind = json.loads(path.read_bytes())["node_type"]
        except (ValueError, KeyError, TypeError):
            continue  # the seal tells of damage
        if kind == "array":
            found.add(path.parent.parent.relative_to(store).as_posix())
    return sorted(found)


def check_result_name(name: str) -> None:
    """Refuse the name of a dataset that is no plain word, or several with / between."""
    if not all(NAME.fullmatch(part) for part in name.split("/")):
        raise ValueError(f"a name in the results must be letters, digits, - and _; got {name!r}")


def _files(folder: Path) -> list[str]:
    found = sorted(path for path in (folder / STORE).rglob("*") if not path.is_dir())
    return [path.relative_to(folder).as_posix() for path in found]
