"""The event loop: an exact simulation in continuous time, without a time step.

Σ_k ρ_k = ρ_net whatever the potentials, so the spikes of a circuit are a homogeneous Poisson
process and circuits superpose. Between two spikes the inputs are Poisson with constant rates,
traces decay and synapses diffuse, all in closed form. So the loop goes from spike to spike:

    draw the input spikes of the gap; draw the circuit; draw the winner from softmax(u);
    let the winner's synapses learn; draw the time of the next spike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking.activity import (
    INPUTS_UNTIL,
    NEXT_EVENT,
    NOBODY,
    NOT_FINITE,
    SPIKES,
    SWEEPS,
    Activity,
    arrival,
    decay_adaptation,
    deliver_due,
    draw_winner,
    keep_reference_near,
)
from synsamp.spiking.compiling import bind, inlined
from synsamp.spiking.draws import Streams, exponential, uniform
from synsamp.spiking.inputs import Schedule, Work, inputs_until, to_delayed_axons
from synsamp.spiking.layout import GRID_S, Layout
from synsamp.spiking.rows import learn_template, refresh_neuron_template, settle
from synsamp.spiking.synapses import Synapses, functions_by_kind

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821

DONE, INPUT_WANTED, TAPE_FULL, QUEUE_FULL, BROKEN = range(5)
"""Why the loop returned."""


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


@inlined
def emit(neuron: int, now: float, wiring: Any, column: Any, activity: Activity, tape: Tape) -> bool:
    """A neuron spikes: its adaptation grows, its axons carry the spike, the tape notes it."""
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


@inlined
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
    if clock[NEXT_EVENT] < 0.0:  # the very first spike is still to be drawn
        clock[NEXT_EVENT] = clock[INPUTS_UNTIL] + exponential(streams.events, total_rate)
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
                if not wiring.learns[wiring.circuit_of[neuron]]:
                    continue
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
            if learning and wiring.learns[circuit]:
                noise = streams.noise
                learn(neuron, now, wiring, rules, retracted, synapses, activity, noise, work)
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
    for neuron in range(activity.bias.size):
        settle(neuron, wiring, retracted, synapses, activity, work)


def _replay(
    times: Any,
    sources: Any,
    learning: bool,
    wiring: Any,
    rules: Any,
    retracted: Any,
    synapses: Synapses,
    activity: Activity,
    streams: Streams,
    tape: Tape,
    work: Work,
) -> None:
    """Let given spikes happen, in order of time; sources are inputs first, then neurons."""
    column, n_inputs = synapses.column, wiring.first_input[-1]
    for i in range(times.size):
        now, source = times[i], sources[i]
        keep_reference_near(now, wiring, activity)
        deliver_due(now, wiring, column, activity)
        activity.clock[INPUTS_UNTIL] = now
        if source < n_inputs:
            arrival(source, now, wiring, column, activity)
            if wiring.delay_s.size > 0:
                to_delayed_axons(source, now, now, wiring, column, activity)
        else:
            neuron = source - n_inputs
            decay_adaptation(wiring.circuit_of[neuron], now, wiring, activity)
            if learning:
                noise = streams.noise
                learn(neuron, now, wiring, rules, retracted, synapses, activity, noise, work)
                trace(neuron, now, synapses, tape)
            emit(neuron, now, wiring, column, activity, tape)


class Kernel(NamedTuple):
    """The compiled parts for one set of kinds."""

    run: Any
    refresh_neuron: Any
    flush: Any
    settle_all: Any
    replay: Any


def kernel_for(layout: Layout) -> Kernel:
    """Bind the parts of this network's rules into the loop (compiled on first call)."""
    refresh, jump = functions_by_kind(layout.kinds)
    refresh_neuron = bind(refresh_neuron_template, refresh=refresh)
    learn = bind(learn_template, jump=jump, refresh_neuron=refresh_neuron)
    return Kernel(
        bind(_run, inline=False, refresh_neuron=refresh_neuron, learn=learn),
        refresh_neuron,
        bind(_flush, inline=False),
        bind(_settle_all, inline=False),
        bind(_replay, inline=False, learn=learn),
    )
