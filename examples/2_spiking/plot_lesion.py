"""
Does a circuit recover from a lesion?
=====================================

Half of the neurons are removed, and the others take over their spikes. A copy of the network continues
without the lesion and with the same noise.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Branch, Lesion, Protocol, Show, every, rates
from synsamp.spiking import RemoveNeurons, winner_take_all_network

rng = np.random.default_rng(1)
patterns = [rng.uniform(0, 60, 40) * (rng.random(40) < 0.3) for _ in range(4)]


class Pattern:
    durations_s = np.array([0.2])

    def __init__(self, rates_hz):
        self.rates_hz = rates_hz[None]


shown = [Pattern(p) for p in patterns]
data = Protocol(
    winner_take_all_network(40, 8),
    [
        Show(shown, 600),
        Branch("no_lesion", [Show(shown, 600)]),
        Lesion(RemoveNeurons("z", [0, 1, 2, 3])),
        Show(shown, 600),
    ],
    {"rates": every(20, rates())},
).run(seed=1)
lesioned, control = data["rates/rates"], data["no_lesion/rates/rates"]
figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
titles = ("Lesion at 600 s", "No lesion, from 600 s on")
for axis, series, title in zip(axes, (lesioned, control), titles, strict=True):
    axis.plot(series.time, series.values[:, :4], color="C1", lw=1)
    axis.plot(series.time, series.values[:, 4:], color="C0", lw=1)
    axis.set(title=title, xlabel="time (s)")
axes[0].set_ylabel("rate (Hz)")
axes[0].plot([], [], color="C1", label="removed neurons")
axes[0].plot([], [], color="C0", label="surviving neurons")
axes[0].legend()
