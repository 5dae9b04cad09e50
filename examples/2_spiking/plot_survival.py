"""
How long do new synapses live?
==============================

Prior and noise alone: most new synapses disappear soon, and a few live long. Survival falls like a
power of age before it falls faster.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Protocol, Silence, births_deaths
from synsamp.spiking import CustomPlasticity, SynapseModel, winner_take_all_network

synapses = SynapseModel(speed=1e-3, plasticity=CustomPlasticity())  # prior and noise alone
network = winner_take_all_network(400, 5, synapses)
data = Protocol(network, [Silence(4000)], {"events": births_deaths("x->z")}).run(seed=1)
ages = np.sort(data["events"]["age"].dropna("event").values)
survival = 1 - np.arange(ages.size) / ages.size
figure, axis = plt.subplots(figsize=(5, 3.2))
axis.loglog(ages, survival)
line = np.array([1.0, 300.0])
axis.loglog(
    line, survival[np.searchsorted(ages, 1.0)] * line**-0.5, "--", color="black", label="slope −1/2"
)
axis.set(xlabel="age (s)", ylabel="share of synapses that live longer", ylim=(1e-4, 1.2))
axis.legend()
