"""How the engine's functions are compiled: in vectors, without counting references.

Numba counts references to arrays with atomic operations, also for views that live for one line; in
a loop of a microsecond that is most of the time. The kernel allocates nothing, so the counting is
switched off for it. Numba's option for that is private: it stands here and nowhere else, and
`tests/spiking/test_kernel_code.py` reads the machine code for what it is to prevent.

With ``SYNSAMP_BOUNDS_CHECKS=1`` in the environment every access to an array is checked, lanes
included, and the kernels are compiled apart from the usual ones. For tests: it is slow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from numba import njit, types

from synsamp.specialise import pointer_to, specialise
from synsamp.specialise.pointers import caller_of

CHECKED = os.environ.get("SYNSAMP_BOUNDS_CHECKS") == "1"

_KERNEL: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": CHECKED,  # an IndexError has to be made somewhere
    "boundscheck": CHECKED,
}

_PART = {**_KERNEL, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Parts are called by kernels alone; an entrance for Python would cost a tenth of the compiling.

To call one from Python ends the process: tests wrap it (`tests/oracles/from_python.py`).
"""

inlined: Any = njit(**_PART, fastmath={"contract"}, forceinline=not CHECKED)
"""Decorator of the small parts of the event loop."""

once: Any = njit(**_PART, fastmath={"contract"}, inline="always")
"""Decorator of parts with one place in the loop: written apart, compiled as one function."""

separate: Any = njit(**_PART, fastmath={"contract"}, forceinline=False)
"""Decorator of parts that are called rarely, and of loops written in lanes."""

exact: Any = njit(**_PART, fastmath=False, forceinline=False)
"""Decorator of arithmetic in which nothing fuses, so that Python finds the same bits.

It must be said: a function takes over what is not said from the one that calls it.
"""

vector: Any = njit(**_PART, fastmath={"contract", "reassoc", "nsz"}, forceinline=False)
"""Decorator of loops of which LLVM makes vectors; sums may be reordered, or it could not."""


def kernel(template: Callable[..., Any]) -> Any:
    """Decorator of what Python calls: compiled on first use, kept on disk."""
    return specialise(template, on_disk=True, options=_KERNEL)


# -- functions of one row of synapses, called by their address --------------------

_int, _double, _single = types.int64, types.float64, types.float32
_doubles, _singles = types.CPointer(_double), types.CPointer(_single)

MOVE = types.void(
    _int,  # n: synapses of the row
    _doubles,  # θ
    _singles,  # standard normals
    _double,  # time passed, s
    _double,  # b
    _double,  # T
    _double,  # floor of θ
    _doubles,  # numbers of the prior: number j of synapse i lies at [j * plane + i * step]
    _int,  # plane
    _int,  # step
)
"""Prior and noise over an interval (`synsamp.spiking.kernel.diffusion`)."""

WEIGH = types.int64(_int, _doubles, _singles, _doubles, _single)
"""w = f(θ): n, θ, w, numbers of the mapping, w at 0; returns whether a synapse crossed θ = 0."""

SPIKE = types.int64(
    _int,  # n
    _doubles,  # θ
    _singles,  # w
    _singles,  # ŵ, to be written
    _singles,  # EPSP traces of the afferents, falling and rising part
    _singles,
    _single,  # what they have decayed by
    _single,
    _double,  # b
    _double,  # floor of θ
    _single,  # w at θ = 0
    _single,  # sign of ŵ
    _doubles,  # numbers of the plasticity
    _doubles,  # numbers of the mapping
    _singles,  # Σ ŵ fall and Σ ŵ rise, to be written
    _double,  # now, s
    _double,  # the circuit's modulator
    _doubles,  # the plasticity's traces, [synapse, trace]
    _doubles,  # when they were brought up to date
)
"""A postsynaptic spike (`synsamp.spiking.plasticity`); returns whether a synapse crossed θ = 0."""

ARRIVAL = types.void(
    _int,  # n: neurons that the axon reaches
    _int,  # synapses from one of them to the next
    _doubles,  # θ of the first
    _singles,  # w
    _double,  # EPSP of the axon
    _double,  # b
    _double,  # floor of θ
    _doubles,  # numbers of the plasticity
    _doubles,  # numbers of the mapping
    _double,  # now, s
    _double,  # the circuit's modulator
    _doubles,  # traces
    _doubles,  # when they were brought up to date
)
"""A spike arrives on an axon (`synsamp.spiking.plasticity`): θ and w of all its synapses."""

PASS = types.void(
    _double,  # time passed, s
    _double,  # b
    _double,  # the circuit's modulator
    _doubles,  # numbers of the plasticity
    _doubles,  # to be written: what e, g and φ become of themselves and each other
)
"""What time does to the eligibility of every synapse of a block (`synsamp.spiking.kernel.eligibility`)."""

ELIGIBILITY = types.void(
    _int,  # synapses that may be functional
    types.CPointer(types.int32),  # which
    _doubles,  # θ
    _singles,  # w
    _single,  # w at θ = 0
    _singles,  # EPSP traces of the afferents, falling and rising part
    _singles,
    _single,  # what they have decayed by
    _single,
    _double,  # spikes of the neuron now, signed as ŵ is
    _double,  # those expected
    _doubles,  # what PASS wrote
    _doubles,  # numbers of the mapping
    _doubles,  # [synapse, 3]: e, g, φ
)
"""Eligibility of one row: time passes, then a spike of the circuit."""

GATHER = types.void(
    _int,  # n
    _doubles,  # θ
    _double,  # floor of θ
    _doubles,  # numbers of the plasticity
    _doubles,  # [synapse, 3]: e, g, φ
)
"""What has gathered for θ since the last refresh is added to it."""

call_move, call_weigh, call_spike, call_arrival, call_pass, call_eligibility, call_gather = (
    caller_of(kind) for kind in (MOVE, WEIGH, SPIKE, ARRIVAL, PASS, ELIGIBILITY, GATHER)
)


def row_function(template: Callable[..., Any], signature: Any, **parts: Any) -> int:
    """The address of a function of one row, with its parts bound in."""
    return pointer_to(template, signature, options=_KERNEL, **parts)
