"""Input spikes of the gap between two events: Poisson in number, uniform in time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.noise.arithmetic import exp_single
from synsamp.spiking.activity import (
    INPUTS_UNTIL,
    REFERENCE,
    Activity,
    add_columns,
    arrival,
    deliver_due,
    enqueue,
    keep_reference_near,
)
from synsamp.spiking.compiling import in_lanes, inlined, vector
from synsamp.spiking.draws import SPIKES_AT_ONCE, Streams, alias_channel, poisson, take_words
from synsamp.spiking.lanes import LANE, load, narrow, store
from synsamp.spiking.layout import EPSP_FALL_S, EPSP_RISE_S


class Schedule(NamedTuple):
    """Rates to come, per input group: segments with an end, a total rate and an alias table."""

    ends_s: NDArray[np.float64]  # [group, segment]
    rate_hz: NDArray[np.float64]
    table_at: NDArray[np.int64]  # where in ``tables``
    cursor: NDArray[np.int64]  # [group]
    tables: NDArray[np.uint64]


class Work(NamedTuple):
    """Working memory of the loop."""

    change: NDArray[np.float32]
    effect: NDArray[np.float32]
    spike_fall: NDArray[np.float32]
    spike_rise: NDArray[np.float32]
    spike_s: NDArray[np.float64]
    spike_axon: NDArray[np.int64]
    spike_cell: NDArray[np.int64]
    potentials: NDArray[np.float64]


@vector
def spread_in_time(words: Any, start: float, stop: float, times: Any) -> None:
    """Spike times uniform in the stretch."""
    length = stop - start
    for s in range(times.size):
        times[s] = start + (np.float64(words[s]) + 0.5) * 2.0**-32 * length


@in_lanes
def rise_and_fall(
    times: Any, reference: float, per_fall: float, per_rise: float, falls: Any, rises: Any
) -> None:
    """What each spike adds to the two traces of its axon (the buffers are whole lanes)."""
    for s in range(0, times.size, LANE):
        age = load(times, s) - reference
        store(falls, s, exp_single(narrow(age * per_fall)))
        store(rises, s, exp_single(narrow(age * per_rise)))


@vector
def pick_channels(words: Any, table: Any, channels: Any) -> None:
    """A channel for each spike."""
    for s in range(np.uint64(channels.size)):
        channels[s] = alias_channel(words[s], table)


@vector
def spikes_on_axons(channels: Any, falls: Any, rises: Any, fall: Any, rise: Any) -> None:
    """EPSPs start: the traces of the axons grow."""
    for s in range(np.uint64(channels.size)):
        axon = np.uint64(channels[s])
        fall[axon] += falls[s]
        rise[axon] += rises[s]


@vector
def cells_of(channels: Any, first: int, width: int, cells: Any) -> None:
    """Where the columns of the spiking axons start."""
    for s in range(np.uint64(channels.size)):
        cells[s] = first + channels[s] * width


@inlined
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
        spread_in_time(words[:n], start, stop, times)
        rise_and_fall(times, reference, per_fall, per_rise, falls, rises)
        channels, cells = work.spike_axon[:n], work.spike_cell[:n]
        pick_channels(words[n:], table, channels)
        spikes_on_axons(channels, falls, rises, activity.fall[first:], activity.rise[first:])
        width = wiring.axon_width[first]
        if width > 0:
            cells_of(channels, wiring.axon_cell[first], width, cells)
            neuron = wiring.axon_first_neuron[first]
            add_columns(cells, falls, rises, neuron, width, column, activity)
        if wiring.delay_s.size > 0 and wiring.delayed_source[0, 0] < wiring.first_input[-1]:
            for s in range(n):
                source = first + channels[s]
                room &= to_delayed_axons(source, times[s], now, wiring, column, activity)
        left -= n
    return room


@inlined
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


@inlined
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
