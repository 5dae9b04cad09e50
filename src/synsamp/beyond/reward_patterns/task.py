"""The task: two patterns in random order with pauses; the correct population should lead.

While a pattern is shown, reward is sigmoid(a (R_correct − R_other − threshold)) if the
correct population leads, else 0. R is the rate of all spikes of a population, estimated in an
exponential window that restarts with each pattern and pause.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from synsamp.beyond.reward_patterns.parameters import PatternTask
from synsamp.beyond.shared.reward_network import Floats
from synsamp.environments import CompiledEnvironment, drawn, filtered_rate_hz

PAUSE, FIRST, SECOND = range(3)
"""Possible stimuli."""
REMEMBERED_S, LATE_S = 60.0, 10.0
"""Random reward was earned at least ten times τ_e and at most a minute ago."""

STATE = (
    *("seed", "number", "shown", "left", "rate_0", "rate_1"),
    *("judged", "earned", "led", "step", "back"),
)
SEED, NUMBER, SHOWN, LEFT, RATE_0, RATE_1 = range(6)
JUDGED, EARNED, LED, STEP, BACK, PAST = range(6, 12)
"""Indices of the state: number of the phase and periods left; periods with a pattern, reward earned
in them, and periods in which the correct population led; for random reward, how many periods ago
the present reward was earned, and past rewards."""

NUMBERS = 8
PERIOD_S, WINDOW_S, STEEPNESS, THRESHOLD, SHORTEST, SPREAD, AT_RANDOM, LATE = range(NUMBERS)
"""Indices of the parameters; durations in periods."""


class Phase(NamedTuple):
    """A stimulus and its duration in periods."""

    shown: int
    periods: int


def numbers_of(task: PatternTask, at_random: bool) -> Floats:
    """Parameters as an array, for compiled code."""
    numbers = np.zeros(NUMBERS)
    numbers[PERIOD_S], numbers[WINDOW_S] = task.period_s, task.window_s
    numbers[STEEPNESS], numbers[THRESHOLD] = task.steepness_s, task.threshold_hz
    numbers[SHORTEST] = task.shortest_s / task.period_s
    numbers[SPREAD] = (task.longest_s - task.shortest_s) / task.period_s
    numbers[AT_RANDOM], numbers[LATE] = at_random, round(LATE_S / task.period_s)
    return numbers


def phase(task: PatternTask, seed: int, number: int) -> Phase:
    """Return a phase by its number."""
    state = np.zeros(PAST + 1)
    state[SEED] = seed
    begin_phase(state, float(number), numbers_of(task, False))
    return Phase(int(state[SHOWN]), int(state[LEFT]))


@njit
def begin_phase(state: Any, number: float, numbers: Any) -> None:
    """Start a phase; patterns have odd numbers, pauses even ones."""
    state[NUMBER] = number
    share, which = drawn(state[SEED], number), drawn(state[SEED], number, 1.0)
    state[LEFT] = max(1.0, np.rint(numbers[SHORTEST] + share * numbers[SPREAD]))
    state[SHOWN] = PAUSE if number % 2 == 0 else FIRST if which < 0.5 else SECOND
    state[RATE_0] = state[RATE_1] = 0.0
    late, remembered = numbers[LATE], state.size - PAST
    state[BACK] = late + np.floor(drawn(state[SEED], number, 2.0) * (remembered - late))


@njit
def worth(lead_hz: float, numbers: Any) -> float:
    """Reward if the correct population leads by this rate."""
    if lead_hz <= 0.0:
        return 0.0
    return 1.0 / (1.0 + math.exp(-numbers[STEEPNESS] * (lead_hz - numbers[THRESHOLD])))


@njit
def answer(state: Any, counts: Any, numbers: Any) -> tuple[int, float]:
    """Return the next stimulus and the reward of the last period."""
    half, period_s, window_s = counts.size // 2, numbers[PERIOD_S], numbers[WINDOW_S]
    state[RATE_0] = filtered_rate_hz(state[RATE_0], counts[:half].sum(), period_s, window_s)
    state[RATE_1] = filtered_rate_hz(state[RATE_1], counts[half:].sum(), period_s, window_s)
    earned = 0.0
    if state[SHOWN] != PAUSE:
        lead_hz = state[RATE_0] - state[RATE_1]
        earned = worth(lead_hz if state[SHOWN] == FIRST else -lead_hz, numbers)
        state[JUDGED] += 1.0
        state[EARNED] += earned
        if earned > 0.0:
            state[LED] += 1.0
    given = earned
    if numbers[AT_RANDOM] > 0:
        past = state[PAST:]
        state[STEP] += 1.0
        given = past[int(state[STEP] - state[BACK]) % past.size]
        past[int(state[STEP]) % past.size] = earned
    state[LEFT] -= 1.0
    if state[LEFT] == 0.0:
        begin_phase(state, state[NUMBER] + 1.0, numbers)
    return int(state[SHOWN]), given


class RewardedPatterns(CompiledEnvironment):
    """Two patterns, and reward for the correct population.

    ``at_random``: reward does not depend on the present response. Each phase replays rewards of the
    last minute from a random time, so that the amount of reward is the same.
    """

    neurons = ("z",)
    answer = staticmethod(answer)

    def __init__(
        self, task: PatternTask, patterns: Floats, background: Floats, at_random: bool = False
    ) -> None:
        self.task, self.at_random, self.period_s = task, at_random, task.period_s
        self.inputs = np.stack([background, *patterns])
        self._remembered = max(2, round(REMEMBERED_S / task.period_s))
        self.numbers = tuple(numbers_of(task, at_random).tolist())

    def describe(self) -> str:
        """Describe the environment in one line."""
        return "two patterns" + (", reward at random" if self.at_random else "")

    def first(self, seed: int) -> dict[str, Any]:
        """Initial state, in a pause."""
        past = np.zeros(self._remembered if self.at_random else 1)
        state = np.concatenate([np.zeros(PAST), past])
        state[SEED] = seed
        begin_phase(state, 0.0, self.numbers_as_array)
        return {**dict(zip(STATE, state[:PAST].tolist(), strict=True)), "past": past}

    def worth(self, lead_hz: float) -> float:
        """Reward if the correct population leads by this rate."""
        return float(worth(lead_hz, self.numbers_as_array))
