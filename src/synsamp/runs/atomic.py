"""Files that are either the old one or the new one, whatever happens while writing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from synsamp.errors import SynsampError


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file in full under another name, then put it in place of ``path``.

    The data reach the disk before the name does (fsync, rename, fsync of the folder), so that
    after a crash or a power cut ``path`` is whole: the file before or the file after.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, content: Any) -> None:
    """Write readable JSON atomically; NaN and infinity are refused, being no JSON."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with replacing(path) as file:
        file.write(text.encode())


def read_json(path: Path) -> Any:
    """Read JSON, or say in one line why that cannot be done."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SynsampError(
            f"{path} must exist in a run folder, got nothing there; it is no complete run"
        ) from None
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is no JSON ({error})") from None


def damaged(path: Path, why: str) -> SynsampError:
    """Build the error for a file of a run folder that cannot be used."""
    return SynsampError(
        f"{path} must be as the run wrote it, got a damaged file: {why}; "
        "restore it from a copy or run the experiment again into another folder"
    )
