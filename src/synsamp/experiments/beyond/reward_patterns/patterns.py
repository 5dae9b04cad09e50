"""The task: two patterns in random order with pauses; the right population is to lead.

While a pattern is shown, reward is sigmoid(a (R_right − R_wrong − threshold)) if the right
population leads, else 0. R is the rate of all spikes of a population together, seen through an
exponential window that is emptied when something else is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from synsamp.environments import Environment, Response
from synsamp.environments.base import Counts
from synsamp.experiments.beyond.reward_patterns.parameters import Task
from synsamp.experiments.shared.reward_network import Floats

PAUSE = -1
"""What is shown between patterns, which are 0 and 1."""
REMEMBERED_S, LATE_S = 60.0, 10.0
"""Reward at random is that of a moment so long ago: at least ten times τ_e, at most a minute."""


class Phase(NamedTuple):
    """What is shown, and for how many periods."""

    shown: int
    periods: int


def phase(task: Task, seed: int, number: int) -> Phase:
    """Patterns have odd numbers, pauses even ones."""
    share, which = np.random.default_rng([seed, number]).random(2).tolist()
    lasts_s = task.shortest_s + share * (task.longest_s - task.shortest_s)
    shown = int(which < 0.5) if number % 2 else PAUSE
    return Phase(shown, max(1, round(lasts_s / task.period_s)))


class Patterns(Environment):
    """Two patterns, and reward for the population that is to answer.

    ``at_random``: reward has nothing to do with what is done. During each phase rewards of the last
    minute come again from a moment that is drawn, so that as much is given as was earned.
    """

    circuits = ("z",)

    def __init__(
        self, task: Task, patterns: Floats, background: Floats, at_random: bool = False
    ) -> None:
        self.task, self.at_random, self.period_s = task, at_random, task.period_s
        self._rates = {PAUSE: background, 0: patterns[0], 1: patterns[1]}
        self._keep = math.exp(-task.period_s / task.window_s)
        self._gain = (1.0 - self._keep) / task.period_s
        self._remembered = max(2, round(REMEMBERED_S / task.period_s))
        self._late = round(LATE_S / task.period_s)

    def describe(self) -> str:
        """In one line."""
        return "two patterns" + (", reward at random" if self.at_random else "")

    def start(self, seed: int) -> Response:
        """A pause."""
        first = phase(self.task, seed, 0)
        state: dict[str, Any] = {
            "seed": seed,
            "number": 0,
            "shown": first.shown,
            "left": first.periods,
            "rate_0": 0.0,
            "rate_1": 0.0,
            "judged": 0,
            "earned": 0.0,
            "led": 0,
        }
        if self.at_random:
            state |= {"step": 0, "back": self._late, "past": np.zeros(self._remembered)}
        return Response(state, self._rates[first.shown])

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """What the last period was worth, and what is shown next."""
        z, new = counts["z"], dict(state)
        half = z.size // 2
        rate_0 = self._keep * float(state["rate_0"]) + self._gain * float(z[:half].sum())
        rate_1 = self._keep * float(state["rate_1"]) + self._gain * float(z[half:].sum())
        shown, earned = int(state["shown"]), 0.0
        if shown != PAUSE:
            earned = self.worth(rate_0 - rate_1 if shown == 0 else rate_1 - rate_0)
            new["judged"] = int(state["judged"]) + 1
            new["led"] = int(state["led"]) + (earned > 0.0)
            new["earned"] = float(state["earned"]) + earned
        given = earned
        if self.at_random:
            step = int(state["step"]) + 1
            past = np.array(state["past"])
            given = float(past[(step - int(state["back"])) % past.size])
            past[step % past.size] = earned
            new |= {"step": step, "past": past}
        left = int(state["left"]) - 1
        if left == 0:
            number = int(state["number"]) + 1
            shown, left = phase(self.task, int(state["seed"]), number)
            rate_0 = rate_1 = 0.0
            new |= {"number": number, "shown": shown}
            if self.at_random:
                drawn = np.random.default_rng([int(state["seed"]), number, 1])
                new["back"] = int(drawn.integers(self._late, self._remembered))
        new |= {"left": left, "rate_0": rate_0, "rate_1": rate_1}
        return Response(new, self._rates[shown], given)

    def worth(self, lead_hz: float) -> float:
        """Reward while the right population is ahead by so much."""
        if lead_hz <= 0.0:
            return 0.0
        return 1.0 / (1.0 + math.exp(-self.task.steepness_s * (lead_hz - self.task.threshold_hz)))
