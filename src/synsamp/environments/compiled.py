"""Compiled environments: hours of biological time take seconds.

An environment in Python costs about 0.1 ms per response. A compiled one responds within the engine,
which returns to Python only when the input rates change:

    answer(state, counts, numbers) -> (index of the ``inputs`` shown from now on, reward)

is compiled with ``numba.njit``. ``state`` is one array with all values of ``first(seed)`` in their
order, and is changed in place. ``counts`` holds the spikes of all groups in ``neurons``, group
by group, since the last response. ``numbers`` are the parameters. Random numbers are drawn from
the seed with `drawn`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.environments.base import Counts, Environment, Response
from synsamp.errors import refuse
from synsamp.specialise import is_compiled, pointer_to, why_not_compiled
from synsamp.spiking.kernel.acting import ANSWERING
from synsamp.spiking.kernel.simd import array_at

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821

SHOWN = "showing"
"""Key in the saved state for the index of the inputs that are shown."""
MOST_SEEDS = 2**53
RAISED = -1
"""Returned instead of an index if the compiled function raised an exception."""


@njit(error_model="numpy", nogil=True)
def drawn(seed: float, number: float, which: float = 0.0) -> float:
    """Return a random number in [0, 1) that depends only on three whole numbers below 2**53.

    Three rounds of the finisher of SplitMix64 (Steele, Lea & Flood 2014).

    Parameters
    ----------
    seed, number, which : float
        Whole numbers: seed, number of the draw and which of several draws.

    Returns
    -------
    float
        Uniform in [0, 1).
    """
    state = np.uint64(0)
    for part in (np.float64(seed), np.float64(number), np.float64(which)):
        state += np.uint64(np.int64(part)) + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return np.float64(state >> np.uint64(11)) * 2.0**-53


class CompiledEnvironment(Environment):
    """Base class of environments that respond within the engine; subclasses set the attributes.

    Attributes
    ----------
    inputs
        Input rates (Hz) that can be shown, [index, input], or a dictionary with one such array per
        input group. Index 0 is shown first.
    answer
        The compiled function, as ``staticmethod(function)``.
    numbers
        Parameters passed to ``answer``.
    """

    inputs: Any
    answer: Any
    numbers: tuple[float, ...] = ()

    @abstractmethod
    def first(self, seed: int) -> Mapping[str, Any]:
        """Return the initial state: numbers, and arrays of fixed size, by name."""

    # -- called from Python --------------------

    def start(self, seed: int) -> Response:
        """Return the initial state and input rates; the seed is reduced modulo 2**53."""
        return Response({**self.first(seed % MOST_SEEDS), SHOWN: 0}, self.rates_hz(0))

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """Call the compiled function from Python."""
        flat = self.flat(state)
        none = np.zeros(0, np.int64)
        seen = np.concatenate([none, *(counts[name] for name in self.neurons)])
        shown, reward = type(self).answer(flat, seen, self.numbers_as_array)
        if not 0 <= shown < self.n_inputs:
            raise ValueError(f"inputs number {shown} are to be shown, of {self.n_inputs}")
        return Response(self.named(flat, state, shown), self.rates_hz(shown), reward)

    # -- state as one array --------------------

    @property
    def n_inputs(self) -> int:
        """Number of sets of input rates."""
        many = self.inputs.values() if isinstance(self.inputs, Mapping) else [self.inputs]
        sizes = set(map(len, many))
        if len(sizes) != 1 or 0 in sizes:
            rule = "must be as many for each input group, and at least one"
            raise refuse(f"inputs of {self.describe()}", rule, sorted(sizes))
        return sizes.pop()

    def rates_hz(self, shown: int) -> Any:
        """Input rates (Hz) at an index."""
        if isinstance(self.inputs, Mapping):
            return {group: rates[shown] for group, rates in self.inputs.items()}
        return self.inputs[shown]

    @property
    def numbers_as_array(self) -> NDArray[np.float64]:
        """The parameters as an array."""
        return np.array(self.numbers, float)

    def flat(self, state: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the state as the one array that the compiled function takes."""
        own = [np.ravel(value) for name, value in state.items() if name != SHOWN]
        return np.concatenate([np.zeros(0), *own]).astype(float)

    def named(
        self, flat: NDArray[np.float64], like: Mapping[str, Any], shown: int
    ) -> dict[str, Any]:
        """Inverse of `flat`: numbers and arrays by name, with the shapes of ``like``."""
        found: dict[str, Any] = {}
        at = 0
        for name, value in like.items():
            if name != SHOWN:
                size = np.size(value)
                part = flat[at : at + size]
                shape = np.shape(value)
                found[name] = part.reshape(shape).copy() if shape else float(part[0])
                at += size
        return {**found, SHOWN: int(shown)}

    def check_state(self, state: Mapping[str, Any]) -> None:
        """Raise an error if a saved state has other names or shapes than ``first``."""
        of = f"of {self.describe()}"
        own = {name: np.shape(value) for name, value in self.first(0).items()}
        found = {name: np.shape(value) for name, value in state.items() if name != SHOWN}
        if found != own:
            raise refuse(f"saved state {of}", f"must have {own}", found, "start a new run")
        arguments.whole(f"{SHOWN} {of}", state.get(SHOWN), at_least=0, at_most=self.n_inputs - 1)

    def compiled(self, n_counts: int) -> int:
        """Return the address of the compiled function, after one test call."""
        name = self.describe()
        function = type(self).answer
        if not is_compiled(function):
            remedy = "decorate it with numba.njit; set it in the class, by staticmethod"
            raise refuse(f"answer of {name}", "must be compiled", type(function), remedy)
        rule = "must be answer(state, counts, numbers) -> (which input is shown, reward)"
        first = self.first(0)
        if SHOWN in first:
            raise refuse(f"state of {name}", f"must leave the name {SHOWN!r} alone", sorted(first))
        try:
            given = function(self.flat(first), np.zeros(n_counts, np.int64), self.numbers_as_array)
            shown, reward = given
        except Exception as error:
            raise refuse(f"answer of {name}", rule, why_not_compiled(error)) from None
        if not isinstance(shown, int) or isinstance(shown, bool) or not isinstance(reward, float):
            kinds = type(shown).__name__, type(reward).__name__
            raise refuse(f"answer of {name}", rule, kinds, "return a whole number and a float")
        # Without fastmath, results are bit-identical to a call from Python.
        return pointer_to(_answer, ANSWERING, options={"fastmath": False}, answer=function)


def _answer(
    state_at: Any,
    n_state: int,
    counts_at: Any,
    n_counts: int,
    numbers_at: Any,
    n_numbers: int,
    reward_at: Any,
) -> int:
    try:
        shown, reward = answer(
            array_at(state_at, n_state),
            array_at(counts_at, n_counts),
            array_at(numbers_at, n_numbers),
        )
    except Exception:  # Numba supports no other kind; a call from Python gets the message
        return RAISED
    array_at(reward_at, 1)[0] = reward
    return shown
