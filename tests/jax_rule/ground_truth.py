"""Two Bayesian models whose posterior NUTS knows. Needs JAX alone: a peer's environment runs it.

A logistic regression in 4 coefficients, and a network 1–3–1 with tanh and Gaussian noise. The
network's posterior has copies of every mode (units may change places and signs), so it is judged by
what it predicts, on which all copies agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Model(NamedTuple):
    """log p_N of all data together; the prior is N(0, prior_std²) for every parameter."""

    log_likelihood: Callable[[Any], Any]
    prior_std: float
    start: Callable[[Any], Any]
    of_interest: Callable[[Any], Any]
    """What is compared: a vector of functions of the parameters."""


def logistic() -> Model:
    rng = np.random.default_rng(2015)
    x = rng.standard_normal((60, 3))
    y = rng.random(60) < 1 / (1 + np.exp(-(x @ [1.0, -1.5, 0.3] + 0.5)))
    x, y = jnp.asarray(x), jnp.asarray(y, float)

    def log_likelihood(w: Any) -> Any:
        logits = x @ w["slopes"] + w["intercept"]
        return jnp.sum(y * logits - jax.nn.softplus(logits))

    def start(key: Any) -> Any:
        return {"slopes": jax.random.normal(key, (3,)), "intercept": jnp.zeros(())}

    def of_interest(w: Any) -> Any:
        return jnp.append(w["slopes"], w["intercept"])

    return Model(log_likelihood, 1.0, start, of_interest)


def network() -> Model:
    rng = np.random.default_rng(2018)
    x = np.linspace(-2, 2, 24)
    y = np.tanh(2 * x) - 0.3 * x + 0.3 * rng.standard_normal(24)
    x, y = jnp.asarray(x), jnp.asarray(y)

    def predict(w: Any, at: Any) -> Any:
        hidden = jnp.tanh(at[:, None] * w["in"] + w["bias"])
        return hidden @ w["out"] + w["offset"]

    def log_likelihood(w: Any) -> Any:
        return -0.5 * jnp.sum((y - predict(w, x)) ** 2) / 0.3**2

    def start(key: Any) -> Any:
        keys = jax.random.split(key, 3)
        parts = {n: jax.random.normal(k, (3,)) for n, k in zip(("in", "bias", "out"), keys)}  # noqa: B905
        return {**parts, "offset": jnp.zeros(())}

    return Model(
        log_likelihood, 1.0, start, lambda w: predict(w, jnp.array([-2.5, -1.0, 0.0, 0.5, 2.5]))
    )


MODELS = {"logistic": logistic, "network": network}
