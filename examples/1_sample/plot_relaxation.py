"""
How fast does the distribution of θ relax?
==========================================

The Fokker–Planck equation of the rule gives the distribution after any time, and the relaxation
time tells how long a burn-in should be.
"""

import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss

grid = np.linspace(-2.5, 2.5, 301)
rule = ss.Rule(prior=ss.GaussianMixture(means=(-1.0, 1.0), stds=(0.4, 0.4), weights=(0.4, 0.6)))
theory = ss.fokker_planck(rule, grid)
times = (0.01, 0.05, 0.2, 1.0, 5.0)
figure, axis = plt.subplots(figsize=(6, 3))
for time, shade in zip(times, plt.cm.viridis(np.linspace(0.1, 0.9, len(times))), strict=True):
    p = theory.evolve(theory.delta(-1.0), time)
    axis.plot(grid, p / (p.sum() * (grid[1] - grid[0])), color=shade, label=f"t = {time}")
axis.set(xlabel="parameter θ", ylabel="density", ylim=(0, 2))
axis.set_title(f"relaxation time {theory.relaxation_time():.2f} (in units of 1/b)")
axis.legend()
