"""A tiny environment and a network for it: one of two inputs is lit, its neuron is to answer."""

from __future__ import annotations

import numpy as np

from synsamp.environments import Environment, Response
from synsamp.priors import Gaussian
from synsamp.spiking import RewardGradient, SynapseModel, winner_take_all_network

SYNAPSES = "x->z"


class TwoArmed(Environment):
    """Every second another input may be lit; reward if the neuron of the same number leads."""

    def __init__(self, swapped=False, period_s=0.05):
        self.period_s, self.neurons, self.swapped = period_s, ("z",), swapped

    def describe(self):
        return f"TwoArmed({self.swapped})"

    def start(self, seed):
        return self._at({"seed": seed, "step": 0, "lit": 0, "past": np.zeros(2)}, 0.0)

    def respond(self, state, counts):
        step = int(state["step"]) + 1
        past = 0.7 * np.asarray(state["past"]) + counts["z"]
        lit = int(state["lit"])
        right = lit if not self.swapped else 1 - lit
        reward = float(past[right] > past[1 - right])
        if step % 20 == 0:
            lit = int(np.random.default_rng([int(state["seed"]), step]).integers(2))
        return self._at({"seed": state["seed"], "step": step, "lit": lit, "past": past}, reward)

    def _at(self, state, reward):
        rates = np.full(4, 2.0)
        rates[2 * int(state["lit"]) : 2 * int(state["lit"]) + 2] = 60.0
        return Response(state, rates, reward)


def network(**numbers):
    numbers = {"speed": 0.02, "temperature": 0.1, "theta_min": -2.0, **numbers}
    model = SynapseModel(Gaussian(0.0, 2.0), plasticity=RewardGradient(0.5, 2.0, 3.0), **numbers)
    return winner_take_all_network(4, 2, model, rate_hz=40.0, adaptation_strength=0.0)
