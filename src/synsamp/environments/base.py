"""The interface of environments: spike counts in, input rates and reward out, once per period.

An environment object itself has no state. Its state is a dictionary of arrays, numbers and strings
that is passed to its two methods and returned, so it can be copied for a branch and saved:

    start(seed)            -> Response(state, rates_hz, 0.0)
    respond(state, counts) -> Response(state, rates_hz, reward)

``counts`` holds, for each group in ``neurons``, each neuron's spikes since the last response.
The response must depend only on the arguments; draw random numbers from the seed, for example with
``np.random.default_rng([state["seed"], state["step"]])``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking import Network
from synsamp.spiking.kernel.acting import MOST_REWARD

Counts = dict[str, NDArray[np.int64]]
Rates = TypeVar("Rates", float, NDArray[np.float64])


class Response(NamedTuple):
    """Response of an environment: its new state, the input rates from now on, and the reward.

    Parameters
    ----------
    state : mapping of str to array
        New state of the environment.
    rates_hz : array_like, or mapping of str to array_like
        Rates (Hz) of the inputs, by group if there are several.
    reward : float
        Reward of the last period.
    """

    state: Mapping[str, object]
    rates_hz: ArrayLike | Mapping[str, ArrayLike]
    reward: float = 0.0


class Environment(ABC):
    """Base class of environments; subclasses set the two attributes."""

    period_s: float
    """Time (s) between two responses."""
    neurons: tuple[str, ...]
    """Names of the groups of neurons whose spikes are counted."""

    @abstractmethod
    def start(self, seed: int) -> Response:
        """Return the initial state and the first input rates."""

    @abstractmethod
    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """Return the response to the spikes of the last period."""

    def describe(self) -> str:
        """Return the name used in messages and checked on resume."""
        return type(self).__name__


@njit
def filtered_rate_hz(rate_hz: Rates, counts: Rates, period_s: float, tau_s: float) -> Rates:
    """Firing rates (Hz) in an exponential window of ``tau_s``, updated by one period of counts.

    Can be called from compiled code.

    Parameters
    ----------
    rate_hz : float or ndarray
        Rates so far (Hz).
    counts : float or ndarray
        Spikes in the last period.
    period_s : float
        Length of the period (s).
    tau_s : float
        Time constant of the window (s).

    Returns
    -------
    float or ndarray
        Updated rates (Hz).
    """
    keep = math.exp(-period_s / tau_s)
    return keep * rate_hz + (1.0 - keep) / period_s * counts


def check_environment(environment: Any, network: Network) -> Any:
    """Raise an error unless this is an environment whose neurons exist in the network."""
    environment = arguments.instance(
        "environment", environment, Environment, "subclass Environment"
    )
    name = environment.describe()
    arguments.number(f"period_s of {name}", environment.period_s, at_least=1e-4, at_most=1e9)
    if isinstance(environment.neurons, str):
        rule = "must be a tuple of names"
        raise refuse(f"neurons of {name}", rule, environment.neurons, "use ('z',)")
    if len(set(environment.neurons)) < len(environment.neurons):
        rule = "must name each group of neurons once"
        raise refuse(f"neurons of {name}", rule, environment.neurons)
    for group in environment.neurons:
        arguments.one_of(f"neurons of {name}", group, [c.name for c in network.neurons])
    return environment


def check_response(
    given: Any, name: str, network: Network, time_s: float
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]], float]:
    """Check a response; return its state, rates by input group, and reward."""
    at = f"of {name} at {time_s:.3f} s"
    found = arguments.instance(f"answer {at}", given, Response, "give a Response")
    state = dict(arguments.instance(f"state {at}", found.state, Mapping, "give a dictionary"))
    rates = found.rates_hz
    groups = {g.name: g.size for g in network.inputs}
    if not isinstance(rates, Mapping):
        if len(groups) != 1:
            rule = f"must name its input groups ({', '.join(groups) or 'none here'})"
            raise refuse(f"rates_hz {at}", rule, type(rates), "give a dictionary such as {'x': …}")
        rates = dict.fromkeys(groups, rates)
    checked = {}
    for group, values in rates.items():
        size = groups[arguments.one_of(f"input group {at}", group, groups)]
        what = f"rates_hz {at} for {group!r}"
        checked[group] = arguments.numbers(what, values, shape=(size,), at_least=0, at_most=1e6)
    most = MOST_REWARD
    reward = arguments.number(f"reward {at}", found.reward, at_least=-most, at_most=most)
    return state, checked, reward
