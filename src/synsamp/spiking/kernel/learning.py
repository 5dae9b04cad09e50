"""Update the synapses of one neuron: refresh, learning at a spike, potentials.

`kernel.diffusion` and `plasticity/` define how prior, mapping and plasticity change a row. Here
rows are located in memory and passed to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.kernel.compiling import once, separate, vector
from synsamp.spiking.kernel.diffusion import read_effects
from synsamp.spiking.kernel.eligibility import DEPTH, forget
from synsamp.spiking.kernel.memory import REFRESH_S, Activity, Numbers, Synapses, Wiring, Work
from synsamp.spiking.kernel.potentials import epsp_decays
from synsamp.spiking.kernel.random import Normals, take_normals
from synsamp.spiking.kernel.rows import (
    ElapsedRow,
    SpikeRow,
    call_gather,
    call_move,
    call_spike,
    call_weigh,
)
from synsamp.spiking.kernel.simd import LANE, address, load, nonzero, part


@vector
def gather(axons: Any, traces: Any, out: Any) -> None:
    """Traces of listed axons, side by side."""
    for i in range(np.uint64(axons.size)):
        out[i] = traces[np.uint64(axons[i])]


@separate
def traces_of_afferents(
    p: int, start: int, n: int, wiring: Wiring, activity: Activity, work: Work
) -> tuple[Any, Any]:
    """Falling and rising EPSP traces of the ``n`` synapses from ``start`` on: one row of a block.

    The afferents of a dense row are neighbours. Those of a sparse row are gathered first, so that
    the functions of a row see no difference.
    """
    if wiring.sparse[p]:
        axons = part(wiring.synapse_axon, wiring.first_link[p] + start - wiring.first_synapse[p], n)
        fall, rise = part(work.row_fall, 0, n), part(work.row_rise, 0, n)
        gather(axons, activity.fall, fall)
        gather(axons, activity.rise, rise)
        return fall, rise
    axon = wiring.first_axon[p]
    return part(activity.fall, axon, n), part(activity.rise, axon, n)


@separate
def list_more(effect: Any, is_listed: Any, listed: Any, count: int) -> int:
    """Add the afferents that became functional to the list; returns its length.

    Afferents that became retracted stay listed, with ŵ = 0, until the list is cleared.
    """
    for i in range(0, effect.size, LANE):
        known = is_listed[i // LANE]
        new = nonzero(load(effect, i)) & ~known
        if new != 0:  # rare, hence well predicted
            is_listed[i // LANE] = known | new
            for k in range(LANE):
                if (new >> k) & 1:
                    listed[count] = i + k
                    count += 1
    return count


@separate
def clear_up(effect: Any, is_listed: Any, listed: Any, count: int) -> int:
    """Take those without effect off the list; returns its length."""
    for i in range(0, effect.size, LANE):
        is_listed[i // LANE] = nonzero(load(effect, i))
    kept = 0
    for i in range(count):
        listed[kept] = listed[i]  # overwritten by the next one if this one does not count
        kept += effect[listed[i]] != np.float32(0.0)
    return kept


@vector
def set_cells(listed: Any, effect: Any, cells: Any, width: int) -> None:
    """Write one neuron's efficacies to the columns of its listed afferents."""
    for i in range(np.uint64(listed.size)):
        afferent = np.uint64(listed[i])
        cells[afferent * np.uint64(width)] = effect[afferent]


@vector
def set_linked_cells(listed: Any, effect: Any, links: Any, cells: Any) -> None:
    """The same for a sparse row, whose cells lie anywhere."""
    for i in range(np.uint64(listed.size)):
        afferent = np.uint64(listed[i])
        cells[np.uint64(links[afferent])] = effect[afferent]


@separate
def write_columns(
    p: int, k: int, more: bool, clear: bool, effect: Any, wiring: Wiring, synapses: Synapses
) -> None:
    """Write the efficacies of neuron ``k`` of a block to the columns.

    Only listed synapses have cells to be set; ``more`` if others may be functional now.
    """
    row = wiring.first_row[p] + k
    start, n = wiring.row_start[row], wiring.row_start[row + 1] - wiring.row_start[row]
    listed = part(synapses.listed, start, n)
    is_listed = part(synapses.is_listed, start // LANE, n // LANE)
    if more:
        synapses.n_listed[row] = list_more(effect, is_listed, listed, synapses.n_listed[row])
    set_now = part(listed, 0, synapses.n_listed[row])
    if wiring.sparse[p]:
        link = wiring.first_link[p] + start - wiring.first_synapse[p]
        cells = synapses.column[wiring.first_cell[p] :]
        set_linked_cells(set_now, effect, part(wiring.synapse_cell, link, n), cells)
    else:
        cells = synapses.column[wiring.first_cell[p] + k :]
        set_cells(set_now, effect, cells, wiring.column_width[p])
    if clear:
        synapses.n_listed[row] = clear_up(effect, is_listed, listed, synapses.n_listed[row])


@once
def clear_sums(neuron: int, wiring: Wiring, activity: Activity) -> None:
    """Set Σ ŵ fall and Σ ŵ rise of a neuron to 0, for every EPSP kernel."""
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    for at in range(neuron, activity.sum_fall.size, plane):
        activity.sum_fall[at] = np.float32(0.0)
        activity.sum_rise[at] = np.float32(0.0)


@once
def add_to_sums(
    neuron: int, kernel: int, fall: Any, rise: Any, wiring: Wiring, activity: Activity
) -> None:
    """Add the contribution of one block's afferents."""
    at = kernel * (activity.sum_fall.size // wiring.epsp_fall_s.size) + neuron
    activity.sum_fall[at] += fall
    activity.sum_rise[at] += rise


@separate
def recompute_potentials(
    neuron: int,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """After weights changed: write ŵ to the columns, recompute the neuron's potential sums."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    clear_sums(neuron, wiring, activity)
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        row = wiring.first_row[p] + k
        start, n = wiring.row_start[row], wiring.row_start[row + 1] - wiring.row_start[row]
        effect = part(work.effect, 0, n)
        falls, rises = traces_of_afferents(p, start, n, wiring, activity, work)
        fall, rise = read_effects(
            part(synapses.weight, start, n),
            numbers.retracted_weight[p],
            wiring.sign[p],
            falls,
            rises,
            effect,
        )
        always = n >= 0  # computed: for a constant Numba would compile the function once more
        write_columns(p, k, always, always, effect, wiring, synapses)
        add_to_sums(neuron, wiring.kernel[p], fall, rise, wiring, activity)


@separate
def refresh_row(
    p: int,
    k: int,
    elapsed: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    noise: Normals,
) -> bool:
    """Prior and noise over ``elapsed`` for neuron ``k`` of a block; then w from θ.

    Returns whether a synapse may have become functional or ceased to be.
    """
    row = wiring.first_row[p] + k
    start, n = wiring.row_start[row], wiring.row_start[row + 1] - wiring.row_start[row]
    b, T = numbers.speed[p], numbers.temperature[p]
    for piece in range(wiring.first_piece[row], wiring.first_piece[row + 1]):
        size = wiring.piece_size[piece]
        steps: Any = 1
        if not wiring.piece_exact[piece]:
            steps = max(1, int(np.ceil(b * elapsed / numbers.max_euler_step[p])))
        for _ in range(steps):
            at = take_normals(noise, -(-size // LANE) * LANE)
            call_move(
                wiring.piece_move[piece],
                ElapsedRow(
                    size,
                    address(synapses.theta, start + wiring.piece_start[piece], size),
                    address(noise.buffer, at, size),
                    elapsed / steps,
                    b,
                    T,
                    numbers.theta_min[p],
                    address(numbers.prior, wiring.piece_number[piece], 1),
                    wiring.piece_plane[piece],
                    wiring.piece_step[piece],
                ),
            )
    eligibility = wiring.first_eligibility[p] + DEPTH * (start - wiring.first_synapse[p])
    if wiring.gather_function[p] != 0:
        call_gather(
            wiring.gather_function[p],
            (
                n,
                address(synapses.theta, start, n),
                numbers.theta_min[p],
                address(numbers.plasticity, wiring.first_plasticity_number[p], 1),
                address(synapses.eligibility, eligibility, DEPTH * n),
            ),
        )
    crossed = call_weigh(
        wiring.weigh[p],
        (
            n,
            address(synapses.theta, start, n),
            address(synapses.weight, start, n),
            address(numbers.mapping, wiring.first_mapping_number[p], 1),
            numbers.retracted_weight[p],
        ),
    )
    if wiring.gather_function[p] != 0:
        row_eligibility = part(synapses.eligibility, eligibility, DEPTH * n)
        forget(part(synapses.weight, start, n), numbers.retracted_weight[p], row_eligibility)
    return crossed != 0


@separate
def refresh_neuron(
    neuron: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    noise: Normals,
) -> bool:
    """Prior and noise since the neuron's last refresh, exact over any interval.

    Eligibility, if any is assigned, must have been brought to ``now``.
    """
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    elapsed = now - synapses.refreshed_s[neuron]
    if elapsed <= 0.0:
        return False
    crossed = False
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        if wiring.plastic[p]:
            crossed |= refresh_row(p, k, elapsed, wiring, numbers, synapses, noise)
    synapses.refreshed_s[neuron] = now
    return crossed


@once
def learn(
    neuron: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    work: Work,
) -> None:
    """The synapses of a neuron that spikes: refresh if due, then apply the plasticity."""
    more = False
    if now - synapses.refreshed_s[neuron] >= wiring.constants[REFRESH_S]:
        more = refresh_neuron(neuron, now, wiring, numbers, synapses, noise)
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    kernel, fall_decay, rise_decay = -1, 1.0, 1.0
    clear_sums(neuron, wiring, activity)
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        row = wiring.first_row[p] + k
        start, n = wiring.row_start[row], wiring.row_start[row + 1] - wiring.row_start[row]
        fall, rise = traces_of_afferents(p, start, n, wiring, activity, work)
        effect, sums = part(work.effect, 0, n), work.sums
        if wiring.kernel[p] != kernel:
            kernel = wiring.kernel[p]
            fall_decay, rise_decay = epsp_decays(kernel, now, wiring, activity)
        if wiring.plastic[p]:
            before = start - wiring.first_synapse[p]
            traces = wiring.first_trace[p] + before * wiring.n_traces[p]
            traced = wiring.first_traced[p] + (before if wiring.n_traces[p] > 0 else 0)
            crossed = call_spike(
                wiring.on_post[p],
                SpikeRow(
                    n,
                    address(synapses.theta, start, n),
                    address(synapses.weight, start, n),
                    address(work.effect, 0, n),
                    address(fall, 0, n),
                    address(rise, 0, n),
                    np.float32(fall_decay),
                    np.float32(rise_decay),
                    numbers.speed[p],
                    numbers.theta_min[p],
                    numbers.retracted_weight[p],
                    wiring.sign[p],
                    address(numbers.plasticity, wiring.first_plasticity_number[p], 1),
                    address(numbers.mapping, wiring.first_mapping_number[p], 1),
                    address(sums, 0, 2),
                    now,
                    activity.modulator[circuit],
                    address(synapses.trace, traces, 0),
                    address(synapses.traced_s, traced, 0),
                ),
            )
            write_columns(p, k, more or crossed != 0, n < 0, effect, wiring, synapses)
        else:
            sums[0], sums[1] = read_effects(
                part(synapses.weight, start, n),
                numbers.retracted_weight[p],
                wiring.sign[p],
                fall,
                rise,
                effect,
            )
        add_to_sums(neuron, kernel, sums[0], sums[1], wiring, activity)
