"""When does it pay to store only active connections? A learning step of one layer, by density.

A layer learns from a minibatch; a step is its output, the gradients in weights and inputs, one step
of the rule and, for the slots, rewiring. The dense form is soft rewiring: every possible connection
has a θ and its noise. Plain SGD of all weights has neither. Rounds alternate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks import Row, markdown_table
from benchmarks.jax import jax_versions

TITLE = "Rewiring: a step of a layer by its active connections, against all of them"

CASES = [((784, 300), share) for share in (0.005, 0.01, 0.02, 0.05, 0.1)] + [((1000, 1000), 0.01)]
BATCHES = (10, 100)
_ROUNDS, _SECONDS = 5, 0.4


def run() -> list[Row]:
    """Measure both products of the slots and the dense form at every density."""
    rows: list[Row] = []
    for batch in BATCHES:
        for shape, density in CASES:
            found = _alternate(_ways(shape, density, batch))
            dense = found["dense"]
            rows.append(
                {
                    "layer": f"{shape[0]} × {shape[1]}",
                    "batch": batch,
                    "active share": f"{density:.1%}",
                    "slots, sparse product: µs": found["sparse"],
                    "slots, dense product: µs": found["filled"],
                    "all connections: µs": dense,
                    "SGD: µs": found["sgd"],
                    "all / slots, as chosen": dense / found["chosen"],
                    "SGD / slots, as chosen": found["sgd"] / found["chosen"],
                }
            )
    return rows


def table(rows: list[Row]) -> str:
    """The rows, and the versions they were measured with."""
    return f"{markdown_table(rows)}\n\n{jax_versions()}"


def _ways(
    shape: tuple[int, int], density: float, batch: int
) -> dict[str, tuple[Any, Callable[..., Any]]]:
    import jax
    import jax.numpy as jnp
    import optax

    import synsamp.jax as sj

    x = jax.random.normal(jax.random.key(0), (batch, shape[0]))
    y = jax.random.normal(jax.random.key(1), (batch, shape[1]))
    layer = sj.HardRewiring(shape, int(density * shape[0] * shape[1]), cost=1e-4)
    soft = sj.SoftRewiring(sj.random_signs(0, shape), density, 1e-4, 1e-8)
    slots = sj.sampling(prior=layer.prior, speed=1e-3, temperature=1e-6)
    everything = sj.sampling(
        prior=soft.prior, mapping=soft.mapping, floor=soft.floor, speed=1e-3, temperature=1e-8
    )

    def with_slots(product: Callable[..., Any]) -> tuple[Any, Callable[..., Any]]:
        def loss(theta: Any, x: Any, wires: Any) -> Any:
            return jnp.mean((jnp.tanh(product(theta, wires, x)) - y) ** 2)

        def step(k: Any, moving: Any) -> Any:
            theta, wires, state, x = moving
            gradient, of_x = jax.grad(loss, (0, 1))(theta, x, wires)
            updates, state = slots.update(gradient, state, theta)
            key = jax.random.fold_in(jax.random.key(2), k)
            theta, wires = layer.rewire(key, optax.apply_updates(theta, updates), wires)
            return theta, wires, state, x - 1e-3 * of_x  # so that the gradient in x is asked for

        theta, wires = layer.start(3)
        return (theta, wires, slots.init(theta), x), step

    def dense_step(k: Any, moving: Any) -> Any:
        theta, state, x = moving
        weights = sj.weights(soft.mapping, theta)

        def loss(w: Any, x: Any) -> Any:
            return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

        gradient, of_x = jax.grad(loss, (0, 1))(weights, x)
        updates, state = everything.update(gradient, state, theta)
        return optax.apply_updates(theta, updates), state, x - 1e-3 * of_x

    def sgd_step(k: Any, moving: Any) -> Any:
        w, x = moving
        gradient, of_x = jax.grad(lambda w, x: jnp.mean((jnp.tanh(x @ w) - y) ** 2), (0, 1))(w, x)
        return w - 1e-3 * gradient, x - 1e-3 * of_x

    theta = soft.start(3, scale=0.05)
    return {
        "sparse": with_slots(layer.sparse_product),
        "filled": with_slots(lambda theta, wires, x: x @ layer.dense(theta, wires)),
        "chosen": with_slots(layer.apply),
        "dense": ((theta, everything.init(theta), x), dense_step),
        "sgd": ((theta, x), sgd_step),
    }


def _alternate(ways: dict[str, tuple[Any, Callable[..., Any]]]) -> dict[str, float]:
    """Median microseconds per step."""
    import jax

    loops, states, steps = {}, {}, {}
    for name, (start, step) in ways.items():
        loops[name] = jax.jit(lambda n, start, step=step: jax.lax.fori_loop(0, n, step, start))
        states[name] = jax.block_until_ready(loops[name](1, start))  # compile
        began = time.perf_counter()
        states[name] = jax.block_until_ready(loops[name](5, states[name]))
        steps[name] = max(5, int(5 * _SECONDS / (time.perf_counter() - began)))
    measured: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, loop in loops.items():
            began = time.perf_counter()
            states[name] = jax.block_until_ready(loop(steps[name], states[name]))
            measured[name].append((time.perf_counter() - began) / steps[name] * 1e6)
    return {name: median(times) for name, times in measured.items()}
