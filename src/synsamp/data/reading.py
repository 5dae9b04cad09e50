"""Read a user's file, whatever it may be: only a plain file, and never more than is asked for."""

from __future__ import annotations

import gzip
import stat
import zlib
from pathlib import Path
from typing import IO

from synsamp.errors import SynsampError, refuse


def content_of(path: str | Path, most_bytes: int, remedy: str) -> bytes:
    """Return the bytes of a plain file; larger ones are refused before they fill the memory."""
    require_plain(path, remedy)
    try:
        with Path(path).open("rb") as file:
            return _at_most(file, path, most_bytes, remedy)
    except OSError as problem:
        raise _unreadable(path, problem, remedy) from None


def unzipped(path: str | Path, most_bytes: int, remedy: str) -> bytes:
    """Return what a gzip file holds; it is unpacked no further than ``most_bytes``."""
    require_plain(path, remedy)
    try:
        with gzip.open(path) as file:
            return _at_most(file, path, most_bytes, remedy)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise SynsampError(
            f"{path} must be a whole gzip file, got a damaged one ({problem}); {remedy}"
        ) from None
    except OSError as problem:
        raise _unreadable(path, problem, remedy) from None


def require_plain(path: str | Path, remedy: str) -> None:
    """Refuse what is no plain file: a folder, or a device or pipe that would never end."""
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        raise SynsampError(
            f"{path} must exist, got no such file (it is missing); {remedy}"
        ) from None
    except (OSError, ValueError) as problem:  # no permission; a name with a zero byte
        raise _unreadable(path, problem, remedy) from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or pipe"
        raise SynsampError(f"{path} must be a plain file, got {kind}; {remedy}")


def _at_most(file: IO[bytes] | gzip.GzipFile, path: str | Path, most: int, remedy: str) -> bytes:
    content = file.read(most + 1)
    if len(content) > most:
        raise refuse(f"content of {path}", f"must be at most {most:,} bytes", "more", remedy)
    return content


def _unreadable(path: str | Path, problem: Exception, remedy: str) -> SynsampError:
    why = getattr(problem, "strerror", None) or str(problem)
    return SynsampError(f"{path} must be readable, got: {why}; {remedy}")
