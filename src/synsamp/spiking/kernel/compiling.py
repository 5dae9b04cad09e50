"""How the engine's functions are compiled: in vectors, without counting references.

Numba counts references to arrays with atomic operations, also for views that live for one line; in
a loop of a microsecond that is most of the time. The kernel allocates nothing, so the counting is
switched off. Numba's option for that is private and used only here;
`tests/spiking/test_kernel_code.py` checks the machine code.

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
"""Only kernels call parts; a Python wrapper would cost a tenth of the compilation time.

Calling one from Python crashes the process: tests wrap it (`tests/oracles/from_python.py`).
"""

inlined: Any = njit(**_PART, fastmath={"contract"}, forceinline=not CHECKED)
"""Decorator of the small parts of the event loop."""

once: Any = njit(**_PART, fastmath={"contract"}, inline="always")
"""Decorator of parts with one call in the loop: separate source, compiled as one function."""

separate: Any = njit(**_PART, fastmath={"contract"}, forceinline=False)
"""Decorator of parts that are called rarely, and of loops written in lanes."""

exact: Any = njit(**_PART, fastmath=False, forceinline=False)
"""Decorator of arithmetic in which nothing fuses, so that Python gives bit-identical results.

``fastmath=False`` must be explicit: by default a function inherits the flags of its caller.
"""

vector: Any = njit(**_PART, fastmath={"contract", "reassoc", "nsz"}, forceinline=False)
"""Decorator of loops that LLVM vectorises, for which sums may be reordered."""


def kernel(template: Callable[..., Any]) -> Any:
    """Decorator of functions that Python calls: compiled on first use, kept on disk."""
    return specialise(template, on_disk=True, options=_KERNEL)


def row_function(template: Callable[..., Any], signature: Any, **parts: Any) -> int:
    """The address of a function of one row, with its parts bound in."""
    return pointer_to(template, signature, options=_KERNEL, **parts)


def row_part(template: Callable[..., Any], **parts: Any) -> Any:
    """A part of functions of one row that has parts bound in itself; it is compiled into them."""
    return specialise(template, options=_KERNEL, **parts)
