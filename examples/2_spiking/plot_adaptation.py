"""
What does adaptation do in a small circuit?
===========================================

Six neurons see one constant input. Adaptation gives each the same share of the spikes. Without it,
one neuron wins nearly all of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.spiking import Simulation, winner_take_all_network

rates_hz = np.random.default_rng(3).uniform(0, 40, 50)
figure, axis = plt.subplots(figsize=(6, 3))
for strength, line in ((-8.0, "o-"), (-0.5, "s--"), (0.0, "^:")):
    sim = Simulation(winner_take_all_network(50, 6, adaptation_strength=strength), rates_hz, seed=1)
    counts = sim.run(500.0).probe(rates_hz, 100.0).counts(6).sum(axis=0)
    axis.plot(
        np.arange(1, 7), np.sort(counts)[::-1] / counts.sum(), line, label=f"γ = {strength:g}"
    )
axis.axhline(1 / 6, color="black", lw=0.8)
axis.set(xlabel="neuron, most active first", ylabel="share of spikes", ylim=(0, 1))
axis.legend()
