"""Exact log p(x|θ) of a restricted Boltzmann machine, by summing over the hidden states.

    log p(x|θ) = b_vis·x + Σ_i log(1 + e^(b_i + w_i·x)) − log Z

The hidden units are independent given x, so the first part needs no sum over states. Z does: one
term per state of the smaller layer, in which the other layer is summed in closed form. Functions
take ``weights`` (hidden, visible), ``hidden_bias`` and ``visible_bias``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import generator, number, numbers, whole
from synsamp.errors import refuse

Array = NDArray[np.float64]

LARGEST_EXACT_LAYER = 20
"""2²⁰ states of 784 inputs each take seconds; every further unit doubles that."""

_BLOCK_UNITS = 10  # states come in blocks of 2¹⁰, about 6 MB at 784 inputs
_FACTORS = 1000  # this many factors in (1, 2] multiply to less than the largest double, 2¹⁰²⁴


def sum_softplus(a: Array) -> Array:
    """Σ log(1 + e^a) over the last axis, for a of any size.

    As Σ max(a, 0) + log Π (1 + e^−|a|): one logarithm for up to a thousand terms.
    """
    a = numbers("a", a)
    if a.ndim == 0:
        raise refuse("a", "must have an axis to sum over", a.shape)
    total = np.maximum(a, 0.0).sum(axis=-1)
    factors = 1.0 + np.exp(-np.abs(a))
    for first in range(0, a.shape[-1], _FACTORS):
        total += np.log(factors[..., first : first + _FACTORS].prod(axis=-1))
    return np.asarray(total)


def as_pixels(images: ArrayLike) -> ArrayLike:
    """Images as numbers: black and white ones may come as True and False."""
    is_black_and_white = isinstance(images, np.ndarray) and images.dtype == bool
    return np.asarray(images, float) if is_black_and_white else images


def as_machine(
    weights: ArrayLike, hidden_bias: ArrayLike, visible_bias: ArrayLike
) -> tuple[Array, Array, Array]:
    """The three arrays of a machine, if they fit together."""
    hidden = numbers("hidden_bias", hidden_bias, shape=(None,))
    visible = numbers("visible_bias", visible_bias, shape=(None,))
    for name, layer in (("hidden_bias", hidden), ("visible_bias", visible)):
        if layer.size == 0:
            raise refuse(name, "must have at least one unit", layer.shape)
    return numbers("weights", weights, shape=(hidden.size, visible.size)), hidden, visible


def log_unnormalised(
    images: ArrayLike, weights: Array, hidden_bias: Array, visible_bias: Array
) -> Array:
    """log p(x|θ) + log Z for each row of ``images`` (n, visible), the hidden units summed out."""
    weights, hidden_bias, visible_bias = as_machine(weights, hidden_bias, visible_bias)
    x = numbers("images", as_pixels(images), shape=(None, visible_bias.size))
    return np.asarray(x @ visible_bias + sum_softplus(x @ weights.T + hidden_bias))


def log_partition(weights: Array, hidden_bias: Array, visible_bias: Array) -> float:
    """Exact log Z, by enumerating the smaller layer."""
    weights, hidden_bias, visible_bias = as_machine(weights, hidden_bias, visible_bias)
    if hidden_bias.size > visible_bias.size:  # the machine is symmetric in its layers
        weights, hidden_bias, visible_bias = weights.T, visible_bias, hidden_bias
    terms = _log_weights_of_states(weights, hidden_bias, visible_bias)
    return float(np.logaddexp.reduce(terms))


def log_likelihood(
    images: ArrayLike,
    weights: Array,
    hidden_bias: Array,
    visible_bias: Array,
    log_z: float | None = None,
) -> Array:
    """log p(x|θ) for each binary image; ``log_z`` may come from annealed importance sampling."""
    if log_z is None:
        log_z = log_partition(weights, hidden_bias, visible_bias)
    log_z = number("log_z", log_z)
    return log_unnormalised(images, weights, hidden_bias, visible_bias) - log_z


def exact_samples(
    n: int,
    rng: np.random.Generator,
    weights: Array,
    hidden_bias: Array,
    visible_bias: Array,
) -> tuple[Array, Array]:
    """``n`` independent draws of x from p(x|θ), and the probabilities σ(·) they were drawn from.

    The hidden state is drawn from its exact distribution, so there is no Markov chain.
    """
    n = whole("n", n, at_least=0, at_most=10**9)
    generator("rng", rng)
    weights, hidden_bias, visible_bias = as_machine(weights, hidden_bias, visible_bias)
    log_weights = _log_weights_of_states(weights, hidden_bias, visible_bias)
    probabilities = np.exp(log_weights - np.logaddexp.reduce(log_weights))
    chosen = rng.choice(probabilities.size, n, p=probabilities / probabilities.sum())
    z = (chosen[:, None] >> np.arange(hidden_bias.size)) & 1
    probability = 1.0 / (1.0 + np.exp(-(z @ weights + visible_bias)))
    return (rng.random(probability.shape) < probability).astype(float), probability


def log_mean_likelihood(log_likelihoods: ArrayLike) -> Array:
    """log of the mean over samples θ_s (axis 0) of p(x|θ_s): the posterior predictive."""
    values = numbers("log_likelihoods", log_likelihoods)
    if values.ndim == 0 or len(values) == 0:
        raise refuse("log_likelihoods", "must hold at least one sample along axis 0", values.shape)
    return np.asarray(np.logaddexp.reduce(values, axis=0) - np.log(len(values)))


def _log_weights_of_states(weights: Array, hidden_bias: Array, visible_bias: Array) -> Array:
    """log Σ_x e^(−E(x, z)) of every hidden state z; bit i of a state's number is z_i."""
    if hidden_bias.size > LARGEST_EXACT_LAYER:
        raise refuse(
            "smaller layer",
            f"must have at most {LARGEST_EXACT_LAYER} units to be summed exactly",
            int(hidden_bias.size),
            "use synsamp.analysis.rbm_annealing.annealed_log_partition",
        )
    blocks = _blocks_of_states(weights, hidden_bias, visible_bias)
    return np.concatenate([bias + sum_softplus(inputs) for bias, inputs in blocks])


def _blocks_of_states(
    weights: Array, hidden_bias: Array, visible_bias: Array
) -> Iterator[tuple[Array, Array]]:
    """(z·b_hid, input to the visible units) of all states, in blocks that fit the cache's size.

    Each hidden unit doubles a block: all states so far, and the same with the unit on.
    """
    bias, inputs = np.zeros(1), visible_bias[None]
    for b, row in zip(hidden_bias[:_BLOCK_UNITS], weights[:_BLOCK_UNITS], strict=True):
        bias, inputs = np.concatenate([bias, bias + b]), np.concatenate([inputs, inputs + row])
    further_bias, further = hidden_bias[_BLOCK_UNITS:], weights[_BLOCK_UNITS:]
    for state in range(1 << further_bias.size):
        on = (state >> np.arange(further_bias.size)) & 1
        yield bias + on @ further_bias, inputs + on @ further
