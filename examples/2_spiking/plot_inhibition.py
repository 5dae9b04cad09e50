"""
What does inhibition do in a network of stochastic neurons?
===========================================================

Excitatory and inhibitory neurons spike at random times, with a rate that grows exponentially with the
potential. Stronger input evokes inhibition, which keeps the excitatory rate in bounds.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp import spiking as sp
from synsamp.priors import Gaussian

fixed = sp.SynapseModel(Gaussian(1.5, 0.3))
network = sp.Network(
    inputs=[sp.InputGroup("x", 40)],
    neurons=[
        sp.StochasticNeurons("e", 80, rate_hz=2.0, refractory_s=0.005),
        sp.StochasticNeurons("i", 20, rate_hz=2.0),
    ],
    projections=[
        sp.Projection("x", "e", fixed, plastic=False),
        sp.Projection("e", "i", fixed, plastic=False, delay_s=0.001),
        sp.Projection("i", "e", fixed, plastic=False, delay_s=0.001, sign=-1),
    ],
)
log = sp.EventLog("spikes")
sim = sp.Simulation(network, np.full(40, 10.0), seed=1, observer=log).run(1.0)
sim.stimulus = np.full(40, 30.0)  # from now on
sim.run(1.0)

spikes = log["spikes"]
figure, axis = plt.subplots(figsize=(7, 3.4))
for name, chosen in (("excitatory", spikes["neuron"] < 80), ("inhibitory", spikes["neuron"] >= 80)):
    axis.plot(spikes["time_s"][chosen], spikes["neuron"][chosen], "|", ms=3, label=name)
axis.axvline(1.0, color="black", lw=0.8, ls=":")
axis.set(xlabel="time (s); input 10 Hz, then 30 Hz", ylabel="neuron")
axis.legend(loc="upper left", bbox_to_anchor=(1, 1))
