"""
What happens to synapses when the input changes?
================================================

After ten minutes the network sees another pattern. Synapses from inputs that fell silent disappear, and
synapses from inputs that became active appear.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Protocol, Show, births_deaths
from synsamp.spiking import SynapseModel, winner_take_all_network

first = np.where(np.arange(60) < 30, 40.0, 1.0)  # rates of 60 inputs in Hz
network = winner_take_all_network(60, 5, SynapseModel(speed=3e-4))
steps = [Show(first, 600), Show(first[::-1].copy(), 600)]
events = Protocol(network, steps, {"events": births_deaths("x->z")}).run(seed=1)["events"]

figure, axes = plt.subplots(2, 1, figsize=(7, 4), sharex=True, sharey=True)
titles = "Inputs that were active, then silent", "Inputs that were silent, then active"
bins = np.arange(0, 1201, 20)
for axis, title, chosen in zip(axes, titles, (events.pre < 30, events.pre >= 30), strict=True):
    for sign, born, name in ((1, True, "births"), (-1, False, "deaths")):
        number = np.histogram(events.time[chosen & (events.born == born)], bins)[0]
        axis.bar(bins[:-1] + 10, sign * number, 20, label=name)
    axis.axvline(600, color="black", lw=0.8, ls=":")
    axis.set(title=title, ylabel="per 20 s")
axes[1].set_xlabel("time (s)")
axes[0].legend(loc="upper left", ncols=2)
