"""Manifests: lists of SHA-256 checksums in the format of the ``sha256sum`` command.

================  ===============================================================================
results.manifest  every file of the results; equal in two runs if these are bit-identical
run.manifest      ``run.json``, ``claims.json``, ``results.manifest``; manifests of the trials
figures.manifest  what was drawn; only these files are ever removed from ``figures/``
================  ===============================================================================
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from synsamp.runs.storage.atomic import damaged, replacing

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def write_manifest(path: Path, digests: Mapping[str, str]) -> None:
    """Write a manifest of files, with paths relative to its folder."""
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    with replacing(path) as file:
        file.write(text.encode())


def read_manifest(path: Path) -> dict[str, str]:
    """Read a manifest, or say in one line why that cannot be done."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise damaged(path, why or str(error)) from None
    found = [_LINE.fullmatch(line) for line in lines]
    if not all(found):
        raise damaged(path, "it is no list of checksums")
    return {match[2]: match[1] for match in found if match is not None}


def digest_of(path: Path, durable: bool = False) -> str | None:
    """The checksum of a plain file, made safe on the disk if asked for; None if there is none."""
    if path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as file:
        if durable:
            os.fsync(file.fileno())
        return hashlib.file_digest(file, "sha256").hexdigest()


def broken(folder: Path, written: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the name of every file that is not as its manifest says, and what is wrong with it."""
    for name, digest in sorted(written.items()):
        try:
            found = digest_of(folder / name)
        except OSError as error:  # no permission, a disk that gives up
            yield name, error.strerror or str(error)
            continue
        if found != digest:
            yield name, "missing" if found is None else "changed"
