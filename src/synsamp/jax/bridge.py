"""Run the package's scalar functions on JAX arrays.

Equation, priors, mappings and speeds are Python functions of one number, which Numba compiles. A
function's global names decide what ``np.sqrt`` is, not its code. `to_jax` builds a function from
the same code object whose global names refer to JAX:

    np, math  → jax.numpy          max, min → jnp.maximum, jnp.minimum
    exp       → jnp.exp            choose   → jnp.where

and treats the functions it calls likewise. So no equation is written twice. A function with an
``if`` on θ raises an error.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.errors import refuse
from synsamp.mappings import Mapping
from synsamp.noise import arithmetic
from synsamp.priors import Prior, PriorByGroup
from synsamp.rule import equation, underdamped
from synsamp.rule.speed import Speed
from synsamp.rule.vectorisation import brief
from synsamp.specialise import is_compiled

_EQUIVALENTS: dict[Any, Any] = {
    arithmetic.exp: jnp.exp,
    arithmetic.exp_single: jnp.exp,
    arithmetic.choose: jnp.where,
}
_BUILTINS: dict[str, Any] = {"max": jnp.maximum, "min": jnp.minimum}
_MODULES: tuple[ModuleType, ...] = (np, math)

ArrayFunction = Callable[[Any], Any]
"""An elementwise function of a leaf."""


@functools.lru_cache(maxsize=512)
def to_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same Python code with NumPy's names bound to JAX's; JAX functions are unchanged."""
    found: Callable[..., Any] = _bound(function, {})
    return found


def _bound(function: Any, known: dict[int, Any]) -> Any:
    if id(function) in known:
        return known[id(function)]
    source = function.py_func if is_compiled(function) else function
    if not isinstance(source, FunctionType):
        return function
    names: dict[str, Any] = dict(source.__globals__)
    closure = source.__closure__
    cells = closure and tuple(CellType(_meaning(c.cell_contents, known)) for c in closure)
    made = FunctionType(source.__code__, names, source.__name__, source.__defaults__, cells)
    known[id(function)] = made  # first, since it may call itself
    for name in _global_names(source.__code__):
        if name in names:
            names[name] = _meaning(names[name], known)
        elif name in _BUILTINS:
            names[name] = _BUILTINS[name]
    return made


def _meaning(value: Any, known: dict[int, Any]) -> Any:
    if is_compiled(value):
        return _EQUIVALENTS[value] if value in _EQUIVALENTS else _bound(value, known)
    if isinstance(value, ModuleType):
        return jnp if value in _MODULES else value
    if isinstance(value, FunctionType) and not value.__module__.startswith(("jax", "optax")):
        return _bound(value, known)
    return value


def _global_names(code: CodeType) -> set[str]:
    """Global names used by a function and by the functions inside it."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*map(_global_names, inner))


# The rule, with the names of `rule/equation.py`.
drift = to_jax(equation.drift)
diffusion = to_jax(equation.diffusion)
chain_rule = to_jax(equation.chain_rule)
euler_maruyama = to_jax(equation.euler_maruyama)
kick, glide, refresh = (
    to_jax(f) for f in (underdamped.kick, underdamped.glide, underdamped.refresh)
)


def prior_gradient(prior: Prior | PriorByGroup, shape: tuple[int, ...]) -> ArrayFunction:
    """∂log p_S/∂θ as a function of a leaf of this shape."""
    parts = prior.parts(shape)
    functions = [to_jax(part.prior.gradient_of) for part in parts]
    values = [tuple(_as_leaf(v, shape) for v in part.parameters) for part in parts]
    if len(parts) == 1:
        only, its_values = functions[0], values[0]
        return lambda theta: only(theta, _like(its_values, theta))
    assert isinstance(prior, PriorByGroup)
    labels = prior.group

    def gradient(theta: Any) -> Any:
        found = jnp.zeros_like(theta)
        for label, (function, own) in enumerate(zip(functions, values, strict=True)):
            found = jnp.where(labels == label, function(theta, _like(own, theta)), found)
        return found

    return gradient


def mapping_functions(mapping: Mapping) -> tuple[ArrayFunction, ArrayFunction]:
    """(w, dw/dθ) as functions of a leaf."""
    weight, slope = to_jax(mapping.weight_of), to_jax(mapping.slope_of)
    p = mapping.parameters
    return lambda theta: weight(theta, _like(p, theta)), lambda theta: slope(theta, _like(p, theta))


def speed_functions(speed: Speed) -> tuple[ArrayFunction, ArrayFunction]:
    """(b, b′) as functions of a leaf."""
    value, slope = to_jax(speed.value_of), to_jax(speed.slope_of)
    p = speed.parameter_values
    return lambda theta: value(theta, _like(p, theta)), lambda theta: slope(theta, _like(p, theta))


def require_traceable(name: str, function: ArrayFunction, leaf: jax.ShapeDtypeStruct) -> None:
    """Raise an error unless a function runs on JAX arrays and returns the shape of θ."""
    remedy = "write it with NumPy's or JAX's functions of arrays, and np.where in place of if"
    try:
        found = jax.eval_shape(lambda theta: jnp.broadcast_to(function(theta), theta.shape), leaf)
    except Exception as error:  # a user's function may raise anything
        raise refuse(name, "must run on JAX arrays", brief(error), remedy) from None
    assert found.shape == leaf.shape


def _as_leaf(number: Any, shape: tuple[int, ...]) -> Any:
    return np.reshape(number, shape) if np.ndim(number) else float(number)


def _like(values: tuple[Any, ...], theta: Any) -> tuple[Any, ...]:
    """Arrays in θ's precision; JAX converts Python numbers."""
    return tuple(jnp.asarray(v, theta.dtype) if np.ndim(v) else v for v in values)
