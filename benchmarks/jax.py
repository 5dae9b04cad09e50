"""A training step in JAX: the rule against plain Optax SGD, SGD plus noise and blackjax's SGLD.

All do the same work on the same network with ReLU and the same minibatches: gradient of the mean
cross-entropy, then one move of every parameter. The samplers have a Gaussian prior and the factor
N. Every method runs inside one compiled loop; rounds alternate between them. The table has the time
that passed and the processor's time of this process: on a machine that others use as well, the
first differs from run to run by a third, the second does not wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from statistics import median
from typing import Any

from benchmarks import Row, markdown_table, missing_peer

TITLE = "The rule in JAX: a training step against Optax SGD and blackjax's SGLD"

WIDTHS = ((784, 126, 10), (784, 2790, 2790, 10))
"""About 1e5 and 1e7 parameters."""
BATCH, EXAMPLES = 32, 60_000.0
_SECONDS, _ROUNDS = 0.7, 9
"""A round of one method takes about so long; many short ones meet the same busy minutes."""

Step = Callable[[Any, Any, Any, Any], tuple[Any, Any]]
"""(parameters, state, key, batch) → (parameters, state)."""


def run() -> list[Row]:
    """Measure every method at every size, in alternating rounds."""
    rows: list[Row] = []
    for widths in WIDTHS:
        methods = _methods(widths)
        measured = _alternate(methods, widths)
        sgd, noisy = (_medians(measured[name]) for name in ("Optax SGD", "Optax SGD + noise"))
        for name, times in measured.items():
            passed, used = _medians(times) if times else (None, None)
            rows.append(
                {
                    "method": name if times else missing_peer("blackjax"),
                    "parameters": _count(widths),
                    "ms per step": passed,
                    "/ SGD": passed / sgd[0] if passed else None,
                    "/ (SGD + noise)": passed / noisy[0] if passed else None,
                    "processor: ms per step": used,
                    "processor: / SGD": used / sgd[1] if used else None,
                    "processor: / (SGD + noise)": used / noisy[1] if used else None,
                }
            )
    return rows


def table(rows: list[Row]) -> str:
    """The rows, and the versions they were measured with."""
    return f"{markdown_table(rows)}\n\n{jax_versions()}"


def jax_versions() -> str:
    """Versions of JAX and of what was measured with it."""
    known = [name for name in ("jax", "optax", "blackjax") if find_spec(name)]
    return ", ".join(f"{name} {version(name)}" for name in known) + "."


def _medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    passed, used = zip(*times, strict=True)
    return median(passed), median(used)


def _count(widths: tuple[int, ...]) -> int:
    return sum((a + 1) * b for a, b in pairwise(widths))


def _start(widths: tuple[int, ...]) -> list[Any]:
    import jax
    import jax.numpy as jnp

    keys = jax.random.split(jax.random.key(0), len(widths) - 1)
    pairs = zip(keys, widths[:-1], widths[1:], strict=False)
    return [(jax.random.normal(key, (a, b)) * (2 / a) ** 0.5, jnp.zeros(b)) for key, a, b in pairs]


def _mean_loss(params: Any, batch: Any) -> Any:
    import jax
    import optax

    x, labels = batch
    for weights, bias in params[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    logits = x @ params[-1][0] + params[-1][1]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def _with_optax(optimiser: Any) -> tuple[Any, Step]:
    import jax
    import optax

    def step(params: Any, state: Any, key: Any, batch: Any) -> tuple[Any, Any]:
        gradients = jax.grad(_mean_loss)(params, batch)
        updates, state = optimiser.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    return optimiser.init, step


def _with_noise(speed: float) -> tuple[Any, Step]:
    """What anybody would write: SGD, and a normal for every parameter."""
    import jax

    def step(params: Any, state: Any, key: Any, batch: Any) -> tuple[Any, Any]:
        gradients = jax.grad(_mean_loss)(params, batch)
        leaves, structure = jax.tree.flatten(params)
        keys = jax.tree.unflatten(structure, list(jax.random.split(key, len(leaves))))
        moved = jax.tree.map(
            lambda w, g, k: w - speed * g + 1e-6 * jax.random.normal(k, w.shape),
            params,
            gradients,
            keys,
        )
        return moved, state

    return (lambda params: 0), step


def _with_blackjax(speed: float) -> tuple[Any, Step]:
    import blackjax
    import jax
    import jax.numpy as jnp

    def log_prior(params: Any) -> Any:
        return -0.5 * sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(params))

    def of_batch(params: Any, batch: Any) -> Any:
        # Its own estimator takes a function of one example; this one has the same value and saves
        # it the detour, so that the network costs every method the same.
        return log_prior(params) - EXAMPLES * _mean_loss(params, batch)

    sgld = blackjax.sgld(jax.grad(of_batch))

    def step(params: Any, state: Any, key: Any, batch: Any) -> tuple[Any, Any]:
        return sgld.step(key, params, batch, speed), state

    return (lambda params: 0), step


def _methods(widths: tuple[int, ...]) -> dict[str, tuple[Any, Step] | None]:
    import jax
    import optax

    import synsamp.jax as sj
    from synsamp.priors import Gaussian

    speed = 0.01 / EXAMPLES

    def own(key: Any) -> Any:
        return sj.sampling(prior=Gaussian(), speed=speed, data_size=EXAMPLES, key=key)

    return {
        "synsamp": _with_optax(own(jax.random.key(1))),
        "synsamp, T = 0": _with_optax(
            sj.sampling(prior=Gaussian(), speed=speed, data_size=EXAMPLES, temperature=0.0)
        ),
        "synsamp, key of kind rbg": _with_optax(own(jax.random.key(1, impl="rbg"))),
        "Optax SGD": _with_optax(optax.sgd(0.01)),
        "Optax SGD + noise": _with_noise(0.01),
        "blackjax SGLD": _with_blackjax(speed) if find_spec("blackjax") else None,
    }


def _alternate(
    methods: dict[str, tuple[Any, Step] | None], widths: tuple[int, ...]
) -> dict[str, list[tuple[float, float]]]:
    import jax

    images = jax.random.uniform(jax.random.key(2), (BATCH, widths[0]))
    batch = images, jax.random.randint(jax.random.key(3), (BATCH,), 0, widths[-1])
    loops = {name: _loop(*found) for name, found in methods.items() if found is not None}
    states: dict[str, Any] = {}
    steps: dict[str, int] = {}
    for name, (init, loop) in loops.items():
        params = _start(widths)
        states[name] = jax.block_until_ready(loop(params, init(params), 1, batch))  # compile
        began = time.perf_counter()
        states[name] = jax.block_until_ready(loop(*states[name], 2, batch))
        steps[name] = max(2, int(2 * _SECONDS / (time.perf_counter() - began)))
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in methods}
    for _ in range(_ROUNDS):
        for name, (_, loop) in loops.items():
            began, used = time.perf_counter(), time.process_time()
            states[name] = jax.block_until_ready(loop(*states[name], steps[name], batch))
            passed, used = time.perf_counter() - began, time.process_time() - used
            measured[name].append((passed / steps[name] * 1e3, used / steps[name] * 1e3))
    return measured


def _loop(init: Any, step: Step) -> tuple[Any, Callable[..., Any]]:
    import jax

    def loop(params: Any, state: Any, n: Any, batch: Any) -> tuple[Any, Any]:
        def one(k: Any, moving: tuple[Any, Any]) -> tuple[Any, Any]:
            return step(*moving, jax.random.fold_in(jax.random.key(4), k), batch)

        found: tuple[Any, Any] = jax.lax.fori_loop(0, n, one, (params, state))
        return found

    return init, jax.jit(loop, donate_argnums=(0, 1))
