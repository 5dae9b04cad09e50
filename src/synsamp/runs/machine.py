"""What the run ran on: versions and threads, recorded so that bits can be explained later."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib import metadata

from synsamp.errors import refuse

RECORDED = ("synsamp", "numpy", "scipy", "numba", "llvmlite", "xarray", "zarr", "matplotlib")
"""Distributions whose version can change a result or a drawing."""


def versions() -> dict[str, str]:
    """Return the versions of Python and of what computes, stores and draws."""
    found = {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
    return found | {name: _version(name) for name in RECORDED}


@cache
def _version(name: str) -> str:
    """Read once in a process: a file is parsed for it, and a sweep asks for every combination."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def threads() -> int:
    """Return the threads a run may use: NUMBA_NUM_THREADS, or the cores given to this process."""
    text = os.environ.get("NUMBA_NUM_THREADS", "")
    if not text:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not text.isdecimal() or int(text) < 1:
        raise refuse(
            "NUMBA_NUM_THREADS", "must be a whole number >= 1", text, "unset or correct it"
        )
    return int(text)
