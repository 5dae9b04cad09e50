"""Say that the engine is being compiled, the first time only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from synsamp.specialise.disk import kernel_folder
from synsamp.spiking.kernel import loop

_TEXT = "compiling the spiking engine (once on this machine, some seconds) …"
_said: list[bool] = []
"""Not empty once it was said without a terminal, where a line stays."""


def is_compiled() -> bool:
    """Whether machine code of the event loop is in the process or on disk."""
    if loop.run.signatures:
        return True
    # The name carries a fingerprint of all code in it, so a file means: up to date.
    return any(kernel_folder().glob(f"*.{loop.run.py_func.__name__}-*.nbi"))


@contextmanager
def announced() -> Iterator[None]:
    """Show a status line on the terminal's error stream if the engine has to be compiled."""
    if is_compiled():
        yield
        return
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(_TEXT):
            yield
    else:
        if not _said:
            console.print(_TEXT)
            _said.append(True)
        yield
