"""blackjax on a posterior of benchmarks/sampling: draws and processor time.

Usage: python sampling.py NAME TARGET.npz OUT.npz '{"nuts": [STEPS, THIN, DT], "sgld": ...}'

NUTS adapts step and dense metric; its warm-up counts. SGLD and SGHMC have no adaptation: they get
a step, and use all data in every step. SGHMC draws a new momentum every 50 gradients: its steps are
those of Euler, which enlarge the variance by about 1/50 whatever their size.
"""

import json
import sys
import time

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
CHAINS = 4
SGHMC_GRADIENTS = 50


def logistic(theta, x, y):
    """Logistic regression with prior N(0, 1)."""
    logits = x @ theta
    return jnp.sum(y * logits - jnp.logaddexp(0.0, logits)) - 0.5 * jnp.sum(theta**2)


def hierarchical(theta, y, sigma):
    """Eight schools, not centred, with prior N(0, 1)."""
    error = y - (5.0 * theta[0] + jnp.exp(theta[1]) * theta[2:])
    return -0.5 * jnp.sum((error / sigma) ** 2) - 0.5 * jnp.sum(theta**2)


def two_modes(theta, centre, std):
    """Two equal Gaussians."""
    down = -0.5 * jnp.sum((theta - centre) ** 2) / std[0] ** 2
    return jnp.logaddexp(down, -0.5 * jnp.sum((theta + centre) ** 2) / std[0] ** 2)


def gaussian(theta, precision):
    """A Gaussian."""
    return -0.5 * theta @ (precision @ theta)


DENSITIES = {
    "logistic": logistic,
    "hierarchical": hierarchical,
    "two modes": two_modes,
    "Gaussian": gaussian,
}


def nuts(density, steps):
    """Warm-up of 500 steps and a run, for all chains; everything in one compiled function."""

    def one(key, position):
        warm, run = jax.random.split(key)
        adapt = blackjax.window_adaptation(blackjax.nuts, density, is_mass_matrix_diagonal=False)
        (state, found), _ = adapt.run(warm, position, 500)
        kernel = blackjax.nuts(density, **found)

        def step(state, key):
            state, _ = kernel.step(key, state)
            return state, state.position

        return jax.lax.scan(step, state, jax.random.split(run, steps))[1]

    return jax.jit(jax.vmap(one))


def stochastic(density, steps, thin, dt, method):
    """SGLD or SGHMC with the whole gradient."""
    gradient = jax.grad(density)

    def grad(position, minibatch):
        return gradient(position)

    kernel = blackjax.sgld(grad) if method == "sgld" else blackjax.sghmc(grad, SGHMC_GRADIENTS)

    def one(key, position):
        def outer(position, key):
            def inner(position, key):
                return kernel.step(key, position, None, dt), None

            position, _ = jax.lax.scan(inner, position, jax.random.split(key, thin))
            return position, position

        return jax.lax.scan(outer, position, jax.random.split(key, steps // thin))[1]

    return jax.jit(jax.vmap(one))


name, target, out = sys.argv[1:4]
stored = np.load(target)
data = [jnp.asarray(stored[key]) for key in sorted(stored.files) if key.startswith("data")]
start = jnp.asarray(stored["start"])
found = {}


def density(theta):
    """Log of the posterior, up to a constant."""
    return DENSITIES[name](theta, *data)


for method, (steps, thin, dt) in json.loads(sys.argv[4]).items():
    run = nuts(density, steps) if method == "nuts" else stochastic(density, steps, thin, dt, method)
    keys = jax.random.split(jax.random.key(1), CHAINS)
    compiled = run.lower(keys, start).compile()
    began = time.process_time()
    found[method] = np.asarray(jax.block_until_ready(compiled(keys, start)))
    found[f"{method}_seconds"] = time.process_time() - began
np.savez(out, **found)
