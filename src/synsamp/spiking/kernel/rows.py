"""What the functions of one row of synapses receive: one named tuple each.

A *row* is all synapses of one neuron in a block, an *axon's column* one synapse of each neuron that
it reaches. The kernel calls these functions by their address (`synsamp.specialise.pointers`). A
named tuple of numbers and pointers is passed in registers and on the stack, as so many separate
arguments would be.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from numba import types

from synsamp.noise.arithmetic import scalar
from synsamp.specialise.pointers import caller_of
from synsamp.spiking.kernel.simd import array_at

Singles: TypeAlias = Any
Doubles: TypeAlias = Any
Indices: TypeAlias = Any
Single: TypeAlias = Any

_TYPES: dict[str, Any] = {
    "int": types.int64,
    "float": types.float64,
    "Single": types.float32,
    "Indices": types.CPointer(types.int32),
    "Doubles": types.CPointer(types.float64),
    "Singles": types.CPointer(types.float32),
}


def kernel_type(kind: type) -> Any:
    """The type of a named tuple in compiled code, from its annotations."""
    fields = [_TYPES[hint.__forward_arg__] for hint in kind.__annotations__.values()]
    return types.NamedTuple(fields, kind)


class ElapsedRow(NamedTuple):
    """A row over which prior and noise act for some time (`kernel.diffusion`)."""

    n: int  # synapses
    theta: Doubles
    normals: Singles  # standard normals, one per synapse
    elapsed_s: float
    speed: float  # b
    temperature: float  # T
    theta_min: float
    prior: Doubles  # parameter j of synapse i lies at [j * plane + i * step]
    plane: int
    step: int


class SpikeRow(NamedTuple):
    """A row whose neuron spikes (`synsamp.spiking.plasticity`)."""

    n: int
    theta: Doubles
    weight: Singles
    effect: Singles  # ŵ, to be written
    fall: Singles  # EPSP traces of the afferents, falling and rising part
    rise: Singles
    fall_decay: Single  # factors that bring them to the present
    rise_decay: Single
    speed: float
    theta_min: float
    retracted: Single  # w at θ = 0
    sign: Single  # of ŵ
    plasticity: Doubles  # its parameters
    mapping: Doubles  # its parameters
    sums: Singles  # Σ ŵ fall and Σ ŵ rise, to be written
    now: float  # s
    modulator: float
    traces: Doubles  # of the plasticity, [synapse, trace]
    traced_s: Doubles  # when they were brought up to date


class ArrivalColumn(NamedTuple):
    """The synapses of an axon on which a spike arrives (`synsamp.spiking.plasticity`)."""

    n: int  # neurons that the axon reaches
    stride: int  # synapses from one of them to the next
    theta: Doubles  # from the first one on, like all that follow
    weight: Singles
    x: float  # EPSP of the axon
    speed: float
    theta_min: float
    plasticity: Doubles
    mapping: Doubles
    now: float
    modulator: float
    traces: Doubles
    traced_s: Doubles


class EligibilityRow(NamedTuple):
    """A row of a circuit in which a neuron spikes (`kernel.eligibility`)."""

    n: int  # synapses that may be functional
    listed: Indices  # which
    theta: Doubles
    weight: Singles
    retracted: Single
    fall: Singles
    rise: Singles
    fall_decay: Single
    rise_decay: Single
    spiked: float  # spikes of the neuron now, with the sign of ŵ
    expected: float  # expected spikes, likewise
    passage: Doubles  # what `PASS` wrote
    mapping: Doubles
    eligibility: Doubles  # [synapse, 3]: e, g, φ


@scalar
def arrays_of(row: Any) -> Any:
    """θ, w, ŵ and both EPSP traces of a `SpikeRow` as arrays."""
    n = row.n
    return (
        array_at(row.theta, n),
        array_at(row.weight, n),
        array_at(row.effect, n),
        array_at(row.fall, n),
        array_at(row.rise, n),
    )


# -- signatures --------------------

_doubles, _singles = _TYPES["Doubles"], _TYPES["Singles"]

MOVE = types.void(kernel_type(ElapsedRow))
"""Prior and noise over an interval."""

WEIGH = types.int64(types.int64, _doubles, _singles, _doubles, types.float32)
"""w = f(θ): n, θ, w, parameters of the mapping, w at 0; returns whether a synapse crossed θ = 0."""

SPIKE = types.int64(kernel_type(SpikeRow))
"""A postsynaptic spike; returns whether a synapse crossed θ = 0."""

ARRIVAL = types.void(kernel_type(ArrivalColumn))
"""A presynaptic spike: θ and w of all synapses of the axon."""

PASS = types.void(types.float64, types.float64, types.float64, _doubles, _doubles)
"""Time passed (s), b, modulator, parameters of the plasticity; writes the transition matrix of
e, g and φ, which all synapses of a block share."""

ELIGIBILITY = types.void(kernel_type(EligibilityRow))
"""Eligibility of one row: time passes, then a spike of the circuit."""

GATHER = types.void(types.int64, _doubles, types.float64, _doubles, _doubles)
"""n, θ, theta_min, parameters of the plasticity, [synapse, 3] e, g, φ: φ is added to θ."""

call_move, call_weigh, call_spike, call_arrival, call_pass, call_eligibility, call_gather = (
    caller_of(kind) for kind in (MOVE, WEIGH, SPIKE, ARRIVAL, PASS, ELIGIBILITY, GATHER)
)
