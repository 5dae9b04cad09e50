"""blackjax's SGLD on the bimodal prior: prints nanoseconds per parameter update as JSON.

Usage: python sgld.py CHAINS PARAMETERS STEPS REPEATS
"""

import json
import sys
import time

import blackjax
import jax
import jax.numpy as jnp

chains, parameters, steps, repeats = map(int, sys.argv[1:5])


def log_density(theta, minibatch):
    """Log of the mixture ½N(1, 0.15²) + ½N(0, 0.15²), summed over parameters."""
    modes = jnp.stack([-0.5 * ((theta - mean) / 0.15) ** 2 for mean in (1.0, 0.0)])
    return jax.nn.logsumexp(modes, axis=0).sum()


sgld = blackjax.sgld(jax.grad(log_density))


def one_chain(key, theta):
    def step(theta, key):
        return sgld.step(key, theta, None, 1e-4), None

    return jax.lax.scan(step, theta, jax.random.split(key, steps))[0]


run = jax.jit(jax.vmap(one_chain))
theta = jnp.zeros((chains, parameters))
keys = jax.random.split(jax.random.key(1), (repeats + 1, chains))
theta = run(keys[0], theta).block_until_ready()  # compile
times = []
for k in range(repeats):
    began = time.perf_counter()
    theta = run(keys[k + 1], theta).block_until_ready()
    times.append((time.perf_counter() - began) / (steps * chains * parameters) * 1e9)
print(json.dumps({"ns": times, "dtype": str(theta.dtype), "version": blackjax.__version__}))
