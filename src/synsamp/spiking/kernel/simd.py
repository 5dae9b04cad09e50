"""Sixteen numbers as one value: the arithmetic of vector registers, written like that of a number.

LLVM finds vectors in simple loops by itself, but gives up where it cannot prove that arrays do not
overlap, or where single and double precision mix. Loops over a row of synapses or over a column are
therefore written in lanes: ``load``, calculate with + − * min max, ``store``. Arrays so walked
are padded to whole lanes.

``min(value, bound)`` and ``max(value, bound)`` of lanes pass on a value that is NaN.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature as nb_signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np.arrayobj import populate_array

from synsamp.spiking.kernel.compiling import CHECKED

LANE = 16
"""Numbers in a lane: two registers in single precision, so that one need not wait for the other."""

_INTS = ir.VectorType(ir.IntType(32), LANE)


class Lane(types.Type):
    """Sixteen numbers of one precision, as a value inside compiled code."""

    def __init__(self, name: str, number: Any, element: ir.Type, size: int) -> None:
        self.number, self.size = number, size
        self.llvm = ir.VectorType(element, LANE)
        super().__init__(name=name)


SINGLES = Lane("Singles", types.float32, ir.FloatType(), 4)
DOUBLES = Lane("Doubles", types.float64, ir.DoubleType(), 8)
_LANE_OF = {lane.number: lane for lane in (SINGLES, DOUBLES)}


@register_model(Lane)
class _LaneModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, fe_type.llvm)


# -- to and from memory --------------------


def _place(
    context: Any, builder: Any, lane: Lane, array_type: Any, array: Any, index: Any, count: int
) -> Any:
    """Where ``array[index]`` lies; with bounds checks on, ``count`` numbers must be there."""
    found = context.make_array(array_type)(context, builder, array)
    if CHECKED and count:
        end = builder.add(index, ir.Constant(index.type, count))
        below = builder.icmp_signed("<", index, ir.Constant(index.type, 0))
        beyond = builder.icmp_signed(">", end, found.nitems)
        with builder.if_then(builder.or_(below, beyond), likely=False):
            message = (f"a lane of {array_type} reaches beyond its array",)
            context.call_conv.return_user_exc(builder, IndexError, message)
    return builder.bitcast(builder.gep(found.data, [index]), lane.llvm.as_pointer())


def _start_of(context: Any, builder: Any, array_type: Any, array: Any, at: Any, count: Any) -> Any:
    """Where ``array[at]`` lies; with bounds checks on, ``count`` numbers must be there."""
    found = context.make_array(array_type)(context, builder, array)
    if CHECKED:
        none = ir.Constant(at.type, 0)
        below = builder.or_(
            builder.icmp_signed("<", at, none), builder.icmp_signed("<", count, none)
        )
        beyond = builder.icmp_signed(">", builder.add(at, count), found.nitems)
        with builder.if_then(builder.or_(below, beyond), likely=False):
            message = (f"a part of {array_type} reaches beyond its array",)
            context.call_conv.return_user_exc(builder, IndexError, message)
    return builder.gep(found.data, [at])


def _array_at(context: Any, builder: Any, kind: Any, pointer: Any, count: Any) -> Any:
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    itemsize = ir.Constant(ir.IntType(64), size)
    made = context.make_array(kind)(context, builder)
    populate_array(made, pointer, [count], [itemsize], itemsize, None)
    return made._getvalue()  # noqa: SLF001 (Numba's way to end a struct)


def _part(typingctx: Any, array: Any, start: Any, count: Any) -> Any:
    """``array[start : start + count]``.

    A slice of Numba's is clamped to its array, which costs a dozen instructions and, with the
    hundred slices of the loop, seconds of compiling; this one is a pointer and a size.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _start_of(context, builder, signature.args[0], *args)
        return _array_at(context, builder, array, place, args[2])

    return array(array, types.int64, types.int64), codegen


def _address(typingctx: Any, array: Any, start: Any, count: Any) -> Any:
    """A pointer to ``array[start]``, behind which ``count`` numbers must lie."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _start_of(context, builder, signature.args[0], *args)

    return types.CPointer(array.dtype)(array, types.int64, types.int64), codegen


def _pointed_at(typingctx: Any, pointer: Any, count: Any) -> Any:
    """The reverse of ``address``: ``count`` numbers behind a pointer, as an array."""
    kind = types.Array(pointer.dtype, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _array_at(context, builder, kind, *args)

    return kind(pointer, types.int64), codegen


def _doubles(count: int) -> Any:
    """An intrinsic that gives an array of ``count`` numbers, unset, until its function ends.

    Nothing else points at it, which lets LLVM turn loops over it into vectors.
    """

    def make(typingctx: Any) -> Any:
        kind = types.Array(types.float64, 1, "C")

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            size = ir.Constant(ir.IntType(64), count)
            place = cgutils.alloca_once(builder, ir.DoubleType(), size)
            return _array_at(context, builder, kind, place, size)

        return kind(), codegen

    return intrinsic(make)


def _numbers(count: int) -> Any:
    """An intrinsic that reads ``count`` numbers, ``plane`` apart, as a tuple."""

    def read(typingctx: Any, pointer: Any, plane: Any, index: Any) -> Any:
        kind = types.Tuple([pointer.dtype] * count)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data, stride, first = args
            found = []
            for j in range(count):
                at = builder.add(first, builder.mul(stride, ir.Constant(ir.IntType(64), j)))
                found.append(builder.load(builder.gep(data, [at])))
            return context.make_tuple(builder, signature.return_type, found)

        return kind(pointer, types.int64, types.int64), codegen

    return intrinsic(read)


def _load(typingctx: Any, array: Any, index: Any) -> Any:
    """``array[index : index + LANE]`` as one value."""
    lane = _LANE_OF[array.dtype]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, lane, signature.args[0], args[0], args[1], LANE)
        return builder.load(place, align=lane.size)

    return lane(array, types.int64), codegen


def _store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a lane to ``array[index : index + LANE]``."""
    lane = _LANE_OF[array.dtype]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, lane, signature.args[0], args[0], args[1], LANE)
        builder.store(args[2], place, align=lane.size)
        return context.get_dummy_value()

    return types.none(array, types.int64, lane), codegen


def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask for ``array[index]`` and its cache line, to be there when it is loaded later."""
    lane = _LANE_OF[array.dtype]
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, lane, signature.args[0], args[0], args[1], 0)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        to_read, to_all_caches, of_data = (ir.Constant(flag, value) for value in (0, 3, 1))
        builder.call(ask, [builder.bitcast(place, byte), to_read, to_all_caches, of_data])
        return context.get_dummy_value()

    return types.none(array, types.int64), codegen


part: Any = intrinsic(_part)
address: Any = intrinsic(_address)
array_at: Any = intrinsic(_pointed_at)
doubles = functools.cache(_doubles)
numbers = functools.cache(_numbers)
load: Any = intrinsic(_load)
store: Any = intrinsic(_store)
prefetch: Any = intrinsic(_prefetch)


# -- arithmetic --------------------


def _spread_out(context: Any, builder: Any, value: Any, of_type: Any, lane: Lane) -> Any:
    number = context.cast(builder, value, of_type, lane.number)
    empty = ir.Constant(lane.llvm, ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, empty, ir.Constant(_INTS, [0] * LANE))


def _singles(typingctx: Any, value: Any) -> Any:
    """A lane of equal numbers in single precision."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _spread_out(context, builder, args[0], signature.args[0], SINGLES)

    return SINGLES(value), codegen


singles: Any = intrinsic(_singles)


def _define(operation: Any, instruction: Callable[[Any, Any, Any], Any]) -> None:
    """Let ``operation`` work on two lanes, or on a lane and a number.

    By Numba's lower interface: an `overload` would compile a function for every pair of types.
    """

    @infer_global(operation)
    class _Operation(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            lanes = [kind for kind in args if isinstance(kind, Lane)]
            fits = all(kind == lanes[0] or isinstance(kind, types.Number) for kind in args if lanes)
            return nb_signature(lanes[0], *args) if len(args) == 2 and lanes and fits else None

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lane = signature.return_type
        return instruction(
            builder,
            *(
                value if kind == lane else _spread_out(context, builder, value, kind, lane)
                for value, kind in zip(args, signature.args, strict=True)
            ),
        )

    for kinds in ((Lane, Lane), (Lane, types.Number), (types.Number, Lane)):
        lower_builtin(operation, *kinds)(lower)


_MAY_FUSE = ("contract",)  # a*b + c may become one instruction, nothing may be reordered
_define(operator.add, lambda builder, a, b: builder.fadd(a, b, flags=_MAY_FUSE))
_define(operator.sub, lambda builder, a, b: builder.fsub(a, b, flags=_MAY_FUSE))
_define(operator.mul, lambda builder, a, b: builder.fmul(a, b, flags=_MAY_FUSE))
_define(min, lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), b, a))
_define(max, lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), b, a))


def _widen(typingctx: Any, lane: Any) -> Any:
    """Single to double precision."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fpext(args[0], DOUBLES.llvm)

    return DOUBLES(SINGLES), codegen


def _narrow(typingctx: Any, lane: Any) -> Any:
    """Double to single precision."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fptrunc(args[0], SINGLES.llvm)

    return SINGLES(DOUBLES), codegen


widen: Any = intrinsic(_widen)
narrow: Any = intrinsic(_narrow)


# -- from a lane to one number --------------------


def _fold(builder: Any, lane: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the halves of a lane until one number is left."""
    half = LANE // 2
    while half > 0:
        other = ir.Constant(_INTS, [(i + half) % LANE for i in range(LANE)])
        lane = combine(lane, builder.shuffle_vector(lane, lane, other))
        half //= 2
    return builder.extract_element(lane, ir.Constant(ir.IntType(32), 0))


def _total(typingctx: Any, lane: Any) -> Any:
    """The sum of the numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _fold(builder, args[0], builder.fadd)

    return lane.number(lane), codegen


def _largest(typingctx: Any, lane: Any) -> Any:
    """The largest of the numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _fold(
            builder,
            args[0],
            lambda a, b: builder.select(builder.fcmp_ordered("<", a, b), b, a),
        )

    return lane.number(lane), codegen


def _note_signs(typingctx: Any, noted: Any, a: Any, b: Any) -> Any:
    """``noted``, negative from now on where ``a`` and ``b`` have different signs."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        noted, a, b = (builder.bitcast(value, _INTS) for value in args)
        return builder.bitcast(builder.or_(noted, builder.xor(a, b)), SINGLES.llvm)

    return SINGLES(SINGLES, SINGLES, SINGLES), codegen


def _any_negative(typingctx: Any, lane: Any) -> Any:
    """Whether one of the numbers has the sign −."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], _INTS)
        negative = builder.icmp_signed("<", bits, ir.Constant(_INTS, [0] * LANE))
        mask = builder.bitcast(negative, ir.IntType(LANE))
        return builder.icmp_unsigned("!=", mask, ir.Constant(ir.IntType(LANE), 0))

    return types.boolean(SINGLES), codegen


def _above(typingctx: Any, value: Any, bound: Any) -> Any:
    """1 where a value is above the bound, else 0; for a number or a lane of them."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b = args
        if isinstance(value, Lane):
            b = _spread_out(context, builder, b, bound, value)
        return builder.uitofp(builder.fcmp_ordered(">", a, b), a.type)

    return value(value, bound), codegen


def _nonzero(typingctx: Any, lane: Any) -> Any:
    """One bit per number: whether it is other than 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = ir.Constant(lane.llvm, [0.0] * LANE)
        return builder.bitcast(builder.fcmp_ordered("!=", args[0], zeros), ir.IntType(LANE))

    return types.uint16(lane), codegen


total: Any = intrinsic(_total)
largest: Any = intrinsic(_largest)
note_signs: Any = intrinsic(_note_signs)
any_negative: Any = intrinsic(_any_negative)
above: Any = intrinsic(_above)
nonzero: Any = intrinsic(_nonzero)
