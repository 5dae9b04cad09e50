"""One run: the same bandit at three speeds, at three temperatures, and with two things wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from synsamp.beyond.bandit.parameters import BanditParameters, Task
from synsamp.beyond.bandit.theory import (
    CEILING,
    EPSP,
    FLOOR,
    INPUT_HZ,
    MAPPING,
    OTHER_THETA,
    gradient_weight,
)
from synsamp.environments import CompiledEnvironment, Dopamine, drawn
from synsamp.priors import Gaussian
from synsamp.protocol import Act, Protocol, View, every
from synsamp.spiking import (
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    SynapseModel,
    WinnerTakeAll,
)

SYNAPSE = "arm"
SYNC_INTERVAL_S = 2.0
REFRESH_S = 0.1
REMEMBERED = 200
"""Rewards among which one is drawn where reward is shuffled in time."""


SEED, STEP, PAST = range(3)
FIRST, SECOND, SHUFFLED = range(3)
"""Of the state, and of the parameters: what a spike of either neuron is worth."""


@njit
def answer(state: Any, counts: Any, numbers: Any) -> tuple[int, float]:
    """The worth of the last period's spikes, relative to their expected number."""
    reward = numbers[FIRST] * counts[0] + numbers[SECOND] * counts[1]
    if not numbers[SHUFFLED] > 0:
        return 0, reward
    state[STEP] += 1.0
    past = state[PAST:]
    given = past[int(past.size * drawn(state[SEED], state[STEP]))]
    past[int(state[STEP]) % past.size] = reward
    return 0, given


class Bandit(CompiledEnvironment):
    """Each spike is worth something; a period's worth is given during the next.

    ``shuffled``: what is given is that of any of the last 200 periods, or nothing at first.
    """

    circuits = ("z",)
    inputs = np.array([[INPUT_HZ]])
    answer = staticmethod(answer)

    def __init__(self, task: Task, shuffled: bool = False) -> None:
        self.shuffled, self.period_s = shuffled, task.period_s
        expected = task.rate_hz * task.period_s
        self.numbers = (task.best / expected, task.other / expected, float(shuffled))

    def describe(self) -> str:
        """In one line."""
        return "a bandit, reward shuffled in time" if self.shuffled else "a bandit"

    def first(self, seed: int) -> dict[str, Any]:
        """Nothing was earned yet."""
        return {"seed": seed, "step": 0, "past": np.zeros(REMEMBERED)}


def network(p: BanditParameters, speed: float, temperature: float, expectation: bool) -> Network:
    """One input, two neurons; the first neuron's synapse learns, the other's does not."""
    prior = Gaussian(p.prior.mean, p.prior.std)
    plasticity = RewardGradient(
        p.task.eligibility_s, p.task.gradient_s, gradient_weight(p), CEILING, expectation
    )
    learns = SynapseModel(prior, MAPPING, plasticity, speed, temperature, FLOOR)
    first = np.array([[True], [False]])
    return Network(
        [InputGroup("x", 1)],
        [WinnerTakeAll("z", 2, rate_hz=p.task.rate_hz, adaptation_strength=0.0)],
        [
            Projection("x", "z", learns, mask=first, name=SYNAPSE),
            Projection(
                "x", "z", SynapseModel(prior, MAPPING), mask=~first, plastic=False, name="other"
            ),
        ],
        EPSP,
    )


def look(view: View) -> dict[str, float]:
    """θ and g of the one synapse."""
    return {
        "theta": float(view.theta(SYNAPSE)[0, 0]),
        "gradient": float(view.eligibility(SYNAPSE).gradient[0, 0]),
    }


def conditions(p: BanditParameters) -> dict[str, tuple[float, float, bool, bool]]:
    """By name: speed, temperature, whether reward is shuffled, whether expected spikes count."""
    fast, medium, slow = p.speeds
    cold, T, hot = p.temperatures
    return {
        "fast": (fast, T, False, True),
        "medium": (medium, T, False, True),
        "slow": (slow, T, False, True),
        "cold": (slow, cold, False, True),
        "hot": (slow, hot, False, True),
        "shuffled": (slow, T, True, True),
        "no_expectation": (slow, T, False, False),
    }


def run(p: BanditParameters, seed: int) -> dict[str, Protocol]:
    """A protocol per condition, all equally long; the synapse starts at its prior's mean."""
    seconds = p.relaxations * p.prior.std**2 / p.speeds[-1]
    found = {}
    for name, (speed, temperature, shuffled, expectation) in conditions(p).items():
        found[name] = Protocol(
            network(p, speed, temperature, expectation),
            steps=[
                Act(
                    Bandit(p.task, shuffled),
                    max(1, round(seconds / SYNC_INTERVAL_S)) * SYNC_INTERVAL_S,
                    Dopamine(mean_s=p.task.mean_s),
                )
            ],
            record={"visited": every(SYNC_INTERVAL_S, look)},
            theta={SYNAPSE: p.prior.mean, "other": OTHER_THETA},
            sync_interval_s=SYNC_INTERVAL_S,
            drift_interval_s=REFRESH_S,
        )
    return found
