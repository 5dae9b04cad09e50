"""The posterior of two models by blackjax's NUTS, for tests/jax_rule/test_ground_truth.py.

    benchmarks/peers/blackjax/.venv/bin/python benchmarks/peers/blackjax/nuts_reference.py

writes tests/jax_rule/nuts_reference.npz: mean and variance of each function of interest and their
Monte-Carlo errors, from 16 chains of 5,000 draws after 2,000 of adaptation, in float64.
"""

import sys
from pathlib import Path

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from blackjax.diagnostics import effective_sample_size, potential_scale_reduction

TESTS = Path(__file__).parents[3] / "tests" / "jax_rule"
sys.path.insert(0, str(TESTS))
import ground_truth  # noqa: E402

CHAINS, ADAPT, DRAWS = 16, 2_000, 5_000


def posterior(model, key):
    def log_density(w):
        prior = sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(w))
        return model.log_likelihood(w) - 0.5 * prior / model.prior_std**2

    def one_chain(key):
        begin, adapt, draw = jax.random.split(key, 3)
        warmup = blackjax.window_adaptation(blackjax.nuts, log_density, target_acceptance_rate=0.9)
        (state, numbers), _ = warmup.run(adapt, model.start(begin), num_steps=ADAPT)
        step = blackjax.nuts(log_density, **numbers).step

        def next_draw(state, key):
            state, info = step(key, state)
            return state, (model.of_interest(state.position), info.is_divergent)

        return jax.lax.scan(next_draw, state, jax.random.split(draw, DRAWS))[1]

    return jax.jit(jax.vmap(one_chain))(jax.random.split(key, CHAINS))


def summary(values):
    """Mean, and its error, of (chain, draw, function)."""
    ess = effective_sample_size(values)
    return values.mean((0, 1)), values.std((0, 1)) / np.sqrt(ess)


def main():
    jax.config.update("jax_enable_x64", True)
    found = {}
    for number, (name, make) in enumerate(ground_truth.MODELS.items()):
        values, divergent = posterior(make(), jax.random.key(number))
        mean, mean_error = summary(values)
        variance, variance_error = summary((values - mean) ** 2)
        r_hat = potential_scale_reduction(values)
        print(name, "divergent", int(divergent.sum()), "R-hat", r_hat)
        for label, value in (
            ("mean", mean),
            ("mean_error", mean_error),
            ("variance", variance),
            ("variance_error", variance_error),
            ("r_hat", r_hat),
        ):
            found[f"{name}_{label}"] = np.asarray(value)
            print(name, label, np.asarray(value))
    np.savez(TESTS / "nuts_reference.npz", **found)


if __name__ == "__main__":
    main()
