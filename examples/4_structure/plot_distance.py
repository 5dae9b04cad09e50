"""
Does connection probability follow distance?
============================================

Neurons on a sheet: a rule of distance chooses the potential synapses, and the mean of the prior, which
falls with distance, decides how many of them are functional.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from synsamp import spiking as sp
from synsamp.priors import Gaussian

synapses = sp.SynapseModel(Gaussian(0.0, 1.0), plasticity=sp.CustomPlasticity(), speed=0.01)
near = sp.DistanceRule(lambda d: 0.6 * np.exp(-d / 0.15), within=0.5)
lateral = sp.Projection("e", "e", synapses, potential=near, prior_mean=lambda d: 0.5 - 5.0 * d)
network = sp.Network(
    neurons=[sp.StochasticNeurons("e", 1000, positions=sp.Torus())], projections=[lateral]
)
sim = sp.Simulation(network, seed=1).run(20.0)

edges = np.linspace(0.0, 0.45, 19)
middle = 0.5 * (edges[1:] + edges[:-1])
found = np.histogram(network.distances_of("e->e")[sim.active("e->e")], edges)[0]
pairs = 1000**2 * np.pi * np.diff(edges**2)  # expected pairs in each ring
figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(
    middle,
    0.6 * np.exp(-middle / 0.15) * norm.cdf(0.5 - 5.0 * middle),
    color="black",
    lw=1,
    label="rule × P(θ > 0)",
)
axis.plot(middle, found / pairs, "o", ms=4, label="after 20 s")
axis.set(xlabel="distance", ylabel="connection probability", ylim=(0, None))
axis.legend()
