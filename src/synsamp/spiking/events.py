"""Events of a running network, and how to receive them.

The engine reports five kinds of event, each as columns of equal length:

==================  ==================================================================
``spikes``          ``time_s``, ``neuron`` (circuits in order)
``input_spikes``    ``time_s``, ``input`` (input groups in order)
``presentations``   ``time_s``, ``index`` [event, input group], −1 for none
``traces``          ``time_s``, ``synapse`` (place in the given list), ``theta``
``births_deaths``   ``time_s``, ``projection`` (in order), ``post``, ``pre``, ``contact``,
                    ``born`` (False for a death), ``age_s`` at death; of plastic synapses
==================  ==================================================================

A `synsamp.protocol.Protocol` stores them with everything else; `EventLog` keeps them in memory for
interactive use of a `Simulation`. Receiving events never changes the dynamics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse

EVENTS: dict[str, dict[str, type]] = {
    "spikes": {"time_s": np.float64, "neuron": np.int32},
    "input_spikes": {"time_s": np.float64, "input": np.int32},
    "presentations": {"time_s": np.float64, "index": np.int64},
    "traces": {"time_s": np.float64, "synapse": np.int32, "theta": np.float64},
    "births_deaths": {
        "time_s": np.float64,
        "projection": np.int32,
        "post": np.int32,
        "pre": np.int32,
        "contact": np.int32,
        "born": np.bool_,
        "age_s": np.float64,
    },
}
"""Kinds of event with their columns."""
SynapsePairs = Mapping[str, Sequence[tuple[int, int]]]


class Observer(Protocol):
    """Receives events."""

    @property
    def events(self) -> Collection[str]:
        """Kinds of event to report."""

    @property
    def traced(self) -> SynapsePairs:
        """Synapses of ``traces``: ``{projection: [(post, pre), …]}``."""

    def take(self, event: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Receive events; the arrays are overwritten afterwards, so copy them."""


class EventLog:
    """Keep events of a simulation in memory.

    Parameters
    ----------
    *events
        ``"spikes"``, ``"input_spikes"``, ``"presentations"``, ``"births_deaths"``.
    traces
        Synapses ``{projection: [(post, pre), …]}`` whose θ to keep at each update.

    Examples
    --------
    >>> log = EventLog("spikes")
    >>> sim = Simulation(network, stimulus, observer=log).run(10.0)  # doctest: +SKIP
    >>> log["spikes"]["time_s"]  # doctest: +SKIP
    """

    def __init__(self, *events: str, traces: SynapsePairs | None = None) -> None:
        for event in events:
            arguments.one_of("event", event, [name for name in EVENTS if name != "traces"])
        self.traced: SynapsePairs = (
            {} if traces is None else arguments.instance("traces", traces, Mapping)
        )
        self.events = (*events, *(["traces"] if self.traced else []))
        self._parts: dict[str, list[dict[str, NDArray[Any]]]] = {name: [] for name in self.events}

    def take(self, event: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Keep a copy of the events."""
        self._parts[event].append({name: np.array(column) for name, column in columns.items()})

    def __getitem__(self, event: str) -> dict[str, NDArray[Any]]:
        parts = self._parts[arguments.one_of("event", event, self.events)]
        if not parts:
            return {name: np.zeros(0, dtype) for name, dtype in EVENTS[event].items()}
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        self._parts[event] = [columns]
        return dict(columns)

    def __repr__(self) -> str:
        rows = ", ".join(f"{len(self[name]['time_s']):,} {name}" for name in self.events)
        return f"EventLog({rows})"


class NoEvents:
    """The observer of a simulation without one."""

    events: tuple[str, ...] = ()
    traced: SynapsePairs = {}  # noqa: RUF012 (never changed)

    def take(self, event: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Never called."""


def as_observer(given: Any) -> Any:
    """The observer, checked; one that wants nothing for None."""
    if given is None:
        return NoEvents()
    if isinstance(given, type) or not all(hasattr(given, n) for n in ("events", "traced", "take")):
        raise refuse("observer", "must have events, traced and take", type(given), "use EventLog()")
    for event in given.events:
        arguments.one_of("event of the observer", event, EVENTS)
    return given
