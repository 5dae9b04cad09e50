"""The compiled module: which functions of the engine the browser calls, and their records."""

from __future__ import annotations

from typing import Any

from numba import types

from synsamp.lab.scenes import landscape_steps, survival
from synsamp.lab.wasm.emit import Export, linked
from synsamp.lab.wasm.image import FunctionNames, record_fields
from synsamp.spiking.kernel import loop, memory
from synsamp.spiking.kernel.random import Normals, Words, fill_table

RECORDS: dict[str, Any] = {
    "Wiring": memory.Wiring,
    "Numbers": memory.Numbers,
    "Synapses": memory.Synapses,
    "Activity": memory.Activity,
    "InputSchedule": memory.InputSchedule,
    "EventBuffer": memory.EventBuffer,
    "Work": memory.Work,
    "Words": Words,
    "Normals": Normals,
}
_WIRING, _NUMBERS, _SYNAPSES, _ACTIVITY, _SCHEDULE, _BUFFER, _WORK, _WORDS, _NORMALS = (
    kind.kernel_type for kind in RECORDS.values()
)
_FLOATS, _INTS, _ENTRIES = types.float64[::1], types.int64[::1], types.uint64[::1]
_TABLE, _STREAM = types.float64[:, ::1], types.uint32[:, ::1]
_PEAKS = (_TABLE, _FLOATS, _FLOATS)
_NOISE = (_STREAM, types.uint32[::1], types.float32[::1], _INTS)

KERNELS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "run": (
        loop.run,
        (
            types.float64, types.float64, types.boolean, _WIRING, _NUMBERS, _SYNAPSES, _ACTIVITY,
            _WORDS, _WORDS, _NORMALS, _SCHEDULE, _BUFFER, _WORK,
        ),
    ),
    "deliver": (
        loop.deliver,
        (types.float64, _WIRING, _SYNAPSES, _ACTIVITY, _WORDS, _WORDS, _SCHEDULE, _BUFFER, _WORK),
    ),
    "bring_up_to_date": (
        loop.bring_up_to_date,
        (types.float64, _WIRING, _NUMBERS, _SYNAPSES, _ACTIVITY, _NORMALS, _BUFFER, _WORK),
    ),
    "bring_eligibility_up": (
        loop.bring_eligibility_up,
        (types.float64, _WIRING, _NUMBERS, _SYNAPSES, _ACTIVITY, _WORK),
    ),
    "recompute_all_potentials": (
        loop.recompute_all_potentials,
        (_WIRING, _NUMBERS, _SYNAPSES, _ACTIVITY, _WORK),
    ),
    "fill_alias_table": (fill_table, (_FLOATS, _FLOATS, _INTS, _ENTRIES)),
    "landscape_advance": (
        landscape_steps.advance,
        (_FLOATS, _FLOATS, *_PEAKS, *_NOISE, types.int64, _TABLE),
    ),
    "landscape_density": (
        landscape_steps.density,
        (_FLOATS, *_PEAKS, types.float64, types.float64, _TABLE),
    ),
    "landscape_count": (
        landscape_steps.count,
        (_TABLE, types.float64, types.float64, _TABLE),
    ),
    "survival_observe": (survival.observe, (_FLOATS, _INTS, _INTS, _FLOATS, _FLOATS)),
    "survival_law": (survival.predict, (*[types.float64] * 5, _FLOATS, _FLOATS)),
}  # fmt: skip
"""Functions that JavaScript calls: name, kernel, types of its arguments."""

STATUS = ("RAISED", "DONE", "INPUT_WANTED", "TAPE_FULL", "QUEUE_FULL", "BROKEN", "PAUSED")


def constants() -> dict[str, Any]:
    """Places in the kernel's arrays and reasons of the loop to return, by name."""
    names = ("INPUTS_UNTIL", "NEXT_EVENT", "BOUND_S", "SPIKES", "SWEEPS", "REFRESH_S")
    return {
        **{name: getattr(memory, name) for name in names},
        "LOOP": sorted(STATUS, key=lambda name: int(getattr(loop, name))),
    }


def manifest() -> dict[str, Any]:
    """What JavaScript must know of the module."""
    return {"records": record_fields(RECORDS), "constants": constants()}


def build(functions: FunctionNames) -> bytes:
    """The module with all kernels, and the functions that networks name.

    Everything must be compiled in this process: code from the disk cache has no LLVM text.
    """
    exports = [_of_kernel(name, kernel, kinds) for name, (kernel, kinds) in KERNELS.items()]
    exports += [
        Export(name, compiled.native_name, compiled.inspect_llvm())
        for name, compiled in functions.compiled.items()
    ]
    return linked(exports)


def _of_kernel(name: str, kernel: Any, kinds: tuple[Any, ...]) -> Export:
    if kinds not in kernel.overloads:
        kernel.compile(kinds)
    compiled = kernel.overloads[kinds]
    return Export(name, compiled.fndesc.mangled_name, compiled.library.get_llvm_str())
