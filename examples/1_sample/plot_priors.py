"""
Which weights does each prior allow?
====================================

A prior on θ becomes a distribution of weights through the mapping w = exp(θ − θ0) for θ > 0. Probability at
w = 0 belongs to retracted synapses.
"""

import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss

rng = np.random.default_rng(1)
mapping = ss.Exponential(3.0)
priors = {
    "Gaussian(0.5, 1)": ss.Gaussian(0.5, 1.0),
    "Laplace(0, 1)": ss.Laplace(0.0, 1.0),
    "StudentT(3)": ss.StudentT(3),
    "GaussianMixture": ss.GaussianMixture(means=(-1.0, 2.0), stds=(0.5, 0.5)),
}
theta = np.linspace(-4, 6, 2000)
figure, axes = plt.subplots(2, 4, figsize=(9, 4), sharey="row")
for (name, prior), column in zip(priors.items(), axes.T, strict=True):
    density = np.exp(prior.log_density(theta))
    density /= np.trapezoid(density, theta)
    column[0].plot(theta, density)
    column[0].fill_between(theta, density, where=theta > 0, alpha=0.3)
    column[0].set(title=name, xlabel="parameter θ")
    draws = rng.choice(theta, 50_000, p=density / density.sum())
    active = draws > 0
    column[1].hist(mapping.weight(draws[active]), np.geomspace(0.05, 20, 40))
    column[1].set(xscale="log", xlabel="weight w", title=f"{active.mean():.0%} functional")
axes[0, 0].set_ylabel("density")
axes[1, 0].set_ylabel("synapses")
