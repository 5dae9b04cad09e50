"""How the engine's functions are compiled: inlined, in vectors, without counting references.

Numba counts references to arrays with atomic operations, also for views that live for one line; in
a loop of a microsecond that is most of the time. The kernel allocates nothing, so the counting is
switched off for it. Functions that are handed whole groups of arrays are always inlined, or each
call would copy hundreds of words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from synsamp.specialise import specialise

_KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

inlined: Any = njit(**_KERNEL, fastmath={"contract"}, forceinline=True)
"""Decorator of the parts of the event loop."""

separate: Any = njit(**_KERNEL, fastmath={"contract"}, forceinline=False)
"""Decorator of parts that are called rarely."""

vector: Any = njit(**_KERNEL, fastmath={"contract", "reassoc", "nsz"}, forceinline=False)
"""Decorator of loops of which LLVM makes vectors; sums may be reordered, or it could not."""


in_lanes: Any = njit(**_KERNEL, fastmath={"contract"}, forceinline=False)
"""Decorator of loops written in lanes (`synsamp.spiking.lanes`)."""


def bind(template: Callable[..., Any], inline: bool = True, **parts: Any) -> Any:
    """`specialise` a template for the kernel: no reference counting, inlined where it is called."""
    compiled = specialise(template, **parts)
    compiled.targetoptions["_nrt"] = False
    compiled.targetoptions["forceinline"] = inline
    return compiled
