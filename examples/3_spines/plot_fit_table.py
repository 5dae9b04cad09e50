"""
Which process produced a table of spine sizes?
==============================================

A table of 200 spines, simulated with known parameters. The fit returns each of them with a 95 % interval.
"""

import matplotlib.pyplot as plt

from synsamp.spines import fit, simulated_table

true = {"mean": 0.5, "spread": 1.0, "relaxation": 20.0, "noise": 0.2}  # relaxation in days
table = simulated_table(**true, n_spines=200, seed=1)
found = fit(table).frame.set_index("parameter")

figure, axis = plt.subplots(figsize=(6, 2.6))
for row, (name, value) in enumerate(true.items()):
    estimate, low, high = found.loc[name, ["estimate", "low", "high"]] / value
    axis.plot([low, high], [row, row], color="C0", lw=3)
    axis.plot(estimate, row, "o", color="C0")
axis.axvline(1, color="black", lw=0.8)
axis.set_yticks(range(4), [f"{name} = {value:g}" for name, value in true.items()])
axis.set(xlabel="estimate and 95 % interval, relative to the true value", ylim=(3.6, -0.6))
