"""
Does a speed that depends on θ change the posterior?
====================================================

No. The term T b′(θ) of the rule keeps the stationary distribution. Here large parameters move five
times as fast as small ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from numba import njit

import synsamp as ss

speed = ss.Speed(
    njit(lambda theta, p: 1 + 4 / (1 + np.exp(-4 * theta))),
    njit(lambda theta, p: 16 * np.exp(-4 * theta) / (1 + np.exp(-4 * theta)) ** 2),
)
theta = np.linspace(-4, 4, 400)
figure, axis = plt.subplots(figsize=(6, 3))
for label, each in (("constant speed", 1.0), ("speed of θ", speed)):
    rule = ss.Rule(prior=ss.Gaussian(0.0, 1.0), speed=each)
    draws = ss.sample(rule, start=[0.0], steps=100_000, dt=0.01, chains=8).theta
    axis.hist(draws.values.ravel(), 80, density=True, histtype="step", lw=2, label=label)
axis.plot(theta, np.exp(-(theta**2) / 2) / np.sqrt(2 * np.pi), color="black", lw=1, label="prior")
axis.set(xlabel="parameter θ", ylabel="density")
axis.legend()
