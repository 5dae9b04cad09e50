"""
How large may the time step be?
===============================

With steps of the paper's dynamics the variance grows too large. The underdamped form has no such error for
a Gaussian posterior, and only a small one for others.
"""

import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss

steps = np.array([0.05, 0.1, 0.2, 0.4, 0.8])
figure, axis = plt.subplots(figsize=(6, 3))
for name, method in (("overdamped", ss.Overdamped()), ("underdamped", ss.Underdamped(tau=1.0))):
    ratios = []
    for dt in steps:
        rule = ss.Rule(prior=ss.StudentT(50))  # nearly Gaussian, variance 50/48
        draws = ss.sample(
            rule, [0.0], steps=40_000, dt=dt, chains=8, method=method, diagnostics=False
        )
        ratios.append(draws.theta.var().item() / (50 / 48))
    axis.plot(steps, ratios, "o-", label=name)
axis.axhline(1.0, color="black", lw=0.8)
axis.set(xlabel="time step", ylabel="variance / exact variance")
axis.legend()
