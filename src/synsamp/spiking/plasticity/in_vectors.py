"""A user's function over many synapses, in loops that LLVM turns into vectors.

LLVM gives up where it cannot prove that arrays do not overlap. So some synapses at a time are
copied to memory that nothing else points at, and back. Synapses that do not exist are computed as
well; their θ and w stay.
"""

from __future__ import annotations

import functools
import math
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.core.errors import NumbaError

from synsamp.mappings import Mapping
from synsamp.noise import arithmetic
from synsamp.noise.arithmetic import exp, exp_single, scalar
from synsamp.spiking.kernel.compiling import CHECKED, row_function, row_part
from synsamp.spiking.kernel.diffusion import at_least, is_multiplicative, read_effects
from synsamp.spiking.kernel.rows import ARRIVAL, SPIKE, ArrivalColumn, SpikeRow, arrays_of
from synsamp.spiking.kernel.simd import (
    LANE,
    array_at,
    doubles,
    load,
    narrow,
    numbers,
    part,
    store,
    widen,
)

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821

AT_ONCE = 64
"""Synapses that are copied together."""


class Synapse(NamedTuple):
    """Variables of one synapse that a plasticity may read.

    Parameters
    ----------
    theta : float
        Parameter θ.
    w : float
        Efficacy w = f(θ).
    slope : float
        Derivative dw/dθ.
    x : float
        Summed EPSP of the input (Eq. 29, postsynaptic potential).
    modulator : float
        The circuit's modulator, set by `Simulation.modulate`; default 1.
    """

    theta: float
    w: float
    slope: float
    x: float
    modulator: float


def spike_function(mapping: Mapping, change_of: Any, n_values: int, n_traces: int) -> int:
    """The address of a function for the row of a neuron that spikes."""
    together = _together_with(mapping, change_of, n_values, n_traces)
    return row_function(_spike, SPIKE, **_room(n_traces), together=together)


def arrival_function(mapping: Mapping, change_of: Any, n_values: int, n_traces: int) -> int:
    """The address of a function for the synapses of an axon on which a spike arrives."""
    together = _together_with(mapping, change_of, n_values, n_traces)
    return row_function(_arrival, ARRIVAL, **_room(n_traces), together=together)


def _room(n_traces: int) -> dict[str, Any]:
    return {
        "n_traces": n_traces,
        "room": doubles(AT_ONCE),
        "trace_room": doubles(AT_ONCE * max(n_traces, 1)),
    }


def _together_with(mapping: Mapping, change_of: Any, n_values: int, n_traces: int) -> Any:
    return row_part(
        _together,
        change_of=_for_vectors(change_of, n_values),
        n_values=n_values,
        n_traces=n_traces,
        values=numbers(n_values),
        multiplicative=is_multiplicative(mapping),
        weight_of=mapping.weight_of,
        slope_of=mapping.slope_of,
        mapping_numbers=numbers(len(mapping.parameters)),
    )


# -- the user's function --------------------


def _with_exp(module: ModuleType) -> ModuleType:
    """A module whose ``exp`` is a polynomial: Numba has no vectors of the usual one."""
    found = ModuleType(module.__name__)
    found.__dict__.update(module.__dict__)
    found.exp = arithmetic.exp  # type: ignore[attr-defined]
    return found


@functools.cache
def _for_vectors(function: Any, n_values: int) -> Any:
    """The function without exceptions, and with an ``exp`` that becomes vectors, if it can be."""
    if CHECKED:
        return njit(boundscheck=True)(function.py_func)
    given = function.py_func
    modules = {id(module): _with_exp(module) for module in (math, np)}
    named = {k: modules.get(id(v), v) for k, v in given.__globals__.items()}
    copy = FunctionType(
        given.__code__, named, given.__name__, given.__defaults__, given.__closure__
    )
    options = {"fastmath": {"contract"}, **function.targetoptions}
    options |= {"error_model": "numpy", "nogil": True, "forceinline": True, "_nrt": False}
    options.pop("nopython", None), options.pop("cache", None)
    compiled: Any = njit(**options)(copy)
    synapse = types.NamedTuple([types.float64] * len(Synapse._fields), Synapse)
    traces = types.Array(types.float64, 1, "C")
    try:
        compiled.compile((synapse, traces, types.UniTuple(types.float64, n_values)))
    except (NumbaError, RuntimeError, TypeError):  # e.g. it allocates memory
        return function
    return compiled


# -- the loops --------------------


@scalar
def _decay(traces: Any, constants: Any, first: int, elapsed: float) -> None:
    """Bring traces to the present; time constants follow the parameters in memory."""
    for j in range(traces.size):
        traces[j] *= exp(-elapsed * (1.0 / constants[first + j]))


def _together(
    count: int,
    theta: Any,
    w: Any,
    x: Any,
    modulator: float,
    traces: Any,
    elapsed: Any,
    speed: float,
    theta_min: float,
    plasticity: Any,
    mapping: Any,
) -> None:
    """θ, w and traces of some synapses after a spike."""
    p, given = mapping_numbers(mapping, 1, 0), values(plasticity, 1, 0)
    for i in range(count):
        exists = theta[i] > -np.inf
        old = theta[i] if exists else 0.0
        own = part(traces, i * n_traces, n_traces)
        if n_traces > 0:
            _decay(own, plasticity, n_values, elapsed[i])
        slope = w[i] if multiplicative else slope_of(old, p)
        synapse = Synapse(old, w[i], slope, x[i], modulator)
        new = at_least(old + speed * change_of(synapse, own, given), old, theta_min)
        if not multiplicative:
            w[i] = weight_of(new, p) if exists else 0.0
        theta[i] = new if exists else -np.inf
    if multiplicative:
        at_zero = np.float32(weight_of(0.0, p))
        for i in range(0, count, LANE):
            store(w, i, widen(at_zero * exp_single(narrow(load(theta, i)))))


def _spike(row: SpikeRow) -> int:
    n, now, depth = row.n, row.now, n_traces
    theta, weight, effect, fall, rise = arrays_of(row)
    traces, traced_s = array_at(row.traces, n * depth), array_at(row.traced_s, n * min(depth, 1))
    some, w, x, elapsed, own = room(), room(), room(), room(), trace_room()
    for start in range(0, n, AT_ONCE):
        count = min(AT_ONCE, n - start)
        for i in range(0, count, LANE):
            at = start + i
            store(some, i, load(theta, at))
            store(w, i, widen(load(weight, at)))
            falls, rises = row.fall_decay * load(fall, at), row.rise_decay * load(rise, at)
            store(x, i, widen(falls) - widen(rises))
            if depth > 0:
                since = load(traced_s, at)
                store(elapsed, i, now - since)
                store(traced_s, at, 0.0 * since + now)
        for i in range(0, count * depth, LANE):
            store(own, i, load(traces, start * depth + i))
        together(
            count, some, w, x, row.modulator, own, elapsed,
            row.speed, row.theta_min, row.plasticity, row.mapping,
        )  # fmt: skip
        for i in range(0, count, LANE):
            store(theta, start + i, load(some, i))
            store(weight, start + i, narrow(load(w, i)))
        for i in range(0, count * depth, LANE):
            store(traces, start * depth + i, load(own, i))
    row.sums[0], row.sums[1] = read_effects(weight, row.retracted, row.sign, fall, rise, effect)
    return 1


def _arrival(column: ArrivalColumn) -> None:
    stride, now, depth = column.stride, column.now, n_traces
    reach = (column.n - 1) * stride + 1
    theta, weight = array_at(column.theta, reach), array_at(column.weight, reach)
    traces = array_at(column.traces, reach * depth)
    traced_s = array_at(column.traced_s, reach * min(depth, 1))
    some, w, x, elapsed, own = room(), room(), room(), room(), trace_room()
    for start in range(0, column.n, AT_ONCE):
        count = min(AT_ONCE, column.n - start)
        for i in range(count):
            at = (start + i) * stride
            some[i], w[i], x[i] = theta[at], weight[at], column.x
            if depth > 0:
                elapsed[i] = now - traced_s[at]
                traced_s[at] = now
            for j in range(depth):
                own[i * depth + j] = traces[at * depth + j]
        together(
            count, some, w, x, column.modulator, own, elapsed,
            column.speed, column.theta_min, column.plasticity, column.mapping,
        )  # fmt: skip
        for i in range(count):
            at = (start + i) * stride
            theta[at], weight[at] = some[i], w[i]
            for j in range(depth):
                traces[at * depth + j] = own[i * depth + j]
