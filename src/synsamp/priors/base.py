"""Base class of priors: log density, its gradient, random draws.

A prior p_S(θ) acts on each parameter separately (as in Eq. 27, prior of the Boltzmann machine), so
you write it as functions of one number. Its parameters are numbers, or arrays with one value per
synaptic parameter: shape [parameters] for a vector θ, [post, pre] for a matrix.

To add one, subclass ``Prior`` like the other files of this folder, or pass two functions to
``CustomPrior``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from inspect import get_annotations
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import (
    NumberFunction,
    function,
    instance,
    number_or_numbers,
    numbers,
)
from synsamp.errors import refuse
from synsamp.specialise import is_compiled, specialise

Values = float | NDArray[np.floating] | NDArray[np.integer]
"""One number for all parameters, or one per parameter."""
Size = int | tuple[int, ...] | None
"""Shape of an array of random draws; None: the shape of the parameters."""
Transition = Callable[..., tuple[float, float, float]]
"""``f(parameters, b, T, elapsed)`` that returns (mean, keep, spread)."""


def at(parameters: Any, i: int) -> Any:
    """Parameters of the prior for the i-th synaptic parameter; single numbers apply to all."""
    return tuple(np.asarray(p)[i] if np.ndim(p) else p for p in parameters)


@overload(at, inline="always")
def _at(parameters, i):  # type: ignore[no-untyped-def]
    if isinstance(parameters, types.UniTuple) and isinstance(parameters.dtype, types.Array):
        # Numba needs tuples written out; their length is known here.
        items = "".join(f"parameters[{k}][i]," for k in range(parameters.count))
        return eval(f"lambda parameters, i: ({items})")
    return lambda parameters, i: parameters


def _elementwise_template(theta: Any, parameters: Any, out: Any) -> None:
    for i in range(theta.size):
        out[i] = value_of(theta[i], at(parameters, i))  # type: ignore[name-defined]  # noqa: F821


# Bounds on the parameters of a prior: beyond them no step of a kernel stays finite.
LOCATION_BOUNDS: dict[str, Any] = dict(at_least=-1e12, at_most=1e12)
SCALE_BOUNDS: dict[str, Any] = dict(at_least=1e-12, at_most=1e12)


class Part(NamedTuple):
    """One prior and the ranges of the flattened θ that it covers, in the form kernels use.

    Parameters
    ----------
    prior : Prior
        The prior.
    parameters : tuple of float, or tuple of ndarray of float, shape (parameters,)
        For ``f(θ[i], at(parameters, i))``: all floats, or all flat arrays as long as θ.
    ranges : ndarray of int, shape (ranges, 2)
        Rows (start, stop).
    """

    prior: Prior
    parameters: tuple[float, ...] | tuple[NDArray[np.float64], ...]
    ranges: NDArray[np.int64]


class Prior:
    """Base of all priors p_S(θ).

    Subclasses are frozen dataclasses whose fields are their parameters.

    Attributes
    ----------
    log_density_of, gradient_of : callable
        Class attributes: log p_S and its derivative as functions ``f(θ, parameters)`` of one
        number, compiled for the built-in priors.
    transition_of : callable or None
        Exact transition under this prior and noise alone, if it is Gaussian:
        ``f(parameters, b, T, elapsed)`` returns (mean, keep, spread) such that
        θ(t + elapsed) = mean + keep·(θ(t) − mean) + spread·ν. Kernels then need no small steps. A
        subclass with another density does not inherit it.
    """

    log_density_of: ClassVar[Any]
    gradient_of: ClassVar[Any]
    transition_of: ClassVar[Any] = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        density = ("log_density_of", "gradient_of", "log_density", "gradient")
        owner = _defined_at(cls, "transition_of")
        if any(_defined_at(cls, name) < owner for name in density):
            cls.transition_of = None

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Numbers or arrays passed to the functions, in order."""
        return tuple(number_or_numbers(f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]

    def log_density(self, theta: ArrayLike) -> NDArray[np.float64]:
        """log p_S(θ) of each element of θ, in the shape of θ; proper priors are normalised."""
        return self._evaluate(self.log_density_of, theta)

    def gradient(self, theta: ArrayLike) -> NDArray[np.float64]:
        """∂ log p_S(θ) / ∂θ of each element of θ, in the shape of θ."""
        return self._evaluate(self.gradient_of, theta)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Independent draws of shape ``size`` from the prior, like the paper's initial values."""
        raise refuse(
            "prior", "must have a `draw` method", type(self).__name__, "pass start values instead"
        )

    def subset(self, mask: NDArray[np.bool_]) -> Self:
        """The prior restricted to the parameters in ``mask``: arrays of that shape are cut."""
        arrays = {
            f.name: np.asarray(getattr(self, f.name))[mask]
            for f in fields(self)  # type: ignore[arg-type]
            if np.shape(getattr(self, f.name)) == mask.shape
        }
        return replace(self, **arrays) if arrays else self  # type: ignore[type-var]

    def for_kernel(self, shape: int | tuple[int, ...]) -> tuple[Any, ...]:
        """Parameters for kernels: all floats, or all flat arrays (row by row) of θ's ``shape``."""
        values = self.parameters
        if all(np.ndim(v) == 0 for v in values):
            return tuple(float(v) for v in values)
        whole = (shape,) if isinstance(shape, int) else shape
        return tuple(np.array(_broadcast(v, whole), float).reshape(-1) for v in values)

    def parts(self, shape: int | tuple[int, ...]) -> tuple[Part, ...]:
        """One part that covers all of θ; ``PriorByGroup`` returns one per label."""
        return (Part(self, self.for_kernel(shape), np.array([[0, int(np.prod(shape))]])),)

    @property
    def compiled(self) -> bool:
        """Whether the gradient can run inside a compiled loop."""
        return is_compiled(self.gradient_of)

    def _evaluate(self, value_of: Any, theta: ArrayLike) -> NDArray[np.float64]:
        theta = numbers("theta", theta)
        if not is_compiled(value_of):
            return np.asarray(value_of(theta, self.parameters), float)
        flat = np.ascontiguousarray(theta).reshape(-1)
        out = np.empty_like(flat)
        evaluate = specialise(_elementwise_template, on_disk=True, value_of=value_of)
        evaluate(flat, self.for_kernel(theta.shape), out)
        return out.reshape(theta.shape)


def _defined_at(cls: type, name: str) -> int:
    """Position in the method resolution order where the attribute is defined."""
    places = (
        k for k, c in enumerate(cls.__mro__) if name in c.__dict__ or name in get_annotations(c)
    )
    return next(places, len(cls.__mro__))


def _broadcast(value: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise refuse(
            "parameters of the prior",
            f"must be single numbers, or arrays that fit θ of shape {shape}",
            np.shape(value),
            "give one value per parameter",
        ) from None


def require_one_shape(**values: Any) -> None:
    """Raise an error unless arrays have one shape."""
    try:
        np.broadcast_shapes(*(np.shape(v) for v in values.values()))
    except ValueError:
        raise refuse(
            " and ".join(values),
            "must be single numbers or arrays of one shape",
            tuple(np.shape(v) for v in values.values()),
            "give one value per parameter",
        ) from None


@dataclass(frozen=True)
class CustomPrior(Prior):
    """A custom prior from two functions.

    Parameters
    ----------
    log_density_of, gradient_of : callable
        log p_S and its derivative as ``f(θ, parameters)``. Compiled with ``numba.njit`` they run
        inside the compiled loop; plain functions receive whole arrays.
    parameter_values : tuple of float or array
        ``parameters`` of the functions.
    transition_of : callable, optional
        Exact transition, see ``Prior``.

    Examples
    --------
    >>> CustomPrior(lambda x, p: -(x**4) / p[0], lambda x, p: -4 * x**3 / p[0], (2.0,))
    """

    log_density_of: NumberFunction  # type: ignore[misc]
    gradient_of: NumberFunction  # type: ignore[misc]
    parameter_values: tuple[Values, ...] = ()
    transition_of: Transition | None = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        function("log_density_of", self.log_density_of)
        function("gradient_of", self.gradient_of)
        if self.transition_of is not None:
            function("transition_of", self.transition_of)
        instance("parameter_values", self.parameter_values, (tuple, list))
        names = [f"parameter_values[{k}]" for k in range(len(self.parameter_values))]
        values = tuple(map(number_or_numbers, names, self.parameter_values))
        require_one_shape(**dict(zip(names, values, strict=True)))
        object.__setattr__(self, "parameter_values", values)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The ``parameter_values``."""
        return self.parameter_values

    def subset(self, mask: NDArray[np.bool_]) -> Self:
        """The prior restricted to the parameters in ``mask``."""
        given: tuple[Any, ...] = self.parameter_values
        values = tuple(v[mask] if np.shape(v) == mask.shape else v for v in given)
        return replace(self, parameter_values=values)
