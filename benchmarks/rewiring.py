"""When does it pay to store only active connections? A learning step of one layer, by density.

A layer 784 × 300 learns from a minibatch; a step is its output, the gradients in weights and
inputs, one step of the rule and, for the slots, rewiring. The dense form is soft rewiring: every
possible connection has a θ and its noise. Rounds alternate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks import Row, markdown_table
from benchmarks.jax import jax_versions

TITLE = "Rewiring: a step of a layer 784 × 300 by its active connections, against all of them"

SHAPE = (784, 300)
DENSITIES = (0.005, 0.01, 0.02, 0.05, 0.1)
BATCHES = (10, 100)
_ROUNDS, _SECONDS = 5, 0.4


def run() -> list[Row]:
    """Measure both products of the slots and the dense form at every density."""
    rows: list[Row] = []
    for batch in BATCHES:
        for density in DENSITIES:
            found = _alternate(_ways(density, batch))
            dense = found["dense"]
            rows.append(
                {
                    "batch": batch,
                    "active share": f"{density:.1%}",
                    "slots, sparse product: µs": found["sparse"],
                    "slots, dense product: µs": found["filled"],
                    "all connections: µs": dense,
                    "all / slots, as chosen": dense / found["chosen"],
                }
            )
    return rows


def table(rows: list[Row]) -> str:
    """The rows, and the versions they were measured with."""
    return f"{markdown_table(rows)}\n\n{jax_versions()}"


def _ways(density: float, batch: int) -> dict[str, tuple[Any, Callable[..., Any]]]:
    import jax
    import jax.numpy as jnp
    import optax

    import synsamp.jax as sj

    x = jax.random.normal(jax.random.key(0), (batch, SHAPE[0]))
    y = jax.random.normal(jax.random.key(1), (batch, SHAPE[1]))
    layer = sj.HardRewiring(SHAPE, int(density * SHAPE[0] * SHAPE[1]), cost=1e-4)
    soft = sj.SoftRewiring(sj.random_signs(0, SHAPE), density, 1e-4, 1e-8)
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

    theta = soft.start(3, scale=0.05)
    return {
        "sparse": with_slots(layer.sparse_product),
        "filled": with_slots(lambda theta, wires, x: x @ layer.dense(theta, wires)),
        "chosen": with_slots(layer.apply),
        "dense": ((theta, everything.init(theta), x), dense_step),
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
