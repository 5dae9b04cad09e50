"""Machine code on disk, in a folder that belongs to the user alone.

Numba stores pickles, and loading a pickle can run any code. So the folder is created for the user
alone. If other users can write to it, to a parent or to a file, it is not used. A damaged file is
deleted and its function compiled again; a full disk costs the file, not the run.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import secrets
import stat
from pathlib import Path
from types import FunctionType
from typing import Any

import platformdirs
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserWideCacheLocator

# In machine code a function is known by its name and by a number that Numba counts from 1 in each
# process. Two different functions `gradient`, kept by two processes, would have one name in a third
# that loads both, and the first would run in place of the second. So each process begins elsewhere.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))  # noqa: SLF001


def kernel_folder() -> Path:
    """Folder of compiled kernels: ``$NUMBA_CACHE_DIR/synsamp``, or in the user's cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (
        Path(chosen) / "synsamp" if chosen else platformdirs.user_cache_path("synsamp") / "kernels"
    )


@functools.cache
def is_private(folder: Path) -> bool:
    """Create the folder if necessary; return whether only this user can put files there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        parents = [parent.stat() for parent in folder.resolve().parents]
    except OSError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and os.access(folder, os.W_OK)
        and is_own(found)
        and all(map(is_safe_parent, parents))
    )


def is_own(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and no other user can write to it."""
    if os.name != "posix":
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def is_safe_parent(found: os.stat_result) -> bool:
    """Whether other users cannot rename what is inside: not theirs, and not writable or sticky."""
    if os.name != "posix":
        return True
    mode = found.st_mode
    if found.st_uid not in (0, os.getuid()):
        return False
    if mode & stat.S_ISVTX:  # as /tmp
        return True
    return not mode & stat.S_IWOTH and not (mode & stat.S_IWGRP and _has_others(found.st_gid))


def _has_others(group: int) -> bool:
    """Whether a group is other than the one that many systems create for each user alone."""
    import grp
    import pwd

    try:
        found, own = grp.getgrgid(group), pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return True
    return found.gr_name != own or not set(found.gr_mem) <= {own}


def disk_cache(function: FunctionType) -> Any:
    """Numba's cache of one function, in our folder; None if there is no safe one."""
    return _Cache(function) if is_private(kernel_folder()) else None


class _Locator(UserWideCacheLocator):
    """One folder for all; names of functions identify their code, so no time stamps."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file

    def get_cache_path(self) -> str:
        return str(kernel_folder())

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return "kernel"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 (Numba's own form)

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._locator = _Locator(py_func, "")  # also if Numba's settings name other locators


class _Cache(FunctionCache):
    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            if all(is_own(path.lstat()) for path in self._files()):
                return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged pickle raises
            pass
        self._forget()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
            for path in self._files():
                path.chmod(0o600)  # whatever the umask
        except Exception:
            self._forget()

    def _files(self) -> list[Path]:
        return list(kernel_folder().glob(f"{self._impl.filename_base}*"))

    def _forget(self) -> None:
        for path in self._files():
            with contextlib.suppress(OSError):
                path.unlink()
