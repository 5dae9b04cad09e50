"""What every prior is: a log density, its gradient, a way to draw from it.

A prior p_S(θ) acts on one parameter at a time (the paper's local priors, Eq. rbm_prior), so it is
three functions of one number. Numbers of a prior may be single ones, or arrays with one value per
synaptic parameter: of shape [parameters] for a vector θ, of shape [post, pre] for a matrix of them.

To add one, subclass ``Prior`` as the files beside this do, or give ``CustomPrior`` two functions.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from inspect import get_annotations
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import function, instance, number_or_numbers, numbers
from synsamp.errors import refuse
from synsamp.specialise import is_compiled, specialise


def at(parameters: Any, i: int) -> Any:
    """The prior's parameters for the i-th synaptic parameter: numbers are shared by all."""
    return tuple(np.asarray(p)[i] if np.ndim(p) else p for p in parameters)


@overload(at, inline="always")
def _at(parameters, i):  # type: ignore[no-untyped-def]
    if isinstance(parameters, types.UniTuple) and isinstance(parameters.dtype, types.Array):
        # Numba wants tuples written out; their length is known here, so write them out.
        items = "".join(f"parameters[{k}][i]," for k in range(parameters.count))
        return eval(f"lambda parameters, i: ({items})")
    return lambda parameters, i: parameters


def _elementwise_template(theta: Any, parameters: Any, out: Any) -> None:
    for i in range(theta.size):
        out[i] = value_of(theta[i], at(parameters, i))  # type: ignore[name-defined]  # noqa: F821


# Bounds on a prior's numbers: so far out, no step of any kernel can be right or even finite.
LOCATION_BOUNDS: dict[str, Any] = dict(at_least=-1e12, at_most=1e12)
SCALE_BOUNDS: dict[str, Any] = dict(at_least=1e-12, at_most=1e12)


class Part(NamedTuple):
    """One prior over the ranges of the flattened θ that it covers, as a kernel wants it."""

    prior: Prior
    parameters: tuple[Any, ...]
    """For ``f(θ[i], at(parameters, i))``: all floats, or all flat arrays as long as θ."""
    ranges: NDArray[np.int64]
    """Rows (start, stop)."""


class Prior:
    """Base of all priors; subclasses are frozen dataclasses whose fields are their parameters.

    Class attributes are functions of one number, compiled for the built-in priors:

    ``log_density_of``, ``gradient_of``
        ``f(θ, parameters)``
    ``transition_of``
        optional: where the rule under this prior alone has a Gaussian transition in closed form,
        ``f(parameters, b, T, elapsed)`` gives (mean, keep, spread) such that
        θ(t + elapsed) = mean + keep·(θ(t) − mean) + spread·ν exactly. A kernel then needs no small
        steps. None where there is none; a subclass with another density does not inherit it.
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
        """The numbers (or arrays) handed to the functions, in order."""
        return tuple(number_or_numbers(f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]

    def log_density(self, theta: ArrayLike) -> NDArray[np.float64]:
        """log p_S(θ), element by element (priors on the whole line are normalised)."""
        return self._evaluate(self.log_density_of, theta)

    def gradient(self, theta: ArrayLike) -> NDArray[np.float64]:
        """∂ log p_S(θ) / ∂θ, element by element."""
        return self._evaluate(self.gradient_of, theta)

    def draw(self, rng: np.random.Generator, size: Any = None) -> NDArray[np.float64]:
        """Independent draws from the prior, as the initial values of the paper are."""
        raise refuse(
            "prior", "must have a `draw` method here", type(self).__name__, "give start values"
        )

    def subset(self, mask: NDArray[np.bool_]) -> Self:
        """The prior of the parameters in ``mask`` alone: its arrays of that shape, cut to them."""
        arrays = {
            f.name: np.asarray(getattr(self, f.name))[mask]
            for f in fields(self)  # type: ignore[arg-type]
            if np.shape(getattr(self, f.name)) == mask.shape
        }
        return replace(self, **arrays) if arrays else self  # type: ignore[type-var]

    def for_kernel(self, shape: int | tuple[int, ...]) -> tuple[Any, ...]:
        """Numbers as kernels want them: all floats, or all flat arrays of θ's ``shape``.

        A number of shape [post, pre] is laid out row by row.
        """
        values = self.parameters
        if all(np.ndim(v) == 0 for v in values):
            return tuple(float(v) for v in values)
        whole = (shape,) if isinstance(shape, int) else shape
        return tuple(np.array(_broadcast(v, whole), float).reshape(-1) for v in values)

    def parts(self, shape: int | tuple[int, ...]) -> tuple[Part, ...]:
        """The one part that covers all of θ; ``PriorByGroup`` has one per label."""
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
    """How far up its line of classes the attribute is defined: 0 in the class itself."""
    places = (
        k for k, c in enumerate(cls.__mro__) if name in c.__dict__ or name in get_annotations(c)
    )
    return next(places, len(cls.__mro__))


def _broadcast(value: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise refuse(
            "numbers of the prior",
            f"must be single ones, or arrays that fit θ of shape {shape}",
            np.shape(value),
            "give one value per parameter",
        ) from None


def require_one_shape(**values: Any) -> None:
    """Refuse arrays of numbers that cannot belong to the same parameters."""
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
    """A prior of one's own, from two functions ``f(θ, parameters)``.

    Compile them with ``numba.njit`` and they run inside the compiled loop; leave them as plain
    Python and they are called on whole arrays. ``transition_of`` may bring the exact transition,
    as ``Prior`` describes it.
    """

    log_density_of: Any  # type: ignore[misc]
    gradient_of: Any  # type: ignore[misc]
    parameter_values: tuple[Any, ...] = ()
    transition_of: Any = None  # type: ignore[misc]

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
        """The values given at construction."""
        return self.parameter_values

    def subset(self, mask: NDArray[np.bool_]) -> Self:
        """The prior of the parameters in ``mask`` alone."""
        values = tuple(v[mask] if np.shape(v) == mask.shape else v for v in self.parameter_values)
        return replace(self, parameter_values=values)
