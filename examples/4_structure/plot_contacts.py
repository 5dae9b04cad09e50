"""
How many contacts does a connected pair have?
=============================================

Four potential contacts per pair. Under prior and noise alone their number is binomial. Plasticity couples
the contacts of a pair, so that more pairs have none or four.
"""

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from scipy.stats import binom

from synsamp import spiking as sp
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian


@njit
def on_post(synapse, traces, p):  # Hebbian: potentiation by a recent input spike
    return p[0] * (synapse.x * (1 - synapse.w / 2) - p[1])


hebbian = sp.CustomPlasticity(on_post, parameter_values=(8.0, 0.2))
synapses = sp.SynapseModel(Gaussian(-0.5, 1.0), Exponential(1.0), hebbian, speed=0.1)
four = sp.Projection("x", "h", synapses, potential=sp.RandomPairs(0.2), contacts=4)
network = sp.Network(
    [sp.InputGroup("x", 60)], [sp.StochasticNeurons("h", 60, 5.0, max_rate_hz=200.0)], [four]
)
sim = sp.Simulation(network, np.full(60, 10.0), seed=1).run(40.0)
contacts = sim.active("x->h").reshape(-1, 4).sum(axis=1)

figure, axis = plt.subplots(figsize=(6, 3))
axis.bar(
    np.arange(5) - 0.2,
    np.bincount(contacts, minlength=5) / contacts.size,
    0.4,
    label="with plasticity",
)
axis.bar(
    np.arange(5) + 0.2,
    binom.pmf(range(5), 4, contacts.mean() / 4),
    0.4,
    color="C6",
    label="binomial, same mean",
)
axis.set(xlabel="functional contacts of a pair", ylabel="share of pairs", yscale="log")
axis.legend(loc="upper right")
