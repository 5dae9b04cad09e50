"""Base class of mappings from a parameter θ to a synaptic weight w = f(θ).

The chain rule multiplies the likelihood term by dw/dθ (Eq. 10, structural plasticity rule). For the
exponential mapping dw/dθ = w, which makes plasticity multiplicative.

To add one, subclass ``Mapping`` like the other files of this folder, or use ``CustomMapping``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import NumberFunction, function, instance, number, numbers
from synsamp.errors import refuse
from synsamp.specialise import is_compiled, specialise


def _elementwise_template(theta: Any, parameters: Any, out: Any) -> None:
    for i in range(theta.size):
        out[i] = value_of(theta[i], parameters)  # type: ignore[name-defined]  # noqa: F821


class Mapping:
    """Base of all mappings w = f(θ).

    Subclasses are frozen dataclasses whose fields are numbers. Class attributes are functions
    ``f(θ, parameters)`` of one number, compiled for the built-in mappings.

    Attributes
    ----------
    weight_of, slope_of : callable
        w and dw/dθ.
    dlog_slope_of : callable or None
        d log(dw/dθ)/dθ, needed for priors on w (``LogNormalWeight``).
    theta_of : callable or None
        θ for a given w.
    """

    weight_of: ClassVar[Any]
    slope_of: ClassVar[Any]
    dlog_slope_of: ClassVar[Any]
    theta_of: ClassVar[Any]

    @property
    def parameters(self) -> tuple[float, ...]:
        """Numbers passed to the functions, in order."""
        return tuple(float(getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]

    def weight(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Weights w = f(θ), in the shape of θ."""
        return self._evaluate(self.weight_of, theta)

    def slope(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Slopes dw/dθ, in the shape of θ."""
        return self._evaluate(self.slope_of, theta)

    def theta(self, weight: ArrayLike) -> NDArray[np.float64]:
        """θ for given weights, the inverse of ``weight``; an error for impossible weights."""
        if self.theta_of is None:
            remedy = "pass the inverse of weight_of as theta_of"
            raise refuse("mapping", "must have a theta_of", type(self).__name__, remedy)
        with np.errstate(all="ignore"):
            found = self._evaluate(self.theta_of, weight, "weight")
        if not np.all(np.isfinite(found)):
            bad = float(np.asarray(weight, float)[~np.isfinite(found)].flat[0])
            raise refuse("weight", "must be in the range of the mapping", bad)
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
    """A custom mapping from functions ``f(θ, parameters)``, Numba-compiled or plain.

    Parameters
    ----------
    weight_of, slope_of : callable
        w and dw/dθ.
    parameter_values : tuple of float
        ``parameters`` of the functions.
    dlog_slope_of, theta_of : callable, optional
        d log(dw/dθ)/dθ and the inverse of ``weight_of``.

    Examples
    --------
    >>> CustomMapping(lambda x, p: x**2, lambda x, p: 2 * x)
    """

    weight_of: NumberFunction  # type: ignore[misc]
    slope_of: NumberFunction  # type: ignore[misc]
    parameter_values: tuple[float, ...] = ()
    dlog_slope_of: NumberFunction | None = None  # type: ignore[misc]
    theta_of: NumberFunction | None = None  # type: ignore[misc]

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
        """The ``parameter_values``."""
        return self.parameter_values
