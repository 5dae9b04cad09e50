"""One run: the same bandit at three speeds, at three temperatures, and with two things wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synsamp.environments import Dopamine, Environment, Response
from synsamp.environments.base import Counts
from synsamp.experiments.beyond.bandit.parameters import BanditParameters, Task
from synsamp.experiments.beyond.bandit.theory import (
    CEILING,
    EPSP,
    FLOOR,
    INPUT_HZ,
    MAPPING,
    OTHER_THETA,
    gradient_weight,
)
from synsamp.priors import Gaussian
from synsamp.protocol import Act, Protocol, View, every
from synsamp.spiking import (
    Circuit,
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    SynapseModel,
)

SYNAPSE = "arm"
GRID_S = 2.0
REFRESH_S = 0.1
REMEMBERED = 200
"""Rewards among which one is drawn where reward is shuffled in time."""


class Bandit(Environment):
    """Each spike is worth something; a period's worth is given during the next.

    ``shuffled``: what is given is that of any of the last 200 periods, or nothing at first.
    """

    circuits = ("z",)

    def __init__(self, task: Task, shuffled: bool = False) -> None:
        self.task, self.shuffled, self.period_s = task, shuffled, task.period_s

    def describe(self) -> str:
        """In one line."""
        return "a bandit, reward shuffled in time" if self.shuffled else "a bandit"

    def start(self, seed: int) -> Response:
        """Nothing was earned yet."""
        state = {"seed": seed, "step": 0, "past": np.zeros(REMEMBERED)}
        return Response(state if self.shuffled else {}, [INPUT_HZ])

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """The worth of the last period's spikes, relative to their expected number."""
        first, second = counts["z"]
        worth = self.task.best * first + self.task.other * second
        reward = float(worth) / (self.task.rate_hz * self.task.period_s)
        if not self.shuffled:
            return Response(state, [INPUT_HZ], reward)
        step, past = int(state["step"]) + 1, np.array(state["past"])
        drawn = np.random.default_rng([int(state["seed"]), step]).integers(REMEMBERED)
        given = float(past[drawn])
        past[step % REMEMBERED] = reward
        return Response({**state, "step": step, "past": past}, [INPUT_HZ], given)


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
        [Circuit("z", 2, rate_hz=p.task.rate_hz, adaptation_strength=0.0)],
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
        "gradient": float(view.credit(SYNAPSE).gradient[0, 0]),
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
                    max(1, round(seconds / GRID_S)) * GRID_S,
                    Dopamine(mean_s=p.task.mean_s),
                )
            ],
            record={"visited": every(GRID_S, look)},
            theta={SYNAPSE: p.prior.mean, "other": OTHER_THETA},
            grid_s=GRID_S,
            refresh_s=REFRESH_S,
        )
    return found
