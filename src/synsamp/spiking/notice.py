"""Say that the engine is being compiled, the first time only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console


def is_ready(function: Any) -> bool:
    """Whether machine code for this function is in the process or on disk."""
    if function.signatures:
        return True
    folder = getattr(function.stats, "cache_path", None)
    # The name carries a digest of all sources (`synsamp.specialise`), so a file means: up to date.
    return folder is not None and any(Path(folder).glob(f"*.{function.py_func.__name__}-*.nbi"))


@contextmanager
def compiling(function: Any) -> Iterator[None]:
    """Show a status line on the terminal's error stream while ``function`` has to be compiled."""
    if is_ready(function):
        yield
        return
    text = "compiling the spiking engine for this kind of network (once, about a minute) …"
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(text):
            yield
    else:
        console.print(text)
        yield
