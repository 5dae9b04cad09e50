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
        n, axon = wiring.n_pre[p], wiring.first_axon[p]
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
            start = wiring.first_synapse[p] + k * n
            call_eligibility(
                wiring.eligibility_function[p],
                EligibilityRow(
                    synapses.n_listed[wiring.first_row[p] + k],
                    address(synapses.listed, start, n),
                    address(synapses.theta, start, n),
                    address(synapses.weight, start, n),
                    numbers.retracted_weight[p],
                    address(activity.fall, axon, n),
                    address(activity.rise, axon, n),
                    np.float32(fall_decay),
                    np.float32(rise_decay),
                    wiring.sign[p] * work.spiked[k],
                    wiring.sign[p] * work.expected[k],
                    address(work.passage, 0, work.passage.size),
                    address(numbers.mapping, wiring.first_mapping_number[p], 1),
                    address(
                        synapses.eligibility, wiring.first_eligibility[p] + DEPTH * k * n, DEPTH * n
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
