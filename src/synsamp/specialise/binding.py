"""Bind the parts of a kernel into it and compile the whole.

A kernel is written once as a plain function whose global names stand for the parts that vary
(prior gradient, mapping, likelihood …). ``specialise`` binds those names and compiles. So the inner
loop contains no switch, and no equation is written twice.

The machine code of what Python calls (``on_disk``) is kept on disk under a name that carries a
fingerprint of everything it is made of (`synsamp.specialise.fingerprint`): code of the parts,
wherever they were written, of what they call, and the numbers they refer to. A part without a
fingerprint is compiled in each process.

Parts themselves are never kept: code from disk cannot be inlined, so that a kernel compiled around
it would be slower and might round differently from one compiled around the source.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher

from synsamp.specialise.disk import disk_cache
from synsamp.specialise.fingerprint import fingerprint

SCALAR_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract"},
}
"""a*b + c may fuse; nothing else may be reordered."""


def is_compiled(function: object) -> bool:
    """Whether ``function`` is a Numba-compiled function."""
    return isinstance(function, Dispatcher)


def why_not_compiled(error: Exception) -> str:
    """Numba's error message in one line."""
    lines = [" ".join(line.split()) for line in str(error).splitlines()]
    useful = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    return " ".join(useful[:2])[:300] or type(error).__name__


def specialise(
    template: Callable[..., Any],
    *,
    on_disk: bool = False,
    options: dict[str, Any] | None = None,
    **parts: Any,
) -> Any:
    """Compile ``template`` with its global names in ``parts`` replaced by the given functions.

    ``on_disk`` for functions that Python calls: their machine code is kept between processes.
    """
    chosen = tuple(sorted((options or {}).items(), key=lambda item: item[0]))
    given = tuple(sorted(parts.items(), key=lambda item: item[0]))
    return _specialise(template, on_disk, chosen, given)


@functools.lru_cache(maxsize=256)
def _specialise(
    template: Callable[..., Any],
    on_disk: bool,
    options: tuple[tuple[str, Any], ...],
    parts: tuple[tuple[str, Any], ...],
) -> Any:
    function, stable = bound(template, options, parts)
    chosen = SCALAR_OPTIONS | {"forceinline": not on_disk} | dict(options)
    compiled: Any = njit(**chosen)(function)
    if on_disk and stable:
        cache = disk_cache(function)
        if cache is not None:
            # What `njit(cache=True)` sets, with another folder.
            compiled._cache = cache  # noqa: SLF001
    return compiled


def bound(
    template: Callable[..., Any],
    options: tuple[tuple[str, Any], ...],
    parts: tuple[tuple[str, Any], ...],
) -> tuple[FunctionType, bool]:
    """A new function with the parts in place, and whether its name identifies it.

    The name contains the fingerprint, so functions of one name are the same function.
    """
    assert isinstance(template, FunctionType)
    found = FunctionType(
        template.__code__,
        {**template.__globals__, **dict(parts)},
        template.__name__,
        template.__defaults__,
        template.__closure__,
    )
    digest = fingerprint((found, options))
    found.__name__ = f"{template.__name__}_{digest or 'unnamed'}"
    found.__qualname__ = found.__name__
    found.__module__ = template.__module__
    return found, digest is not None
