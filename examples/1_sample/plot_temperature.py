"""
What does the temperature change?
=================================

The rule samples from the posterior to the power 1/T. Low temperatures stay near the best parameters;
high ones explore.
"""

import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss

prior = ss.GaussianMixture(means=(-1.0, 1.0), stds=(0.4, 0.4), weights=(0.3, 0.7))
theta = np.linspace(-3, 3, 400)
figure, axes = plt.subplots(1, 3, figsize=(8, 2.8), sharey=True)
for axis, temperature in zip(axes, (0.5, 1.0, 3.0), strict=True):
    rule = ss.Rule(prior=prior, temperature=temperature)
    draws = ss.sample(rule, start=[0.0], steps=60_000, method=ss.Underdamped()).theta
    exact = np.exp(prior.log_density(theta) / temperature)
    axis.hist(draws.values.ravel(), 80, density=True, alpha=0.5)
    axis.plot(theta, exact / np.trapezoid(exact, theta), color="black")
    axis.set(title=f"T = {temperature}", xlabel="parameter θ", xlim=(-3, 3))
axes[0].set_ylabel("density")
