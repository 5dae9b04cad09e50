"""
Does the rule visit both modes of a posterior?
==============================================

Maximum likelihood learning ends in one mode. Synaptic sampling visits both, each as often as the
posterior says.
"""

import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss

prior = ss.GaussianMixture(means=(-1.0, 1.0), stds=(0.3, 0.5), weights=(0.3, 0.7))
result = ss.sample(ss.Rule(prior=prior), start=[0.0], method=ss.Underdamped())

theta = np.linspace(-2.5, 3, 400)
density = np.exp(prior.log_density(theta))
figure, (path, histogram) = plt.subplots(1, 2, figsize=(8, 3), sharey=True, width_ratios=[3, 1])
path.plot(result.theta[0, :1500, 0], lw=0.6)
path.set(xlabel="draw", ylabel="parameter θ", title="One chain switches between the modes")
histogram.hist(result.theta.values.ravel(), 60, density=True, orientation="horizontal", alpha=0.5)
histogram.plot(density, theta, color="black", label="exact")
histogram.set(xlabel="density", title="All draws")
histogram.legend()
