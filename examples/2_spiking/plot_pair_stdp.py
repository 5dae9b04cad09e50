"""
How do I use my own plasticity rule?
====================================

Two short functions define pair STDP with a presynaptic and a postsynaptic trace.
"""

import matplotlib.pyplot as plt
import numpy as np
from numba import njit

from synsamp.priors import Flat
from synsamp.spiking import CustomPlasticity, SynapseModel, stdp_curve


@njit
def on_post(synapse, traces, p):  # the neuron spikes: potentiation by the presynaptic trace
    traces[1] += 1.0
    return p[0] * traces[0]


@njit
def on_pre(synapse, traces, p):  # an input spike arrives: depression by the postsynaptic trace
    traces[0] += 1.0
    return -p[1] * traces[1]


stdp = CustomPlasticity(on_post, on_pre, (1.0, 0.5), time_constants_s=(0.017, 0.034))
lags_s = np.linspace(-0.1, 0.1, 80)
change = stdp_curve(lags_s, SynapseModel(Flat(), plasticity=stdp, speed=1e-2))
figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(1000 * lags_s, 100 * change, "o", ms=3)
axis.axhline(0, color="black", lw=0.8)
axis.set(xlabel="time of the neuron's spike − time of the input's (ms)", ylabel="change of w (%)")
