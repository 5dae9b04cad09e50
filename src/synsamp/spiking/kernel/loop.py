"""The event loop: an exact simulation in continuous time, without a time step.

Σ_k ρ_k = ρ_net whatever the potentials, so the spikes of a circuit are a homogeneous Poisson
process and circuits superpose. Between two spikes the inputs are Poisson with constant rates,
traces decay and synapses diffuse, all in closed form. So the loop goes from spike to spike:

    draw the input spikes of the gap; draw the circuit; draw the winner from softmax(u);
    update the winner's synapses; draw the time of the next spike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.kernel.arrivals import learn_at_arrival
from synsamp.spiking.kernel.compiling import kernel, once, separate
from synsamp.spiking.kernel.eligibility import (
    bring_all_eligibility,
    eligibility_neurons,
    note_spike,
)
from synsamp.spiking.kernel.inputs import (
    LOST,
    NO_ROOM,
    READY,
    inputs_until,
    to_delayed_axons,
)
from synsamp.spiking.kernel.learning import learn, recompute_potentials, refresh_neuron
from synsamp.spiking.kernel.memory import (
    INPUTS_UNTIL,
    NEXT_EVENT,
    REFRESH_S,
    SPIKES,
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
    bring_adaptation,
    draw_winner,
    keep_reference_near,
    potentials,
    rates,
)
from synsamp.spiking.kernel.queues import deliver_due, take_delayed
from synsamp.spiking.kernel.random import Normals, Words, exponential, uniform
from synsamp.spiking.kernel.recording import is_full, lacks_room_for_changes, record_row
from synsamp.spiking.kernel.simd import part

RAISED, DONE, INPUT_WANTED, TAPE_FULL, QUEUE_FULL, BROKEN, PAUSED = range(7)
"""Why the loop returned; compiled code that raised an error returns 0."""
SWEEPS_PER_CALL, EVENTS_PER_CALL = 2**6, 2**20
"""Grid points and events before the loop returns to Python, to be interrupted there."""


@once
def emit(
    neuron: int, now: float, wiring: Wiring, column: Any, activity: Activity, buffer: EventBuffer
) -> bool:
    """A neuron spikes: its adaptation grows, its axons transmit the spike, it is recorded."""
    activity.adaptation_fall[neuron] += 1.0
    activity.adaptation_rise[neuron] += 1.0
    room = True
    if wiring.delay_s.size > 0:
        source = wiring.first_input[-1] + neuron
        room = to_delayed_axons(source, now, now, wiring, column, activity)
    at = buffer.written[0]
    buffer.spike_s[at] = now
    buffer.spike_neuron[at] = neuron
    buffer.written[0] = at + 1
    activity.counters[SPIKES] += 1
    return room


@separate
def update_all(
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    buffer: EventBuffer,
    work: Work,
) -> bool:
    """Bring every synapse up to date; False if the buffer was full: another call continues."""
    bring_all_eligibility(now, wiring, numbers, synapses, activity, work)
    for neuron in range(buffer.written[4], activity.bias.size):
        if wiring.learns[wiring.circuit_of[neuron]]:
            if lacks_room_for_changes(buffer):
                buffer.written[4] = neuron
                return False
            refresh_neuron(neuron, now, wiring, numbers, synapses, noise)
            recompute_potentials(neuron, wiring, numbers, synapses, activity, work)
            record_row(neuron, now, wiring, synapses, buffer)
    buffer.written[4] = 0
    return True


@separate
def learn_together(
    circuit: int,
    winner: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    buffer: EventBuffer,
    work: Work,
) -> None:
    """A circuit has spiked: update eligibility and, if due, refresh all its neurons.

    The circuit's rates must be in the working memory."""
    first = wiring.first_neuron[circuit]
    size = wiring.first_neuron[circuit + 1] - first
    note_spike(circuit, winner, wiring, work)
    eligibility_neurons(circuit, 0, size, now, wiring, numbers, synapses, activity, work)
    if wiring.learns[circuit]:
        for neuron in range(first, first + size):
            refresh_if_due(neuron, now, wiring, numbers, synapses, activity, noise, buffer, work)


@separate
def learn_alone(
    neuron: int,
    spiked: float,
    expected: float,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    buffer: EventBuffer,
    work: Work,
) -> None:
    """A stochastic neuron has spiked or rejected a candidate: update its eligibility."""
    circuit = wiring.circuit_of[neuron]
    k = neuron - wiring.first_neuron[circuit]
    work.spiked[k] = spiked
    work.expected[k] = expected
    eligibility_neurons(circuit, k, k + 1, now, wiring, numbers, synapses, activity, work)
    if wiring.learns[circuit]:
        refresh_if_due(neuron, now, wiring, numbers, synapses, activity, noise, buffer, work)


@separate
def refresh_if_due(
    neuron: int,
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    buffer: EventBuffer,
    work: Work,
) -> None:
    """Refresh a neuron whose last refresh is too long ago."""
    if now - synapses.refreshed_s[neuron] >= wiring.constants[REFRESH_S]:
        refresh_neuron(neuron, now, wiring, numbers, synapses, noise)
        recompute_potentials(neuron, wiring, numbers, synapses, activity, work)
        record_row(neuron, now, wiring, synapses, buffer)


@kernel
def run(
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
    clock, column = activity.clock, synapses.column
    total_rate = wiring.rate_up_to[-1]
    sweeps_left, events_left = SWEEPS_PER_CALL, EVENTS_PER_CALL
    if clock[NEXT_EVENT] < 0.0:  # the very first spike is still to be drawn
        clock[NEXT_EVENT] = clock[INPUTS_UNTIL] + exponential(events, total_rate)
    while True:
        now = clock[NEXT_EVENT]
        grid = (activity.counters[SWEEPS] + 1) * wiring.constants[SYNC_INTERVAL_S]
        if is_full(buffer, 2):
            return TAPE_FULL

        if learning and grid <= min(now, until):
            # On a fixed grid every synapse is updated, whether or not it is recorded.
            if sweeps_left == 0:
                return PAUSED
            if not update_all(grid, wiring, numbers, synapses, activity, noise, buffer, work):
                return TAPE_FULL
            activity.counters[SWEEPS] += 1
            sweeps_left -= 1
            continue
        if now > until:
            return DONE
        if events_left == 0:
            return PAUSED
        events_left -= 1
        if now > covered:
            return INPUT_WANTED

        found = inputs_until(
            now, schedule, wiring, column, activity, events, channels, buffer, work
        )
        if found != READY:
            return QUEUE_FULL if found == LOST else TAPE_FULL if found == NO_ROOM else PAUSED

        share = uniform(events) * total_rate
        circuit = 0
        while share >= wiring.rate_up_to[circuit] and circuit < wiring.rate_up_to.size - 1:
            circuit += 1
        neuron = draw_winner(circuit, now, wiring, activity, events, work.potentials)
        if neuron == NOT_FINITE:
            return BROKEN
        room = True
        if neuron != NO_NEURON:
            if learning and wiring.assigns_eligibility[circuit]:
                learn_together(
                    circuit, neuron, now, wiring, numbers, synapses, activity, noise, buffer, work
                )
            if learning and wiring.learns_by_own[circuit]:
                learn(neuron, now, wiring, numbers, synapses, activity, noise, work)
                record_row(neuron, now, wiring, synapses, buffer)
            room = emit(neuron, now, wiring, column, activity, buffer)

        clock[NEXT_EVENT] = now + exponential(events, total_rate)
        if not room:
            return QUEUE_FULL


@kernel
def deliver(
    now: float,
    wiring: Wiring,
    synapses: Synapses,
    activity: Activity,
    events: Words,
    channels: Words,
    schedule: InputSchedule,
    buffer: EventBuffer,
    work: Work,
) -> int:
    """Deliver the inputs up to ``now``, between two events: before rates or weights change."""
    found = inputs_until(
        now, schedule, wiring, synapses.column, activity, events, channels, buffer, work
    )
    if found == READY:
        return DONE
    return QUEUE_FULL if found == LOST else TAPE_FULL if found == NO_ROOM else PAUSED


@kernel
def bring_up_to_date(
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    buffer: EventBuffer,
    work: Work,
) -> bool:
    """Prior and noise up to ``now`` for every synapse: before their parameters change.

    False if the buffer was full: another call continues.
    """
    return update_all(now, wiring, numbers, synapses, activity, noise, buffer, work)


@kernel
def bring_eligibility_up(
    now: float,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """Eligibility of every synapse up to ``now``: before a modulator changes, or to be read."""
    bring_all_eligibility(now, wiring, numbers, synapses, activity, work)


@kernel
def recompute_all_potentials(
    wiring: Wiring, numbers: Numbers, synapses: Synapses, activity: Activity, work: Work
) -> None:
    """Recompute columns and potential sums of every neuron."""
    for neuron in range(activity.bias.size):
        recompute_potentials(neuron, wiring, numbers, synapses, activity, work)


@kernel
def read_potentials(now: float, wiring: Wiring, activity: Activity, out: Any) -> None:
    """u_k of all neurons at ``now``, up to which inputs must have been delivered."""
    for circuit in range(wiring.rate_up_to.size):
        first = wiring.first_neuron[circuit]
        size = wiring.first_neuron[circuit + 1] - first
        potentials(circuit, now, wiring, activity, part(out, first, size))


@kernel
def replay(
    times: Any,
    sources: Any,
    learning: bool,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    noise: Normals,
    buffer: EventBuffer,
    work: Work,
) -> int:
    """Simulate given spikes in order of time; sources are inputs first, then neurons.

    Returns how many were simulated before the buffer was full, or −1 if a queue was full.
    """
    column, n_inputs = synapses.column, wiring.first_input[-1]
    arrivals = False
    for p in range(wiring.on_pre.size):
        arrivals |= wiring.on_pre[p] != 0
    for i in range(times.size):
        if is_full(buffer, 3):
            return i
        now, source = times[i], sources[i]
        passed = np.int64(np.floor(now / wiring.constants[SYNC_INTERVAL_S]))
        if passed > activity.counters[SWEEPS]:  # the last grid point before it stands for all
            if learning:
                grid = min(passed * wiring.constants[SYNC_INTERVAL_S], now)
                if not update_all(grid, wiring, numbers, synapses, activity, noise, buffer, work):
                    return i
            activity.counters[SWEEPS] = passed
        keep_reference_near(now, wiring, activity)
        if arrivals and learning:
            while True:
                axon, arrives = take_delayed(now, activity)
                if axon < 0:
                    break
                arrival(axon, arrives, wiring, column, activity)
                learn_at_arrival(axon, arrives, wiring, numbers, synapses, activity, buffer, work)
        else:
            deliver_due(now, wiring, column, activity)
        activity.clock[INPUTS_UNTIL] = now
        for group in range(activity.drawn_until_s.size):
            activity.drawn_until_s[group] = now
        room = True
        if source < n_inputs:
            arrival(source, now, wiring, column, activity)
            if arrivals and learning:
                learn_at_arrival(source, now, wiring, numbers, synapses, activity, buffer, work)
            if wiring.delay_s.size > 0:
                room = to_delayed_axons(source, now, now, wiring, column, activity)
        else:
            neuron = source - n_inputs
            circuit = wiring.circuit_of[neuron]
            bring_adaptation(circuit, neuron, 1, now, wiring, activity)
            if learning and wiring.assigns_eligibility[circuit]:
                rates(circuit, now, wiring, activity, work.potentials)
                learn_together(
                    circuit, neuron, now, wiring, numbers, synapses, activity, noise, buffer, work
                )
            if learning and wiring.learns_by_own[circuit]:
                learn(neuron, now, wiring, numbers, synapses, activity, noise, work)
                record_row(neuron, now, wiring, synapses, buffer)
            activity.bias[neuron] -= wiring.bias_per_spike[circuit]
            room = emit(neuron, now, wiring, column, activity, buffer)
        if not room:
            return -1
    return times.size
