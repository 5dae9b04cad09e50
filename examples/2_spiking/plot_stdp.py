"""
What does the rule look like as STDP?
=====================================

One pair of spikes changes the weight as in experiments: the neuron's spike after the input's
strengthens the synapse, other timings weaken it. Strong synapses weaken at any timing.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.spiking import stdp_curve

lags_s = np.linspace(-0.1, 0.1, 81)
figure, axis = plt.subplots(figsize=(6, 3))
for theta in (2.5, 3.0, 3.5):
    axis.plot(1000 * lags_s, 100 * stdp_curve(lags_s, theta=theta), label=f"θ = {theta}")
axis.axhline(0, color="black", lw=0.8)
axis.set(
    xlabel="time of the neuron's spike − time of the input's (ms)",
    ylabel="change of w (%)",
    ylim=(-1.3, 0.7),
)
axis.legend(ncols=3, loc="upper left")
