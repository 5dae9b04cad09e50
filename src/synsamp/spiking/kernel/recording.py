"""What the loop writes to the event buffer about synapses: θ of traced ones, births and deaths.

A synapse is functional while θ > 0. The buffer has one bit per synapse for that; after each update
of a row it is compared with θ. A birth or death is so noted at the very update at which θ crosses
0. Nothing of this changes the dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.kernel.compiling import once, separate
from synsamp.spiking.kernel.memory import EventBuffer, Synapses, Wiring
from synsamp.spiking.kernel.simd import LANE, load, nonzero


@once
def is_full(buffer: EventBuffer, updates: int) -> bool:
    """Whether the buffer may lack room for the next event, with so many updates of each trace."""
    return (
        buffer.written[0] >= buffer.spike_s.size
        or buffer.written[1] + updates * buffer.traced.size > buffer.trace_s.size
        or lacks_room_for_changes(buffer)
    )


@once
def lacks_room_for_changes(buffer: EventBuffer) -> bool:
    """Whether all synapses that an event can reach might not fit if they crossed θ = 0."""
    return buffer.written[3] + buffer.most_changes[0] > buffer.change_s.size


@once
def record_row(
    neuron: int, now: float, wiring: Wiring, synapses: Synapses, buffer: EventBuffer
) -> None:
    """Record θ of the neuron's traced synapses; and which of its synapses were born or died."""
    for i in range(buffer.first_traced[neuron], buffer.first_traced[neuron + 1]):
        at = buffer.written[1]
        buffer.trace_s[at] = now
        buffer.trace_which[at] = i
        buffer.trace_theta[at] = synapses.theta[buffer.traced[i]]
        buffer.written[1] = at + 1
    if buffer.functional.size > 0:
        note_row(neuron, now, wiring, synapses, buffer)


@separate
def note_row(
    neuron: int, now: float, wiring: Wiring, synapses: Synapses, buffer: EventBuffer
) -> None:
    """Compare θ > 0 of a neuron's plastic synapses with the bits."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        if wiring.plastic[p]:
            row = wiring.first_row[p] + k
            for i in range(wiring.row_start[row], wiring.row_start[row + 1], LANE):
                bits = nonzero(max(load(synapses.theta, i), 0.0))
                if bits != buffer.functional[i // LANE]:  # rare, hence well predicted
                    for synapse in range(i, i + LANE):
                        note_synapse(synapse, now, synapses.theta, buffer)


@separate
def note_synapse(synapse: int, now: float, theta: Any, buffer: EventBuffer) -> None:
    """Note a birth or death of one synapse, if it is one."""
    at, bit = synapse // LANE, np.uint16(1) << np.uint16(synapse % LANE)
    born = theta[synapse] > 0.0
    if born != ((buffer.functional[at] & bit) != 0):
        buffer.functional[at] ^= bit
        n = buffer.written[3]
        buffer.change_s[n] = now
        buffer.change_synapse[n] = synapse
        buffer.change_age_s[n] = np.nan if born else now - buffer.born_s[synapse]
        buffer.change_born[n] = born
        buffer.written[3] = n + 1
        buffer.born_s[synapse] = now if born else np.nan
