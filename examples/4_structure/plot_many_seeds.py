"""
How much do results differ between seeds?
=========================================

One run tells little. Eight seeds at each of four temperatures show which difference is larger than chance.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Mark, Protocol, Show, active_count, at_marks
from synsamp.spiking import SynapseModel, winner_take_all_network

input_hz = np.random.default_rng(1).uniform(0, 40, 100)
figure, axis = plt.subplots(figsize=(6, 3))
for place, T in enumerate((0.0, 0.25, 1.0, 4.0)):
    network = winner_take_all_network(100, 5, SynapseModel(speed=1e-3, temperature=T))
    protocol = Protocol(
        network, [Show(input_hz, 300), Mark("end")], {"n": at_marks(active_count("x->z"))}
    )
    counts = [protocol.run(seed=seed)["n/n"].sum().item() for seed in range(8)]
    axis.plot(place + np.linspace(-0.15, 0.15, 8), counts, "o", color="C0", ms=4)
    axis.plot([place - 0.25, place + 0.25], [np.mean(counts)] * 2, color="black", lw=1)
axis.set_xticks(range(4), ["0", "0.25", "1", "4"])
axis.set(xlabel="temperature T", ylabel="functional synapses after 300 s")
