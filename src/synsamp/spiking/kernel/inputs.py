"""Input spikes of the gap between two events: Poisson in number, uniform in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp_single
from synsamp.spiking.kernel.compiling import once, separate, vector
from synsamp.spiking.kernel.memory import (
    INPUTS_UNTIL,
    REFERENCE,
    SILENCED,
    Activity,
    EventBuffer,
    InputSchedule,
    Wiring,
    Work,
)
from synsamp.spiking.kernel.potentials import (
    add_columns,
    add_sparse_columns,
    arrival,
    keep_reference_near,
)
from synsamp.spiking.kernel.queues import deliver_due, enqueue
from synsamp.spiking.kernel.random import (
    SPIKES_AT_ONCE,
    Words,
    alias_channel,
    poisson,
    take_words,
)
from synsamp.spiking.kernel.simd import LANE, load, narrow, part, store

READY, NO_ROOM, LOST, MORE = range(4)
"""Status of a gap's inputs: complete; buffer full; queue full; more to come."""
SPIKES_PER_STRETCH = 2**16
"""Largest expected number of spikes in one stretch."""
SPIKES_PER_CALL = 2**20
"""The loop returns to Python after so many, to be interrupted there."""


@vector
def spread_in_time(words: Any, start: float, stop: float, times: Any) -> None:
    """Spike times uniform in the stretch."""
    length = stop - start
    for s in range(times.size):
        times[s] = start + (np.float64(words[s]) + 0.5) * 2.0**-32 * length


@separate
def rise_and_fall(
    times: Any, n: int, reference: float, per_fall: float, per_rise: float, work: Work
) -> None:
    """What each of ``n`` spikes adds to the two traces of its axon (buffers are whole lanes)."""
    falls, rises = work.spike_fall, work.spike_rise
    for s in range(0, n, LANE):
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


@once
def draw_inputs(
    start: float,
    stop: float,
    now: float,
    group: int,
    rate: float,
    table: Any,
    wiring: Wiring,
    column: Any,
    activity: Activity,
    events: Words,
    channels_of: Words,
    buffer: EventBuffer,
    work: Work,
) -> Any:
    """Spikes of one group in a stretch of constant rates: Poisson in number, uniform in time.

    Returns how many, or −1 if a queue was full.
    """
    count = poisson(events, rate * (stop - start))
    left = count
    reference = activity.clock[REFERENCE]
    per_fall = 1.0 / wiring.epsp_fall_s[0]
    per_rise = 1.0 / wiring.epsp_rise_s[0]
    first = wiring.first_input[group]
    size = wiring.first_input[group + 1] - first
    room = True
    while left > 0:
        n = min(left, SPIKES_AT_ONCE)
        at = take_words(channels_of, 2 * n)
        words = channels_of.buffer
        times, falls, rises = part(work.spike_s, 0, n), work.spike_fall, work.spike_rise
        # One 64-bit draw per spike: half for its time, half for its channel.
        spread_in_time(part(words, at, n), start, stop, times)
        rise_and_fall(work.spike_s, n, reference, per_fall, per_rise, work)
        channels = part(work.spike_axon, 0, n)
        pick_channels(part(words, at + n, n), table, channels)
        spikes_on_axons(
            channels,
            falls,
            rises,
            part(activity.fall, first, size),
            part(activity.rise, first, size),
        )
        width = wiring.axon_width[first]
        if width > 0:
            cells_of(channels, wiring.axon_cell[first], width, work.spike_cell)
            sums = wiring.axon_first_sum[first]
            add_columns(work.spike_cell, n, falls, rises, sums, width, column, activity)
        if wiring.sparse_blocks.size > 0:
            for s in range(n):
                add_sparse_columns(
                    first + channels[s], falls[s], rises[s], wiring, column, activity
                )
        if wiring.delay_s.size > 0 and wiring.delayed_source[0, 0] < wiring.first_input[-1]:
            for s in range(n):
                source = first + channels[s]
                room &= to_delayed_axons(source, times[s], now, wiring, column, activity)
        if buffer.input_s.size > 0:
            room &= note_inputs(times, channels, first, buffer)
        left -= n
    return count if room else np.int64(-1)


@separate
def note_inputs(times: Any, channels: Any, first: int, buffer: EventBuffer) -> bool:
    """Record input spikes."""
    at = buffer.written[2]
    if at + times.size > buffer.input_s.size:
        return False
    for s in range(times.size):
        buffer.input_s[at + s] = times[s]
        buffer.input_source[at + s] = first + channels[s]
    buffer.written[2] = at + times.size
    return True


@separate
def to_delayed_axons(
    source: int, time: float, now: float, wiring: Wiring, column: Any, activity: Activity
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


@separate
def given_inputs(
    now: float,
    schedule: InputSchedule,
    wiring: Wiring,
    column: Any,
    activity: Activity,
    buffer: EventBuffer,
) -> Any:
    """Input spikes at given times, up to ``now``."""
    cursor, times = schedule.given_cursor, schedule.given_s
    while cursor[0] < times.size and times[cursor[0]] <= now:
        at = cursor[0]
        if schedule.given_input[at] == SILENCED:
            cursor[0] = at + 1
            continue
        if buffer.input_s.size > 0:
            if buffer.written[2] >= buffer.input_s.size:
                return NO_ROOM
            buffer.input_s[buffer.written[2]] = times[at]
            buffer.input_source[buffer.written[2]] = schedule.given_input[at]
            buffer.written[2] += 1
        arrival(schedule.given_input[at], times[at], wiring, column, activity)
        if not to_delayed_axons(schedule.given_input[at], times[at], now, wiring, column, activity):
            return LOST
        cursor[0] = at + 1
    return READY


@once
def inputs_until(
    now: float,
    schedule: InputSchedule,
    wiring: Wiring,
    column: Any,
    activity: Activity,
    events: Words,
    channels_of: Words,
    buffer: EventBuffer,
    work: Work,
) -> Any:
    """All input spikes since the last event, segment by segment; then what was delayed.

    May stop early (see `READY`); another call with the same ``now`` continues.
    """
    keep_reference_near(now, wiring, activity)
    spent: Any = 0
    for group in range(schedule.cursor.size):
        size = wiring.first_input[group + 1] - wiring.first_input[group]
        start = activity.drawn_until_s[group]
        while start < now:
            if 2 * buffer.written[2] > buffer.input_s.size:
                return NO_ROOM
            if spent > SPIKES_PER_CALL:
                return MORE
            segment = schedule.cursor[group]
            if segment >= schedule.ends_s.shape[1]:  # never, if the schedule covers ``now``
                return LOST
            end = schedule.ends_s[group, segment]
            rate = schedule.rate_hz[group, segment]
            stop = min(now, end)
            if (stop - start) * rate > SPIKES_PER_STRETCH:
                stop = min(stop, start + SPIKES_PER_STRETCH / rate)
            if stop > start and rate > 0.0:
                table = part(schedule.tables, schedule.table_at[group, segment], size)
                count = draw_inputs(
                    start, stop, now, group, rate, table,
                    wiring, column, activity, events, channels_of, buffer, work,
                )  # fmt: skip
                if count < 0:
                    return LOST
                spent += count
            spent += 1
            if end <= stop:
                schedule.cursor[group] = segment + 1
            start = stop
            activity.drawn_until_s[group] = stop
    if schedule.given_s.size > 0:
        found = given_inputs(now, schedule, wiring, column, activity, buffer)
        if found != READY:
            return found
    activity.clock[INPUTS_UNTIL] = now
    deliver_due(now, wiring, column, activity)
    return READY
