"""What an environment is: at its own times it sees spikes and answers with inputs and reward.

An environment is a description without state. What changes is a dictionary of arrays, numbers and
strings that goes through its two functions, so that a copy is a fork, and saving needs no pickle:

    start(seed)            -> Response(state, rates_hz, 0.0)
    respond(state, counts) -> Response(state, rates_hz, reward)

``counts`` has, for each circuit that it watches, the spikes of each neuron since it was asked last.
It must depend on its arguments alone; random numbers come from the seed, for example by
``np.random.default_rng([state["seed"], state["step"]])``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking import Network
from synsamp.spiking.kernel.acting import MOST_REWARD

Counts = dict[str, NDArray[np.int64]]


class Response(NamedTuple):
    """What an environment answers."""

    state: Mapping[str, Any]
    rates_hz: Any
    """Of the inputs, from now on: an array, or one per input group by name."""
    reward: float = 0.0


class Environment(ABC):
    """Base of all environments; subclasses set the two attributes."""

    period_s: float
    """How often it is asked."""
    circuits: tuple[str, ...]
    """Whose spikes it sees."""

    @abstractmethod
    def start(self, seed: int) -> Response:
        """Its state at the beginning, and the first inputs."""

    @abstractmethod
    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """What the network's spikes of the last period lead to."""

    def describe(self) -> str:
        """In one line."""
        return type(self).__name__


@njit
def filtered_rate_hz(rate_hz: Any, counts: Any, period_s: float, tau_s: float) -> Any:
    """Rates seen through an exponential window of ``tau_s``, one period later; also compiled."""
    keep = math.exp(-period_s / tau_s)
    return keep * rate_hz + (1.0 - keep) / period_s * counts


def check_environment(environment: Any, network: Network) -> Any:
    """Refuse what is no environment, or watches what the network does not have."""
    environment = arguments.instance(
        "environment", environment, Environment, "subclass Environment"
    )
    name = environment.describe()
    arguments.number(f"period_s of {name}", environment.period_s, at_least=1e-4, at_most=1e9)
    if isinstance(environment.circuits, str):
        rule = "must be a tuple of names"
        raise refuse(f"circuits of {name}", rule, environment.circuits, "use ('z',)")
    if len(set(environment.circuits)) < len(environment.circuits):
        rule = "must name each circuit once"
        raise refuse(f"circuits of {name}", rule, environment.circuits)
    for circuit in environment.circuits:
        arguments.one_of(f"circuit of {name}", circuit, [c.name for c in network.neurons])
    return environment


def check_response(
    given: Any, name: str, network: Network, time_s: float
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]], float]:
    """State, rates by input group and reward, each as they have to be."""
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
