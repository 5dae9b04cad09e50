"""
What happens to synapses when the input changes?
================================================

After ten minutes the network sees another pattern. Synapses from inputs that fell silent die, and
synapses from inputs that became active are born.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Protocol, Show, births_deaths
from synsamp.spiking import SynapseModel, winner_take_all_network

first = np.where(np.arange(60) < 30, 40.0, 1.0)  # rates of 60 inputs in Hz
network = winner_take_all_network(60, 5, SynapseModel(speed=3e-4))
steps = [Show(first, 600), Show(first[::-1].copy(), 600)]
events = Protocol(network, steps, {"events": births_deaths("x->z")}).run(seed=1)["events"]

figure, axes = plt.subplots(2, 1, figsize=(7, 3.6), sharex=True, sharey=True)
parts = (("before: active, after: silent", events.pre < 30), ("before: silent, after: active", events.pre >= 30))
for axis, (title, chosen) in zip(axes, parts, strict=True):
    for born, name in ((True, "births"), (False, "deaths")):
        times = events.time[chosen & (events.born == born)]
        axis.hist(times, np.arange(0, 1201, 20), histtype="step", lw=1.6, label=name)
    axis.axvline(600, color="black", lw=0.8, ls=":")
    axis.set(title=f"Inputs {title}", ylabel="events per 20 s")
axes[1].set_xlabel("time (s)")
axes[0].legend(loc="upper left")
