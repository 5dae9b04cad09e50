"""``synsamp doctor``: what is installed, what is found, and what stands in the way."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from synsamp.data.inventory import inventory
from synsamp.data.sources import data_folder
from synsamp.errors import SynsampError
from synsamp.runs.storage import machine
from synsamp.specialise.disk import is_private, kernel_folder


def examine(console: Console) -> int:
    """Print what was found; return 1 if something the package needs is missing."""
    troubles = 0
    for name, value, good in _findings():
        mark = Text("ok  ", "green") if good else Text("fix ", "bold red")
        console.print(mark, Text(f"{name:<16}"), Text(value), soft_wrap=True)
        troubles += not good
    return 1 if troubles else 0


def _findings() -> Iterator[tuple[str, str, bool]]:
    """Yield name, what was found, and whether it is as it should be."""
    for name, version in machine.versions().items():
        yield name, version, version != "missing"
    yield "python >= 3.11", sys.executable, sys.version_info >= (3, 11)
    yield "threads", f"{machine.threads()} (NUMBA_NUM_THREADS sets them)", True
    yield from _data()
    yield "kernel cache", *_cache()
    free_gb = shutil.disk_usage(".").free / 1e9
    yield "free disk here", f"{free_gb:.1f} GB", free_gb > 0.5


def _data() -> Iterator[tuple[str, str, bool]]:
    place = os.environ.get("SYNSAMP_DATA")
    try:
        folder = data_folder()
    except SynsampError as error:
        yield "SYNSAMP_DATA", str(error), False
        return
    if not place:
        yield "SYNSAMP_DATA", "not set (only needed for full data sets kept elsewhere)", True
    else:
        found = folder.is_dir()
        yield "SYNSAMP_DATA", f"{place} {'found' if found else 'is no folder'}", found
    for holding in inventory():
        whole = not holding.amount.startswith(("damaged", "incomplete"))
        yield f"data: {holding.name}", f"{holding.amount} ({holding.place})", whole


def _cache() -> tuple[str, bool]:
    """Where compiled kernels are kept, if that is safe: they are code that is run."""
    place = kernel_folder()
    if is_private(place):
        return str(place), True
    remedy = "make it a folder of yours that others cannot write to, or set NUMBA_CACHE_DIR to one"
    return f"{place} cannot be used safely, so kernels compile at every start; {remedy}", False
