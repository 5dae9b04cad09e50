"""Environments whose answer is compiled: hours of acting take seconds.

An environment in Python costs a tenth of a millisecond per answer. One like this answers within
the engine, which comes back to Python only where something else is to be shown:

    answer(state, counts, numbers) -> (which of ``inputs`` is shown from now on, reward)

is compiled with ``numba.njit``. ``state`` has all that changes as one array of numbers, in the
order in which ``first(seed)`` names them, and is changed in place; ``counts`` has the spikes since
the last answer of all neurons that it watches, circuit by circuit; ``numbers`` its parameters.
Random numbers come from the seed, by `drawn`.
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
"""In the state, beside what is its own: which of the inputs is shown."""
MOST_SEEDS = 2**53
RAISED = -1
"""In place of what is shown, where an answer was not given."""


@njit(error_model="numpy", nogil=True)
def drawn(seed: float, number: float, which: float = 0.0) -> float:
    """A random number in [0, 1) that depends on three whole numbers below 2**53 alone.

    Three rounds of the finisher of SplitMix64 (Steele, Lea & Flood 2014).
    """
    state = np.uint64(0)
    for part in (np.float64(seed), np.float64(number), np.float64(which)):
        state += np.uint64(np.int64(part)) + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return np.float64(state >> np.uint64(11)) * 2.0**-53


class CompiledEnvironment(Environment):
    """Base of environments that answer within the engine; subclasses set the attributes.

    ``inputs``: rates that it may show, [which, input], or such an array per input group. The first
    is shown at the beginning.
    """

    inputs: Any
    answer: Any
    numbers: tuple[float, ...] = ()

    @abstractmethod
    def first(self, seed: int) -> Mapping[str, Any]:
        """Its state at the beginning: numbers by name, and arrays of fixed size."""

    # -- as every environment; here from Python --------------------

    def start(self, seed: int) -> Response:
        """What it shows first; seeds are such as a double holds."""
        return Response({**self.first(seed % MOST_SEEDS), SHOWN: 0}, self.rates_hz(0))

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """The compiled answer, called from Python."""
        flat = self.flat(state)
        nobody = np.zeros(0, np.int64)
        seen = np.concatenate([nobody, *(counts[name] for name in self.circuits)])
        shown, reward = type(self).answer(flat, seen, self.numbers_as_array)
        if not 0 <= shown < self.n_inputs:
            raise ValueError(f"inputs number {shown} are to be shown, of {self.n_inputs}")
        return Response(self.named(flat, state, shown), self.rates_hz(shown), reward)

    # -- as numbers --------------------

    @property
    def n_inputs(self) -> int:
        """How many inputs it may show."""
        many = self.inputs.values() if isinstance(self.inputs, Mapping) else [self.inputs]
        sizes = set(map(len, many))
        if len(sizes) != 1 or 0 in sizes:
            rule = "must be as many for each input group, and at least one"
            raise refuse(f"inputs of {self.describe()}", rule, sorted(sizes))
        return sizes.pop()

    def rates_hz(self, shown: int) -> Any:
        """One of the inputs."""
        if isinstance(self.inputs, Mapping):
            return {group: rates[shown] for group, rates in self.inputs.items()}
        return self.inputs[shown]

    @property
    def numbers_as_array(self) -> NDArray[np.float64]:
        """The parameters."""
        return np.array(self.numbers, float)

    def flat(self, state: Mapping[str, Any]) -> NDArray[np.float64]:
        """The state as the compiled answer takes it."""
        own = [np.ravel(value) for name, value in state.items() if name != SHOWN]
        return np.concatenate([np.zeros(0), *own]).astype(float)

    def named(
        self, flat: NDArray[np.float64], like: Mapping[str, Any], shown: int
    ) -> dict[str, Any]:
        """The way back: numbers and arrays by name, as in another state."""
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
        """Refuse a saved state that is not such as it begins with."""
        of = f"of {self.describe()}"
        own = {name: np.shape(value) for name, value in self.first(0).items()}
        found = {name: np.shape(value) for name, value in state.items() if name != SHOWN}
        if found != own:
            raise refuse(f"saved state {of}", f"must have {own}", found, "begin anew")
        arguments.whole(f"{SHOWN} {of}", state.get(SHOWN), at_least=0, at_most=self.n_inputs - 1)

    def compiled(self, n_counts: int) -> int:
        """The address of the answer; it is tried once, on a state of its own."""
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
        # Nothing fuses that does not when it is called from Python.
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
    except Exception:  # Numba knows no other; Python is asked again, for its words
        return RAISED
    array_at(reward_at, 1)[0] = reward
    return shown
