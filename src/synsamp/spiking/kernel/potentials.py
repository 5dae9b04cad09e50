"""Traces and potentials: sums of exponentials that decay exactly over any gap.

An EPSP is a difference of two exponentials, so a sum of EPSPs is the difference of two numbers that
only decay. Instead of decaying all of them all the time, a spike at t adds exp((t − reference)/τ)
and a reader multiplies by exp(−(now − reference)/τ): nobody is touched between spikes. Once the
reference is ``HORIZON_S`` old, everything is decayed to the present and the reference moves up.

A neuron's potential is kept the same way, as two sums over its afferents: an input spike adds its
column of efficacies, and a neuron whose weights moved has its two sums taken anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp, exp_single
from synsamp.spiking.kernel.compiling import inlined, once, separate, vector
from synsamp.spiking.kernel.memory import (
    EPSP_FALL_S,
    EPSP_RISE_S,
    HORIZON_S,
    REFERENCE,
    Activity,
    Wiring,
)
from synsamp.spiking.kernel.random import Words, uniform
from synsamp.spiking.kernel.simd import LANE, load, narrow, part, prefetch, store, widen

NOBODY, NOT_FINITE = -1, -2
STRETCH = 32
"""Neurons passed over at once in the search for the winner."""
_TINY = np.float32(1e-20)  # below this a trace is dropped: denormal numbers are slow


@vector
def _decay(values: Any, factor: Any) -> None:
    for i in range(values.size):
        decayed = values[i] * factor
        values[i] = decayed if decayed > _TINY else np.float32(0.0)


@once
def keep_reference_near(now: float, wiring: Wiring, activity: Activity) -> None:
    """Decay everything to ``now`` if the reference has become too old."""
    clock, constants = activity.clock, wiring.constants
    age = now - clock[REFERENCE]
    if age > constants[HORIZON_S]:
        fall = np.float32(exp(-age / constants[EPSP_FALL_S]))
        rise = np.float32(exp(-age / constants[EPSP_RISE_S]))
        _decay(activity.fall, fall)
        _decay(activity.rise, rise)
        _decay(activity.sum_fall, fall)
        _decay(activity.sum_rise, rise)
        clock[REFERENCE] = now


@once
def add_columns(
    cells: Any,
    n: int,
    falls: Any,
    rises: Any,
    neuron: int,
    width: int,
    column: Any,
    activity: Activity,
) -> None:
    """Potentials of all whom ``n`` spikes reach, from ``neuron`` on: Σ ŵ fall and Σ ŵ rise grow.

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
            fall = load(sums_fall, neuron + start)
            rise = load(sums_rise, neuron + start)
            effects = load(column, c0 + start)
            fall, rise = fall + effects * f0, rise + effects * r0
            effects = load(column, c1 + start)
            fall, rise = fall + effects * f1, rise + effects * r1
            effects = load(column, c2 + start)
            fall, rise = fall + effects * f2, rise + effects * r2
            effects = load(column, c3 + start)
            fall, rise = fall + effects * f3, rise + effects * r3
            store(sums_fall, neuron + start, fall)
            store(sums_rise, neuron + start, rise)
    for s in range(whole, n):
        add_column(cells[s], falls[s], rises[s], neuron, width, column, activity)


@inlined
def add_column(
    cell: int,
    fall: np.float32,
    rise: np.float32,
    neuron: int,
    width: int,
    column: Any,
    activity: Activity,
) -> None:
    """The same for one spike."""
    for start in range(0, width, LANE):
        effects = load(column, cell + start)
        sum_fall = load(activity.sum_fall, neuron + start)
        sum_rise = load(activity.sum_rise, neuron + start)
        store(activity.sum_fall, neuron + start, sum_fall + effects * fall)
        store(activity.sum_rise, neuron + start, sum_rise + effects * rise)


@separate
def arrival(axon: int, time: float, wiring: Wiring, column: Any, activity: Activity) -> None:
    """One spike arrives on an axon at ``time``, not later than the event in hand."""
    since = time - activity.clock[REFERENCE]
    fall = np.float32(exp(since / wiring.constants[EPSP_FALL_S]))
    rise = np.float32(exp(since / wiring.constants[EPSP_RISE_S]))
    activity.fall[axon] += fall
    activity.rise[axon] += rise
    cell, neuron = wiring.axon_cell[axon], wiring.axon_first_neuron[axon]
    add_column(cell, fall, rise, neuron, wiring.axon_width[axon], column, activity)


@separate
def enqueue(group: int, axon: int, time: float, activity: Activity) -> bool:
    """Put a spike in the ring of its group, sorted by arrival; False if the ring is full."""
    times, axons = activity.queue_s[group], activity.queue_axon[group]
    count = activity.queue_count[group]
    if count == times.size:
        return False
    place = (activity.queue_head[group] + count) % times.size
    for _ in range(count):  # network spikes come in order; input spikes of one gap may not
        before = (place - 1) % times.size
        if times[before] <= time:
            break
        times[place], axons[place] = times[before], axons[before]
        place = before
    times[place], axons[place] = time, axon
    activity.queue_count[group] = count + 1
    return True


@separate
def deliver_due(now: float, wiring: Wiring, column: Any, activity: Activity) -> None:
    """Let all waiting spikes arrive whose time has come."""
    for group in range(wiring.delay_s.size):
        times, axons = activity.queue_s[group], activity.queue_axon[group]
        while activity.queue_count[group] > 0 and times[activity.queue_head[group]] <= now:
            head = activity.queue_head[group]
            arrival(axons[head], times[head], wiring, column, activity)
            activity.queue_head[group] = (head + 1) % times.size
            activity.queue_count[group] -= 1


@once
def epsp_decays(now: float, wiring: Wiring, activity: Activity) -> tuple[float, float]:
    """What a reader multiplies (fall, rise) by at ``now``."""
    age = now - activity.clock[REFERENCE]
    constants = wiring.constants
    return exp(-age / constants[EPSP_FALL_S]), exp(-age / constants[EPSP_RISE_S])


@vector
def scale(values: Any, factor: float) -> None:
    """Multiply all values by one factor."""
    for i in range(values.size):
        values[i] *= factor


@once
def decay_adaptation(circuit: int, now: float, wiring: Wiring, activity: Activity) -> None:
    """Bring the adaptation currents of one circuit to the present."""
    age = now - activity.adapted_s[circuit]
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    fall = exp(-age / wiring.adaptation_fall_s[circuit])
    rise = exp(-age / wiring.adaptation_rise_s[circuit])
    scale(part(activity.adaptation_fall, first, size), fall)
    scale(part(activity.adaptation_rise, first, size), rise)
    activity.adapted_s[circuit] = now


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


@once
def potentials(circuit: int, now: float, wiring: Wiring, activity: Activity, out: Any) -> None:
    """u_k = Σ ŵ x + β (Eq. membrane-potential) for one circuit."""
    decay_adaptation(circuit, now, wiring, activity)
    fall, rise = epsp_decays(now, wiring, activity)
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
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


@vector
def largest_of(values: Any) -> float:
    """The largest value; NaN if any is (four running maxima, so that they need not wait)."""
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
def draw_winner(
    circuit: int, now: float, wiring: Wiring, activity: Activity, words: Words, work: Any
) -> int:
    """The neuron that spikes, from softmax(u): ρ_k/ρ_net = exp(u_k)/Σ exp(u_l)."""
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    rates = part(work, 0, size)
    potentials(circuit, now, wiring, activity, rates)
    largest = largest_of(rates)
    share = uniform(words)
    if largest == -np.inf:
        return NOBODY  # every neuron of the circuit was removed
    if not np.isfinite(largest):
        return NOT_FINITE
    padded = -(-size // LANE) * LANE
    for i in range(size, padded):
        work[i] = -np.inf
    exponentials(part(work, 0, padded), largest)
    # Pass over whole stretches first: a sum is quick, one by one is not.
    left = share * total_of(rates)
    start = 0
    while start + STRETCH < rates.size:
        stretch = total_of(part(rates, start, STRETCH))
        if left < stretch:
            break
        left -= stretch
        start += STRETCH
    for i in range(start, rates.size):
        left -= rates[i]
        if left < 0.0:
            return first + i
    last = rates.size - 1
    while rates[last] == 0.0:  # rounding must not hand the spike to a neuron of rate zero
        last -= 1
    return first + last
