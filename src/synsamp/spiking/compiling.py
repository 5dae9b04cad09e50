"""How the engine's functions are compiled: inlined, in vectors, without counting references.

Numba counts references to arrays with atomic operations, also for views that live for one line; in
a loop of a microsecond that is most of the time. The kernel allocates nothing, so the counting is
switched off for it. Functions that are handed whole groups of arrays are always inlined, or each
call would copy hundreds of words. Sums over columns are written with eight floats as one value,
because LLVM cannot know that the arrays involved do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, models, register_model

from synsamp.specialise import specialise

LANE = 8
"""Floats in one vector register; columns are whole multiples of it."""

_KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

inlined: Any = njit(**_KERNEL, fastmath={"contract"}, forceinline=True)
"""Decorator of the parts of the event loop."""

separate: Any = njit(**_KERNEL, fastmath={"contract"}, forceinline=False)
"""Decorator of parts that are called rarely."""

vector: Any = njit(**_KERNEL, fastmath={"contract", "reassoc", "nsz"}, forceinline=False)
"""Decorator of loops over a row; sums may be reordered, or they would run one by one."""


def bind(template: Callable[..., Any], inline: bool = True, **parts: Any) -> Any:
    """`specialise` a template for the kernel: no reference counting, inlined where it is called."""
    compiled = specialise(template, **parts)
    compiled.targetoptions["_nrt"] = False
    compiled.targetoptions["forceinline"] = inline
    return compiled


class Lane(types.Type):
    """Eight floats in one vector register, as a value inside compiled code."""

    def __init__(self) -> None:
        super().__init__(name="Lane")


lane_type = Lane()
_LLVM_LANE = ir.VectorType(ir.FloatType(), LANE)


@register_model(Lane)
class _LaneModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _LLVM_LANE)


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _LLVM_LANE.as_pointer())


def _load_lane(typingctx: Any, array: Any, index: Any) -> Any:
    """``array[index : index + LANE]`` of a float32 array as one value."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], *args), align=4)

    return lane_type(array, types.int64), codegen


def _store_lane(typingctx: Any, array: Any, index: Any, lane: Any) -> Any:
    """Write a lane to ``array[index : index + LANE]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, signature.args[0], *args[:2]), align=4)
        return context.get_dummy_value()

    return types.none(array, types.int64, lane), codegen


def _add_scaled(typingctx: Any, total: Any, lane: Any, factor: Any) -> Any:
    """``total + factor * lane``, element by element."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        spread = ir.Constant(_LLVM_LANE, ir.Undefined)
        for k in range(LANE):
            spread = builder.insert_element(spread, args[2], ir.Constant(ir.IntType(32), k))
        product = builder.fmul(args[1], spread, flags=("contract",))
        return builder.fadd(args[0], product, flags=("contract",))

    return lane_type(lane_type, lane_type, types.float32), codegen


load_lane: Any = intrinsic(_load_lane)
store_lane: Any = intrinsic(_store_lane)
add_scaled: Any = intrinsic(_add_scaled)
