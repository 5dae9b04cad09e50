"""A short digest of everything a compiled function is made of.

Numba checks only the file of the outermost function to decide whether machine code on disk is
stale. A fingerprint covers the code of a function, of all functions that it refers to, and the
values of the globals, closure variables and module attributes that they read. So synsamp never runs
old code after an edit of a prior, a notebook cell or a constant. Sources that a kernel uses without
a name (operators of lanes, attributes of records) count as whole files.
"""

from __future__ import annotations

import enum
import functools
import hashlib
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type
from numba.core.typing import Signature
from numba.extending import _Intrinsic

PACKAGE = Path(__file__).parents[1]
BY_FILE = ("noise", "priors", "rule", "specialise", "spiking/kernel")
"""Folders with intrinsics and overloads, which Numba finds by type and not by name."""


LIBRARIES = ("builtins", "cmath", "llvmlite", "math", "numba", "numpy", "operator", "scipy")
"""Modules of which the version counts; of others, the attributes that a function reads."""


class _UnknownError(Exception):
    """An object that cannot be described in a reproducible way."""


def fingerprint(value: Any, with_sources: bool = True) -> str | None:
    """Sixteen letters that change with the code, or None if something cannot be described.

    Without ``with_sources`` they depend on the value alone, not on the package around it.
    """
    digest = hashlib.sha256(_sources() if with_sources else b"")
    try:
        _add(value, digest, {})
    except _UnknownError:
        return None
    return digest.hexdigest()[:16]


@functools.cache
def _sources() -> bytes:
    digest = hashlib.sha256()
    for folder in BY_FILE:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()


def _add(value: Any, digest: Any, seen: dict[int, int]) -> None:
    digest.update(type(value).__name__.encode())
    if id(value) in seen:
        digest.update(seen[id(value)].to_bytes(4, "big"))
        return
    if isinstance(value, (FunctionType, Dispatcher, _Intrinsic, ModuleType)):
        seen[id(value)] = len(seen)
    if isinstance(value, Dispatcher):
        _add(_options(value), digest, seen)
        _add(value.py_func, digest, seen)
    elif isinstance(value, _Intrinsic):
        _add(value._defn, digest, seen)  # noqa: SLF001 (its code has no public name)
    elif isinstance(value, FunctionType):
        _add_function(value, digest, seen)
    elif isinstance(value, CodeType):
        # Everything but line numbers and file name: moving a function does not change it.
        for part in (value.co_code, value.co_names, value.co_varnames, value.co_freevars):
            digest.update(repr(part).encode())
        for constant in value.co_consts:
            _add(constant, digest, seen)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (tuple, list)):
        digest.update(repr(getattr(value, "_fields", ())).encode())
        for part in value:
            _add(part, digest, seen)
    elif isinstance(value, (set, frozenset)):
        digest.update(repr(sorted(map(repr, value))).encode())
    elif isinstance(value, dict):
        for key, part in sorted(value.items(), key=lambda item: repr(item[0])):
            digest.update(repr(key).encode())
            _add(part, digest, seen)
    elif isinstance(value, ModuleType):
        digest.update(f"{value.__name__}{getattr(value, '__version__', '')}".encode())
    elif isinstance(value, type):
        digest.update(f"{value.__module__}.{value.__qualname__}".encode())
        if issubclass(value, enum.Enum):
            _add({name: member.value for name, member in value.__members__.items()}, digest, seen)
        elif issubclass(value, tuple) and hasattr(value, "_fields"):
            _add((value._fields, getattr(value, "_field_defaults", {})), digest, seen)
    elif isinstance(value, BuiltinFunctionType):
        digest.update(f"{value.__module__}.{value.__name__}".encode())
    elif value is None or isinstance(
        value,
        (
            bool,
            int,
            float,
            complex,
            str,
            bytes,
            np.generic,
            np.ufunc,
            np.dtype,
            Type,
            Signature,
            ir.Type,
        ),
    ):
        digest.update(repr(value).encode())
    else:
        raise _UnknownError


def _options(function: Dispatcher) -> dict[str, Any]:
    """Compiler options of a function; sets are sorted, since their order is random."""
    return {
        name: sorted(value) if isinstance(value, (set, frozenset)) else repr(value)
        for name, value in function.targetoptions.items()
    }


def _add_function(function: FunctionType, digest: Any, seen: dict[int, int]) -> None:
    _add(function.__code__, digest, seen)
    _add(function.__defaults__, digest, seen)
    names = _names(function.__code__)
    for cell in function.__closure__ or ():
        _add_named(cell.cell_contents, names, digest, seen)
    for name in names:
        if name in function.__globals__:
            digest.update(name.encode())
            _add_named(function.__globals__[name], names, digest, seen)


def _add_named(value: Any, names: list[str], digest: Any, seen: dict[int, int]) -> None:
    """A value that a function reads; of a module, what ``module.attribute`` may mean as well."""
    known = id(value) in seen
    _add(value, digest, seen)
    if known or not isinstance(value, ModuleType):
        return
    if value.__name__.partition(".")[0] not in LIBRARIES:
        for attribute in names:
            if hasattr(value, attribute):
                digest.update(attribute.encode())
                _add_named(getattr(value, attribute), names, digest, seen)


def _names(code: CodeType) -> list[str]:
    """Names that a function and the functions inside it may read from its module."""
    inner = [name for c in code.co_consts if isinstance(c, CodeType) for name in _names(c)]
    return [*code.co_names, *inner]
