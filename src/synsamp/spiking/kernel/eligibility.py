"""Eligibility traces: a spike of a circuit changes the synapses of all its neurons.

Learning from reward needs three numbers per functional synapse: the eligibility trace e, the
gradient estimate g, and φ, the change of θ due to g since the last refresh. Between spikes they
follow a linear equation, which `PASS` solves once for all synapses of a block. At a spike of the
circuit e jumps by actual minus expected spikes (`ELIGIBILITY`). At a refresh φ is added to θ
(`GATHER`), and e, g, φ of retracted synapses are set to 0. See `synsamp.spiking.plasticity.reward`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.kernel.compiling import separate
from synsamp.spiking.kernel.memory import Activity, Numbers, Synapses, Wiring, Work
from synsamp.spiking.kernel.potentials import epsp_decays, total_of
from synsamp.spiking.kernel.rows import EligibilityRow, call_eligibility, call_pass
from synsamp.spiking.kernel.simd import address, part

DEPTH = 3
"""Numbers of a synapse: e, g, φ."""
PASSAGE = 6
"""Entries of their transition matrix, which is triangular."""


@separate
def note_spike(circuit: int, winner: int, wiring: Wiring, work: Work) -> None:
    """1[k wins] and p_k for each neuron of a circuit whose rates are in the working memory."""
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    total = total_of(part(work.potentials, 0, size))
    for k in range(size):
        work.spiked[k] = 0.0
        work.expected[k] = work.potentials[k] / total
    work.spiked[winner - first] = 1.0


@separate
def traces_of_listed(
    p: int,
    start: int,
    n: int,
    count: int,
    wiring: Wiring,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> tuple[Any, Any]:
    """EPSP traces of a row's afferents; of a sparse row only those of its listed synapses."""
    if wiring.sparse[p]:
        link = wiring.first_link[p] + start - wiring.first_synapse[p]
        for i in range(count):
            j = synapses.listed[start + i]
            axon = wiring.synapse_axon[link + j]
            work.row_fall[j], work.row_rise[j] = activity.fall[axon], activity.rise[axon]
        return part(work.row_fall, 0, n), part(work.row_rise, 0, n)
    axon = wiring.first_axon[p]
    return part(activity.fall, axon, n), part(activity.rise, axon, n)


@separate
def eligibility_neurons(
    circuit: int,
    low: int,
    high: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """Update eligibility of neurons ``low`` to ``high`` of a circuit; add the jump at ``now``."""
    first = wiring.first_neuron[circuit]
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        if wiring.eligibility_function[p] == 0:
            continue
        fall_decay, rise_decay = epsp_decays(wiring.kernel[p], now, wiring, activity)
        passed = -1.0
        for k in range(low, high):
            elapsed = now - synapses.eligibility_updated_s[first + k]
            if elapsed != passed:  # the same for most of them
                call_pass(
                    wiring.pass_function[p],
                    (
                        elapsed,
                        numbers.speed[p],
                        activity.modulator[circuit],
                        address(numbers.plasticity, wiring.first_plasticity_number[p], 1),
                        address(work.passage, 0, work.passage.size),
                    ),
                )
                passed = elapsed
            row = wiring.first_row[p] + k
            start, n = wiring.row_start[row], wiring.row_start[row + 1] - wiring.row_start[row]
            before, count = start - wiring.first_synapse[p], synapses.n_listed[row]
            fall, rise = traces_of_listed(p, start, n, count, wiring, synapses, activity, work)
            call_eligibility(
                wiring.eligibility_function[p],
                EligibilityRow(
                    count,
                    address(synapses.listed, start, n),
                    address(synapses.theta, start, n),
                    address(synapses.weight, start, n),
                    numbers.retracted_weight[p],
                    address(fall, 0, n),
                    address(rise, 0, n),
                    np.float32(fall_decay),
                    np.float32(rise_decay),
                    wiring.sign[p] * work.spiked[k],
                    wiring.sign[p] * work.expected[k],
                    address(work.passage, 0, work.passage.size),
                    address(numbers.mapping, wiring.first_mapping_number[p], 1),
                    address(
                        synapses.eligibility,
                        wiring.first_eligibility[p] + DEPTH * before,
                        DEPTH * n,
                    ),
                ),
            )
    for k in range(low, high):
        synapses.eligibility_updated_s[first + k] = now


@separate
def bring_eligibility(
    circuit: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """Update the eligibility of a circuit to ``now``, without a spike."""
    size = wiring.first_neuron[circuit + 1] - wiring.first_neuron[circuit]
    for k in range(size):
        work.spiked[k] = 0.0
        work.expected[k] = 0.0
    eligibility_neurons(circuit, 0, size, now, wiring, numbers, synapses, activity, work)


@separate
def bring_all_eligibility(
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """Update the eligibility of every circuit to ``now``."""
    for circuit in range(wiring.assigns_eligibility.size):
        if wiring.assigns_eligibility[circuit]:
            bring_eligibility(circuit, now, wiring, numbers, synapses, activity, work)


@separate
def forget(weight: Any, retracted: Any, eligibility: Any) -> None:
    """Set the eligibility of retracted synapses to 0."""
    for i in range(weight.size):
        if not weight[i] > retracted:
            for j in range(DEPTH):
                eligibility[DEPTH * i + j] = 0.0
