"""Custom plasticity: change of one synapse at a postsynaptic and at a presynaptic spike.

    dθ = b ( ∂log p_S(θ) dt + on_post dS_post + on_pre dS_pre ) + sqrt(2 T b) dW

Both are functions ``f(synapse, traces, parameters)`` compiled with ``numba.njit`` that return the
change of θ in units of b. ``synapse`` has the fields of `Synapse`. ``traces`` is an array with one
number per time constant, decayed to the present; the function may change it in place.
``parameters`` is the tuple ``parameter_values``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.core.errors import NumbaError

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.mappings import Mapping
from synsamp.noise.arithmetic import exp, scalar
from synsamp.specialise import is_compiled, why_not_compiled
from synsamp.specialise.fingerprint import fingerprint
from synsamp.spiking.kernel.compiling import CHECKED, row_function
from synsamp.spiking.kernel.diffusion import at_least, read_effects
from synsamp.spiking.kernel.rows import ARRIVAL, SPIKE, ArrivalColumn, SpikeRow, arrays_of
from synsamp.spiking.kernel.simd import array_at, numbers, part
from synsamp.spiking.plasticity.base import Plasticity

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821

MOST_TRACES = 16


class Synapse(NamedTuple):
    """Variables of one synapse that a plasticity may read.

    Parameters
    ----------
    theta : float
        Parameter θ.
    w : float
        Efficacy w = f(θ).
    slope : float
        Derivative dw/dθ.
    x : float
        Summed EPSP of the input (Eq. 29, postsynaptic potential).
    modulator : float
        The circuit's modulator, set by `Simulation.modulate`; default 1.
    """

    theta: float
    w: float
    slope: float
    x: float
    modulator: float


@dataclass(frozen=True, eq=False)
class CustomPlasticity(Plasticity):
    """Plasticity given by functions of one synapse.

    Parameters
    ----------
    on_post
        ``f(synapse, traces, parameters) -> change of θ / b`` at a postsynaptic spike, compiled with
        ``numba.njit``; None for no change.
    on_pre
        The same at a presynaptic spike. Each one visits all synapses of its axon.
    parameter_values
        Numbers that both functions receive.
    time_constants_s
        One exponentially decaying trace per time constant and synapse, at most 16.

    Examples
    --------
    >>> from numba import njit
    >>> @njit
    ... def hebbian(synapse, traces, parameters):
    ...     return parameters[0] * synapse.slope * synapse.x
    >>> CustomPlasticity(on_post=hebbian, parameter_values=(1.0,))
    CustomPlasticity(on_post=hebbian, (1.0,))
    """

    on_post: Callable[..., float] | None = None
    on_pre: Callable[..., float] | None = None
    parameter_values: tuple[float, ...] = ()
    time_constants_s: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        values = arguments.numbers("parameter_values", self.parameter_values, shape=(None,))
        constants = arguments.numbers(
            "time_constants_s", self.time_constants_s, shape=(None,), at_least=1e-6, at_most=1e9
        )
        if constants.size > MOST_TRACES:
            raise refuse("time_constants_s", f"must be at most {MOST_TRACES}", constants.size)
        object.__setattr__(self, "parameter_values", tuple(map(float, values)))
        object.__setattr__(self, "time_constants_s", tuple(map(float, constants)))
        for name in ("on_post", "on_pre"):
            self._check(name, getattr(self, name))

    def _check(self, name: str, function: Any) -> None:
        if function is None:
            return
        if not is_compiled(function):
            remedy = "decorate it with numba.njit"
            raise refuse(name, "must be compiled to run inside the engine", type(function), remedy)
        signature = "f(synapse, traces, parameters) -> change of θ"
        synapse, count = Synapse(0.5, 0.1, 0.1, 0.3, 1.0), self.n_traces
        outside = f"must use traces 0 to {count - 1}" if count else "must use no traces"
        remedy = "time_constants_s gives each synapse one trace per time constant"
        try:  # compiled code does not check indices
            with np.errstate(all="ignore"):
                function.py_func(synapse, np.zeros(count), self.parameter_values)
        except IndexError as error:
            raise refuse(name, outside, str(error), remedy) from None
        except Exception:  # arithmetic errors differ; compiled code decides
            pass
        around = np.zeros(count + 2 * MOST_TRACES)
        try:
            change = function(
                synapse, around[MOST_TRACES : MOST_TRACES + count], self.parameter_values
            )
        except (NumbaError, TypeError, IndexError, ZeroDivisionError) as error:
            raise refuse(name, f"must be {signature}", why_not_compiled(error)) from None
        if isinstance(change, bool) or not isinstance(change, (int, float)):
            raise refuse(name, f"must be {signature} and return a number", type(change))
        around[MOST_TRACES : MOST_TRACES + count] = 0.0
        if around.any():  # a compiled function that this one calls
            raise refuse(name, outside, "a write beyond them", remedy)

    @property
    def n_traces(self) -> int:
        """One per time constant."""
        return len(self.time_constants_s)

    @property
    def has_on_pre(self) -> bool:
        """Whether ``on_pre`` was given."""
        return self.on_pre is not None

    @property
    def kind(self) -> tuple[object, ...]:
        """The functions, the number of settings and of traces."""
        return type(self), self.on_post, self.on_pre, len(self.settings), self.n_traces

    @property
    def settings(self) -> tuple[float, ...]:
        """Parameters and time constants."""
        return self.numbers

    def with_settings(self, settings: Sequence[float]) -> CustomPlasticity:
        """A copy with other settings."""
        values, count = tuple(map(float, settings)), len(self.parameter_values)
        return replace(self, parameter_values=values[:count], time_constants_s=values[count:])

    @property
    def numbers(self) -> tuple[float, ...]:
        """Parameters, then time constants."""
        return (*self.parameter_values, *self.time_constants_s)

    def describe(self) -> str:
        """Settings and a fingerprint of the functions: functions of one name may differ."""
        functions = fingerprint((self.on_post, self.on_pre), with_sources=False)
        return f"CustomPlasticity({self.parameter_values}, {self.time_constants_s}) {functions}"

    def __repr__(self) -> str:
        names = [
            f"{name}={function.py_func.__name__}"
            for name in ("on_post", "on_pre")
            if (function := getattr(self, name)) is not None
        ]
        return f"CustomPlasticity({', '.join(names)}, {self.parameter_values})"

    def spike_function(self, mapping: Mapping) -> int:
        """Synapse by synapse."""
        return row_function(_spike_each, SPIKE, **self._parts(mapping, self.on_post or _nothing))

    def arrival_function(self, mapping: Mapping) -> int:
        """Synapse by synapse of one axon."""
        if self.on_pre is None:
            return 0
        return row_function(_arrival_each, ARRIVAL, **self._parts(mapping, self.on_pre))

    def _parts(self, mapping: Mapping, change_of: Any) -> dict[str, Any]:
        return {
            "change_of": _checked(change_of) if CHECKED else change_of,
            "n_values": len(self.parameter_values),
            "n_traces": self.n_traces,
            "values": numbers(len(self.parameter_values)),
            "weight_of": mapping.weight_of,
            "slope_of": mapping.slope_of,
            "mapping_numbers": numbers(len(mapping.parameters)),
        }


@functools.cache
def _checked(function: Any) -> Any:
    """The same function compiled with bounds checks."""
    return njit(boundscheck=True)(function.py_func)


@scalar
def _nothing(synapse: Any, traces: Any, parameters: Any) -> float:
    return 0.0


@scalar
def _decay(traces: Any, constants: Any, first: int, elapsed: float) -> None:
    """Bring traces to the present; time constants follow the parameters in memory."""
    for j in range(traces.size):
        traces[j] *= exp(-elapsed / constants[first + j])


def _spike_each(row: SpikeRow) -> int:
    n, now = row.n, row.now
    theta, weight, effect, fall, rise = arrays_of(row)
    traces, traced_s = array_at(row.traces, n * n_traces), row.traced_s
    p, given = mapping_numbers(row.mapping, 1, 0), values(row.plasticity, 1, 0)
    for i in range(n):
        old = theta[i]
        if old > -np.inf:
            own = part(traces, i * n_traces, n_traces)
            if n_traces > 0:
                _decay(own, row.plasticity, n_values, now - traced_s[i])
                traced_s[i] = now
            x = np.float64(row.fall_decay * fall[i]) - np.float64(row.rise_decay * rise[i])
            synapse = Synapse(old, np.float64(weight[i]), slope_of(old, p), x, row.modulator)
            theta[i] = at_least(
                old + row.speed * change_of(synapse, own, given), old, row.theta_min
            )
            weight[i] = weight_of(theta[i], p)
    row.sums[0], row.sums[1] = read_effects(weight, row.retracted, row.sign, fall, rise, effect)
    return 1


def _arrival_each(column: ArrivalColumn) -> None:
    reach, now = (column.n - 1) * column.stride + 1, column.now
    theta, weight = array_at(column.theta, reach), array_at(column.weight, reach)
    traces, traced_s = array_at(column.traces, reach * n_traces), column.traced_s
    p, given = mapping_numbers(column.mapping, 1, 0), values(column.plasticity, 1, 0)
    for i in range(0, reach, column.stride):
        old = theta[i]
        if old > -np.inf:
            own = part(traces, i * n_traces, n_traces)
            if n_traces > 0:
                _decay(own, column.plasticity, n_values, now - traced_s[i])
                traced_s[i] = now
            w = np.float64(weight[i])
            synapse = Synapse(old, w, slope_of(old, p), column.x, column.modulator)
            change = column.speed * change_of(synapse, own, given)
            theta[i] = at_least(old + change, old, column.theta_min)
            weight[i] = weight_of(theta[i], p)
