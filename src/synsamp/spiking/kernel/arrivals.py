"""Plasticity at a presynaptic spike: visit all synapses of one axon.

In a dense block they lie one row apart. In a sparse block they lie anywhere: the axon's column
says where, and they are copied side by side for the function of the plasticity, then back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp
from synsamp.spiking.kernel.compiling import inlined, once, separate, vector
from synsamp.spiking.kernel.learning import gather
from synsamp.spiking.kernel.memory import (
    BOUND,
    BOUND_S,
    Activity,
    EventBuffer,
    Numbers,
    Synapses,
    Wiring,
    Work,
)
from synsamp.spiking.kernel.potentials import epsp_decays
from synsamp.spiking.kernel.recording import note_synapse
from synsamp.spiking.kernel.rows import ArrivalColumn, call_arrival
from synsamp.spiking.kernel.simd import LANE, address, part
from synsamp.spiking.kernel.thinning import raise_limit, use_bound


@separate
def learn_at_arrival(
    axon: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    buffer: EventBuffer,
    work: Work,
) -> bool:
    """Apply on_pre to the axon's synapses; returns whether all limits must be recomputed.

    In a large network the limits of neurons whose potential has risen grow at once instead.
    """
    learnt = False
    for circuit in range(wiring.first_neuron.size - 1):
        for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
            j = axon - wiring.first_axon[p]
            if wiring.plastic[p] and wiring.on_pre[p] != 0 and 0 <= j < wiring.n_afferents[p]:
                if not wiring.sparse[p]:
                    learn_column(circuit, p, j, now, wiring, numbers, synapses, activity, buffer)
                    learnt = True
                elif has_cells(p, j, wiring):
                    learn_listed(
                        circuit, p, j, now, wiring, numbers, synapses, activity, buffer, work
                    )
                    learnt = True
    return learnt and activity.group_hz.size == 1


@once
def has_cells(p: int, j: int, wiring: Wiring) -> bool:
    """Whether an axon of a sparse block has synapses."""
    at = wiring.first_column[p] + j
    return wiring.column_start[at + 1] > wiring.column_start[at]


@separate
def learn_column(
    circuit: int,
    p: int,
    j: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    buffer: EventBuffer,
) -> None:
    """The synapses of afferent ``j`` of a block: θ and w, then ŵ in the column and the sums."""
    neuron = wiring.first_neuron[circuit]
    count = wiring.first_neuron[circuit + 1] - neuron
    first = wiring.first_synapse[p] + j
    row = wiring.first_row[p]
    n = wiring.row_start[row + 1] - wiring.row_start[row]
    axon = wiring.first_axon[p] + j
    traced = wiring.first_traced[p] + (j if wiring.n_traces[p] > 0 else 0)
    fall, rise = epsp_decays(wiring.kernel[p], now, wiring, activity)
    call_arrival(
        wiring.on_pre[p],
        ArrivalColumn(
            count,
            n,
            address(synapses.theta, first, (count - 1) * n + 1),
            address(synapses.weight, first, (count - 1) * n + 1),
            fall * activity.fall[axon] - rise * activity.rise[axon],
            numbers.speed[p],
            numbers.theta_min[p],
            address(numbers.plasticity, wiring.first_plasticity_number[p], 1),
            address(numbers.mapping, wiring.first_mapping_number[p], 1),
            now,
            activity.modulator[circuit],
            address(synapses.trace, wiring.first_trace[p] + j * wiring.n_traces[p], 0),
            address(synapses.traced_s, traced, 0),
        ),
    )
    cells = wiring.first_cell[p] + j * wiring.column_width[p]
    grown = 0.0
    for k in range(count):
        grown += take_effect(
            p, axon, cells + k, neuron + k, first + k * n, now, fall, rise,
            wiring, numbers, synapses, activity, buffer,
        )  # fmt: skip
    if grown != 0.0:
        use_bound(now, activity.clock[BOUND] + grown, activity)


@vector
def scatter(places: Any, values: Any, out: Any) -> None:
    """Inverse of `gather`. One array at a time, so that many cache misses overlap."""
    for i in range(np.uint64(places.size)):
        out[np.uint64(places[i])] = values[i]


@vector
def gather_traces(places: Any, depth: int, traces: Any, out: Any) -> None:
    """Traces of listed synapses, side by side."""
    n = np.uint64(depth)
    for i in range(np.uint64(places.size)):
        for t in range(n):
            out[i * n + t] = traces[np.uint64(places[i]) * n + t]


@vector
def scatter_traces(places: Any, depth: int, values: Any, traces: Any) -> None:
    """Inverse of `gather_traces`."""
    n = np.uint64(depth)
    for i in range(np.uint64(places.size)):
        for t in range(n):
            traces[np.uint64(places[i]) * n + t] = values[i * n + t]


@separate
def learn_listed(
    circuit: int,
    p: int,
    j: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    buffer: EventBuffer,
    work: Work,
) -> None:
    """The same for a sparse block."""
    at, axon = wiring.first_column[p] + j, wiring.first_axon[p] + j
    start, first = wiring.column_start[at], wiring.first_synapse[p]
    count, depth = wiring.column_start[at + 1] - start, wiring.n_traces[p]
    fall, rise = epsp_decays(wiring.kernel[p], now, wiring, activity)
    places, theta, weight = (
        part(wiring.cell_synapse, start, count),
        synapses.theta[first:],
        synapses.weight[first:],
    )
    traces = synapses.trace[wiring.first_trace[p] :]
    traced_s = synapses.traced_s[wiring.first_traced[p] :]
    gather(places, theta, work.column_theta)
    gather(places, weight, work.column_weight)
    if depth > 0:
        gather_traces(places, depth, traces, work.column_trace)
        gather(places, traced_s, work.column_traced_s)
    call_arrival(
        wiring.on_pre[p],
        ArrivalColumn(
            count,
            1,
            address(work.column_theta, 0, count),
            address(work.column_weight, 0, count),
            fall * activity.fall[axon] - rise * activity.rise[axon],
            numbers.speed[p],
            numbers.theta_min[p],
            address(numbers.plasticity, wiring.first_plasticity_number[p], 1),
            address(numbers.mapping, wiring.first_mapping_number[p], 1),
            now,
            activity.modulator[circuit],
            address(work.column_trace, 0, count * depth),
            address(work.column_traced_s, 0, count if depth > 0 else 0),
        ),
    )
    grown = 0.0
    scatter(places, work.column_theta, theta)
    scatter(places, work.column_weight, weight)
    if depth > 0:
        scatter_traces(places, depth, work.column_trace, traces)
        scatter(places, work.column_traced_s, traced_s)
    for i in range(count):
        place = np.int64(places[i])
        cell, neuron = wiring.first_cell[p] + start + i, np.int64(wiring.cell_neuron[start + i])
        grown += take_effect(
            p, axon, cell, neuron, first + place, now, fall, rise,
            wiring, numbers, synapses, activity, buffer,
        )  # fmt: skip
    if grown != 0.0:
        use_bound(now, activity.clock[BOUND] + grown, activity)


@inlined
def take_effect(
    p: int,
    axon: int,
    cell: int,
    neuron: int,
    synapse: int,
    now: float,
    fall: float,
    rise: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    buffer: EventBuffer,
) -> float:
    """ŵ of one synapse in its column, and what it changes; returns how the limit has grown."""
    if buffer.functional.size > 0:
        note_synapse(synapse, now, synapses.theta, buffer)
    size = synapses.weight[synapse] - numbers.retracted_weight[p]
    effect = wiring.sign[p] * size if size > np.float32(0.0) else np.float32(0.0)
    change = effect - synapses.column[cell]
    if change == np.float32(0.0):
        return 0.0
    sums = wiring.kernel[p] * (activity.sum_fall.size // wiring.epsp_fall_s.size) + neuron
    synapses.column[cell] = effect
    activity.sum_fall[sums] += change * activity.fall[axon]
    activity.sum_rise[sums] += change * activity.rise[axon]
    circuit = wiring.circuit_of[neuron]
    row = wiring.first_row[p] + neuron - wiring.first_neuron[circuit]
    list_one(row, synapse, wiring, synapses)
    if activity.group_hz.size == 1 or activity.clock[BOUND_S] < now:
        return 0.0  # all limits will be recomputed
    while_s = activity.clock[BOUND_S] - now
    falling, rising = fall * activity.fall[axon] * change, -rise * activity.rise[axon] * change
    by = max(falling, falling * exp(-while_s / wiring.epsp_fall_s[wiring.kernel[p]]))
    by += max(rising, rising * exp(-while_s / wiring.epsp_rise_s[wiring.kernel[p]]))
    return raise_limit(neuron, by, wiring, activity) if by > 0.0 else 0.0


@once
def list_one(row: int, synapse: int, wiring: Wiring, synapses: Synapses) -> None:
    """List a synapse of a row, whose cell is not 0."""
    start = wiring.row_start[row]
    at, bit = synapse // LANE, np.uint16(1) << np.uint16(synapse % LANE)
    if synapses.is_listed[at] & bit == 0:
        synapses.is_listed[at] |= bit
        synapses.listed[start + synapses.n_listed[row]] = synapse - start
        synapses.n_listed[row] += 1
