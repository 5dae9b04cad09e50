"""
Where is a classifier uncertain?
================================

A posterior over weights gives a probability for every input. Far from the data the classifier says
that it does not know.
"""

import matplotlib.pyplot as plt
import numpy as np
from numba import njit

import synsamp as ss

rng = np.random.default_rng(4)
x = np.r_[rng.normal((-1, -0.5), 0.5, (20, 2)), rng.normal((1, 0.5), 0.5, (20, 2))]
y = np.repeat([0.0, 1.0], 20)
features = np.c_[x, np.ones(40)]


@njit
def gradient(w):  # logistic regression
    return features.T @ (y - 1 / (1 + np.exp(-features @ w)))


rule = ss.Rule(gradient, ss.Gaussian(0.0, 3.0))
draws = ss.sample(rule, np.zeros(3), method=ss.Underdamped()).theta.values.reshape(-1, 3)[::20]
side = np.linspace(-4, 4, 120)
grid = np.stack([*np.meshgrid(side, side), np.ones((120, 120))], axis=-1)
probability = (1 / (1 + np.exp(-grid @ draws.T))).mean(axis=-1)
figure, axis = plt.subplots(figsize=(4.8, 3.8))
picture = axis.contourf(side, side, probability, 20, cmap="RdBu_r", vmin=0, vmax=1)
axis.contour(side, side, probability, [0.1, 0.5, 0.9], colors="black", linewidths=0.8)
axis.scatter(*x.T, c=y, cmap="RdBu_r", edgecolor="black")
figure.colorbar(picture, label="probability of the red class", ticks=[0, 0.5, 1])
axis.set(xlabel="first input", ylabel="second input")
