"""One step of the rule for a pytree of parameters.

    θ ← θ + b (∂log p_S + N dw/dθ ∂log p_N/∂w) + T b′ + sqrt(2 T b) ν

This is Eq. 21 with Δt = 1, so b is the learning rate of an optimiser. The equation is that of
`rule/equation.py`, through the bridge; this file determines prior, mapping, speed and temperature
of each leaf and counts the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.arguments import instance, number
from synsamp.errors import refuse
from synsamp.jax import bridge
from synsamp.jax.floors import ClippingFloor, ReflectingFloor
from synsamp.jax.preconditioner import RMSProp
from synsamp.jax.pytree import (
    Tree,
    paths,
    per_leaf,
    require_parameters,
    require_same_tree,
)
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule.speed import Speed

_NOTHING = -1


class Progress(NamedTuple):
    """State of a sampler between two steps, without θ and key."""

    steps: jax.Array
    """Number of steps."""
    fault: jax.Array
    """(what, step) of the first fault; -1 if there is none."""
    memory: Tree
    """Running mean of squared gradients per leaf; empty without a preconditioner."""


class LeafRule(NamedTuple):
    """The rule of one leaf, as functions of its array and the number of steps."""

    prior_gradient: bridge.ArrayFunction
    weight: bridge.ArrayFunction | None
    slope: bridge.ArrayFunction | None
    speed: Callable[[Any, Any], tuple[Any, Any]]
    temperature: Callable[[Any], Any]
    floor: bridge.ArrayFunction | None
    noisy: bool


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings of the rule for all leaves, from `sampling` or `sampler`."""

    prior: Any = Flat()  # noqa: RUF009 (frozen, hence a safe default)
    mapping: Any = Identity()  # noqa: RUF009
    temperature: Any = 1.0
    speed: Any = 1e-3
    data_size: float = 1.0
    floor: Any = None
    preconditioner: RMSProp | None = None
    _rules: dict[Any, list[LeafRule]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        remedy = "the number of examples over which the loss is a mean"
        number("data_size", self.data_size, above=0, at_most=1e15, remedy=remedy)
        if self.preconditioner is not None:
            instance("preconditioner", self.preconditioner, RMSProp)

    def rules(self, parameters: Tree) -> list[LeafRule]:
        """The rule of each leaf, cached by structure and shapes."""
        leaves, structure = jax.tree.flatten(parameters)
        kinds = tuple((np.shape(x), str(getattr(x, "dtype", type(x)))) for x in leaves)
        shape = (structure, kinds)
        if shape not in self._rules:
            require_parameters("parameters", parameters)
            self._rules[shape] = self._build_rules(parameters)
        return self._rules[shape]

    def _build_rules(self, tree: Tree) -> list[LeafRule]:
        priors = per_leaf("prior", self.prior, tree, (Prior, PriorByGroup), "e.g. Gaussian(0, 1)")
        mappings = per_leaf("mapping", self.mapping, tree, (Mapping,), "e.g. Exponential(3.0)")
        kinds = (ReflectingFloor, ClippingFloor, type(None))
        floors = per_leaf("floor", self.floor, tree, kinds, "e.g. ReflectingFloor(-1.0)")
        speeds = per_leaf("speed", self.speed, tree, None, "", by_path=False)
        temperatures = per_leaf("temperature", self.temperature, tree, None, "", by_path=False)
        leaves = [
            jax.ShapeDtypeStruct(np.shape(x), jnp.result_type(x)) for x in jax.tree.leaves(tree)
        ]
        settings = priors, mappings, floors, speeds, temperatures
        return [_leaf_rule(*own) for own in zip(paths(tree), leaves, *settings, strict=True)]

    def weights(self, parameters: Tree) -> Tree:
        """w = f(θ) for every leaf."""
        leaves, structure = jax.tree.flatten(parameters)
        rules = self.rules(parameters)
        found = [
            theta if r.weight is None else r.weight(theta).astype(theta.dtype)
            for r, theta in zip(rules, map(jnp.asarray, leaves), strict=True)
        ]
        return jax.tree.unflatten(structure, found)

    def init(self, parameters: Tree) -> Progress:
        """Initial state."""
        self.rules(parameters)
        memory = () if self.preconditioner is None else jax.tree.map(jnp.zeros_like, parameters)
        nothing = jnp.full(2, _NOTHING, jnp.int32)
        return Progress(jnp.zeros((), jnp.int32), nothing, memory)

    def update(
        self, key: Any, gradients: Tree, progress: Progress, parameters: Tree
    ) -> tuple[Tree, Progress]:
        """Change of θ, from ∂(mean log p_N)/∂w of every leaf, and the next state."""
        rules = self.rules(parameters)
        require_same_tree("gradients", gradients, parameters)
        thetas, structure = jax.tree.flatten(parameters)
        likelihoods = jax.tree.leaves(gradients)
        memories = jax.tree.leaves(progress.memory) or [None] * len(rules)
        count = progress.steps
        changes, remembered = [], []
        keys = jax.random.split(key, len(rules))
        for rule, theta, gradient, memory, own_key in zip(
            rules, map(jnp.asarray, thetas), likelihoods, memories, keys, strict=True
        ):
            if rule.slope is not None:
                gradient = bridge.chain_rule(rule.slope(theta), gradient)
            factor = 1.0
            if self.preconditioner is not None:
                memory = self.preconditioner.update(memory, gradient, count)
                remembered.append(memory)
                factor = self.preconditioner.factor(memory)
            normal = jax.random.normal(own_key, theta.shape, theta.dtype) if rule.noisy else 0.0
            changes.append(
                leaf_update(rule, theta, gradient, normal, count, self.data_size, factor)
            )
        temperatures = [rule.temperature(count) for rule in rules]
        fault = _first_fault(progress, likelihoods, temperatures)
        memory_tree = jax.tree.unflatten(structure, remembered) if remembered else ()
        return jax.tree.unflatten(structure, changes), Progress(count + 1, fault, memory_tree)


def leaf_update(
    rule: LeafRule,
    theta: Any,
    gradient: Any,
    normal: Any,
    count: Any,
    data_size: float,
    factor: Any = 1.0,
) -> Any:
    """Change of one leaf, from its likelihood gradient in θ and its normals."""
    b, b_slope = rule.speed(theta, count)
    T = rule.temperature(count)
    moved = bridge.euler_maruyama(
        0.0,
        bridge.drift(
            b * factor, b_slope * factor, rule.prior_gradient(theta), data_size, gradient, T
        ),
        bridge.diffusion(b * factor, T),
        1.0,
        normal,
    )
    if rule.floor is not None:
        moved = rule.floor(theta + moved) - theta
    return jnp.asarray(moved).astype(theta.dtype)


def _leaf_rule(
    path: str,
    leaf: jax.ShapeDtypeStruct,
    prior: Prior | PriorByGroup,
    mapping: Mapping,
    floor: Any,
    speed: Any,
    temperature: Any,
) -> LeafRule:
    gradient = bridge.prior_gradient(prior, leaf.shape)
    bridge.require_traceable(f"prior at {path}", gradient, leaf)
    weight = slope = None
    if not isinstance(mapping, Identity):
        weight, slope = bridge.mapping_functions(mapping)
        bridge.require_traceable(f"mapping at {path}", weight, leaf)
        bridge.require_traceable(f"mapping's slope at {path}", slope, leaf)
    schedule, noisy = _temperature(f"temperature at {path}", temperature)
    return LeafRule(
        gradient, weight, slope, _speed(f"speed at {path}", speed, leaf), schedule, floor, noisy
    )


def _temperature(name: str, temperature: Any) -> tuple[Callable[[Any], Any], bool]:
    limits: Any = dict(at_least=0, at_most=1e12, remedy="0 gives MAP, 1 the posterior")
    if callable(temperature):
        number(f"{name}, step 0,", _at_step_0(temperature), **limits)
        return temperature, True
    value = number(name, temperature, **limits)
    return lambda count: value, value > 0


def _speed(
    name: str, speed: Any, leaf: jax.ShapeDtypeStruct
) -> Callable[[Any, Any], tuple[Any, Any]]:
    limits: Any = dict(at_most=1e12, remedy="a positive number, an Optax schedule or a Speed")
    if isinstance(speed, Speed):
        value, slope = bridge.speed_functions(speed)
        bridge.require_traceable(name, value, leaf)
        bridge.require_traceable(f"{name}, its derivative,", slope, leaf)
        speed.check(np.linspace(-1.0, 1.0, 5))
        return lambda theta, count: (value(theta), slope(theta))
    if callable(speed):
        number(f"{name}, step 0,", _at_step_0(speed), at_least=0, **limits)
        return lambda theta, count: (speed(count), 0.0)
    constant = number(name, speed, above=0, **limits)
    return lambda theta, count: (constant, 0.0)


def _at_step_0(schedule: Callable[[int], Any]) -> Any:
    """First value of a schedule as a number, also during tracing."""
    with jax.ensure_compile_time_eval():
        return schedule(0)


def _first_fault(progress: Progress, gradients: list[Any], temperatures: list[Any]) -> jax.Array:
    bad = [~jnp.all(jnp.isfinite(g)) for g in gradients]
    bad += [jnp.asarray(T < 0) for T in temperatures]
    which = jnp.stack(bad)
    now = jnp.stack([jnp.argmax(which).astype(jnp.int32), progress.steps])
    first = (progress.fault[0] == _NOTHING) & jnp.any(which)
    return jnp.where(first, now, progress.fault)


def check(progress: Any, parameters: Tree) -> None:
    """Raise an error if a gradient was NaN or infinite, or a temperature negative.

    Code under ``jax.jit`` cannot raise exceptions, so the state records the first fault. Call this
    from time to time in your training loop; `synsamp.jax.run` does so for you.

    Parameters
    ----------
    progress : SamplingState, SamplerState or Progress
        State of ``sampling`` or ``sampler``.
    parameters : pytree
        The parameters, for the name of the leaf.
    """
    progress = getattr(progress, "progress", progress)
    instance("state", progress, Progress, "pass the state of sampling() or sampler()")
    what, step = (int(n) for n in np.asarray(progress.fault))
    if what == _NOTHING:
        return
    names = paths(parameters)
    if what < len(names):
        raise refuse(
            f"gradient at {names[what]}, step {step},",
            "must be finite",
            float("nan"),
            "use a smaller speed, or check the loss at that step",
        )
    name = f"temperature at {names[what - len(names)]}, step {step},"
    raise refuse(name, "must be >= 0", "a negative number", "0 gives MAP, 1 the posterior")
