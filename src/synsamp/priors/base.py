"""What every prior is: a log density, its gradient, a way to draw from it.

A prior p_S(θ) acts on one parameter at a time (the paper's local priors, Eq. rbm_prior), so it is
three functions of one number. Parameters of a prior may be numbers or arrays with one value per
synaptic parameter.

To add one, subclass ``Prior`` as the files beside this do, or give ``CustomPrior`` two functions.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import ArrayLike, NDArray

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
        out[i] = function(theta[i], at(parameters, i))  # noqa: F821


class Prior:
    """Base of all priors; subclasses are frozen dataclasses whose fields are their parameters.

    Class attributes ``log_density_of`` and ``gradient_of`` are functions ``f(θ, parameters)`` of
    one number, compiled for the built-in priors.
    """

    log_density_of: ClassVar[Any]
    gradient_of: ClassVar[Any]

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The numbers (or arrays) handed to the two functions, in order."""
        return tuple(_number_or_array(getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]

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

    def for_kernel(self, size: int) -> tuple[Any, ...]:
        """Parameters as the compiled kernels want them: all numbers, or all arrays of ``size``."""
        values = self.parameters
        if all(np.ndim(v) == 0 for v in values):
            return tuple(float(v) for v in values)
        return tuple(np.ascontiguousarray(np.broadcast_to(v, (size,)), float) for v in values)

    @property
    def compiled(self) -> bool:
        """Whether the gradient can run inside a compiled loop."""
        return is_compiled(self.gradient_of)

    def _evaluate(self, function: Any, theta: ArrayLike) -> NDArray[np.float64]:
        theta = np.asarray(theta, float)
        if not is_compiled(function):
            return np.asarray(function(theta, self.parameters), float)
        # Array-valued parameters run along the last axis of θ.
        flat = np.ascontiguousarray(theta).reshape(-1)
        width = theta.shape[-1] if theta.ndim else 1
        values = self.for_kernel(width)
        if values and np.ndim(values[0]):
            values = tuple(np.tile(v, flat.size // width) for v in values)
        out = np.empty_like(flat)
        specialise(_elementwise_template, function=function)(flat, values, out)
        return out.reshape(theta.shape)


def _number_or_array(value: Any) -> Any:
    array = np.asarray(value, float)
    return float(array) if array.ndim == 0 else array


@dataclass(frozen=True)
class CustomPrior(Prior):
    """A prior of one's own, from two functions ``f(θ, parameters)``.

    Compile them with ``numba.njit`` and they run inside the compiled loop; leave them as plain
    Python and they are called on whole arrays.
    """

    log_density_of: Any  # type: ignore[misc]
    gradient_of: Any  # type: ignore[misc]
    parameter_values: tuple[Any, ...] = ()

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The values given at construction."""
        return tuple(_number_or_array(v) for v in self.parameter_values)
