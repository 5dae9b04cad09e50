"""
How does a sparse prior treat large weights?
============================================

Only three of twenty inputs matter. With a Gaussian prior the largest weight shrinks by a third. A
Laplace prior of the same variance has heavier tails, so it shrinks large weights less.
"""

import matplotlib.pyplot as plt
import numpy as np
from numba import njit

import synsamp as ss

rng = np.random.default_rng(2)
true = np.zeros(20)
true[[2, 9, 15]] = 1.5, -1.0, 0.7
x = rng.normal(size=(40, 20))
y = x @ true + rng.normal(size=40)


@njit
def gradient(w):  # of the log-likelihood of a linear regression
    return x.T @ (y - x @ w)


figure, axis = plt.subplots(figsize=(7, 3))
for offset, (name, prior) in enumerate(
    {"Gaussian prior": ss.Gaussian(0.0, 0.35), "Laplace prior": ss.Laplace(0.0, 0.25)}.items()
):
    draws = ss.sample(ss.Rule(gradient, prior), start=np.zeros(20), method=ss.Underdamped()).theta
    mean, std = draws.mean(("chain", "draw")), draws.std(("chain", "draw"))
    axis.errorbar(np.arange(20) + 0.3 * offset, mean, std, fmt="o", ms=4, label=name)
axis.plot(np.arange(20) + 0.15, true, "_", color="black", ms=12, label="true weight")
axis.set(xlabel="input", ylabel="weight (mean ± std)", xticks=range(0, 20, 5))
axis.legend()
