"""How the engine's functions are compiled: in vectors, without counting references.

Numba counts references to arrays with atomic operations, also for views that live for one line; in
a loop of a microsecond that is most of the time. The kernel allocates nothing, so the counting is
switched off for it. Numba's option for that is private: it stands here and nowhere else, and
`tests/spiking/test_kernel_code.py` reads the machine code for what it is to prevent.

With ``SYNSAMP_BOUNDS_CHECKS=1`` in the environment every access to an array is checked, lanes
included, and the kernels are compiled apart from the usual ones. For tests: it is slow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from numba import njit

from synsamp.specialise import pointer_to, specialise

CHECKED = os.environ.get("SYNSAMP_BOUNDS_CHECKS") == "1"

_KERNEL: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": CHECKED,  # an IndexError has to be made somewhere
    "boundscheck": CHECKED,
}

_PART = {**_KERNEL, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Parts are called by kernels alone; an entrance for Python would cost a tenth of the compiling.

To call one from Python ends the process: tests wrap it (`tests/oracles/from_python.py`).
"""

inlined: Any = njit(**_PART, fastmath={"contract"}, forceinline=not CHECKED)
"""Decorator of the small parts of the event loop."""

once: Any = njit(**_PART, fastmath={"contract"}, inline="always")
"""Decorator of parts with one place in the loop: written apart, compiled as one function."""

separate: Any = njit(**_PART, fastmath={"contract"}, forceinline=False)
"""Decorator of parts that are called rarely, and of loops written in lanes."""

exact: Any = njit(**_PART, fastmath=False, forceinline=False)
"""Decorator of arithmetic in which nothing fuses, so that Python finds the same bits.

It must be said: a function takes over what is not said from the one that calls it.
"""

vector: Any = njit(**_PART, fastmath={"contract", "reassoc", "nsz"}, forceinline=False)
"""Decorator of loops of which LLVM makes vectors; sums may be reordered, or it could not."""


def kernel(template: Callable[..., Any]) -> Any:
    """Decorator of what Python calls: compiled on first use, kept on disk."""
    return specialise(template, on_disk=True, options=_KERNEL)


def row_function(template: Callable[..., Any], signature: Any, **parts: Any) -> int:
    """The address of a function of one row, with its parts bound in."""
    return pointer_to(template, signature, options=_KERNEL, **parts)
