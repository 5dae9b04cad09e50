"""Compile the engine on its first use on a machine, with a message."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numba import typeof

from synsamp.specialise.disk import kernel_folder
from synsamp.spiking.kernel import loop

_TEXT = "compiling the spiking engine (once on this machine, some seconds) …"
_said: list[bool] = []
"""Not empty once the message was printed without a terminal."""


def has_machine_code(kernel: Any) -> bool:
    """Whether machine code of a loop is in the process or on disk."""
    if kernel.signatures:
        return True
    # The name contains a fingerprint of the code, so a file of this name is up to date.
    return any(kernel_folder().glob(f"*.{kernel.py_func.__name__}-*.nbi"))


class Entrance:
    """A kernel that is called many times with arguments of the same types.

    Numba determines the type of each argument at each call, which takes longer than a small network
    needs for milliseconds of biological time. Here the types are determined once.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._code: Any = None
        self._address: int | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        if self._code is None:
            self._code = self._compiled_for(arguments).entry_point
        return self._code(*arguments)

    def address_for(self, arguments: Sequence[Any]) -> int:
        """The kernel's address for other compiled code, for arguments of these types."""
        if self._address is None:
            found = self._compiled_for(arguments)
            name = found.fndesc.llvm_cfunc_wrapper_name
            self._address = int(found.library.get_pointer_to_function(name))
        return self._address

    def _compiled_for(self, arguments: Sequence[Any]) -> Any:
        kinds = tuple(map(typeof, arguments))
        if kinds not in self._kernel.overloads:
            with announced(self._kernel):
                self._kernel.compile(kinds)
        return self._kernel.overloads[kinds]


@contextmanager
def announced(kernel: Any = loop.run) -> Iterator[None]:
    """Show a status line on standard error while the engine is compiled."""
    if has_machine_code(kernel):
        yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    with _collector_paused():
        if console.is_terminal:
            with console.status(_TEXT):
                yield
        else:
            if not _said:
                console.print(_TEXT)
                _said.append(True)
            yield


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Compiling creates millions of objects; garbage collection would take a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
