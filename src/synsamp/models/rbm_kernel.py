"""Compiled parts of the Boltzmann machine: sample a layer, reconstruct, compute the gradient.

θ is one flat array: the weights w_ij row by row (one row of all visible units per hidden unit i),
then the hidden biases, then the visible biases. Rows run over the visible units, which are many,
so every inner loop is long and becomes vector instructions.

Random words are generated for a whole layer from a stream (``synsamp.noise.streams``) in the
chain's memory; calling NumPy's generator for each unit would dominate the run time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp.noise.arithmetic import exp
from synsamp.noise.streams import GENERATORS, fill_words

_Array = NDArray[np.float64]
_vector = njit(fastmath={"contract"}, error_model="numpy", nogil=True)
# Sums may be reordered: a running total could not be vectorised.
_summing = njit(fastmath={"contract", "reassoc", "nsz"}, error_model="numpy", nogil=True)
_TO_UNIT = 2.0**-31


@_summing
def _dot(a: _Array, b: _Array) -> float:
    total = 0.0
    for j in range(a.size):
        total += a[j] * b[j]
    return total


@_vector
def _add(row: _Array, out: _Array) -> None:
    for j in range(out.size):
        out[j] += row[j]


@_vector
def _next_words(stream: NDArray[np.uint32], n: int) -> NDArray[np.uint32]:
    """At least ``n`` new uniform words."""
    words = np.empty((n + GENERATORS - 1) // GENERATORS * GENERATORS, np.uint32)
    fill_words(stream, words)
    return words


@_vector
def _uniform(word: np.uint32) -> float:
    # 31 bits: processors have vector conversions for signed integers only.
    return (np.float64(np.int32(word >> np.uint32(1))) + 0.5) * _TO_UNIT


@_vector
def draw_pixels(grey: Any, stream: NDArray[np.uint32]) -> _Array:
    """Present an image: a visible unit is 1 with the probability of its pixel's grey value."""
    words = _next_words(stream, grey.size)
    out = np.empty(grey.size)
    for j in range(grey.size):
        out[j] = 1.0 if _uniform(words[j]) < grey[j] else 0.0
    return out


@_vector
def _fire(activation: _Array, stream: NDArray[np.uint32]) -> None:
    """Replace each activation a by an output that is 1 with probability σ(a) = 1/(1 + e^(−a))."""
    words = _next_words(stream, activation.size)
    for j in range(activation.size):
        fires = _uniform(words[j]) * (1.0 + exp(-activation[j])) < 1.0
        activation[j] = 1.0 if fires else 0.0


@_vector
def draw_hidden(theta: _Array, x: _Array, n_hidden: int, stream: NDArray[np.uint32]) -> _Array:
    """Draw z from p(z|x, θ)."""
    n = x.size
    z = theta[n_hidden * n : n_hidden * n + n_hidden].copy()
    for i in range(n_hidden):
        z[i] += _dot(theta[i * n : (i + 1) * n], x)
    _fire(z, stream)
    return z


@_vector
def draw_visible(theta: _Array, z: _Array, stream: NDArray[np.uint32]) -> _Array:
    """Draw x from p(x|z, θ)."""
    n = (theta.size - z.size) // (z.size + 1)
    x = theta[theta.size - n :].copy()
    for i in range(z.size):
        if z[i] > 0.0:
            _add(theta[i * n : (i + 1) * n], x)
    _fire(x, stream)
    return x


@_vector
def reconstruct(
    theta: _Array, z: _Array, cycles: int, stream: NDArray[np.uint32]
) -> tuple[Any, Any]:
    """(x̂, ẑ) after ``cycles`` >= 1 alternating updates of both layers, starting from z."""
    x = draw_visible(theta, z, stream)
    z = draw_hidden(theta, x, z.size, stream)
    for _ in range(cycles - 1):
        x = draw_visible(theta, z, stream)
        z = draw_hidden(theta, x, z.size, stream)
    return x, z


@_vector
def respond(
    theta: _Array, grey: Any, rng: Any, n_hidden: int, cycles: int, stream: NDArray[np.uint32]
) -> Any:
    """Contrastive divergence: the wake sample (x, z) and the reconstruction (x̂, ẑ)."""
    x = draw_pixels(grey, stream)
    z = draw_hidden(theta, x, n_hidden, stream)
    x_hat, z_hat = reconstruct(theta, z, cycles, stream)
    return x, z, x_hat, z_hat


@_vector
def respond_persistently(
    theta: _Array,
    grey: Any,
    rng: Any,
    n_hidden: int,
    cycles: int,
    stream: NDArray[np.uint32],
    last_z_hat: _Array,
) -> Any:
    """Persistent contrastive divergence: continue from the last reconstruction."""
    x = draw_pixels(grey, stream)
    z = draw_hidden(theta, x, n_hidden, stream)
    x_hat, z_hat = reconstruct(theta, last_z_hat, cycles, stream)
    last_z_hat[:] = z_hat
    return x, z, x_hat, z_hat


@_vector
def _compare(wake: float, x: _Array, model: float, x_hat: _Array, out: _Array) -> None:
    for j in range(out.size):
        out[j] = wake * x[j] - model * x_hat[j]


@_vector
def _gradient(theta: _Array, sample: Any) -> _Array:
    """z_i x_j − ẑ_i x̂_j for weights, z − ẑ and x − x̂ for biases (Eqs. 24 to 26)."""
    x, z, x_hat, z_hat = sample
    out = np.empty(theta.size)
    n = x.size
    for i in range(z.size):
        _compare(z[i], x, z_hat[i], x_hat, out[i * n : (i + 1) * n])
    _compare(1.0, z, 1.0, z_hat, out[z.size * n : z.size * n + z.size])
    _compare(1.0, x, 1.0, x_hat, out[theta.size - n :])
    return out


@_vector
def gradient(
    theta: _Array, grey: Any, sample: Any, n_hidden: int, cycles: int, stream: Any
) -> _Array:
    """The gradient of log p(x|θ) as contrastive divergence estimates it."""
    return _gradient(theta, sample)


@_vector
def gradient_persistently(
    theta: _Array, grey: Any, sample: Any, n_hidden: int, cycles: int, stream: Any, last_z_hat: Any
) -> _Array:
    """The same estimate for the persistent variant."""
    return _gradient(theta, sample)
