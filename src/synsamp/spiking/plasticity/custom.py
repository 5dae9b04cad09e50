"""Custom plasticity: change of one synapse at a postsynaptic and at a presynaptic spike.

    dθ = b ( ∂log p_S(θ) dt + on_post dS_post + on_pre dS_pre ) + sqrt(2 T b) dW

Both are functions ``f(synapse, traces, parameters)`` compiled with ``numba.njit`` that return the
change of θ in units of b. ``synapse`` has the fields of `Synapse`. ``traces`` is an array with one
number per time constant, decayed to the present; the function may change it in place.
``parameters`` is the tuple ``parameter_values``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.mappings import Mapping
from synsamp.noise.arithmetic import scalar
from synsamp.specialise import is_compiled, why_not_compiled
from synsamp.specialise.fingerprint import fingerprint
from synsamp.spiking.plasticity.base import Plasticity
from synsamp.spiking.plasticity.in_vectors import Synapse, arrival_function, spike_function

MOST_TRACES = 16


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
        """The function of a row."""
        change_of = self.on_post or _nothing
        return spike_function(mapping, change_of, len(self.parameter_values), self.n_traces)

    def arrival_function(self, mapping: Mapping) -> int:
        """The function of the synapses of one axon."""
        if self.on_pre is None:
            return 0
        return arrival_function(mapping, self.on_pre, len(self.parameter_values), self.n_traces)


@scalar
def _nothing(synapse: Any, traces: Any, parameters: Any) -> float:
    return 0.0
