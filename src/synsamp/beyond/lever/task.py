"""The task: a lever is to pass one threshold, then the other, in time.

A trial begins with a cue. Every period the position becomes

    lever ← keep · lever + (1 − keep)(R_up − R_down),

R being rates of all spikes of a population together, seen through an exponential window. Once the
lever has passed −threshold and then +threshold, reward is given for a while; after that, or if the
trial took too long, the network waits without the cue. Nothing sets the lever back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from synsamp.beyond.lever.parameters import Task
from synsamp.beyond.shared.reward_network import Floats
from synsamp.environments import CompiledEnvironment, drawn, filtered_rate_hz

WAITING, FIRST, SECOND, REWARDED = range(4)
"""Stages of a trial."""
LATE_S = 20.0
"""Reward at random comes so much later on average: twenty times τ_e."""
BACKGROUND, CUE = range(2)
"""What may be shown."""

STATE = (
    *("seed", "trial", "stage", "left", "lever", "up_hz", "down_hz"),
    *("tried", "finished", "cued", "step", "owed", "giving"),
)
SEED, TRIAL, STAGE, LEFT, LEVER, UP_HZ, DOWN_HZ = range(7)
TRIED, FINISHED, CUED, STEP, OWED, GIVING = range(7, 13)
"""The state: periods are left of a stage; trials were begun, movements finished, so many periods
were cued; and where reward is given at random, movements are still to be paid, and for how many
periods more one is."""

NUMBERS = 12
MOTOR, PERIOD_S, WINDOW_S, KEEP, THRESHOLD, SIGN = range(6)
LIMIT, REWARDING, SHORTEST, SPREAD, AT_RANDOM, PER_PERIOD = range(6, NUMBERS)
"""The parameters: times of a trial in periods; how likely a period pays one that is owed."""


@njit
def wait(seed: float, trial: float, numbers: Any) -> float:
    """Periods before a trial."""
    return max(1.0, np.rint(numbers[SHORTEST] + drawn(seed, trial) * numbers[SPREAD]))


@njit
def next_stage(state: Any, lever: float, numbers: Any) -> None:
    """The stage after this period, and how many periods it has left; counts trials."""
    stage, left = state[STAGE], state[LEFT] - 1.0
    if stage == FIRST and lever < -numbers[THRESHOLD] and left > 0:
        stage = SECOND
    elif stage == SECOND and lever > numbers[THRESHOLD] and left > 0:
        stage, left = REWARDED, numbers[REWARDING]
        state[FINISHED] += 1.0
    elif left <= 0 and stage == WAITING:
        stage, left = FIRST, numbers[LIMIT]
        state[TRIED] += 1.0
    elif left <= 0:
        state[TRIAL] += 1.0
        stage, left = WAITING, wait(state[SEED], state[TRIAL], numbers)
    state[STAGE], state[LEFT] = stage, left


@njit
def paid_at_random(state: Any, finished: float, numbers: Any) -> float:
    """What is owed is paid at moments that have nothing to do with the lever."""
    state[STEP] += 1.0
    state[OWED] += finished
    due = drawn(state[SEED], state[STEP], 1.0) < state[OWED] * numbers[PER_PERIOD]
    if state[GIVING] == 0 and due:
        state[OWED] -= 1.0
        state[GIVING] = numbers[REWARDING]
    given = 1.0 if state[GIVING] > 0 else 0.0
    state[GIVING] = max(0.0, state[GIVING] - 1.0)
    return given


@njit
def answer(state: Any, counts: Any, numbers: Any) -> tuple[int, float]:
    """The lever after the last period, and the stage of the trial."""
    motor, keep = int(numbers[MOTOR]), numbers[KEEP]
    period_s, window_s = numbers[PERIOD_S], numbers[WINDOW_S]
    up, down = counts[-2 * motor : -motor].sum(), counts[-motor:].sum()
    state[UP_HZ] = filtered_rate_hz(state[UP_HZ], up, period_s, window_s)
    state[DOWN_HZ] = filtered_rate_hz(state[DOWN_HZ], down, period_s, window_s)
    state[LEVER] = keep * state[LEVER] + (1.0 - keep) * (state[UP_HZ] - state[DOWN_HZ])
    finished = state[FINISHED]
    if state[STAGE] == FIRST or state[STAGE] == SECOND:
        state[CUED] += 1.0
    next_stage(state, numbers[SIGN] * state[LEVER], numbers)
    given = 1.0 if state[STAGE] == REWARDED else 0.0
    if numbers[AT_RANDOM] > 0:
        given = paid_at_random(state, state[FINISHED] - finished, numbers)
    cued = state[STAGE] == FIRST or state[STAGE] == SECOND
    return (CUE if cued else BACKGROUND), given


class Lever(CompiledEnvironment):
    """A lever that is moved by the last neurons of ``e``: ``motor`` for up, then as many for down.

    ``upside_down``: first +threshold, then −threshold is to be passed. ``at_random``: reward has
    nothing to do with what is done; one is given for each that was earned, at a moment drawn after.
    """

    circuits = ("e",)
    answer = staticmethod(answer)

    def __init__(
        self,
        task: Task,
        motor: int,
        cue: Floats,
        background: Floats,
        upside_down: bool = False,
        at_random: bool = False,
    ) -> None:
        self.task, self.period_s = task, task.period_s
        self.at_random, self.upside_down = at_random, upside_down
        self.inputs = np.stack([background, cue])
        numbers = np.zeros(NUMBERS)
        numbers[MOTOR], numbers[PERIOD_S], numbers[WINDOW_S] = motor, task.period_s, task.window_s
        numbers[KEEP], numbers[THRESHOLD] = task.keep, task.threshold_hz
        numbers[SIGN] = -1.0 if upside_down else 1.0
        numbers[LIMIT], numbers[REWARDING] = (
            self._periods(task.limit_s),
            self._periods(task.reward_s),
        )
        numbers[SHORTEST] = task.shortest_wait_s / task.period_s
        numbers[SPREAD] = (task.longest_wait_s - task.shortest_wait_s) / task.period_s
        numbers[AT_RANDOM], numbers[PER_PERIOD] = at_random, task.period_s / LATE_S
        self.numbers = tuple(numbers.tolist())

    def describe(self) -> str:
        """In one line."""
        order = "up, then down" if self.upside_down else "down, then up"
        return f"a lever, {order}" + (", reward at random" if self.at_random else "")

    def first(self, seed: int) -> dict[str, float]:
        """The network waits for its first trial."""
        state = dict.fromkeys(STATE, 0.0)
        return {**state, "seed": seed, "left": wait(float(seed), 0.0, self.numbers_as_array)}

    def _periods(self, seconds: float) -> int:
        return max(1, round(seconds / self.task.period_s))
