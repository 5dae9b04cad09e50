"""
How long do the spines of a table survive?
==========================================

Kaplan–Meier survival of new spines in two conditions. The parameters of the second relax half as fast.
"""

import matplotlib.pyplot as plt

from synsamp.spines import simulated_table, survival

figure, axis = plt.subplots(figsize=(6, 3))
for condition, relaxation in (("control", 10.0), ("slow", 20.0)):
    table = simulated_table(mean=0.3, relaxation=relaxation, n_spines=400, seed=3)
    curve = survival(table).frame
    axis.fill_between(curve.time, curve.low, curve.high, step="post", alpha=0.25, lw=0)
    axis.step(
        curve.time, curve.survival, where="post", label=f"{condition}, τ = {relaxation:g} days"
    )
axis.set(xlabel="age (days)", ylabel="share of new spines surviving", ylim=(0, 1.02))
axis.legend()
