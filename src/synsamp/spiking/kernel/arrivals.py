"""Plasticity at a presynaptic spike: visit all synapses of one axon."""

from __future__ import annotations

import numpy as np

from synsamp.spiking.kernel.compiling import once, separate
from synsamp.spiking.kernel.memory import Activity, Numbers, Synapses, Wiring
from synsamp.spiking.kernel.potentials import epsp_decays
from synsamp.spiking.kernel.rows import ArrivalColumn, call_arrival
from synsamp.spiking.kernel.simd import LANE, address


@separate
def learn_at_arrival(
    axon: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
) -> bool:
    """Apply on_pre to the axon's synapses; returns whether any have such a function."""
    any_learnt = False
    for circuit in range(wiring.first_neuron.size - 1):
        for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
            j = axon - wiring.first_axon[p]
            if wiring.plastic[p] and wiring.on_pre[p] != 0 and 0 <= j < wiring.n_afferents[p]:
                any_learnt = True
                learn_column(circuit, p, j, now, wiring, numbers, synapses, activity)
    return any_learnt


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
) -> None:
    """The synapses of afferent ``j`` of a block: θ and w, then ŵ in the column and the sums."""
    neuron, n = wiring.first_neuron[circuit], wiring.n_pre[p]
    count = wiring.first_neuron[circuit + 1] - neuron
    axon, first = wiring.first_axon[p] + j, wiring.first_synapse[p] + j
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
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    sums = wiring.kernel[p] * plane + neuron
    cells = wiring.first_cell[p] + j * wiring.column_width[p]
    for k in range(count):
        size = synapses.weight[first + k * n] - numbers.retracted_weight[p]
        effect = wiring.sign[p] * size if size > np.float32(0.0) else np.float32(0.0)
        change = effect - synapses.column[cells + k]
        if change != np.float32(0.0):
            synapses.column[cells + k] = effect
            activity.sum_fall[sums + k] += change * activity.fall[axon]
            activity.sum_rise[sums + k] += change * activity.rise[axon]
            list_one(p, k, j, wiring, synapses)


@once
def list_one(p: int, k: int, j: int, wiring: Wiring, synapses: Synapses) -> None:
    """List synapse ``j`` of neuron ``k``, whose cell is not 0."""
    start, row = wiring.first_synapse[p] + k * wiring.n_pre[p], wiring.first_row[p] + k
    at, bit = (start + j) // LANE, np.uint16(1) << np.uint16(j % LANE)
    if synapses.is_listed[at] & bit == 0:
        synapses.is_listed[at] |= bit
        synapses.listed[start + synapses.n_listed[row]] = j
        synapses.n_listed[row] += 1
