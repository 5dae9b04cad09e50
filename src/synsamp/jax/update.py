"""One step of the rule for a pytree of parameters.

    θ ← θ + b (∂log p_S + N dw/dθ ∂log p_N/∂w) + T b′ + sqrt(2 T b) ν

This is Eq. 21 with Δt = 1, so b is the learning rate of an optimiser. The equation is that of
`rule/equation.py`, through the bridge, and `jax/steps.py` has the steps of all methods; this file
determines prior, mapping, speed and temperature of each leaf and counts the steps.
"""

from __future__ import annotations

import warnings
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
from synsamp.jax.log_prior import LogPrior
from synsamp.jax.preconditioner import RMSProp
from synsamp.jax.pytree import (
    Tree,
    paths,
    per_leaf,
    require_parameters,
    require_same_tree,
)
from synsamp.jax.steps import STEPS, Terms, start_of, with_unit_steps
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.speed import Speed
from synsamp.rule.step import StepSizeWarning

AUTO = "auto"
_NOTHING = -1
_FORGET = 0.99
"""The running mean of ``heat`` covers about the last hundred steps."""
_TOO_HOT = 0.1
"""``heat`` above which `check` warns: a standard deviation is then 5 % too large."""


class Progress(NamedTuple):
    """State of a sampler between two steps, without θ and key."""

    steps: jax.Array
    """Number of steps."""
    fault: jax.Array
    """(what, step) of the first fault; -1 if there is none."""
    memory: Tree
    """Running mean of squared gradients per leaf; empty without a preconditioner."""
    motion: Tree
    """State of the method per leaf, such as velocities; empty for the paper's dynamics."""
    heat: jax.Array
    """Running mean of b F²/(2T) per leaf, with the drift b F: by this fraction the steps of the
    paper's dynamics, with their noise of minibatches, enlarge the variance of θ; 0 if T = 0."""
    rate: jax.Array
    """Factor of the speed; 1 unless the speed is "auto"."""


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
    method: Any = Overdamped()  # noqa: RUF009
    scaled: bool = False
    """Whether the state holds a factor of the speed."""
    _rules: dict[Any, list[LeafRule]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        remedy = "the number of examples over which the loss is a mean"
        if not is_array(self.data_size):
            number("data_size", self.data_size, above=0, at_most=1e15, remedy=remedy)
        if self.preconditioner is not None:
            instance("preconditioner", self.preconditioner, RMSProp)
        object.__setattr__(self, "method", with_unit_steps(self.method))
        if not self.is_overdamped and self.floor is not None:
            remedy = "use method=synsamp.Overdamped()"
            raise refuse("floor", "must be None with a velocity", self.floor, remedy)

    @property
    def is_overdamped(self) -> bool:
        """Whether θ moves under the paper's dynamics."""
        return isinstance(self.method, Overdamped)

    @property
    def is_automatic(self) -> bool:
        """Whether a pilot finds the speed."""
        return isinstance(self.speed, str) and self.speed == AUTO

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
        priors, floors = self.priors_and_floors(tree)
        mappings = per_leaf("mapping", self.mapping, tree, (Mapping,), "e.g. Exponential(3.0)")
        speed = 1.0 if self.is_automatic else self.speed
        speeds = per_leaf("speed", speed, tree, None, "", by_path=False)
        temperatures = per_leaf("temperature", self.temperature, tree, None, "", by_path=False)
        leaves = [
            jax.ShapeDtypeStruct(np.shape(x), jnp.result_type(x)) for x in jax.tree.leaves(tree)
        ]
        settings = priors, mappings, floors, speeds, temperatures
        if not self.is_overdamped and any(isinstance(own, Speed) for own in speeds):
            remedy = "use a number or schedule, or method=synsamp.Overdamped()"
            raise refuse("speed", "must not depend on θ with a velocity", "a Speed", remedy)
        return [_leaf_rule(*own) for own in zip(paths(tree), leaves, *settings, strict=True)]

    def priors_and_floors(self, parameters: Tree) -> tuple[list[Any], list[Any]]:
        """Prior and floor of every leaf."""
        kinds = (Prior, PriorByGroup, LogPrior)
        remedy = "e.g. Gaussian(0, 1), or LogPrior(log_density)"
        priors = per_leaf("prior", self.prior, parameters, kinds, remedy)
        floors = (ReflectingFloor, ClippingFloor, type(None))
        remedy = "e.g. ReflectingFloor(-1.0)"
        return priors, per_leaf("floor", self.floor, parameters, floors, remedy)

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
        rules = self.rules(parameters)
        memory = () if self.preconditioner is None else jax.tree.map(jnp.zeros_like, parameters)
        motion = [start_of(self.method, jnp.asarray(x)) for x in jax.tree.leaves(parameters)]
        return Progress(
            steps=jnp.zeros((), jnp.int32),
            fault=jnp.full(2, _NOTHING, jnp.int32),
            memory=memory,
            motion=motion,
            heat=jnp.zeros(len(rules)),
            rate=jnp.ones(()),
        )

    def terms(
        self, parameters: Tree, gradients: Tree, progress: Progress
    ) -> tuple[list[Terms], list[Any]]:
        """b and drift of every leaf, from ∂(mean log p_N)/∂w; and the next preconditioners."""
        memories = jax.tree.leaves(progress.memory) or [None] * len(self.rules(parameters))
        found, remembered = [], []
        for rule, theta, gradient, memory in zip(
            self.rules(parameters),
            map(jnp.asarray, jax.tree.leaves(parameters)),
            jax.tree.leaves(gradients),
            memories,
            strict=True,
        ):
            if rule.slope is not None:
                gradient = bridge.chain_rule(rule.slope(theta), gradient)
            factor = progress.rate if self.scaled or self.is_automatic else 1.0
            if self.preconditioner is not None:
                memory = self.preconditioner.update(memory, gradient, progress.steps)
                remembered.append(memory)
                factor = factor * self.preconditioner.factor(memory)
            found.append(leaf_terms(rule, theta, gradient, progress.steps, self.data_size, factor))
        return found, remembered

    def update(
        self, key: Any, gradients: Tree, progress: Progress, parameters: Tree
    ) -> tuple[Tree, Progress]:
        """Change of θ, from ∂(mean log p_N)/∂w of every leaf, and the next state."""
        rules = self.rules(parameters)
        require_same_tree("gradients", gradients, parameters)
        thetas, structure = jax.tree.flatten(parameters)
        all_terms, remembered = self.terms(parameters, gradients, progress)
        count = progress.steps
        step, constants = STEPS[type(self.method)], self.method.constants(1.0)
        changes, motion, heats = [], [], []
        keys = jax.random.split(key, len(rules))
        for rule, theta, terms, moving, own_key in zip(
            rules, map(jnp.asarray, thetas), all_terms, progress.motion, keys, strict=True
        ):
            T = rule.temperature(count)
            normal = jax.random.normal(own_key, theta.shape, theta.dtype) if rule.noisy else 0.0
            moved, moving = step(moving, terms, T, constants, normal)
            if rule.floor is not None:
                moved = rule.floor(theta + moved) - theta
            changes.append(jnp.asarray(moved).astype(theta.dtype))
            motion.append(jax.tree.map(lambda x, like=theta: x.astype(like.dtype), moving))
            heats.append(_heat(terms, T) if rule.noisy else jnp.zeros(()))
        temperatures = [rule.temperature(count) for rule in rules]
        keep = jnp.minimum(_FORGET, count / (count + 1.0))
        after = progress._replace(
            steps=count + 1,
            fault=_first_fault(progress, jax.tree.leaves(gradients), temperatures),
            memory=jax.tree.unflatten(structure, remembered) if remembered else (),
            motion=motion,
            heat=keep * progress.heat + (1.0 - keep) * jnp.stack(heats),
        )
        return jax.tree.unflatten(structure, changes), after


def _heat(terms: Terms, T: Any) -> Any:
    """b F²/(2T), the mean over a leaf; in units of the variance that the rule keeps up."""
    cold = T <= 0
    mean = jnp.mean(terms.drift(0.0) ** 2 / terms.b) / (2.0 * jnp.where(cold, 1.0, T))
    return jnp.where(cold, 0.0, mean).astype(jnp.float32)


def leaf_terms(
    rule: LeafRule, theta: Any, gradient: Any, count: Any, data_size: float, factor: Any = 1.0
) -> Terms:
    """b and drift of one leaf, from its likelihood gradient in θ."""
    b, b_slope = rule.speed(theta, count)
    b, b_slope = b * factor, b_slope * factor

    def drift(T: Any) -> Any:
        return bridge.drift(b, b_slope, rule.prior_gradient(theta), data_size, gradient, T)

    return Terms(b, drift)


def _leaf_rule(
    path: str,
    leaf: jax.ShapeDtypeStruct,
    prior: Prior | PriorByGroup | LogPrior,
    mapping: Mapping,
    floor: Any,
    speed: Any,
    temperature: Any,
) -> LeafRule:
    gradient: bridge.ArrayFunction = (
        prior.gradient if isinstance(prior, LogPrior) else bridge.prior_gradient(prior, leaf.shape)
    )
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
    if is_array(temperature):
        return lambda count: temperature, True
    if callable(temperature):
        _check_start(name, temperature, **limits)
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
        _check_start(name, speed, at_least=0, **limits)
        return lambda theta, count: (speed(count), 0.0)
    constant = speed if is_array(speed) else number(name, speed, above=0, **limits)
    return lambda theta, count: (constant, 0.0)


def is_array(value: Any) -> bool:
    """Whether a setting is a number of ``optax.inject_hyperparams``, which may be traced."""
    return isinstance(value, jax.Array) and value.ndim == 0


def _check_start(name: str, schedule: Callable[[int], Any], **limits: Any) -> None:
    """Check the first value of a schedule, unless it depends on a traced number."""
    with jax.ensure_compile_time_eval():
        value = schedule(0)
    if not isinstance(value, jax.core.Tracer):
        number(f"{name}, step 0,", value, **limits)


def _first_fault(progress: Progress, gradients: list[Any], temperatures: list[Any]) -> jax.Array:
    bad = [~jnp.all(jnp.isfinite(g)) for g in gradients]
    bad += [jnp.asarray(T < 0) for T in temperatures]
    which = jnp.stack(bad)
    now = jnp.stack([jnp.argmax(which).astype(jnp.int32), progress.steps])
    first = (progress.fault[0] == _NOTHING) & jnp.any(which)
    return jnp.where(first, now, progress.fault)


def check(state: Any, parameters: Tree) -> None:
    """Raise an error if a gradient was NaN or infinite; warn if steps are too long.

    Code under ``jax.jit`` cannot raise exceptions, so the state records the first fault. Call this
    from time to time in your training loop; `synsamp.jax.run` does so for you.

    Parameters
    ----------
    state : SamplingState, SamplerState or a state of ``optax.chain`` that contains one
        State of ``sampling`` or ``sampler``.
    parameters : pytree
        The parameters, for the name of the leaf.

    Warns
    -----
    StepSizeWarning
        If drift and noise of minibatches enlarge the variance of θ by more than 10 %, averaged over
        a leaf and the last hundred steps. Without minibatches this is a lower bound, since the
        sharpest direction is affected most; `synsamp.jax.run` measures that direction.
    """
    progress = _find_progress(state)
    check_fault(progress, parameters)
    heat = np.asarray(progress.heat)
    worst = int(np.argmax(heat))
    if heat[worst] > _TOO_HOT and has_no_velocity(progress):
        warnings.warn(
            f"speed must be small enough for the noise of the rule to exceed that of the gradient, "
            f"got a variance of about {1 + heat[worst]:.2g} times the posterior's at "
            f"{paths(parameters)[worst]}; multiply the speed by {0.5 * _TOO_HOT / heat[worst]:.1g},"
            " or use larger minibatches or method=synsamp.jax.Thermostat()",
            StepSizeWarning,
            stacklevel=2,
        )


def has_no_velocity(progress: Progress) -> bool:
    """Whether the state is of the paper's dynamics."""
    return not jax.tree.leaves(progress.motion)


def _find_progress(state: Any) -> Progress:
    found = [
        leaf
        for leaf in jax.tree.leaves(state, is_leaf=lambda x: isinstance(x, Progress))
        if isinstance(leaf, Progress)
    ]
    if len(found) != 1:
        remedy = "pass the state of sampling(), sampler(), or an optax.chain with one of them"
        raise refuse("state", "must contain one state of the rule", f"{len(found)} of them", remedy)
    return found[0]


def check_fault(progress: Progress, parameters: Tree) -> None:
    """Raise an error if a gradient was NaN or infinite, or a temperature negative."""
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
