"""Sampling speed b(θ), which does not change the stationary distribution.

The rule adds T b′(θ) to the drift, which compensates for a speed that depends on θ (Eq. 12). Such a
speed therefore needs its derivative, which is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import NumberFunction, function, instance, number_or_numbers, numbers
from synsamp.errors import refuse
from synsamp.noise.arithmetic import scalar
from synsamp.priors.base import Values
from synsamp.specialise import is_compiled

_BOUNDS: Any = dict(above=0, at_most=1e12)


@scalar
def _constant_value(theta: float, p: Any) -> float:
    return p[0]


@scalar
def _constant_slope(theta: float, p: Any) -> float:
    return 0.0


@dataclass(frozen=True, eq=False)
class Speed:
    """Sampling speed b(θ) with its derivative (Eq. 12, general rule).

    Parameters
    ----------
    value_of, slope_of : callable
        b and db/dθ as elementwise functions ``f(θ, parameters)``, Numba-compiled or plain.
    parameter_values : tuple of float or array of shape (parameters,)
        ``parameters`` of both functions.

    Examples
    --------
    >>> Speed(lambda x, p: 1 / (1 + x**2), lambda x, p: -2 * x / (1 + x**2) ** 2)
    """

    value_of: NumberFunction
    slope_of: NumberFunction
    parameter_values: tuple[Values, ...] = ()

    def __post_init__(self) -> None:
        function("value_of", self.value_of, "pass b as a function (θ, parameters)")
        function("slope_of", self.slope_of, "pass db/dθ as a function (θ, parameters)")
        instance("parameter_values", self.parameter_values, (tuple, list))
        values = (
            number_or_numbers(f"parameter_values[{k}]", v)
            for k, v in enumerate(self.parameter_values)
        )
        object.__setattr__(self, "parameter_values", tuple(values))

    @property
    def compiled(self) -> bool:
        """Whether both functions can run inside a compiled loop."""
        return is_compiled(self.value_of) and is_compiled(self.slope_of)

    @property
    def is_constant(self) -> bool:
        """Whether the speed was given as numbers, and so does not depend on θ."""
        return self.value_of is _constant_value

    def for_kernel(self, size: int) -> tuple[Any, ...]:
        """Parameters for the compiled kernel: all floats, or all arrays of ``size``."""
        values: tuple[Any, ...] = self.parameter_values
        if all(np.ndim(v) == 0 for v in values):
            return tuple(float(v) for v in values)
        return tuple(np.ascontiguousarray(np.broadcast_to(v, (size,)), float) for v in values)

    def evaluate(self, theta: NDArray[np.float64]) -> tuple[Any, Any]:
        """(b, b′) for θ of shape (…, parameters)."""
        p = tuple(np.asarray(v, float) for v in self.parameter_values)
        value, slope = (getattr(f, "py_func", f) for f in (self.value_of, self.slope_of))
        return value(theta, p), slope(theta, p)

    def check(self, theta: NDArray[np.float64]) -> None:
        """Raise an error if b is not positive or b′ is not its derivative at these values.

        The error of the central difference is about h²·b‴ + ε·b/h, far below the tolerance 1e-5.
        """
        theta = np.atleast_1d(numbers("theta", theta))
        try:
            b, slope = (np.broadcast_to(v, theta.shape) for v in self.evaluate(theta))
        except Exception as error:  # a user's function may raise anything
            rule = f"must give one number, or one for each of {theta.shape[-1]} parameters"
            raise refuse("speed", rule, f"{type(error).__name__}: {error}") from error
        numbers("speed b(θ)", b, remedy="use a positive speed", **_BOUNDS)
        h = 1e-5 * np.maximum(1.0, np.abs(theta))
        measured = (self.evaluate(theta + h)[0] - self.evaluate(theta - h)[0]) / (2 * h)
        gap = np.abs(measured - slope)
        worst = int(np.argmax(gap))
        if gap.flat[worst] > 1e-5 * (np.abs(slope).max() + np.abs(b).max()):
            raise refuse(
                "derivative of speed b(θ)",
                f"must be {np.broadcast_to(measured, theta.shape).flat[worst]:.6g} "
                f"at θ = {theta.flat[worst]:.6g}",
                float(slope.flat[worst]),
                "correct the second function of Speed",
            )


def as_speed(speed: Values | Sequence[float] | Speed) -> Speed:
    """A number, or one number per parameter, becomes a constant ``Speed``."""
    if isinstance(speed, Speed):
        return speed
    remedy = "use a positive number, one per parameter, or a synsamp.Speed"
    values = number_or_numbers("speed", speed, remedy=remedy, **_BOUNDS)
    if np.ndim(values) > 1:
        raise refuse("speed", "must be one number or one per parameter", np.shape(values), remedy)
    return Speed(_constant_value, _constant_slope, (values,))
