"""
What does a deep network know between its data?
===============================================

Sampling the weights of a small network gives a distribution of functions. They agree near the data and
disagree where there are none.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import synsamp as ss
import synsamp.jax as sj

x = jnp.concatenate([jnp.linspace(-2, -0.7, 20), jnp.linspace(0.8, 2, 20)])
y = jnp.sin(2 * x) + 0.1 * jax.random.normal(jax.random.key(1), (40,))


def predict(w, x):
    return jnp.tanh(x[:, None] * w["in"] + w["bias"]) @ w["out"]


def log_likelihood(w):  # noise of std 0.1
    return -0.5 * jnp.sum(((y - predict(w, x)) / 0.1) ** 2)


start = {
    name: 0.1 * jax.random.normal(jax.random.key(k), (30,))
    for k, name in enumerate(("in", "bias", "out"))
}
sampler = sj.sampler(log_likelihood, prior=ss.Gaussian(0, 1.0), speed=2e-5, method=ss.Underdamped())
draws = sj.run(
    sampler,
    start,
    steps=20_000,
    burn_in=5_000,
    thin=200,
    chains=4,
    progress=False,
    diagnostics=False,
)

grid = jnp.linspace(-3, 3, 200)
functions = np.asarray(draws.values(lambda w: predict(w, grid))).reshape(-1, 200)
figure, axis = plt.subplots(figsize=(6, 3))
low, middle, high = np.quantile(functions, [0.025, 0.5, 0.975], axis=0)
axis.fill_between(grid, low, high, alpha=0.25, lw=0, label="95 % of the functions")
axis.plot(grid, functions[::40].T, color="C0", lw=0.5)
axis.plot(x, y, "o", color="C1", ms=3, label="data")
axis.set(xlabel="input", ylabel="output", ylim=(-3, 3))
axis.legend(loc="upper center", ncols=2)
