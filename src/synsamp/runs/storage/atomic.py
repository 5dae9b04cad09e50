"""Files that are either the old one or the new one, whatever happens while writing.

A run folder may come from somebody else, so nothing here follows a link: what is written goes into
a new file of a random name, which then takes the place of the name itself.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from synsamp.errors import SynsampError

PART = re.compile(r"\.synsamp-[0-9a-f]{16}\.part")
"""How a file is called while it is being written; a kill can leave it behind."""
_EXTRA = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_IN_PLACE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file in full under another name, then put it in place of ``path``.

    The data reach the disk before the name does (fsync, rename, fsync of the folder), so that
    after a crash or a power cut ``path`` is whole: the file before or the file after. If ``path``
    is a link, the link is replaced and its target stays unchanged.
    """
    part = path.with_name(f".synsamp-{secrets.token_hex(8)}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _EXTRA, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def open_in_place(path: Path) -> IO[str]:
    """Open a file that grows or is locked, or make it; only a plain file with this one name.

    Opening a link, or a second name of some file of the user's, would write into that file.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _EXTRA | _IN_PLACE
    if path.is_symlink():  # Windows has no O_NOFOLLOW
        raise not_plain(path, "file")
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise not_plain(path, "file") from None
        raise
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(handle)
        raise not_plain(path, "file")
    return os.fdopen(handle, "a+", encoding="utf-8", errors="replace")


def not_plain(path: Path, wanted: str) -> SynsampError:
    """Build the error for a name of a run under which there is something else."""
    return SynsampError(
        f"{path} must be a plain {wanted} of the run, got {_kind(path)}; nothing was written: "
        "remove it, or give a folder made by `synsamp run`"
    )


def _kind(path: Path) -> str:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return f"a link to {os.readlink(path)!r}"
    if stat.S_ISDIR(found.st_mode):
        return "a folder"
    if stat.S_ISREG(found.st_mode):
        return "a second name of another file" if found.st_nlink > 1 else "a file"
    return "a pipe or device"


def remove(path: Path) -> None:
    """Remove a file or a whole folder if it is there; of a link, the link alone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; Windows does so by itself and cannot open a folder."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, content: Any) -> None:
    """Write readable JSON atomically; NaN and infinity raise an error, since JSON has neither."""
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
    except OSError as error:  # a folder, no permission, a disk that gives up
        raise damaged(path, error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is no JSON ({error})") from None


RESTORE = "restore it from a copy or run the experiment again into another folder"


def damaged(path: Path, why: str, remedy: str = RESTORE) -> SynsampError:
    """Build the error for a file of a run folder that cannot be used."""
    return SynsampError(f"{path} must be as the run wrote it, got a damaged file: {why}; {remedy}")
