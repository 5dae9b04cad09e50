"""The task: move a lever beyond one threshold, then beyond the other, within a time limit.

A trial begins with a cue. Every period the position becomes

    lever ← keep · lever + (1 − keep)(R_up − R_down),

where R is the rate of all spikes of a population, estimated in an exponential window. Once the
lever has passed −threshold and then +threshold, reward is given for a while. After that, or after
the time limit, a pause without cue follows. The lever is not reset between trials.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from synsamp.beyond.lever.parameters import LeverTask
from synsamp.beyond.shared.reward_network import Floats
from synsamp.environments import CompiledEnvironment, drawn, filtered_rate_hz

WAITING, FIRST, SECOND, REWARDED = range(4)
"""Stages of a trial."""
LATE_S = 20.0
"""Mean delay of random reward: twenty times τ_e."""
BACKGROUND, CUE = range(2)
"""Possible inputs."""

STATE = (
    *("seed", "trial", "stage", "left", "lever", "up_hz", "down_hz"),
    *("tried", "finished", "cued", "step", "owed", "giving"),
)
SEED, TRIAL, STAGE, LEFT, LEVER, UP_HZ, DOWN_HZ = range(7)
TRIED, FINISHED, CUED, STEP, OWED, GIVING = range(7, 13)
"""Indices of the state: periods left of a stage; trials started, movements finished, cued periods;
for random reward, rewards still to be given and periods left of the present one."""

NUMBERS = 12
MOTOR, PERIOD_S, WINDOW_S, KEEP, THRESHOLD, SIGN = range(6)
LIMIT, REWARDING, SHORTEST, SPREAD, AT_RANDOM, PER_PERIOD = range(6, NUMBERS)
"""Indices of the parameters: durations in periods; probability per period of giving a reward."""


@njit
def wait(seed: float, trial: float, numbers: Any) -> float:
    """Duration of a pause, in periods."""
    return max(1.0, np.rint(numbers[SHORTEST] + drawn(seed, trial) * numbers[SPREAD]))


@njit
def next_stage(state: Any, lever: float, numbers: Any) -> None:
    """Update the stage and the periods left, and count trials."""
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
    """Give earned rewards at times that do not depend on the lever."""
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
    """Move the lever, update the stage, and return the next input and reward."""
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

    ``upside_down``: the order of the thresholds is reversed. ``at_random``: each reward earned is
    given at a random later time.
    """

    neurons = ("e",)
    answer = staticmethod(answer)

    def __init__(
        self,
        task: LeverTask,
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
        """Describe the environment in one line."""
        order = "up, then down" if self.upside_down else "down, then up"
        return f"a lever, {order}" + (", reward at random" if self.at_random else "")

    def first(self, seed: int) -> dict[str, float]:
        """Initial state, before the first trial."""
        state = dict.fromkeys(STATE, 0.0)
        return {**state, "seed": seed, "left": wait(float(seed), 0.0, self.numbers_as_array)}

    def _periods(self, seconds: float) -> int:
        return max(1, round(seconds / self.task.period_s))
