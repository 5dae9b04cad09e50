"""Machine code on disk, in a folder that belongs to the user alone.

Numba keeps its files as pickles beside the source. Whoever can write there can run code in this
process, so the folder is made for the user alone, and one that others may write to is not used. A
damaged file is thrown away and the function compiled anew; a full disk costs the file, not the run.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from pathlib import Path
from types import FunctionType
from typing import Any

import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserWideCacheLocator


def kernel_folder() -> Path:
    """Where compiled kernels are kept: ``$NUMBA_CACHE_DIR/synsamp``, or the user's cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (
        Path(chosen) / "synsamp" if chosen else platformdirs.user_cache_path("synsamp") / "kernels"
    )


@functools.cache
def is_private(folder: Path) -> bool:
    """Make the folder if need be; whether nobody else can put files there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    closed = os.name != "posix" or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return own and closed and stat.S_ISDIR(found.st_mode) and os.access(folder, os.W_OK)


def disk_cache(function: FunctionType) -> Any:
    """Numba's cache of one function, in our folder; None if there is no safe one."""
    return _Cache(function) if is_private(kernel_folder()) else None


class _Locator(UserWideCacheLocator):
    """One folder for all; the name of a function says which code it is, so no stamps."""

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
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged pickle raises
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:
            self._forget()

    def _forget(self) -> None:
        name = f"{self._impl.filename_base}*"
        for path in kernel_folder().glob(name):
            with contextlib.suppress(OSError):
                path.unlink()
