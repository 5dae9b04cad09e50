"""The closed loop with a compiled environment.

It is bit-identical to `synsamp.environments.loop` for environments in Python. The event loop and
the environment's step are called by address and return to Python only when inputs change.
"""

from __future__ import annotations

import numpy as np
from numba import types

from synsamp.specialise.pointers import caller_of
from synsamp.spiking.kernel.compiling import exact, kernel, separate
from synsamp.spiking.kernel.eligibility import bring_all_eligibility
from synsamp.spiking.kernel.loop import DONE, INPUT_WANTED, PAUSED
from synsamp.spiking.kernel.memory import (
    ANSWER,
    ANSWERS,
    FELT,
    KEEP,
    LEAST,
    LOOP,
    MEAN_REWARD,
    N_INPUTS,
    N_WATCHED,
    NOW_S,
    OFFSET,
    PERIOD_S,
    REWARD,
    SHOWN,
    START_S,
    SYNC_INTERVAL_S,
    TOTAL_REWARD,
    Acting,
    Activity,
    EventBuffer,
    InputSchedule,
    Numbers,
    Synapses,
    Wiring,
    Work,
)
from synsamp.spiking.kernel.random import Normals, Words
from synsamp.spiking.kernel.simd import address

OTHER_INPUTS, BAD_ANSWER = 10, 11
"""More reasons to return: the inputs change; an invalid answer of the environment."""
ANSWERS_PER_CALL = 2**10
"""Answers before the loop returns to Python, to be interrupted there."""
MOST_REWARD = 1e9
ROUNDING = 1e-9
"""Tolerance as a fraction of a period: an answer due this little later is due now."""

_doubles = types.CPointer(types.float64)

ANSWERING = types.int64(
    _doubles,  # the environment's state
    types.int64,  # how many numbers that is; likewise below
    types.CPointer(types.int64),  # spikes of the neurons it watches
    types.int64,
    _doubles,  # its parameters
    types.int64,
    _doubles,  # reward, to be written
)
"""An environment's answer; returns which of its inputs is shown from now on."""

call_answer = caller_of(ANSWERING)
call_loop = caller_of(
    types.int64(
        types.float64,
        types.float64,
        types.boolean,
        Wiring.kernel_type,
        Numbers.kernel_type,
        Synapses.kernel_type,
        Activity.kernel_type,
        Words.kernel_type,
        Words.kernel_type,
        Normals.kernel_type,
        InputSchedule.kernel_type,
        EventBuffer.kernel_type,
        Work.kernel_type,
    )
)


@exact
def mean_after(mean: float, reward: float, keep: float) -> float:
    """The running mean of reward after a period, of which it keeps a share."""
    return keep * mean + (1.0 - keep) * reward


@exact
def dopamine(reward: float, mean: float, least: float, offset: float) -> float:
    """D = r / max(mean r, least) + offset."""
    return reward / max(mean, least) + offset


@exact
def nearest_grid_point(time: float, grid: float) -> float:
    """The nearest grid point, since adding up many durations rounds."""
    nearest = np.rint(time / grid) * grid
    return nearest if abs(time - nearest) <= 1e-9 * grid + 1e-15 * time else time


@exact
def due_s(start: float, answers: int, period: float) -> float:
    """When the next answer is due."""
    return start + (answers + 1) * period


@separate
def count_spikes(first: int, acting: Acting, buffer: EventBuffer) -> int:
    """Spikes on the buffer from ``first`` on, by neuron; returns how many there are."""
    for i in range(first, buffer.written[0]):
        acting.counts[acting.place[buffer.spike_neuron[i]]] += 1
    return buffer.written[0]


@separate
def ask(acting: Acting) -> bool:
    """Call the environment; returns whether it answered, in which case its state changed."""
    state, terms, counters = acting.state, acting.terms, acting.counters
    for i in range(state.size):
        acting.before[i] = state[i]
    for i in range(acting.numbers.size):
        acting.given[i] = acting.numbers[i]
    shown = call_answer(
        acting.functions[ANSWER],
        (
            address(state, 0, state.size),
            state.size,
            address(acting.counts, 0, acting.counts.size),
            counters[N_WATCHED],
            address(acting.given, 0, acting.given.size),
            acting.given.size,
            address(terms, REWARD, 1),
        ),
    )
    if not (0 <= shown < counters[N_INPUTS] and abs(terms[REWARD]) <= MOST_REWARD):
        for i in range(state.size):
            state[i] = acting.before[i]
        return False
    counters[ANSWERS] += 1
    counters[SHOWN] = shown
    for i in range(acting.counts.size):
        acting.counts[i] = 0
    return True


@exact
def give(
    acting: Acting,
    wiring: Wiring,
    numbers: Numbers,
    synapses: Synapses,
    activity: Activity,
    work: Work,
) -> None:
    """Set dopamine from the reward."""
    terms = acting.terms
    felt = terms[REWARD] if terms[FELT] > 0.0 else 0.0
    terms[TOTAL_REWARD] += terms[REWARD] * terms[PERIOD_S]
    terms[MEAN_REWARD] = mean_after(terms[MEAN_REWARD], felt, terms[KEEP])
    level = dopamine(felt, terms[MEAN_REWARD], terms[LEAST], terms[OFFSET])
    changed = False
    for circuit in range(activity.modulator.size):
        changed |= activity.modulator[circuit] != level
    if changed:
        bring_all_eligibility(terms[NOW_S], wiring, numbers, synapses, activity, work)
        for circuit in range(activity.modulator.size):
            activity.modulator[circuit] = level


@kernel
def act(
    acting: Acting,
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
    """Simulate to ``until`` (s) with answers of the environment when they are due."""
    terms, period = acting.terms, acting.terms[PERIOD_S]
    counted = buffer.written[0]
    for _ in range(ANSWERS_PER_CALL):
        due = due_s(terms[START_S], acting.counters[ANSWERS], period)
        is_due = due <= until + ROUNDING * period
        # The last answer may have been due a rounding after ``until``: time does not go back.
        target = (
            nearest_grid_point(due, wiring.constants[SYNC_INTERVAL_S])
            if is_due
            else max(until, terms[NOW_S])
        )
        status = call_loop(
            acting.functions[LOOP],
            (
                target,
                covered,
                learning,
                wiring,
                numbers,
                synapses,
                activity,
                events,
                channels,
                noise,
                schedule,
                buffer,
                work,
            ),
        )
        counted = count_spikes(counted, acting, buffer)
        if status != DONE:
            return status
        if covered < target:
            return INPUT_WANTED
        terms[NOW_S] = target
        if not is_due:
            return DONE
        shown = acting.counters[SHOWN]
        if not ask(acting):
            return BAD_ANSWER
        give(acting, wiring, numbers, synapses, activity, work)
        if acting.counters[SHOWN] != shown:
            return OTHER_INPUTS
    return PAUSED
