"""The event loop for stochastic neurons and on_pre functions: one event at a time, in order.

The loop of `kernel.loop` draws all input spikes between two spikes of winner-take-all circuits
together, since their order does not matter. The order matters for a plasticity that acts when a
spike arrives, and for stochastic neurons, whose rate ρ_0 exp(u) follows the potential at any time
(`kernel.thinning`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.kernel.arrivals import learn_at_arrival
from synsamp.spiking.kernel.compiling import kernel, once, separate
from synsamp.spiking.kernel.inputs import to_delayed_axons
from synsamp.spiking.kernel.learning import learn
from synsamp.spiking.kernel.loop import (
    BROKEN,
    DONE,
    EVENTS_PER_CALL,
    INPUT_WANTED,
    PAUSED,
    QUEUE_FULL,
    SWEEPS_PER_CALL,
    TAPE_FULL,
    emit,
    learn_alone,
    learn_together,
    update_all,
)
from synsamp.spiking.kernel.memory import (
    BOUND,
    BOUND_S,
    CANDIDATE,
    INPUT_DUE,
    INPUTS_UNTIL,
    NEXT_EVENT,
    NEXT_INPUT,
    SILENCED,
    SWEEPS,
    SYNC_INTERVAL_S,
    Activity,
    EventBuffer,
    InputSchedule,
    Numbers,
    Synapses,
    Wiring,
    Work,
)
from synsamp.spiking.kernel.potentials import (
    NO_NEURON,
    NOT_FINITE,
    arrival,
    draw_winner,
    keep_reference_near,
)
from synsamp.spiking.kernel.queues import earliest_delayed, take_delayed
from synsamp.spiking.kernel.random import (
    Normals,
    Words,
    alias_channel,
    exponential,
    take_words,
    uniform,
)
from synsamp.spiking.kernel.recording import is_full, record_row
from synsamp.spiking.kernel.simd import part
from synsamp.spiking.kernel.thinning import (
    ABOVE_LIMIT,
    MOST_HZ,
    accept,
    raise_limits,
    renew_limit,
    renew_limits,
)

RUNAWAY, LIMIT_PASSED, ROOM_WANTED = 7, 8, 9
"""More reasons to return: rates grow without bound; a rate above its limit (a bug); a full queue of
delayed spikes, whose number has no bound in advance."""


# -- inputs, one by one --------------------


@separate
def next_input_s(covered: float, schedule: InputSchedule, activity: Activity, work: Work) -> float:
    """Time at which the integral of the total input rate reaches its target; inf if too late.

    Segments that were passed are recorded, so that they can be dropped.
    """
    due, start = activity.clock[INPUT_DUE], activity.drawn_until_s[0]
    cursor, ends = work.cursor, schedule.ends_s
    for group in range(cursor.size):
        cursor[group] = schedule.cursor[group]
    while start < covered:
        rate, end = 0.0, covered
        for group in range(cursor.size):
            while cursor[group] < ends.shape[1] and ends[group, cursor[group]] <= start:
                cursor[group] += 1
            if cursor[group] == ends.shape[1]:
                return np.inf
            rate += schedule.rate_hz[group, cursor[group]]
            end = min(end, ends[group, cursor[group]])
        if rate > 0.0:
            if due < rate * (end - start):
                return start + due / rate
            due -= rate * (end - start)
        start = end
    if covered < np.inf:
        activity.clock[INPUT_DUE] = due
        for group in range(cursor.size):
            schedule.cursor[group] = cursor[group]
            activity.drawn_until_s[group] = start
    return np.inf


@separate
def draw_source(
    now: float, schedule: InputSchedule, wiring: Wiring, activity: Activity, channels: Words
) -> int:
    """Which input spikes at ``now``: a group by its rate, then one of its inputs."""
    cursor, rate = schedule.cursor, 0.0
    for group in range(cursor.size):
        # Rounding may put the spike at the very end of what is covered: of the last segment.
        while (
            cursor[group] + 1 < schedule.ends_s.shape[1]
            and schedule.ends_s[group, cursor[group]] <= now
        ):
            cursor[group] += 1
        rate += schedule.rate_hz[group, cursor[group]]
        activity.drawn_until_s[group] = now
    share = uniform(channels) * rate
    last: Any = 0
    for group in range(cursor.size):
        own = schedule.rate_hz[group, cursor[group]]
        if own > 0.0:
            last = group
            if share < own:
                break
            share -= own
    first = wiring.first_input[last]
    size = wiring.first_input[last + 1] - first
    table = part(schedule.tables, schedule.table_at[last, cursor[last]], size)
    word = channels.buffer[take_words(channels, 1)]
    return first + alias_channel(word, table)


# -- the loop --------------------


@once
def carry(
    axon: int,
    now: float,
    learning: bool,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    buffer: EventBuffer,
    work: Work,
) -> None:
    """A spike arrives on an axon: EPSPs start, limits grow, synapses learn."""
    arrival(axon, now, wiring, synapses.column, activity)
    raise_limits(axon, now, wiring, synapses.column, activity, work)
    if learning and learn_at_arrival(axon, now, wiring, numbers, synapses, activity, buffer, work):
        activity.clock[BOUND_S] = -1.0


@once
def input_spike(
    source: int,
    now: float,
    learning: bool,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    buffer: EventBuffer,
    work: Work,
) -> bool:
    """An input spikes: at once on its own axon, later on those with a delay."""
    if buffer.input_s.size > 0:
        at = buffer.written[2]
        buffer.input_s[at] = now
        buffer.input_source[at] = source
        buffer.written[2] = at + 1
    carry(source, now, learning, wiring, numbers, synapses, activity, buffer, work)
    return to_delayed_axons(source, now, now, wiring, synapses.column, activity)


@kernel
def run_event_by_event(
    until: float,
    covered: float,
    learning: bool,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    events: Words,
    channels: Words,
    noise: Normals,
    schedule: InputSchedule,
    buffer: EventBuffer,
    work: Work,
) -> int:
    """Simulate to ``until`` (s); ``covered`` is how far the schedule reaches."""
    clock = activity.clock
    total_rate = wiring.rate_up_to[-1]
    any_free = False
    for circuit in range(wiring.stochastic.size):
        any_free |= wiring.stochastic[circuit]
    sweeps_left, events_left = SWEEPS_PER_CALL, EVENTS_PER_CALL
    in_sight = schedule.cursor.size > 0  # whether an input spike may come before ``covered``
    if clock[NEXT_EVENT] < 0.0:
        clock[NEXT_EVENT] = np.inf
        if total_rate > 0.0:
            clock[NEXT_EVENT] = clock[INPUTS_UNTIL] + exponential(events, total_rate)
    while True:
        if is_full(buffer, 2):
            return TAPE_FULL
        if buffer.input_s.size > 0 and buffer.written[2] >= buffer.input_s.size:
            return TAPE_FULL
        for family in range(activity.queue_count.size):
            if activity.queue_count[family] == activity.queue_s.shape[1]:
                return ROOM_WANTED
        if any_free:
            if clock[BOUND_S] < 0.0 or not clock[BOUND] < MOST_HZ:
                renew_limits(clock[INPUTS_UNTIL], wiring, activity, work)
            if not clock[BOUND] < MOST_HZ:
                return RUNAWAY if clock[BOUND] == clock[BOUND] else BROKEN
            if clock[CANDIDATE] < 0.0:
                clock[CANDIDATE] = np.inf
                if clock[BOUND] > 0.0:
                    clock[CANDIDATE] = clock[INPUTS_UNTIL] + exponential(events, clock[BOUND])
        if clock[INPUT_DUE] < 0.0:
            clock[INPUT_DUE] = exponential(channels, 1.0)
            clock[NEXT_INPUT] = -1.0
        if clock[NEXT_INPUT] < 0.0 and in_sight:
            clock[NEXT_INPUT] = next_input_s(covered, schedule, activity, work)
            if clock[NEXT_INPUT] == np.inf:
                in_sight = False
                clock[NEXT_INPUT] = -1.0

        # The next event; simultaneous events always in this order.
        now, what = np.inf, 0
        if clock[NEXT_INPUT] >= 0.0:
            now, what = clock[NEXT_INPUT], 1
        at = schedule.given_cursor[0]
        if at < schedule.given_s.size and schedule.given_s[at] < now:
            now, what = schedule.given_s[at], 2
        family = earliest_delayed(activity)
        if family >= 0:
            head = activity.queue_head[family]
            if activity.queue_s[family, head] < now:
                now, what = activity.queue_s[family, head], 3
        if clock[NEXT_EVENT] < now:
            now, what = clock[NEXT_EVENT], 4
        if any_free:
            if clock[CANDIDATE] < now:
                now, what = clock[CANDIDATE], 5
            if clock[BOUND_S] < now:
                now, what = clock[BOUND_S], 6

        grid = (activity.counters[SWEEPS] + 1) * wiring.constants[SYNC_INTERVAL_S]
        horizon = min(now, until)
        if learning:
            horizon = min(horizon, grid)
        if clock[NEXT_INPUT] < 0.0 and horizon > covered:
            return INPUT_WANTED
        if learning and grid <= min(now, until):
            if sweeps_left == 0:
                return PAUSED
            keep_reference_near(grid, wiring, activity)
            if not update_all(grid, wiring, numbers, synapses, activity, noise, buffer, work):
                return TAPE_FULL
            activity.counters[SWEEPS] += 1
            sweeps_left -= 1
            clock[INPUTS_UNTIL] = grid
            clock[BOUND_S] = -1.0
            continue
        if now > until:
            clock[INPUTS_UNTIL] = until
            return DONE
        if events_left == 0:
            return PAUSED
        events_left -= 1
        keep_reference_near(now, wiring, activity)
        clock[INPUTS_UNTIL] = now

        room = True
        neuron: Any = NO_NEURON
        candidate: Any = NO_NEURON
        if what == 1:
            source = draw_source(now, schedule, wiring, activity, channels)
            clock[INPUT_DUE] = -1.0
            room = input_spike(
                source, now, learning, wiring, numbers, synapses, activity, buffer, work
            )
        elif what == 2:
            source = schedule.given_input[at]
            schedule.given_cursor[0] = at + 1
            if source != SILENCED:
                room = input_spike(
                    source, now, learning, wiring, numbers, synapses, activity, buffer, work
                )
        elif what == 3:
            axon, _ = take_delayed(now, activity)
            carry(axon, now, learning, wiring, numbers, synapses, activity, buffer, work)
        elif what == 4:
            share = uniform(events) * total_rate
            circuit = 0
            while share >= wiring.rate_up_to[circuit] and circuit < wiring.rate_up_to.size - 1:
                circuit += 1
            while wiring.stochastic[
                circuit
            ]:  # rounding must not assign the spike to stochastic neurons
                circuit -= 1
            neuron = draw_winner(circuit, now, wiring, activity, events, work.potentials)
            if neuron == NOT_FINITE:
                return BROKEN
            clock[NEXT_EVENT] = now + exponential(events, total_rate)
        elif what == 5:
            candidate, neuron, chance, slope = accept(now, wiring, activity, events)
            if neuron == NOT_FINITE:
                return BROKEN
            if neuron == ABOVE_LIMIT:
                return LIMIT_PASSED
            clock[CANDIDATE] = -1.0
            if (
                candidate >= 0
                and learning
                and wiring.assigns_eligibility[wiring.circuit_of[candidate]]
            ):
                spiked = slope if neuron >= 0 else 0.0
                expected = 0.0 if neuron >= 0 else slope * chance / (1.0 - chance)
                learn_alone(
                    candidate,
                    spiked,
                    expected,
                    now,
                    wiring,
                    numbers,
                    synapses,
                    activity,
                    noise,
                    buffer,
                    work,
                )
            if neuron >= 0:
                circuit = wiring.circuit_of[neuron]
                activity.refractory_until_s[neuron] = now + wiring.refractory_s[circuit]
                activity.bias[neuron] -= wiring.bias_per_spike[circuit]
        else:
            clock[BOUND_S] = -1.0
        if neuron >= 0:
            circuit = wiring.circuit_of[neuron]
            if learning and wiring.assigns_eligibility[circuit] and not wiring.stochastic[circuit]:
                learn_together(
                    circuit, neuron, now, wiring, numbers, synapses, activity, noise, buffer, work
                )
            if learning and wiring.learns_by_own[circuit]:
                learn(neuron, now, wiring, numbers, synapses, activity, noise, work)
                record_row(neuron, now, wiring, synapses, buffer)
            room = emit(neuron, now, wiring, synapses.column, activity, buffer)
        if candidate >= 0:
            renew_limit(candidate, now, wiring, activity, work)
        if not room:
            return QUEUE_FULL
