"""What the run ran on: versions, processor and threads, recorded so that bits can be explained."""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Processor:
    """What machine code is compiled for; another kind may round differently."""

    name: str
    digest: str
    features: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.digest})"


@cache
def processor() -> Processor:
    """Return what Numba compiles for here (NUMBA_CPU_NAME and NUMBA_CPU_FEATURES change it)."""
    from numba.core.registry import cpu_target  # by this Numba, too, tells its kernels apart

    target = cpu_target.target_context.codegen().magic_tuple()
    _, name, features = target
    return Processor(
        name or "unknown",
        hashlib.sha256("|".join(target).encode()).hexdigest()[:12],
        tuple(sorted(word[1:] for word in features.split(",") if word.startswith("+"))),
    )


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
