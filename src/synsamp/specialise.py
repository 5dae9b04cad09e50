"""Compile one kernel for the functions it is to use, and keep the machine code on disk.

A kernel is written once as a plain function whose global names stand for the parts that vary
(prior gradient, mapping, likelihood …). ``specialise`` binds those names and compiles. So the inner
loop contains no switch, and no equation is written twice.

Numba keeps compiled code on disk, but looks only at the file of the outermost function to decide
whether it is stale. Here the name of the kernel carries a digest of every source file that
can take part in a kernel, so a changed prior or mapping is never answered with old
code. A function of the user's own can change behind our back (a notebook cell, a global array):
kernels with such parts are compiled anew in each process.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher

PACKAGE = __name__.partition(".")[0]


def is_compiled(function: object) -> bool:
    """Whether ``function`` is a Numba-compiled function."""
    return isinstance(function, Dispatcher)


@functools.cache
def source_digest() -> str:
    """A short digest of all source files that take part in kernels."""
    root = Path(__file__).parent
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for folder in ("noise", "priors", "mappings", "rule", "models", "spiking"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _identity(part: Any) -> str | None:
    """A name that stays the same between processes, or None for a part of the user's own."""
    if hasattr(part, "specialised_identity"):  # made by `specialise`: it knows best
        identity: str | None = part.specialised_identity
        return identity
    function = part.py_func if is_compiled(part) else part
    if isinstance(function, FunctionType):
        own = (function.__module__ or "").partition(".")[0] == PACKAGE
        nested = function.__closure__ is not None
        return f"{function.__module__}.{function.__qualname__}" if own and not nested else None
    if isinstance(function, (bool, int, float, str)):
        return repr(function)
    return None


def specialise(template: Callable[..., Any], *, identity: str | None = None, **parts: Any) -> Any:
    """Compile ``template`` with its global names in ``parts`` replaced by the given functions.

    ``identity`` names parts that have no stable name of their own (closures of the package).
    """
    key = tuple(sorted(parts.items(), key=lambda item: item[0]))
    return _specialise(template, identity, key)


@functools.lru_cache(maxsize=256)
def _specialise(
    template: Callable[..., Any], identity: str | None, parts: tuple[tuple[str, Any], ...]
) -> Any:
    names = [_identity(part) for _, part in parts] if identity is None else [identity]
    stable = all(name is not None for name in names)
    digest = hashlib.sha256("|".join([source_digest(), *map(str, names)]).encode()).hexdigest()[:16]
    assert isinstance(template, FunctionType)
    bound = FunctionType(
        template.__code__,
        {**template.__globals__, **dict(parts)},
        f"{template.__name__}_{digest}",
        template.__defaults__,
        template.__closure__,
    )
    bound.__qualname__ = bound.__name__
    bound.__module__ = template.__module__
    compiled: Any = njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=stable)(
        bound
    )
    compiled.specialised_identity = bound.__name__ if stable else None
    return compiled
