"""
Have my chains converged?
=========================

R-hat compares chains with each other. ArviZ calculates it, here for more and more draws of a posterior with
two far modes: the first draws of each chain come from one mode only.
"""

import arviz_stats
import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss

far = ss.GaussianMixture(means=(-1.0, 1.0), stds=(0.4, 0.4), weights=(0.5, 0.5))
start = [[-1.0], [-1.0], [1.0], [1.0]]
draws = ss.sample(ss.Rule(prior=far), start, steps=40_000, dt=0.01, thin=20).theta.squeeze(
    "parameter"
)

figure, (path, r_hat) = plt.subplots(2, 1, figsize=(7, 3.8), sharex=True, height_ratios=[2, 1])
path.plot(draws.T, lw=0.6)
path.set(ylabel="parameter θ", title="Four chains")
lengths = np.arange(50, 2001, 50)
r_hat.plot(lengths, [arviz_stats.rhat(draws.values[:, :n]) for n in lengths], color="black")
r_hat.axhline(1.01, color="C1", ls="--", label="limit 1.01")
r_hat.set(xlabel="draws per chain", ylabel="R-hat", ylim=(1, 1.1))
r_hat.legend()
