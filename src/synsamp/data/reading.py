"""Read plain files up to a limit of bytes."""

from __future__ import annotations

import gzip
import stat
import zlib
from pathlib import Path
from typing import IO

from synsamp.errors import SynsampError, refuse

PIECE_BYTES = 1 << 24


def content_of(path: str | Path, most_bytes: int, remedy: str) -> bytes:
    """Return the bytes of a plain file of at most ``most_bytes``."""
    require_plain(path, remedy)
    try:
        with Path(path).open("rb") as file:
            return _at_most(file, path, most_bytes, remedy)
    except OSError as problem:
        raise _unreadable(path, problem, remedy) from None


def unzipped(path: str | Path, most_bytes: int, remedy: str) -> bytes:
    """Return the content of a gzip file, unpacking at most ``most_bytes``."""
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
    """Raise an error for a folder, and for a device or pipe, which might never end."""
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
    # Asked for ``most`` bytes, Python would reserve that much memory for the smallest file.
    pieces: list[bytes] = []
    piece, size = file.read(min(Path(path).stat().st_size, most) + 1), 0
    while piece:
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise refuse(f"content of {path}", f"must be at most {most:,} bytes", "more", remedy)
        piece = file.read(min(PIECE_BYTES, most - size) + 1)
    return b"".join(pieces)


def _unreadable(path: str | Path, problem: Exception, remedy: str) -> SynsampError:
    why = getattr(problem, "strerror", None) or str(problem)
    return SynsampError(f"{path} must be readable, got: {why}; {remedy}")
