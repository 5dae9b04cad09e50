"""The task: a lever is to pass one threshold, then the other, in time.

A trial begins with a cue. Every period the position becomes

    lever ← keep · lever + (1 − keep)(R_up − R_down),

R being rates of all spikes of a population together, seen through an exponential window. Once the
lever has passed −threshold and then +threshold, reward is given for a while; after that, or if the
trial took too long, the network waits without the cue. Nothing sets the lever back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from synsamp.environments import Environment, Response
from synsamp.environments.base import Counts
from synsamp.experiments.beyond.lever.parameters import Task
from synsamp.experiments.shared.reward_network import Floats

WAITING, FIRST, SECOND, REWARDED = range(4)
"""Stages of a trial."""
LATE_S = 20.0
"""Reward at random comes so much later on average: twenty times τ_e."""


class Lever(Environment):
    """A lever that is moved by the last neurons of ``e``: ``motor`` for up, then as many for down.

    ``upside_down``: first +threshold, then −threshold is to be passed. ``at_random``: reward has
    nothing to do with what is done; one is given for each that was earned, at a moment drawn after.
    """

    circuits = ("e",)

    def __init__(
        self,
        task: Task,
        motor: int,
        cue: Floats,
        background: Floats,
        upside_down: bool = False,
        at_random: bool = False,
    ) -> None:
        self.task, self.motor, self.period_s = task, motor, task.period_s
        self.at_random, self.upside_down = at_random, upside_down
        self._cue, self._background = cue, background
        self._seen = math.exp(-task.period_s / task.window_s)
        self._gain = (1.0 - self._seen) / task.period_s

    def describe(self) -> str:
        """In one line."""
        order = "up, then down" if self.upside_down else "down, then up"
        return f"a lever, {order}" + (", reward at random" if self.at_random else "")

    def start(self, seed: int) -> Response:
        """The network waits for its first trial."""
        state: dict[str, Any] = {
            "seed": seed,
            "trial": 0,
            "stage": WAITING,
            "left": self._wait(seed, 0),
            "lever": 0.0,
            "up_hz": 0.0,
            "down_hz": 0.0,
            "tried": 0,
            "finished": 0,
            "cued": 0,
        }
        if self.at_random:
            state |= {"step": 0, "owed": 0, "giving": 0}
        return Response(state, self._background)

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """The lever after the last period, and the stage of the trial."""
        e, new = counts["e"], dict(state)
        up = float(e[-2 * self.motor : -self.motor].sum())
        down = float(e[-self.motor :].sum())
        new["up_hz"] = up_hz = self._seen * float(state["up_hz"]) + self._gain * up
        new["down_hz"] = down_hz = self._seen * float(state["down_hz"]) + self._gain * down
        keep = self.task.keep
        new["lever"] = lever = keep * float(state["lever"]) + (1.0 - keep) * (up_hz - down_hz)
        stage, left = int(state["stage"]), int(state["left"]) - 1
        if stage in (FIRST, SECOND):
            new["cued"] = int(state["cued"]) + 1
        stage, left = self._next(new, stage, left, -lever if self.upside_down else lever)
        new |= {"stage": stage, "left": left}
        given = float(stage == REWARDED)
        if self.at_random:
            given = self._any_time(new, int(state["finished"]))
        cued = stage in (FIRST, SECOND)
        return Response(new, self._cue if cued else self._background, given)

    def _next(self, new: dict[str, Any], stage: int, left: int, lever: float) -> tuple[int, int]:
        """The stage after this period, and how many periods it has left; counts trials."""
        if stage == FIRST and lever < -self.task.threshold_hz and left > 0:
            return SECOND, left
        if stage == SECOND and lever > self.task.threshold_hz and left > 0:
            new["finished"] = int(new["finished"]) + 1
            return REWARDED, self._periods(self.task.reward_s)
        if left > 0:
            return stage, left
        if stage == WAITING:
            new["tried"] = int(new["tried"]) + 1
            return FIRST, self._periods(self.task.limit_s)
        new["trial"] = trial = int(new["trial"]) + 1
        return WAITING, self._wait(int(new["seed"]), trial)

    def _wait(self, seed: int, trial: int) -> int:
        drawn = float(np.random.default_rng([seed, trial]).random())
        spread_s = self.task.longest_wait_s - self.task.shortest_wait_s
        return self._periods(self.task.shortest_wait_s + drawn * spread_s)

    def _periods(self, seconds: float) -> int:
        return max(1, round(seconds / self.task.period_s))

    def _any_time(self, new: dict[str, Any], finished: int) -> float:
        """Pay what is owed at moments that have nothing to do with the lever."""
        new["step"] = step = int(new["step"]) + 1
        owed, giving = int(new["owed"]) + int(new["finished"]) - finished, int(new["giving"])
        drawn = float(np.random.default_rng([int(new["seed"]), step, 1]).random())
        if giving == 0 and drawn < owed * self.task.period_s / LATE_S:
            owed, giving = owed - 1, self._periods(self.task.reward_s)
        new |= {"owed": owed, "giving": max(0, giving - 1)}
        return float(giving > 0)
