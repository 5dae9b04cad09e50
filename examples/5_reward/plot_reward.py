"""
Does a network learn from reward?
=================================

Two neurons, two groups of inputs: reward if the neuron of the active group spikes more. Without the
reward signal the same network does not learn.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.environments import Environment, Response
from synsamp.priors import Gaussian
from synsamp.protocol import Act, Branch, Protocol, every, reward
from synsamp.spiking import RewardGradient, SynapseModel, winner_take_all_network


class Echo(Environment):
    period_s, neurons = 0.1, ("z",)

    def start(self, seed):
        return self.at({"seed": seed, "step": 0, "group": 0})

    def respond(self, state, counts):
        step, group = state["step"] + 1, state["group"]
        earned = float(np.argmax(counts["z"]) == group)
        if step % 5 == 0:  # choose a group every half second
            group = int(np.random.default_rng([state["seed"], step]).integers(2))
        return self.at({"seed": state["seed"], "step": step, "group": group}, earned)

    def at(self, state, earned=0.0):
        return Response(state, np.where(np.arange(40) // 20 == state["group"], 40.0, 1.0), earned)


rule = RewardGradient(eligibility_s=0.3, gradient_s=50.0, weight=2.0)
synapses = SynapseModel(
    Gaussian(0.0, 1.0), plasticity=rule, speed=2e-3, temperature=0.1, theta_min=-2.0
)
network = winner_take_all_network(40, 2, synapses, adaptation_strength=0.0)
steps = [Branch("unrewarded", [Act(Echo(), 1000, rewarded=False)]), Act(Echo(), 1000)]
data = Protocol(network, steps, {"reward": every(50, reward())}, drift_interval_s=0.1).run(seed=1)

figure, axis = plt.subplots(figsize=(6, 3))
for record, name in (("reward", "with reward signal"), ("unrewarded/reward", "without")):
    axis.plot(data[record].time, data[record]["reward"], label=name)
axis.axhline(0.5, color="black", lw=0.8)
axis.set(xlabel="time (s)", ylabel="share of answers rewarded", ylim=(0, 1.02))
axis.legend(loc="lower right")
