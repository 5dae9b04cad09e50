"""
Does turnover depend on how often I look?
=========================================

Yes. The same synapses show fewer births per hour in rare imaging sessions, because a synapse that appears
and disappears between two sessions is missed.
"""

import matplotlib.pyplot as plt

from synsamp.protocol import Protocol, Silence, births_deaths, every, turnover
from synsamp.spiking import CustomPlasticity, SynapseModel, winner_take_all_network

synapses = SynapseModel(speed=1e-3, plasticity=CustomPlasticity())  # prior and noise alone
intervals_s = (10, 30, 100, 300, 1000)
record = {f"every-{s}-s": every(s, turnover("x->z")) for s in intervals_s}
record["events"] = births_deaths("x->z")
data = Protocol(winner_take_all_network(100, 5, synapses), [Silence(3000)], record).run(seed=1)

births = [data[f"every-{s}-s"]["born"].sum().item() for s in intervals_s]
single = data["events"]["born"].sum().item()
figure, axis = plt.subplots(figsize=(6, 3))
axis.loglog(intervals_s, births, "o-", label="compared between sessions")
axis.axhline(single, color="C1", label="every single birth, as the simulator sees it")
axis.set(xlabel="time between sessions (s)", ylabel="births in 3,000 s", ylim=(100, None))
axis.legend(loc="lower left")
