"""
How many synapses come and go?
==============================

Prior and noise alone make synapses appear and disappear all the time, while their number stays the
same.
"""

import matplotlib.pyplot as plt

from synsamp.protocol import Protocol, Silence, active_count, births_deaths, every
from synsamp.spiking import CustomPlasticity, SynapseModel, winner_take_all_network

synapses = SynapseModel(speed=1e-3, plasticity=CustomPlasticity())
record = {"active": every(10, active_count("x->z")), "events": births_deaths("x->z")}
data = Protocol(winner_take_all_network(200, 5, synapses), [Silence(2000)], record).run(seed=1)

events = data["events"]
active = data["active/active"].sum("post")
figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(active.time, active, color="black")
axis.set(xlabel="time (s)", ylabel="functional synapses", ylim=(0, 1000))
born = events["born"].values
axis.set_title(f"{born.sum():,} births and {(~born).sum():,} deaths in 2,000 s")
