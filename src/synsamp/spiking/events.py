"""The event loop: an exact simulation in continuous time, without a time step.

Σ_k ρ_k = ρ_net whatever the potentials, so the spikes of a circuit are a homogeneous Poisson
process and circuits superpose. Between two spikes the inputs are Poisson with constant rates, traces
decay and synapses diffuse, all in closed form. So the loop goes from spike to spike:

    draw the input spikes of the gap; draw the circuit; draw the winner from softmax(u);
    let the winner's synapses learn; draw the time of the next spike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp.noise.arithmetic import exp, scalar
from synsamp.specialise import specialise
from synsamp.spiking.activity import (
    INPUTS_UNTIL,
    NEXT_EVENT,
    NOBODY,
    NOT_FINITE,
    REFERENCE,
    SPIKES,
    SWEEPS,
    Activity,
    arrival,
    deliver_due,
    draw_winner,
    enqueue,
    epsp_decays,
    keep_reference_near,
    spike_on_axon,
)
from synsamp.spiking.draws import (
    SPIKES_AT_ONCE,
    Streams,
    alias_channel,
    exponential,
    poisson,
    take_words,
    uniform,
)
from synsamp.spiking.layout import EPSP_FALL_S, EPSP_RISE_S, GRID_S, REFRESH_S, Layout
from synsamp.spiking.synapses import _VECTOR, Synapses, functions_by_kind

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821

DONE, INPUT_WANTED, TAPE_FULL, QUEUE_FULL, BROKEN = range(5)
"""Why the loop returned."""


class Schedule(NamedTuple):
    """Rates to come, per input group: segments with an end, a total rate and an alias table."""

    ends_s: NDArray[np.float64]  # [group, segment]
    rate_hz: NDArray[np.float64]
    table_at: NDArray[np.int64]  # where in ``tables``
    cursor: NDArray[np.int64]  # [group]
    tables: NDArray[np.uint64]


class Tape(NamedTuple):
    """Where the loop writes down what happened; emptied by the shell."""

    spike_s: NDArray[np.float64]
    spike_neuron: NDArray[np.int32]
    trace_s: NDArray[np.float64]
    trace_which: NDArray[np.int32]
    trace_theta: NDArray[np.float64]
    written: NDArray[np.int64]  # [spikes, traces]
    first_traced: NDArray[np.int64]  # [neuron + 1], into ``traced``
    traced: NDArray[np.int64]  # synapses


class Work(NamedTuple):
    """Working memory of the loop."""

    x: NDArray[np.float32]
    change: NDArray[np.float32]
    effect: NDArray[np.float32]
    spike_fall: NDArray[np.float32]
    spike_rise: NDArray[np.float32]
    spike_s: NDArray[np.float64]
    potentials: NDArray[np.float64]


# -- input spikes -------------------------------------------------------------------------------


@scalar
def draw_inputs(
    start: float,
    stop: float,
    now: float,
    group: int,
    rate: float,
    table: Any,
    wiring: Any,
    column: Any,
    activity: Activity,
    streams: Streams,
    work: Work,
) -> bool:
    """Spikes of one group in a stretch of constant rates: Poisson in number, uniform in time."""
    left = poisson(streams.events, rate * (stop - start))
    reference = activity.clock[REFERENCE]
    per_fall = 1.0 / wiring.constants[EPSP_FALL_S]
    per_rise = 1.0 / wiring.constants[EPSP_RISE_S]
    first = wiring.first_input[group]
    room = True
    while left > 0:
        n = min(left, SPIKES_AT_ONCE)
        at = take_words(streams.inputs, 2 * n)
        words = streams.inputs.buffer[at : at + 2 * n]
        times, falls, rises = work.spike_s[:n], work.spike_fall[:n], work.spike_rise[:n]
        # One 64-bit draw per spike: half for its time, half for its channel.
        for s in range(n):
            share = (np.float64(words[s]) + 0.5) * 2.0**-32
            times[s] = start + share * (stop - start)
            since = times[s] - reference
            falls[s] = exp(since * per_fall)
            rises[s] = exp(since * per_rise)
        for s in range(n):
            channel = first + alias_channel(words[n + s], table)
            spike_on_axon(channel, falls[s], rises[s], wiring, column, activity)
            if wiring.delay_s.size > 0:
                room &= to_delayed_axons(channel, times[s], now, wiring, column, activity)
        left -= n
    return room


@scalar
def to_delayed_axons(
    source: int, time: float, now: float, wiring: Any, column: Any, activity: Activity
) -> bool:
    """Send a spike of a source down all its axons that have a delay."""
    room = True
    for group in range(wiring.delay_s.size):
        low, high = wiring.delayed_source[group, 0], wiring.delayed_source[group, 1]
        if low <= source < high:
            axon = wiring.delayed_axon[group] + source - low
            arrives = time + wiring.delay_s[group]
            if arrives < now:
                arrival(axon, arrives, wiring, column, activity)
            else:
                room &= enqueue(group, axon, arrives, activity)
    return room


@scalar
def inputs_until(
    now: float,
    schedule: Schedule,
    wiring: Any,
    column: Any,
    activity: Activity,
    streams: Streams,
    work: Work,
) -> bool:
    """All input spikes since the last event, segment by segment; then what was delayed."""
    keep_reference_near(now, wiring, activity)
    since = activity.clock[INPUTS_UNTIL]
    room = True
    for group in range(schedule.cursor.size):
        size = wiring.first_input[group + 1] - wiring.first_input[group]
        start = since
        while start < now:
            segment = schedule.cursor[group]
            end = schedule.ends_s[group, segment]
            stop = min(now, end)
            rate = schedule.rate_hz[group, segment]
            if stop > start and rate > 0.0:
                table = schedule.tables[schedule.table_at[group, segment] :][:size]
                room &= draw_inputs(
                    start, stop, now, group, rate, table, wiring, column, activity, streams, work
                )
            if end <= now:
                schedule.cursor[group] = segment + 1
            start = stop
    activity.clock[INPUTS_UNTIL] = now
    deliver_due(now, wiring, column, activity)
    return room


# -- synapses of one neuron ------------------------------------------------------------------------


@njit(**_VECTOR)
def read_epsps(fall: Any, rise: Any, fall_decay: Any, rise_decay: Any, x: Any) -> None:
    """Summed EPSPs x_i(t) of the afferents."""
    for i in range(x.size):
        x[i] = fall_decay * fall[i] - rise_decay * rise[i]


@njit(**_VECTOR)
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


@scalar
def settle(neuron: int, wiring: Any, retracted: Any, synapses: Synapses, activity: Activity, work: Work) -> None:
    """After weights moved: put ŵ in the columns, take the neuron's potential sums anew."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    sum_fall = np.float32(0.0)
    sum_rise = np.float32(0.0)
    for p in range(wiring.first_projection[circuit], wiring.first_projection[circuit + 1]):
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
        sum_fall += fall
        sum_rise += rise
        cell, width = wiring.first_cell[p] + k, wiring.column_width[p]
        if wiring.shares_columns[p]:
            for i in range(n):
                if synapses.theta[start + i] > -np.inf:
                    synapses.column[cell + i * width] = effect[i]
        else:
            for i in range(n):
                synapses.column[cell + i * width] = effect[i]
    activity.sum_fall[neuron] = sum_fall
    activity.sum_rise[neuron] = sum_rise


def _refresh_neuron(
    neuron: int, now: float, wiring: Any, rules: Any, synapses: Synapses, noise: Any
) -> None:
    """Prior and noise since the neuron's last refresh, exact over any interval."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    elapsed = now - synapses.refreshed_s[neuron]
    for p in range(wiring.first_projection[circuit], wiring.first_projection[circuit + 1]):
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


def _learn(
    neuron: int,
    now: float,
    wiring: Any,
    rules: Any,
    synapses: Synapses,
    activity: Activity,
    noise: Any,
    work: Work,
) -> None:
    """The winner's synapses: refresh if due, then the likelihood term of this spike."""
    if now - synapses.refreshed_s[neuron] >= wiring.constants[REFRESH_S]:
        refresh_neuron(neuron, now, wiring, rules, synapses, noise)
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    fall_decay, rise_decay = epsp_decays(now, wiring, activity)
    for p in range(wiring.first_projection[circuit], wiring.first_projection[circuit + 1]):
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
            jump(
                wiring.kind[p],
                p,
                synapses.theta[start : start + n],
                synapses.weight[start : start + n],
                synapses.expected[start : start + n],
                work,
                rules,
            )


# -- the loop ------------------------------------------------------------------------------------


@scalar
def emit(neuron: int, now: float, wiring: Any, column: Any, activity: Activity, tape: Tape) -> bool:
    """A neuron spikes: its adaptation current grows, its axons carry the spike, the tape notes it."""
    circuit = wiring.circuit_of[neuron]
    activity.adaptation_fall[neuron] += 1.0
    activity.adaptation_rise[neuron] += 1.0
    room = True
    if wiring.delay_s.size > 0:
        source = wiring.first_input[-1] + neuron
        room = to_delayed_axons(source, now, now, wiring, column, activity)
    at = tape.written[0]
    tape.spike_s[at] = now
    tape.spike_neuron[at] = neuron
    tape.written[0] = at + 1
    activity.counters[SPIKES] += 1
    return room


@scalar
def trace(neuron: int, now: float, synapses: Synapses, tape: Tape) -> None:
    """Note θ of the neuron's traced synapses."""
    for i in range(tape.first_traced[neuron], tape.first_traced[neuron + 1]):
        at = tape.written[1]
        tape.trace_s[at] = now
        tape.trace_which[at] = i
        tape.trace_theta[at] = synapses.theta[tape.traced[i]]
        tape.written[1] = at + 1


def _run(
    until: float,
    covered: float,
    learning: bool,
    wiring: Any,
    rules: Any,
    retracted: Any,
    synapses: Synapses,
    activity: Activity,
    streams: Streams,
    schedule: Schedule,
    tape: Tape,
    work: Work,
) -> int:
    """Simulate to ``until`` (s); ``covered`` is how far the schedule reaches."""
    clock, column = activity.clock, synapses.column
    total_rate = wiring.rate_up_to[-1]
    while True:
        now = clock[NEXT_EVENT]
        grid = (activity.counters[SWEEPS] + 1) * wiring.constants[GRID_S]
        if tape.written[0] >= tape.spike_s.size:
            return TAPE_FULL
        if tape.written[1] + tape.traced.size > tape.trace_s.size:
            return TAPE_FULL

        if learning and grid <= min(now, until):
            # On a fixed grid every synapse is brought up to date, whether or not anyone looks.
            for neuron in range(activity.bias.size):
                refresh_neuron(neuron, grid, wiring, rules, synapses, streams.noise)
                settle(neuron, wiring, retracted, synapses, activity, work)
                trace(neuron, grid, synapses, tape)
            activity.counters[SWEEPS] += 1
            continue
        if now > until:
            return DONE
        if now > covered:
            return INPUT_WANTED

        room = inputs_until(now, schedule, wiring, column, activity, streams, work)

        share = uniform(streams.events) * total_rate
        circuit = 0
        while share >= wiring.rate_up_to[circuit] and circuit < wiring.rate_up_to.size - 1:
            circuit += 1
        neuron = draw_winner(circuit, now, wiring, activity, streams.events, work.potentials)
        if neuron == NOT_FINITE:
            return BROKEN
        if neuron != NOBODY:
            if learning:
                learn(neuron, now, wiring, rules, synapses, activity, streams.noise, work)
                settle(neuron, wiring, retracted, synapses, activity, work)
                trace(neuron, now, synapses, tape)
            room &= emit(neuron, now, wiring, column, activity, tape)

        clock[NEXT_EVENT] = now + exponential(streams.events, total_rate)
        if not room:
            return QUEUE_FULL


def _flush(
    now: float,
    wiring: Any,
    synapses: Synapses,
    activity: Activity,
    streams: Streams,
    schedule: Schedule,
    work: Work,
) -> bool:
    """Deliver the inputs up to ``now``, between two events: before rates or weights change."""
    return inputs_until(now, schedule, wiring, synapses.column, activity, streams, work)


def _settle_all(
    wiring: Any, retracted: Any, synapses: Synapses, activity: Activity, work: Work
) -> None:
    """Columns and potential sums anew for every neuron."""
    synapses.column[:] = 0.0
    for neuron in range(activity.bias.size):
        settle(neuron, wiring, retracted, synapses, activity, work)


class Kernel(NamedTuple):
    """The compiled parts for one set of kinds."""

    run: Any
    refresh_neuron: Any
    learn: Any
    flush: Any
    settle_all: Any


def kernel_for(layout: Layout, exact: bool) -> Kernel:
    """Bind the parts of this network's rules into the loop (compiled on first call)."""
    refresh, jump = functions_by_kind(layout.kinds, exact)
    refresh_neuron = specialise(_refresh_neuron, refresh=refresh)
    learn = specialise(_learn, jump=jump, refresh_neuron=refresh_neuron)
    run = specialise(_run, refresh_neuron=refresh_neuron, learn=learn)
    return Kernel(run, refresh_neuron, learn, specialise(_flush), specialise(_settle_all))
