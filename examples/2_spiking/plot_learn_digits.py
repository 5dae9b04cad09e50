"""
What do ten neurons learn from digits?
======================================

A winner-take-all circuit sees handwritten ones and twos. After an hour of biological time each
neuron prefers one way of writing one of them.
"""

import matplotlib.pyplot as plt

from synsamp.data import EmbeddedDigits, encode_image, noise_gap
from synsamp.spiking import RandomOrder, Simulation, winner_take_all_network

digits = EmbeddedDigits().load().train
images = digits.pixels[:400].reshape(-1, 28, 28)
shown = [encode_image(image).then(noise_gap(784, 0.05)) for image in images]
sim = Simulation(winner_take_all_network(784, 10), RandomOrder(shown), seed=1)
sim.run(3600.0)

figure, axes = plt.subplots(2, 5, figsize=(7, 3))
for field, axis in zip(sim.weight("x->z").reshape(10, 28, 28), axes.flat, strict=True):
    axis.imshow(field, cmap="Greys", vmin=0)
    axis.axis("off")
figure.suptitle(f"Efficacy of each input after {sim.n_spikes:,} spikes")
