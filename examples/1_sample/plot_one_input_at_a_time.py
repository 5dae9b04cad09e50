"""
Does learning from one input at a time give the same posterior?
===============================================================

A synapse sees one input after the other, never the whole data set. Single inputs, multiplied by N, give
the right mean, and a wider distribution because each input adds noise. Smaller steps reduce this noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from numba import njit

import synsamp as ss

rng = np.random.default_rng(3)
inputs = rng.normal(1.0, 1.0, (50, 1))


@njit
def all_at_once(theta):
    return (inputs - theta).sum(axis=0)


@njit
def one(theta, x):
    return x - theta


prior = ss.Gaussian(0.0, 1.0)
figure, axis = plt.subplots(figsize=(6, 3))
for name, likelihood in (("all inputs", all_at_once), ("one at a time", ss.Online(one, inputs))):
    draws = ss.sample(ss.Rule(likelihood, prior), [1.0], steps=20_000, dt=5e-4, chains=8).theta
    axis.hist(draws.values.ravel(), 60, density=True, histtype="step", lw=2, label=name)
theta = np.linspace(0.4, 1.7, 300)
mean, variance = inputs.sum() / 51, 1 / 51
exact = np.exp(-((theta - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
axis.plot(theta, exact, color="black", lw=1, label="exact")
axis.set(xlabel="parameter θ", ylabel="density")
axis.legend()
