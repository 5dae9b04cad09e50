"""The synapses of one neuron: refreshed, taught by a spike, and put back into the potentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.activity import Activity, epsp_decays
from synsamp.spiking.compiling import in_lanes, inlined, vector
from synsamp.spiking.inputs import Work
from synsamp.spiking.lanes import LANE, load, positive
from synsamp.spiking.layout import REFRESH_S
from synsamp.spiking.synapses import Synapses, read_effects

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


@in_lanes
def list_more(effect: Any, is_listed: Any, listed: Any, count: int) -> int:
    """Add the afferents that became functional to the list; returns its length.

    Those that ceased to be stay on it, with ŵ = 0, until it is cleared up.
    """
    for i in range(0, effect.size, LANE):
        known = is_listed[i // LANE]
        new = positive(load(effect, i)) & ~known
        if new != 0:  # rare, hence well predicted
            is_listed[i // LANE] = known | new
            for k in range(LANE):
                if (new >> k) & 1:
                    listed[count] = i + k
                    count += 1
    return count


@in_lanes
def clear_up(effect: Any, is_listed: Any, listed: Any, count: int) -> int:
    """Take those without effect off the list; returns its length."""
    for i in range(0, effect.size, LANE):
        is_listed[i // LANE] = positive(load(effect, i))
    kept = 0
    for i in range(count):
        listed[kept] = listed[i]  # overwritten by the next one if this one does not count
        kept += effect[listed[i]] > np.float32(0.0)
    return kept


@vector
def set_cells(listed: Any, effect: Any, cells: Any, width: int) -> None:
    """Put one neuron's efficacies into the columns of its listed afferents."""
    for i in range(np.uint64(listed.size)):
        afferent = np.uint64(listed[i])
        cells[afferent * np.uint64(width)] = effect[afferent]


@inlined
def place(p: int, k: int, more: bool, clear: bool, effect: Any, wiring: Any, synapses: Any) -> None:
    """Put the efficacies of neuron ``k`` of a block into the columns.

    Only listed synapses have cells to be set; ``more`` if others may be functional now.
    """
    n, width = wiring.n_pre[p], wiring.column_width[p]
    start, row = wiring.first_synapse[p] + k * n, wiring.first_row[p] + k
    listed = synapses.listed[start : start + n]
    is_listed = synapses.is_listed[start // LANE : (start + n) // LANE]
    if more:
        synapses.n_listed[row] = list_more(effect, is_listed, listed, synapses.n_listed[row])
    cells = synapses.column[wiring.first_cell[p] + k :]
    set_cells(listed[: synapses.n_listed[row]], effect, cells, width)
    if clear:
        synapses.n_listed[row] = clear_up(effect, is_listed, listed, synapses.n_listed[row])


@inlined
def settle(
    neuron: int,
    wiring: Any,
    retracted: Any,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """After weights moved: put ŵ in the columns, take the neuron's potential sums anew."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    sum_fall = np.float32(0.0)
    sum_rise = np.float32(0.0)
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        n, axon = wiring.n_pre[p], wiring.first_axon[p]
        start = wiring.first_synapse[p] + k * n
        effect = work.effect[:n]
        fall, rise = read_effects(
            synapses.weight[start : start + n],
            retracted[p],
            activity.fall[axon : axon + n],
            activity.rise[axon : axon + n],
            effect,
        )
        place(p, k, True, True, effect, wiring, synapses)
        sum_fall += fall
        sum_rise += rise
    activity.sum_fall[neuron] = sum_fall
    activity.sum_rise[neuron] = sum_rise


def refresh_neuron_template(
    neuron: int,
    now: float,
    wiring: Any,
    rules: Any,
    synapses: Synapses,
    noise: Any,
) -> bool:
    """Prior and noise since the neuron's last refresh, exact over any interval."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    elapsed = now - synapses.refreshed_s[neuron]
    crossed = False
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        if wiring.plastic[p]:
            n = wiring.n_pre[p]
            start = wiring.first_synapse[p] + k * n
            crossed |= refresh(
                wiring.kind[p],
                p,
                elapsed,
                synapses.theta[start : start + n],
                synapses.weight[start : start + n],
                noise,
                wiring,
                rules,
            )
    synapses.refreshed_s[neuron] = now
    return crossed


def learn_template(
    neuron: int,
    now: float,
    wiring: Any,
    rules: Any,
    retracted: Any,
    synapses: Synapses,
    activity: Activity,
    noise: Any,
    work: Work,
) -> None:
    """The winner's synapses: refresh if due, then the likelihood term of this spike."""
    more = False
    if now - synapses.refreshed_s[neuron] >= wiring.constants[REFRESH_S]:
        more = refresh_neuron(neuron, now, wiring, rules, synapses, noise)
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    fall_decay, rise_decay = epsp_decays(now, wiring, activity)
    sum_fall = np.float32(0.0)
    sum_rise = np.float32(0.0)
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        n, axon = wiring.n_pre[p], wiring.first_axon[p]
        start = wiring.first_synapse[p] + k * n
        weight, effect = synapses.weight[start : start + n], work.effect[:n]
        fall, rise = activity.fall[axon : axon + n], activity.rise[axon : axon + n]
        if wiring.plastic[p]:
            crossed, from_fall, from_rise = jump(
                wiring.kind[p],
                p,
                synapses.theta[start : start + n],
                weight,
                work.change[:n],
                effect,
                (fall, rise, np.float32(fall_decay), np.float32(rise_decay)),
                rules,
            )
            place(p, k, more or crossed, False, effect, wiring, synapses)
        else:
            from_fall, from_rise = read_effects(weight, retracted[p], fall, rise, effect)
        sum_fall += from_fall
        sum_rise += from_rise
    activity.sum_fall[neuron] = sum_fall
    activity.sum_rise[neuron] = sum_rise
