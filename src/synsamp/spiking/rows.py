"""The synapses of one neuron: refreshed, taught by a spike, and put back into the potentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.activity import Activity, epsp_decays
from synsamp.spiking.compiling import inlined, vector
from synsamp.spiking.inputs import Work
from synsamp.spiking.layout import REFRESH_S
from synsamp.spiking.synapses import Synapses

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


@vector
def read_epsps(fall: Any, rise: Any, fall_decay: Any, rise_decay: Any, x: Any) -> None:
    """Summed EPSPs x_i(t) of the afferents."""
    for i in range(x.size):
        x[i] = fall_decay * fall[i] - rise_decay * rise[i]


@vector
def read_effects(weight: Any, retracted: Any, fall: Any, rise: Any, effect: Any) -> Any:
    """ŵ = max(0, w − e^−θ0), and the neuron's two sums Σ ŵ fall, Σ ŵ rise."""
    sum_fall = np.float32(0.0)
    sum_rise = np.float32(0.0)
    for i in range(weight.size):
        e = weight[i] - retracted
        e = np.float32(0.0) if e < np.float32(0.0) else e  # so written, NaN is passed on
        effect[i] = e
        sum_fall += e * fall[i]
        sum_rise += e * rise[i]
    return sum_fall, sum_rise


@vector
def clear_cells(listed: Any, cells: Any, width: int) -> None:
    """Take one neuron out of the columns of its listed afferents."""
    for i in range(np.uint64(listed.size)):
        cells[np.uint64(listed[i]) * np.uint64(width)] = np.float32(0.0)


@vector
def list_functional(effect: Any, listed: Any) -> Any:
    """List the afferents with ŵ > 0; returns how many."""
    count = np.uint64(0)
    for i in range(np.uint64(effect.size)):
        listed[count] = np.int32(i)  # overwritten by the next one if this one does not count
        count += np.uint64(effect[i] > np.float32(0.0))
    return np.int64(count)


@vector
def set_cells(listed: Any, effect: Any, cells: Any, width: int) -> None:
    """Put one neuron's efficacies into the columns of its listed afferents."""
    for i in range(np.uint64(listed.size)):
        afferent = np.uint64(listed[i])
        cells[afferent * np.uint64(width)] = effect[afferent]


@inlined
def settle(
    neuron: int,
    relist: bool,
    wiring: Any,
    retracted: Any,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """After weights moved: put ŵ in the columns, take the neuron's potential sums anew.

    Only functional synapses have cells to be set; ``relist`` if others may be functional now.
    """
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    sum_fall = np.float32(0.0)
    sum_rise = np.float32(0.0)
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        n, axon = wiring.n_pre[p], wiring.first_axon[p]
        start, row = wiring.first_synapse[p] + k * n, wiring.first_row[p] + k
        effect = work.effect[:n]
        fall, rise = read_effects(
            synapses.weight[start : start + n],
            retracted[p],
            activity.fall[axon : axon + n],
            activity.rise[axon : axon + n],
            effect,
        )
        sum_fall += fall
        sum_rise += rise
        width = wiring.column_width[p]
        cells = synapses.column[wiring.first_cell[p] + k :]
        listed = synapses.listed[start : start + n]
        if relist:
            clear_cells(listed[: synapses.n_listed[row]], cells, width)
            synapses.n_listed[row] = list_functional(effect, listed)
        set_cells(listed[: synapses.n_listed[row]], effect, cells, width)
    activity.sum_fall[neuron] = sum_fall
    activity.sum_rise[neuron] = sum_rise


def refresh_neuron_template(
    neuron: int, now: float, wiring: Any, rules: Any, synapses: Synapses, noise: Any
) -> None:
    """Prior and noise since the neuron's last refresh, exact over any interval."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    elapsed = now - synapses.refreshed_s[neuron]
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        if wiring.plastic[p]:
            start = wiring.first_synapse[p] + k * wiring.n_pre[p]
            stop = start + wiring.n_pre[p]
            refresh(
                wiring.kind[p],
                p,
                elapsed,
                synapses.theta[start:stop],
                synapses.weight[start:stop],
                synapses.expected[start:stop],
                noise,
                wiring,
                rules,
            )
    synapses.refreshed_s[neuron] = now


def learn_template(
    neuron: int,
    now: float,
    wiring: Any,
    rules: Any,
    synapses: Synapses,
    activity: Activity,
    noise: Any,
    work: Work,
) -> bool:
    """The winner's synapses: refresh if due, then the likelihood term of this spike.

    Returns whether a synapse may have become functional or ceased to be.
    """
    relist = now - synapses.refreshed_s[neuron] >= wiring.constants[REFRESH_S]
    if relist:
        refresh_neuron(neuron, now, wiring, rules, synapses, noise)
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    fall_decay, rise_decay = epsp_decays(now, wiring, activity)
    for p in range(wiring.first_block[circuit], wiring.first_block[circuit + 1]):
        if wiring.plastic[p]:
            n, axon = wiring.n_pre[p], wiring.first_axon[p]
            start = wiring.first_synapse[p] + k * n
            read_epsps(
                activity.fall[axon : axon + n],
                activity.rise[axon : axon + n],
                np.float32(fall_decay),
                np.float32(rise_decay),
                work.x[:n],
            )
            relist |= jump(
                wiring.kind[p],
                p,
                synapses.theta[start : start + n],
                synapses.weight[start : start + n],
                synapses.expected[start : start + n],
                work,
                rules,
            )
    return relist
