"""
Which neuron answers which digit?
=================================

Spikes of the circuit before and after learning, while it sees ones and twos in turn.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.data import EmbeddedDigits, encode_image, noise_gap
from synsamp.spiking import InOrder, RandomOrder, Simulation, winner_take_all_network

digits = EmbeddedDigits().load().train
ones, twos = digits.by_digit(1)[:100], digits.by_digit(2)[:100]
shown = [
    encode_image(image.reshape(28, 28)).then(noise_gap(784, 0.05))
    for pair in zip(ones, twos, strict=True)
    for image in pair
]
sim = Simulation(winner_take_all_network(784, 10), RandomOrder(shown), seed=2)
figure, axes = plt.subplots(2, 1, figsize=(7, 4), sharex=True)
for axis, title in zip(axes, ("Before learning", "After 30 minutes"), strict=True):
    spikes = sim.probe(InOrder(shown), 3.0, burn_in_s=1.0)
    axis.plot(spikes.time_s, spikes.neuron, "|", color="black", ms=7)
    for start in np.arange(0, 3, 0.5):  # every other presentation is a two
        axis.axvspan(start + 0.25, start + 0.45, color="C1", alpha=0.2, lw=0)
        axis.axvspan(start, start + 0.2, color="C0", alpha=0.2, lw=0)
    axis.set(ylabel="neuron", title=title, ylim=(-0.7, 9.7), yticks=[0, 3, 6, 9])
    sim.run(1800.0)
axes[1].set_xlabel("time (s); blue: one, orange: two")
