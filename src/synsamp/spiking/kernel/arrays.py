"""Named arrays behind one pointer, to pass dozens of arrays to the kernel.

A Numba function that takes a named tuple of arrays gets seven words per array, and packs and
unpacks all of them at every call; with sixty arrays that is nearly all of the time it takes to
compile. A group of `KernelArrays` is passed as a single pointer to a table with address and shape
of each array, and ``group.theta`` inside compiled code reads that table. The arrays stay in place
while the kernel runs, so LLVM may read the table once (``invariant.load``).

    class Clock(KernelArrays):
        time_s = array("float64")
        count = array("int64")

    clock = Clock(time_s=np.zeros(3), count=np.zeros(1, np.int64))
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray

_WORD = ir.IntType(64)
CACHE_LINE = 64
"""Bytes that a processor fetches together."""


class _Field(NamedTuple):
    dtype: str
    dimensions: int


def array(dtype: str, dimensions: int = 1) -> Any:
    """Declare an array of a `KernelArrays`."""
    return _Field(dtype, dimensions)


def on_cache_lines(values: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or a copy that starts on a cache line: lanes then never cross one."""
    if values.ctypes.data % CACHE_LINE == 0:
        return values
    copy = zeros_on_cache_lines(values.size, values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def zeros_on_cache_lines(size: int, dtype: Any) -> NDArray[Any]:
    """Zeros that `on_cache_lines` need not copy."""
    n_bytes = size * np.dtype(dtype).itemsize
    room = np.zeros(n_bytes + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + n_bytes].view(dtype)


class KernelArrays:
    """Named arrays of fixed type; subclasses declare them with `array`.

    With ``aligned`` they are put on cache lines, which may copy them.
    """

    aligned: ClassVar[bool] = False
    fields: ClassVar[dict[str, _Field]]
    kernel_type: ClassVar[KernelArraysType]

    def __init_subclass__(cls) -> None:
        cls.fields = {name: f for name, f in vars(cls).items() if isinstance(f, _Field)}
        for name in cls.fields:
            delattr(cls, name)
        cls.kernel_type = KernelArraysType(
            cls.__name__, tuple((n, *f) for n, f in cls.fields.items())
        )

    def __init__(self, **arrays: NDArray[Any]) -> None:
        if arrays.keys() != self.fields.keys():
            raise TypeError(f"{type(self).__name__} wants {set(self.fields) ^ set(arrays)}")
        table: list[int] = []
        kept: dict[str, NDArray[Any]] = {}
        for name, field in self.fields.items():
            values = arrays[name]
            fits = values.dtype == field.dtype and values.ndim == field.dimensions
            if not (fits and values.flags.c_contiguous):
                raise TypeError(f"{name} is {values.dtype}{values.shape}, not {field}")
            kept[name] = on_cache_lines(values) if self.aligned else values
            table += [kept[name].ctypes.data, *values.shape]
        self.__dict__.update(kept)
        self._table = np.array(table, np.int64)
        self.address = self._table.ctypes.data

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (getattr(self, name) for name in self.fields)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        return {name: getattr(self, name) for name in self.fields}

    def copy(self) -> Self:
        """A group with copies of all arrays."""
        return type(self)(**{name: values.copy() for name, values in self.arrays().items()})

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()  # the table holds addresses, so that it must not be copied itself

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.arrays())

    def replace(self, **arrays: NDArray[Any]) -> Self:
        """A group with some arrays exchanged; the others are shared."""
        return type(self)(**{**self.arrays(), **arrays})


def _rebuilt(kind: type[KernelArrays], arrays: dict[str, NDArray[Any]]) -> KernelArrays:
    return kind(**arrays)


class KernelArraysType(types.Type):
    """The type of a group in compiled code."""

    def __init__(self, name: str, fields: tuple[tuple[str, str, int], ...]) -> None:
        self.places: dict[str, tuple[int, Any]] = {}
        at = 0
        for field, dtype, dimensions in fields:
            self.places[field] = (at, types.Array(from_dtype(np.dtype(dtype)), dimensions, "C"))
            at += 1 + dimensions
        # Short, since it is in the name of every function that takes one; and unique.
        digest = hashlib.sha256(repr(fields).encode()).hexdigest()[:8]
        super().__init__(name=f"{name}_{digest}")


@typeof_impl.register(KernelArrays)
def _typeof(value: KernelArrays, context: Any) -> KernelArraysType:
    return value.kernel_type


@register_model(KernelArraysType)
class _KernelArraysModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _WORD.as_pointer())


@unbox(KernelArraysType)
def _unbox(kind: KernelArraysType, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    pointer = c.builder.inttoptr(address, _WORD.as_pointer())
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Attributes(AttributeTemplate):
    key = KernelArraysType

    def generic_resolve(self, group: Any, name: str) -> Any:  # type: ignore[override]
        return group.places[name][1] if name in group.places else None


@lower_getattr_generic(KernelArraysType)
def _get(context: Any, builder: Any, group: KernelArraysType, pointer: Any, name: str) -> Any:
    first, kind = group.places[name]
    never_changes = builder.module.add_metadata([])

    def word(at: int) -> Any:
        value = builder.load(builder.gep(pointer, [ir.Constant(_WORD, at)]))
        value.set_metadata("invariant.load", never_changes)
        return value

    shape = [word(first + 1 + i) for i in range(kind.ndim)]
    itemsize = ir.Constant(_WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    made = context.make_array(kind)(context, builder)
    data = builder.inttoptr(word(first), context.get_data_type(kind.dtype).as_pointer())
    populate_array(made, data, shape, strides, itemsize, None)
    return made._getvalue()  # noqa: SLF001 (Numba's way to end a struct)
