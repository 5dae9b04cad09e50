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

from synsamp.arguments import function, instance, number, numbers
from synsamp.errors import refuse
from synsamp.specialise import is_compiled, specialise


def _elementwise_template(theta: Any, parameters: Any, out: Any) -> None:
    for i in range(theta.size):
        out[i] = value_of(theta[i], parameters)  # type: ignore[name-defined]  # noqa: F821


class Mapping:
    """Base of all mappings; subclasses are frozen dataclasses whose fields are numbers.

    Class attributes are functions ``f(θ, parameters)`` of one number, compiled for the built-ins:
    ``weight_of`` (w), ``slope_of`` (dw/dθ), ``dlog_slope_of`` (d log(dw/dθ)/dθ, wanted only where a prior
    on w is carried over to θ), and ``theta_of`` (θ for a given w).
    """

    weight_of: ClassVar[Any]
    slope_of: ClassVar[Any]
    dlog_slope_of: ClassVar[Any]
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
        """θ for given efficacies, the inverse of ``weight``; refuses those that no θ has."""
        if self.theta_of is None:
            remedy = "give the inverse of weight_of as theta_of"
            raise refuse("mapping", "must have a theta_of here", type(self).__name__, remedy)
        with np.errstate(all="ignore"):
            found = self._evaluate(self.theta_of, weight, "weight")
        if not np.all(np.isfinite(found)):
            bad = float(np.asarray(weight, float)[~np.isfinite(found)].flat[0])
            raise refuse("weight", "must be one that the mapping can give", bad)
        return found

    @property
    def compiled(self) -> bool:
        """Whether the mapping can run inside a compiled loop."""
        return is_compiled(self.weight_of) and is_compiled(self.slope_of)

    def _evaluate(
        self, value_of: Any, given: ArrayLike, name: str = "theta"
    ) -> NDArray[np.float64]:
        values = numbers(name, given)
        if not is_compiled(value_of):
            return np.asarray(value_of(values, self.parameters), float)
        flat = np.ascontiguousarray(values).reshape(-1)
        out = np.empty_like(flat)
        evaluate = specialise(_elementwise_template, on_disk=True, value_of=value_of)
        evaluate(flat, self.parameters, out)
        return out.reshape(values.shape)


@dataclass(frozen=True)
class CustomMapping(Mapping):
    """A mapping of one's own, from functions ``f(θ, parameters)``; Numba-compiled or plain."""

    weight_of: Any  # type: ignore[misc]
    slope_of: Any  # type: ignore[misc]
    parameter_values: tuple[float, ...] = ()
    dlog_slope_of: Any = None  # type: ignore[misc]
    theta_of: Any = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        function("weight_of", self.weight_of, "pass w as a function (θ, parameters)")
        function("slope_of", self.slope_of, "pass dw/dθ as a function (θ, parameters)")
        for name in ("dlog_slope_of", "theta_of"):
            if getattr(self, name) is not None:
                function(name, getattr(self, name))
        instance("parameter_values", self.parameter_values, (tuple, list))
        values = (number(f"parameter_values[{k}]", v) for k, v in enumerate(self.parameter_values))
        object.__setattr__(self, "parameter_values", tuple(values))

    @property
    def parameters(self) -> tuple[float, ...]:
        """The values given at construction."""
        return self.parameter_values
