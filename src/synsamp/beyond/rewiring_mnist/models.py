"""Networks: soft and hard rewiring, dense, fixed random wiring, and the update of SET.

A network is 784–300–100–10 with ReLU and without biases. A `Learner` consists of three functions:
``start`` creates its state from a key, ``step`` updates it with a minibatch, ``weights`` returns
its matrices. All use the same rule (`synsamp.jax.sampler`), which is plain SGD at T = 0 under a
flat prior.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

import synsamp.jax as sj
from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters
from synsamp.beyond.shared.minibatch_steps import Moving, Step
from synsamp.jax.rewiring.slots import Slots

Product = Callable[[Any], Any]
"""A layer: maps inputs to weighted sums."""


@dataclass(frozen=True, eq=False)
class Learner:
    """A network and how it learns."""

    start: Callable[[Any], Moving]
    step: Step
    weights: Callable[[Moving], list[Any]]


def falling(p: RewiringParameters, rate: float) -> Callable[[Any], Any]:
    """Learning rate that decays exponentially over the first task; a second task restarts it."""
    steps = p.epochs * p.steps_per_epoch
    schedule: Callable[[Any], Any] = optax.exponential_decay(rate, steps, p.falls_to)
    return schedule


def dense(p: RewiringParameters) -> Learner:
    """All connections, plain SGD."""
    algorithm = sj.sampler(
        lambda w, x, y: _log_likelihood(products_of(w), x, y),
        speed=falling(p, p.others.dense_rate),
        temperature=0.0,
    )

    def start(key: Any) -> Moving:
        keys = jax.random.split(key, len(p.shapes))
        scales = [np.sqrt(2.0 / n_in) for n_in, _ in p.shapes]
        return algorithm.init(
            [jax.random.normal(k, s) * c for k, s, c in zip(keys, p.shapes, scales, strict=True)]
        )

    return Learner(
        start,
        lambda key, state, x, y: algorithm.step(key, state, x, y)[0],
        lambda state: list(state.position),
    )


def soft(p: RewiringParameters, sign_seeds: Sequence[int]) -> Learner:
    """Every connection has a θ and is active where θ > 0."""
    rate, T = p.soft.learning_rate, p.soft.learning_rate * p.soft.noise**2 / 2
    layers = [
        sj.SoftRewiring(sj.random_signs(seed, shape), share, p.soft.cost, T, p.soft.at_floor)
        for seed, shape, share in zip(sign_seeds, p.shapes, p.soft.share, strict=True)
    ]
    mappings = [layer.mapping for layer in layers]
    algorithm = sj.sampler(
        lambda w, x, y: _log_likelihood(products_of(w), x, y),
        prior=[layer.prior for layer in layers],
        mapping=mappings,
        floor=[layer.floor for layer in layers],
        speed=rate,
        temperature=T,
    )

    def start(key: Any) -> Moving:
        keys = jax.random.split(key, len(layers))
        return algorithm.init(
            [
                layer.start(k, rewired_scale(shape), p.soft.active_at_start * layer.active_share)
                for layer, k, shape in zip(layers, keys, p.shapes, strict=True)
            ]
        )

    return Learner(
        start,
        lambda key, state, x, y: algorithm.step(key, state, x, y)[0],
        lambda state: sj.weights(mappings, state.position),
    )


def hard(p: RewiringParameters, sign_seeds: Sequence[int]) -> Learner:
    """K connections per layer; those whose θ falls to 0 are replaced after each step."""
    layers = [
        sj.HardRewiring(shape, k, p.hard.cost, seed)
        for shape, k, seed in zip(p.shapes, p.kept, sign_seeds, strict=True)
    ]
    rate = falling(p, p.hard.learning_rate)
    heat = p.hard.noise**2 / 2
    settings = dict(prior=layers[0].prior, speed=rate, temperature=lambda k: rate(k) * heat)
    return _sparse(layers, [rewired_scale(shape) for shape in p.shapes], settings)


def fixed(p: RewiringParameters, counts: Sequence[int]) -> Learner:
    """A fixed random wiring with this many connections per layer; weights may change sign."""
    layers = [FixedWiring(shape, k) for shape, k in zip(p.shapes, counts, strict=True)]
    scales = [start_scale(shape, k) for shape, k in zip(p.shapes, counts, strict=True)]
    speed = falling(p, p.others.sparse_rate)
    return _sparse(layers, scales, dict(speed=speed, temperature=0.0))


@dataclass(frozen=True)
class FixedWiring(Slots):
    """K random connections that stay; θ is the weight itself, of either sign."""

    def start(self, key: Any, scale: float | None = None) -> tuple[Any, sj.Connections]:
        """θ ~ N(0, scale²) of K random connections."""
        where, size = jax.random.split(key)
        places = jax.random.permutation(where, self.size)[: self.connections].astype(jnp.int32)
        theta = self.scale(scale) * jax.random.normal(size, places.shape)
        return theta, sj.Connections(places, jnp.ones(places.shape, jnp.int8))

    def rewire(
        self, key: Any, theta: Any, wires: sj.Connections, *_: Any
    ) -> tuple[Any, sj.Connections]:
        """All connections stay."""
        return theta, wires


def _sparse(layers: Sequence[Slots], scales: Sequence[float], settings: dict[str, Any]) -> Learner:
    algorithm = sj.sampler(
        lambda wired, x, y: _log_likelihood(products_of(wired), x, y), **settings
    )

    def start(key: Any) -> Moving:
        keys = jax.random.split(key, len(layers))
        parts = zip(layers, keys, scales, strict=True)
        return algorithm.init([layer.wired(k, scale) for layer, k, scale in parts])

    return Learner(
        start,
        lambda key, state, x, y: algorithm.step(key, state, x, y)[0],
        lambda state: [own.dense() for own in state.position],
    )


def start_scale(shape: tuple[int, int], connections: float) -> float:
    """Standard deviation of initial weights that preserves variances through ReLU."""
    return float(np.sqrt(2.0 * shape[1] / connections))


def rewired_scale(shape: tuple[int, int]) -> float:
    """Standard deviation of initial θ: small, so that useless connections are soon replaced."""
    return float(shape[0] ** -0.5)


def _log_likelihood(products: Sequence[Product], x: Any, y: Any) -> Any:
    logits = forward(products, x)
    return -optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def forward(products: Sequence[Product], x: Any) -> Any:
    """Logits of images (rows)."""
    for product in products[:-1]:
        x = jax.nn.relu(product(x))
    return products[-1](x)


def products_of(weights: Sequence[Any]) -> list[Product]:
    """Layers that multiply by whole or sparse matrices."""
    return [partial(_multiply, matrix) for matrix in weights]


def _multiply(matrix: Any, x: Any) -> Any:
    return x @ matrix


def accuracy(weights: Sequence[Any], x: Any, y: Any) -> Any:
    """Share of images whose largest logit is correct."""
    logits = forward(products_of(weights), x)
    return jnp.mean(jnp.argmax(logits, axis=1) == y)


class Sparse(NamedTuple):
    """Connections of a layer: flat positions, all different, and their weights."""

    places: NDArray[np.int64]
    weights: NDArray[np.float32]


def replace_weakest(
    layer: Sparse, size: int, share: float, scale: float, rng: np.random.Generator
) -> Sparse:
    """Replace the weakest connections of a layer (SET; Mocanu et al. 2018).

    The share ζ of the positive weights nearest to 0, and likewise of the negative ones, is removed;
    as many connections are added at random free positions, with weights as at the start. The rule
    agrees with the published programs except as stated in
    docs/reference/deep-experiments-methods.md.
    """
    gone = _weakest(layer.weights, share)
    free = np.setdiff1d(np.arange(size), layer.places[~gone])
    places, weights = layer.places.copy(), layer.weights.copy()
    places[gone] = rng.choice(free, gone.sum(), replace=False)
    weights[gone] = scale * rng.standard_normal(gone.sum())
    return Sparse(places, weights)


def _weakest(weights: NDArray[Any], share: float) -> NDArray[np.bool_]:
    """The smallest positive and the largest negative weights, and weights of exactly 0."""
    gone = weights == 0
    for side in (weights > 0, weights < 0):
        own = np.flatnonzero(side)
        order = own[np.argsort(np.abs(weights[own]), kind="stable")]
        gone[order[: int(share * own.size)]] = True
    return gone
