"""File locks, which the system frees when a process ends, however it ends.

`filelock` truncates the file before it has the lock: the name of the holder would be lost, and a
second name of one of the user's files would be emptied. Hence these few lines.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from synsamp.errors import SynsampError
from synsamp.runs.storage.atomic import open_in_place

LOCK_BYTE = 1 << 30
"""The byte that is locked on Windows: far behind the text, which others may read."""


class InUseError(SynsampError):
    """Another command works on the folder."""


def lock(file: IO[Any]) -> None:
    """Lock an open file, or raise `BlockingIOError` if another process has locked it."""
    try:
        import fcntl
    except ImportError:
        _lock_on_windows(file)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_on_windows(file: IO[Any]) -> None:
    import msvcrt

    windows: Any = msvcrt  # has types on Windows only
    file.seek(LOCK_BYTE)
    try:
        windows.locking(file.fileno(), windows.LK_NBLCK, 1)
    except PermissionError as error:
        raise BlockingIOError(*error.args) from None
    finally:
        file.seek(0)


@contextmanager
def locked(path: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the lock of a run folder."""
    with open_in_place(path / ".lock") as file:
        _wait_for(file, path, time.monotonic() + wait_s)
        file.truncate(0)
        file.write(f"{os.getpid()} on {platform.node()}\n")
        file.flush()
        yield


def _wait_for(file: IO[str], path: Path, until: float) -> None:
    while True:
        try:
            return lock(file)
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(0.2)
                continue
            file.seek(0)
            holder = file.read().strip()
            raise InUseError(
                f"run folder must not be in use, got {str(path)!r} held by process "
                f"{holder or 'unknown'}; wait for that process or stop it first"
            ) from None
        except OSError as error:
            raise SynsampError(
                f"the file system of {path} must support file locks, got {error.strerror}; "
                "choose --out on another file system"
            ) from None
