"""Traces and potentials: sums of exponentials that decay exactly over any gap.

An EPSP is a difference of two exponentials, so a sum of EPSPs is the difference of two numbers that
only decay. Instead of decaying all of them all the time, a spike at t adds exp((t − reference)/τ)
and reading multiplies by exp(−(now − reference)/τ), so nothing changes between spikes. Once the
reference is ``HORIZON_S`` old, everything is decayed to the present and the reference moves up.

A neuron's potential is kept the same way, as two sums over its afferents: an input spike adds its
column of efficacies, and a neuron whose weights changed has its two sums recomputed. Where
projections have different EPSPs there are two sums per kernel, one plane of neurons after another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp, exp_single
from synsamp.spiking.kernel.compiling import inlined, once, separate, vector
from synsamp.spiking.kernel.memory import HORIZON_S, REFERENCE, Activity, Wiring
from synsamp.spiking.kernel.random import Words, uniform
from synsamp.spiking.kernel.simd import LANE, load, narrow, part, prefetch, store, widen

NO_NEURON, NOT_FINITE = -1, -2
STRETCH = 32
"""Neurons passed over at once in the search for the winner."""
_TINY = np.float32(1e-20)  # below this a trace is dropped: denormal numbers are slow


@vector
def _decay(values: Any, factor: Any) -> None:
    for i in range(values.size):
        decayed = values[i] * factor
        values[i] = decayed if np.abs(decayed) > _TINY else np.float32(0.0)


@once
def keep_reference_near(now: float, wiring: Wiring, activity: Activity) -> None:
    """Decay everything to ``now`` if the reference has become too old."""
    clock = activity.clock
    age = now - clock[REFERENCE]
    if age > wiring.constants[HORIZON_S]:
        decay_all(age, wiring, activity)
        clock[REFERENCE] = now


@separate
def decay_all(age: float, wiring: Wiring, activity: Activity) -> None:
    """Traces and sums of all EPSPs, after ``age``."""
    n_kernels = wiring.epsp_fall_s.size
    plane = activity.sum_fall.size // n_kernels
    for kernel in range(n_kernels):
        fall = np.float32(exp(-age / wiring.epsp_fall_s[kernel]))
        rise = np.float32(exp(-age / wiring.epsp_rise_s[kernel]))
        for i in range(wiring.stretch_kernel.size):
            if wiring.stretch_kernel[i] == kernel:
                first, size = wiring.stretch_first[i], wiring.stretch_size[i]
                _decay(part(activity.fall, first, size), fall)
                _decay(part(activity.rise, first, size), rise)
        _decay(part(activity.sum_fall, kernel * plane, plane), fall)
        _decay(part(activity.sum_rise, kernel * plane, plane), rise)


@once
def add_columns(
    cells: Any,
    n: int,
    falls: Any,
    rises: Any,
    first: int,
    width: int,
    column: Any,
    activity: Activity,
) -> None:
    """Potentials of all targets of ``n`` spikes, from sum ``first`` on: Σ ŵ fall, Σ ŵ rise grow.

    Four columns are walked at a time, so that the sums are loaded and stored a quarter as often;
    meanwhile the next four are fetched (``cells`` lies in a buffer with four entries to spare).
    """
    sums_fall, sums_rise = activity.sum_fall, activity.sum_rise
    whole = n - n % 4
    for s in range(0, whole, 4):
        c0, c1, c2, c3 = cells[s], cells[s + 1], cells[s + 2], cells[s + 3]
        f0, f1, f2, f3 = falls[s], falls[s + 1], falls[s + 2], falls[s + 3]
        r0, r1, r2, r3 = rises[s], rises[s + 1], rises[s + 2], rises[s + 3]
        for start in range(0, width, LANE):
            for ahead in range(4):
                prefetch(column, cells[s + 4 + ahead] + start)
            fall = load(sums_fall, first + start)
            rise = load(sums_rise, first + start)
            effects = load(column, c0 + start)
            fall, rise = fall + effects * f0, rise + effects * r0
            effects = load(column, c1 + start)
            fall, rise = fall + effects * f1, rise + effects * r1
            effects = load(column, c2 + start)
            fall, rise = fall + effects * f2, rise + effects * r2
            effects = load(column, c3 + start)
            fall, rise = fall + effects * f3, rise + effects * r3
            store(sums_fall, first + start, fall)
            store(sums_rise, first + start, rise)
    for s in range(whole, n):
        add_column(cells[s], falls[s], rises[s], first, width, column, activity)


@inlined
def add_column(
    cell: int,
    fall: np.float32,
    rise: np.float32,
    first: int,
    width: int,
    column: Any,
    activity: Activity,
) -> None:
    """The same for one spike."""
    for start in range(0, width, LANE):
        effects = load(column, cell + start)
        sum_fall = load(activity.sum_fall, first + start)
        sum_rise = load(activity.sum_rise, first + start)
        store(activity.sum_fall, first + start, sum_fall + effects * fall)
        store(activity.sum_rise, first + start, sum_rise + effects * rise)


@separate
def add_sparse_columns(
    axon: int, fall: np.float32, rise: np.float32, wiring: Wiring, column: Any, activity: Activity
) -> None:
    """The same for the targets that sparse blocks list."""
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    for i in range(wiring.sparse_blocks.size):
        p = wiring.sparse_blocks[i]
        j = axon - wiring.first_axon[p]
        if 0 <= j < wiring.n_afferents[p]:
            at, sums = wiring.first_column[p] + j, wiring.kernel[p] * plane
            for cell in range(wiring.column_start[at], wiring.column_start[at + 1]):
                effect = column[wiring.first_cell[p] + cell]
                if effect != np.float32(0.0):
                    neuron = sums + wiring.cell_neuron[cell]
                    activity.sum_fall[neuron] += effect * fall
                    activity.sum_rise[neuron] += effect * rise


@separate
def arrival(axon: int, time: float, wiring: Wiring, column: Any, activity: Activity) -> None:
    """One spike arrives on an axon at ``time``, not later than the current event."""
    since = time - activity.clock[REFERENCE]
    kernel = wiring.axon_kernel[axon]
    fall = np.float32(exp(since / wiring.epsp_fall_s[kernel]))
    rise = np.float32(exp(since / wiring.epsp_rise_s[kernel]))
    activity.fall[axon] += fall
    activity.rise[axon] += rise
    cell, first = wiring.axon_cell[axon], wiring.axon_first_sum[axon]
    add_column(cell, fall, rise, first, wiring.axon_width[axon], column, activity)
    add_sparse_columns(axon, fall, rise, wiring, column, activity)


@once
def epsp_decays(kernel: int, now: float, wiring: Wiring, activity: Activity) -> tuple[float, float]:
    """Factors of (fall, rise) at ``now``."""
    age = now - activity.clock[REFERENCE]
    return exp(-age / wiring.epsp_fall_s[kernel]), exp(-age / wiring.epsp_rise_s[kernel])


@vector
def scale(values: Any, factor: float) -> None:
    """Multiply all values by one factor."""
    for i in range(values.size):
        values[i] *= factor


@once
def decay_adaptation(circuit: int, now: float, wiring: Wiring, activity: Activity) -> None:
    """Bring the adaptation currents and the bias of one circuit to the present."""
    age = now - activity.adapted_s[circuit]
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    fall = exp(-age / wiring.adaptation_fall_s[circuit])
    rise = exp(-age / wiring.adaptation_rise_s[circuit])
    scale(part(activity.adaptation_fall, first, size), fall)
    scale(part(activity.adaptation_rise, first, size), rise)
    if wiring.bias_per_s[circuit] > 0.0:
        bias = part(activity.bias, first, size)
        for i in range(size):
            bias[i] += age * wiring.bias_per_s[circuit]
    activity.adapted_s[circuit] = now


@separate
def bring_adaptation(
    circuit: int, first: int, size: int, now: float, wiring: Wiring, activity: Activity
) -> None:
    """Bring adaptation and bias of some neurons to the present: of all their circuit's, if small.

    In a large network the work must not grow with the circuit, so neurons are kept one by one.
    """
    if not wiring.one_by_one[circuit]:
        decay_adaptation(circuit, now, wiring, activity)
        return
    strength, per_s = wiring.adaptation_strength[circuit], wiring.bias_per_s[circuit]
    if strength == 0.0 and per_s == 0.0:
        return
    for neuron in range(first, first + size):
        age = now - activity.neuron_adapted_s[neuron]
        if strength != 0.0:
            activity.adaptation_fall[neuron] *= exp(-age / wiring.adaptation_fall_s[circuit])
            activity.adaptation_rise[neuron] *= exp(-age / wiring.adaptation_rise_s[circuit])
        activity.bias[neuron] += age * per_s
        activity.neuron_adapted_s[neuron] = now


@vector
def add_up_potentials(
    fall: float,
    rise: float,
    strength: float,
    sum_fall: Any,
    sum_rise: Any,
    adaptation_fall: Any,
    adaptation_rise: Any,
    bias: Any,
    out: Any,
) -> None:
    """Σ ŵ x + β of some neurons, from their sums."""
    for i in range(out.size):
        beta = strength * (adaptation_fall[i] - adaptation_rise[i])
        out[i] = fall * sum_fall[i] - rise * sum_rise[i] + beta + bias[i]


@separate
def add_other_kernels(first: int, now: float, wiring: Wiring, activity: Activity, out: Any) -> None:
    """What the afferents with other EPSPs add to the neurons from ``first`` on."""
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    for kernel in range(1, wiring.epsp_fall_s.size):
        fall, rise = epsp_decays(kernel, now, wiring, activity)
        at = kernel * plane + first
        for i in range(out.size):
            out[i] += fall * activity.sum_fall[at + i] - rise * activity.sum_rise[at + i]


@once
def potentials(circuit: int, now: float, wiring: Wiring, activity: Activity, out: Any) -> None:
    """u_k = Σ ŵ x + β (Eq. 28, membrane potential) for one circuit."""
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    bring_adaptation(circuit, first, size, now, wiring, activity)
    fall, rise = epsp_decays(0, now, wiring, activity)
    add_up_potentials(
        fall,
        rise,
        wiring.adaptation_strength[circuit],
        part(activity.sum_fall, first, size),
        part(activity.sum_rise, first, size),
        part(activity.adaptation_fall, first, size),
        part(activity.adaptation_rise, first, size),
        part(activity.bias, first, size),
        part(out, 0, size),
    )
    if wiring.epsp_fall_s.size > 1:
        add_other_kernels(first, now, wiring, activity, part(out, 0, size))


@vector
def largest_of(values: Any) -> float:
    """The largest value; NaN if any is (four independent running maxima are faster)."""
    a, b, c, d = -np.inf, -np.inf, -np.inf, -np.inf
    bad = 0.0
    whole = values.size - values.size % 4
    for i in range(0, whole, 4):
        a, b = max(a, values[i]), max(b, values[i + 1])
        c, d = max(c, values[i + 2]), max(d, values[i + 3])
    for i in range(whole, values.size):
        a = max(a, values[i])
    for i in range(values.size):
        bad += 1.0 if values[i] != values[i] else 0.0
    return np.nan if bad > 0.0 else max(max(a, b), max(c, d))


@separate
def exponentials(values: Any, largest: float) -> None:
    """exp(u − largest u), in place."""
    for i in range(0, values.size, LANE):
        store(values, i, widen(exp_single(narrow(load(values, i) - largest))))


@vector
def total_of(values: Any) -> float:
    """The sum."""
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


@once
def rates(circuit: int, now: float, wiring: Wiring, activity: Activity, work: Any) -> float:
    """exp(u − largest u) of a circuit's neurons, to which their rates are proportional.

    Returns the largest u: where it is not finite, ``work`` holds the potentials themselves.
    """
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    potentials(circuit, now, wiring, activity, part(work, 0, size))
    largest = largest_of(part(work, 0, size))
    if np.isfinite(largest):
        padded = -(-size // LANE) * LANE
        for i in range(size, padded):
            work[i] = -np.inf
        exponentials(part(work, 0, padded), largest)
    return largest


@once
def draw_winner(
    circuit: int, now: float, wiring: Wiring, activity: Activity, words: Words, work: Any
) -> int:
    """The neuron that spikes, from softmax(u): ρ_k/ρ_net = exp(u_k)/Σ exp(u_l)."""
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    largest = rates(circuit, now, wiring, activity, work)
    share = uniform(words)
    if largest == -np.inf:
        return NO_NEURON  # every neuron of the circuit was removed
    if not np.isfinite(largest):
        return NOT_FINITE
    rho = part(work, 0, size)
    # Skip whole stretches first: their sums are faster than single steps.
    left = share * total_of(rho)
    start = 0
    while start + STRETCH < rho.size:
        stretch = total_of(part(rho, start, STRETCH))
        if left < stretch:
            break
        left -= stretch
        start += STRETCH
    for i in range(start, rho.size):
        left -= rho[i]
        if left < 0.0:
            return first + i
    last = rho.size - 1
    while rho[last] == 0.0:  # rounding must not select a neuron of rate zero
        last -= 1
    return first + last
