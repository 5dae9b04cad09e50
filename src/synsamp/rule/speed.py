"""Sampling speed b(θ): how fast the parameter space is explored, without changing what is sampled.

The rule adds T b′(θ) to the drift, which keeps the stationary law the same (ml-mcmc2-meth); so a
speed that depends on θ comes with its derivative, and the derivative is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import function, instance, number_or_numbers, numbers
from synsamp.errors import refuse
from synsamp.noise.arithmetic import scalar
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
    """b(θ) and b′(θ) as functions ``f(θ, parameters)``, Numba-compiled or plain.

    Example: ``Speed(lambda x, p: 1 / (1 + x**2), lambda x, p: -2 * x / (1 + x**2) ** 2)``.
    """

    value_of: Any
    slope_of: Any
    parameter_values: tuple[Any, ...] = ()

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

    def for_kernel(self, size: int) -> tuple[Any, ...]:
        """Parameters for the compiled kernel: all numbers, or all arrays of ``size``."""
        if all(np.ndim(v) == 0 for v in self.parameter_values):
            return tuple(float(v) for v in self.parameter_values)
        return tuple(
            np.ascontiguousarray(np.broadcast_to(v, (size,)), float) for v in self.parameter_values
        )

    def evaluate(self, theta: NDArray[np.float64]) -> tuple[Any, Any]:
        """(b, b′) for an array of parameters (last axis runs over parameters)."""
        p = tuple(np.asarray(v, float) for v in self.parameter_values)
        if not self.compiled:
            return self.value_of(theta, p), self.slope_of(theta, p)
        value, slope = self.value_of.py_func, self.slope_of.py_func
        return value(theta, p), slope(theta, p)

    def check(self, theta: NDArray[np.float64]) -> None:
        """Refuse a speed that is not positive, or whose derivative is not its derivative.

        Compared with a central difference at the given values; its error is about h²·b‴ + ε·b/h,
        so one part in 10⁵ is far above it and far below any real mistake.
        """
        theta = np.atleast_1d(numbers("theta", theta))
        try:
            b, slope = (np.broadcast_to(v, theta.shape) for v in self.evaluate(theta))
        except Exception as error:  # whatever a user's function may raise
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


def as_speed(speed: Any) -> Speed:
    """A number (or one number per parameter) becomes a constant speed; a Speed stays itself."""
    if isinstance(speed, Speed):
        return speed
    remedy = "use a positive number, one per parameter, or a synsamp.Speed"
    values = number_or_numbers("speed", speed, remedy=remedy, **_BOUNDS)
    if np.ndim(values) > 1:
        raise refuse("speed", "must be one number or one per parameter", np.shape(values), remedy)
    return Speed(_constant_value, _constant_slope, (values,))
