"""
How does a pulse of dopamine change a synapse?
==============================================

The eligibility trace remembers recent spikes. A pulse of dopamine adds the trace to the estimate of the
gradient, which then moves θ.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.priors import Flat
from synsamp.spiking import RewardGradient, Simulation, SynapseModel, winner_take_all_network

rule = RewardGradient(eligibility_s=1.0, gradient_s=5.0)
synapses = SynapseModel(Flat(), plasticity=rule, speed=1e-2, temperature=0.0, theta_min=-2.0)
network = winner_take_all_network(5, 2, synapses, rate_hz=10.0, adaptation_strength=0.0)
sim = Simulation(network, np.full(5, 20.0), theta={"x->z": 1.0}, seed=3, sync_interval_s=0.05)
sim.modulate("z", 0.0)
time, rows = np.arange(0.05, 12.0, 0.05), []
for t in time:
    sim.modulate("z", 5.0 if 5.0 <= t < 5.5 else 0.0)  # dopamine, from now on
    sim.run(0.05)
    found = sim.eligibility("x->z")
    rows.append([found.trace[0, 0], found.gradient[0, 0], sim.theta("x->z")[0, 0]])

figure, axes = plt.subplots(3, 1, figsize=(6, 4.2), sharex=True)
names = ("eligibility e", "gradient g", "parameter θ")
for axis, name, values in zip(axes, names, np.transpose(rows), strict=True):
    axis.plot(time, values)
    axis.axvspan(5.0, 5.5, color="C1", alpha=0.3, lw=0)
    axis.set_ylabel(name)
axes[2].set_xlabel("time (s); dopamine in the orange interval")
