"""One run: a bandit at three speeds, at three temperatures, and with two controls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from synsamp.beyond.bandit.parameters import BanditParameters, BanditTask
from synsamp.beyond.bandit.theory import (
    EPSP,
    INPUT_HZ,
    MAPPING,
    OTHER_THETA,
    THETA_MAX,
    THETA_MIN,
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

SYNAPSE = "learning"
SYNC_INTERVAL_S = 2.0
DRIFT_INTERVAL_S = 0.1
REMEMBERED = 200
"""Past rewards from which one is drawn if reward is shuffled in time."""


SEED, STEP, PAST = range(3)
FIRST, SECOND, SHUFFLED = range(3)
"""Indices of the state, and of the parameters (reward per spike of either neuron)."""


@njit
def answer(state: Any, counts: Any, numbers: Any) -> tuple[int, float]:
    """Reward for the spikes of the last period, relative to their expected number."""
    reward = numbers[FIRST] * counts[0] + numbers[SECOND] * counts[1]
    if not numbers[SHUFFLED] > 0:
        return 0, reward
    state[STEP] += 1.0
    past = state[PAST:]
    given = past[int(past.size * drawn(state[SEED], state[STEP]))]
    past[int(state[STEP]) % past.size] = reward
    return 0, given


class Bandit(CompiledEnvironment):
    """Each spike earns a reward, which is given during the next period.

    ``shuffled``: the reward is that of a random one of the last 200 periods, at first none.
    """

    neurons = ("z",)
    inputs = np.array([[INPUT_HZ]])
    answer = staticmethod(answer)

    def __init__(self, task: BanditTask, shuffled: bool = False) -> None:
        self.shuffled, self.period_s = shuffled, task.period_s
        expected = task.rate_hz * task.period_s
        self.numbers = (task.best / expected, task.other / expected, float(shuffled))

    def describe(self) -> str:
        """Describe the environment in one line."""
        return "a bandit, reward shuffled in time" if self.shuffled else "a bandit"

    def first(self, seed: int) -> dict[str, Any]:
        """Initial state, without past rewards."""
        return {"seed": seed, "step": 0, "past": np.zeros(REMEMBERED)}


def build_network(
    p: BanditParameters, speed: float, temperature: float, expectation: bool
) -> Network:
    """One input and two neurons; only the synapse of the first neuron learns."""
    prior = Gaussian(p.rule.prior.mean, p.rule.prior.std)
    plasticity = RewardGradient(
        p.task.eligibility_s, p.task.gradient_s, gradient_weight(p), THETA_MAX, expectation
    )
    learns = SynapseModel(prior, MAPPING, plasticity, speed, temperature, THETA_MIN)
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


def theta_and_gradient(view: View) -> dict[str, float]:
    """θ and g of the one synapse."""
    return {
        "theta": float(view.theta(SYNAPSE)[0, 0]),
        "gradient": float(view.eligibility(SYNAPSE).gradient[0, 0]),
    }


def conditions(p: BanditParameters) -> dict[str, tuple[float, float, bool, bool]]:
    """Speed, temperature, shuffled reward and expectation term of each condition."""
    fast, medium, slow = p.rule.speeds
    cold, T, hot = p.rule.temperatures
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
    """Return a protocol per condition, of equal duration; θ starts at the mean of the prior."""
    seconds = p.relaxations * p.rule.prior.std**2 / p.rule.speeds[-1]
    found = {}
    for name, (speed, temperature, shuffled, expectation) in conditions(p).items():
        found[name] = Protocol(
            build_network(p, speed, temperature, expectation),
            steps=[
                Act(
                    Bandit(p.task, shuffled),
                    max(1, round(seconds / SYNC_INTERVAL_S)) * SYNC_INTERVAL_S,
                    Dopamine(mean_s=p.task.mean_s),
                )
            ],
            record={"visited": every(SYNC_INTERVAL_S, theta_and_gradient)},
            theta={SYNAPSE: p.rule.prior.mean, "other": OTHER_THETA},
            sync_interval_s=SYNC_INTERVAL_S,
            drift_interval_s=DRIFT_INTERVAL_S,
        )
    return found
