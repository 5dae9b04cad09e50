"""Compiled functions that a kernel calls through their address.

A kernel with its parts bound in is compiled again for every combination of parts. With addresses,
the kernel and each part are compiled once, at the price of one indirect call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic

from synsamp.specialise.binding import SCALAR_OPTIONS, bound
from synsamp.specialise.disk import disk_cache


def pointer_to(
    template: Callable[..., Any],
    signature: Any,
    *,
    options: dict[str, Any] | None = None,
    **parts: Any,
) -> int:
    """The address of ``template`` compiled with its parts bound in; valid in this process."""
    chosen = tuple(sorted((options or {}).items(), key=lambda item: item[0]))
    given = tuple(sorted(parts.items(), key=lambda item: item[0]))
    compiled = _compiled(template, signature, chosen, given)
    _BEHIND[int(compiled.address)] = compiled
    return int(compiled.address)


def compiled_at(address: int) -> CFunc:
    """The compiled function behind an address of `pointer_to`."""
    return _BEHIND[address]


_BEHIND: dict[int, CFunc] = {}


@functools.cache  # an address must stay valid
def _compiled(
    template: Callable[..., Any],
    signature: Any,
    options: tuple[tuple[str, Any], ...],
    parts: tuple[tuple[str, Any], ...],
) -> Any:
    function, stable = bound(template, options, parts)
    compiled: Any = CFunc(
        function,
        (signature.args, signature.return_type),
        locals={},
        options={"nopython": True, **SCALAR_OPTIONS, **dict(options)},
    )
    cache = disk_cache(function) if stable else None
    if cache is not None:
        compiled._cache = cache  # noqa: SLF001 (as in `binding`)
    compiled.compile()
    return compiled


def caller_of(signature: Any) -> Any:
    """``call(address, arguments)`` for functions of one signature, to be used in kernels.

    ``arguments`` is a tuple of them, or the named tuple that the function takes as its only one.
    """

    def call(typingctx: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, found: Any, values: Any) -> Any:
            number, given = values
            kinds = [context.get_value_type(kind) for kind in signature.args]
            result = context.get_value_type(signature.return_type)
            if signature.return_type == types.void:
                result = ir.VoidType()
            pointer = builder.inttoptr(number, ir.FunctionType(result, kinds).as_pointer())
            as_one = isinstance(arguments, types.BaseNamedTuple)
            wanted = signature.args[0].types if as_one else signature.args
            parts = [
                context.cast(builder, builder.extract_value(given, i), have, want)
                for i, (have, want) in enumerate(zip(arguments.types, wanted, strict=True))
            ]
            if as_one:
                parts = [context.make_tuple(builder, signature.args[0], parts)]
            answer = builder.call(pointer, parts)
            if signature.return_type == types.void:
                return context.get_dummy_value()
            return answer

        return signature.return_type(types.int64, arguments), codegen

    return intrinsic(call)
