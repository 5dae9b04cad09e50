"""Results on disk: one Zarr group per dataset, sealed by checksums once the run is finished.

Zarr reads a missing chunk as fill values and, by default, does not notice a flipped bit; a result
that lost data would look like a result. The seal (``results.sha256``, in the format of the
``sha256sum`` command) turns both into a clear error, and two runs agree bit for bit exactly if
their seals are equal.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path

import xarray as xr
import zarr

from synsamp.experiments.protocol import Results
from synsamp.runs.atomic import damaged, remove, replacing
from synsamp.runs.contents import SEAL, STORE

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def write_results(folder: Path, results: Results, streams: Iterable[str]) -> None:
    """Store the datasets beside the streams already there, then seal all of it."""
    store = folder / STORE
    clash = sorted(set(results) & set(streams))
    if clash:
        raise ValueError(f"results and streams must have different names, both have {clash}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Zarr on strings: a format note for its developers
        zarr.open_group(store, mode="a")
        for name, dataset in results.items():
            check_name(name)
            if not isinstance(dataset, xr.Dataset):
                raise TypeError(f"result {name!r} must be an xarray.Dataset")
            dataset.to_zarr(store, group=name, mode="w", consolidated=False, zarr_format=3)
    seal_results(folder)


def seal_results(folder: Path) -> None:
    """Write the checksums of all files of the results, each safely on the disk."""
    seal = "".join(f"{digest}  {name}\n" for name, digest in _digests(folder, durable=True))
    with replacing(folder / SEAL) as file:
        file.write(seal.encode())


def read_results(folder: Path) -> Results:
    """Open the datasets of a finished run (read from disk as they are used) after checking them."""
    seal = folder / SEAL
    try:
        lines = [line.split("  ", 1) for line in seal.read_text().splitlines()]
        written = {name: digest for digest, name in lines}
    except (OSError, ValueError) as error:
        raise damaged(seal, str(error)) from None
    found = dict(_digests(folder, durable=False))
    for name in sorted(written.keys() | found.keys()):
        if written.get(name) != found.get(name):
            gone, new = name not in found, name not in written
            raise damaged(
                folder / name, "missing" if gone else "not from the run" if new else "changed"
            )
    return open_results(folder)


def open_results(folder: Path) -> Results:
    """Open the datasets as they are, unchecked."""
    store = folder / STORE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            path.name: xr.open_zarr(
                store, group=path.name, consolidated=False, chunks=None, decode_times=False
            )
            for path in sorted(store.iterdir())
            if path.is_dir()
        }


def clear_results(folder: Path, keep_streams: bool) -> None:
    """Make ready for a start (nothing kept) or a resume (only whole files kept)."""
    (folder / SEAL).unlink(missing_ok=True)
    if not keep_streams:
        remove(folder / STORE)
    for leftover in (folder / STORE).rglob("*.partial"):  # of a Zarr write that was killed
        leftover.unlink()


def check_name(name: str) -> None:
    """Refuse a dataset or stream name that is no plain word."""
    if not NAME.fullmatch(name):
        raise ValueError(f"a name in the results must be letters, digits, - and _; got {name!r}")


def _digests(folder: Path, durable: bool) -> Iterable[tuple[str, str]]:
    for path in sorted((folder / STORE).rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                if durable:
                    os.fsync(file.fileno())
                yield (
                    path.relative_to(folder).as_posix(),
                    hashlib.file_digest(file, "sha256").hexdigest(),
                )
