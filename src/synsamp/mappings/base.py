"""How a parameter θ becomes a synaptic efficacy w = f(θ).

The chain rule brings the slope dw/dθ into the likelihood term (structsamp-general); for the
exponential mapping the slope is w itself, which makes plasticity multiplicative.

To add one, subclass ``Mapping`` as the files beside this do, or use ``CustomMapping``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.specialise import is_compiled, specialise


def _elementwise_template(theta: Any, parameters: Any, out: Any) -> None:
    for i in range(theta.size):
        out[i] = function(theta[i], parameters)  # noqa: F821


class Mapping:
    """Base of all mappings; subclasses are frozen dataclasses whose fields are numbers.

    Class attributes are functions ``f(θ, parameters)`` of one number, compiled for the built-ins:
    ``weight_of`` (w), ``slope_of`` (dw/dθ), ``bend_of`` (d log(dw/dθ)/dθ, wanted only where a prior
    on w is carried over to θ), and ``theta_of`` (θ for a given w).
    """

    weight_of: ClassVar[Any]
    slope_of: ClassVar[Any]
    bend_of: ClassVar[Any]
    theta_of: ClassVar[Any]

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers handed to the functions, in order."""
        return tuple(float(getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]

    def weight(self, theta: ArrayLike) -> NDArray[np.float64]:
        """w = f(θ)."""
        return self._evaluate(self.weight_of, theta)

    def slope(self, theta: ArrayLike) -> NDArray[np.float64]:
        """dw/dθ."""
        return self._evaluate(self.slope_of, theta)

    def theta(self, weight: ArrayLike) -> NDArray[np.float64]:
        """θ for given efficacies, the inverse of ``weight``."""
        return self._evaluate(self.theta_of, weight)

    @property
    def compiled(self) -> bool:
        """Whether the mapping can run inside a compiled loop."""
        return is_compiled(self.weight_of) and is_compiled(self.slope_of)

    def _evaluate(self, function: Any, values: ArrayLike) -> NDArray[np.float64]:
        values = np.asarray(values, float)
        if not is_compiled(function):
            return np.asarray(function(values, self.parameters), float)
        flat = np.ascontiguousarray(values).reshape(-1)
        out = np.empty_like(flat)
        specialise(_elementwise_template, function=function)(flat, self.parameters, out)
        return out.reshape(values.shape)


@dataclass(frozen=True)
class CustomMapping(Mapping):
    """A mapping of one's own, from functions ``f(θ, parameters)``; Numba-compiled or plain."""

    weight_of: Any  # type: ignore[misc]
    slope_of: Any  # type: ignore[misc]
    parameter_values: tuple[float, ...] = ()
    bend_of: Any = None  # type: ignore[misc]
    theta_of: Any = None  # type: ignore[misc]

    @property
    def parameters(self) -> tuple[float, ...]:
        """The values given at construction."""
        return tuple(float(v) for v in self.parameter_values)
