"""What can be recorded: functions of the state, spikes as they come, and when to look.

A record on a grid is ``every(seconds, what)``, one at named moments ``at_marks(what)``; ``what`` is
one of the functions here or any function of a `View` that gives a number, an array, a mapping of
these, or xarray. `spikes`, `traces` and `presentations` need no grid: they are written down as they
come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.protocol.every import Every
from synsamp.protocol.labelled import Labelled
from synsamp.protocol.steps import check_name
from synsamp.protocol.view import View
from synsamp.spiking import Network

POST_PRE = ("post", "pre")


@dataclass(frozen=True, eq=False)
class AtMarks:
    """A record that takes a row at marks; see `at_marks`."""

    what: Any
    names: tuple[str, ...] = ()


def at_marks(what: Any, *names: str) -> AtMarks:
    """Take a record at every `Mark`, or at those with these names only."""
    return AtMarks(what, tuple(check_name("name of a mark", name) for name in names))


# -- functions of the state --------------------


@dataclass(frozen=True, eq=False)
class _Matrix:
    """A matrix [post, pre] of a projection, or some of its rows and columns."""

    projection: str
    read: Callable[[View, str], NDArray[Any]]
    attributes: Mapping[str, str]
    post: NDArray[np.int64] | None = None
    pre: NDArray[np.int64] | None = None

    def check(self, network: Network) -> None:
        """Refuse a projection or synapses that the network does not have."""
        shape = network.mask_of(network.projection(self.projection)).shape
        for name, chosen, size in zip(POST_PRE, (self.post, self.pre), shape, strict=True):
            if chosen is not None:
                arguments.wholes(name, chosen, shape=(None,), at_least=0, at_most=size - 1)

    def __call__(self, view: View) -> Labelled:
        matrix = self.read(view, self.projection)
        coordinates = {}
        for axis, chosen in enumerate((self.post, self.pre)):
            if chosen is not None:
                matrix = np.take(matrix, chosen, axis)
                coordinates[POST_PRE[axis]] = chosen
        return Labelled(matrix, POST_PRE, self.attributes, coordinates)


def _chosen(name: str, values: ArrayLike | None) -> NDArray[np.int64] | None:
    return None if values is None else arguments.wholes(name, values, shape=(None,), at_least=0)


def theta(projection: str, post: ArrayLike | None = None, pre: ArrayLike | None = None) -> Any:
    """θ[post, pre] in single precision, NaN where no synapse can exist."""
    return _Matrix(
        projection,
        lambda view, name: view.theta(name).astype(np.float32),
        {"description": "θ"},
        _chosen("post", post),
        _chosen("pre", pre),
    )


def weight(projection: str, post: ArrayLike | None = None, pre: ArrayLike | None = None) -> Any:
    """Efficacies ŵ[post, pre] in single precision, 0 where θ <= 0."""
    return _Matrix(
        projection,
        lambda view, name: view.weight(name).astype(np.float32),
        {"description": "efficacy ŵ"},
        _chosen("post", post),
        _chosen("pre", pre),
    )


def active(projection: str, post: ArrayLike | None = None, pre: ArrayLike | None = None) -> Any:
    """Which synapses [post, pre] are functional (θ > 0)."""
    return _Matrix(
        projection,
        lambda view, name: view.active(name),
        {"description": "θ > 0"},
        _chosen("post", post),
        _chosen("pre", pre),
    )


@dataclass(frozen=True)
class _ActiveCount:
    projection: str

    def check(self, network: Network) -> None:
        network.projection(self.projection)

    def __call__(self, view: View) -> Labelled:
        counts = view.active(self.projection).sum(axis=1, dtype=np.int32)
        return Labelled(counts, ("post",), {"description": "synapses with θ > 0"})


def active_count(projection: str) -> Any:
    """How many functional synapses each neuron has."""
    return _ActiveCount(projection)


@dataclass(frozen=True)
class _Potentials:
    circuit: str

    def check(self, network: Network) -> None:
        network.neurons_of(self.circuit)

    def __call__(self, view: View) -> Labelled:
        values = view.potentials(self.circuit)
        return Labelled(values, ("neuron",), {"description": "potential u"})


def potentials(circuit: str) -> Any:
    """u_k of a circuit's neurons at the moment of the row."""
    return _Potentials(circuit)


def alive() -> Callable[[View], Labelled]:
    """Which neurons have not been removed."""
    return lambda view: Labelled(view.alive, ("neuron",))


@dataclass(frozen=True, eq=False)
class _Probe:
    stimulus: Any
    duration_s: float
    of: Callable[[Any], Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, view: View) -> Any:
        return self.of(view.probe(self.stimulus, self.duration_s, **self.options))


def probe(
    stimulus: Any, duration_s: float, of: Callable[[Any], Any], **options: Any
) -> Callable[[View], Any]:
    """Any function of the spikes that a stimulus calls forth, asked of a copy without plasticity.

    ``of`` gets a `Probe` (``time_s``, ``neuron``, ``shown``, ``counts``); ``options`` are those of
    `Simulation.probe`.
    """
    arguments.number("duration_s", duration_s, above=0, at_most=1e12)
    if not callable(of):
        raise refuse("of", "must be a function of a Probe", type(of))
    return _Probe(stimulus, duration_s, of, options)


# -- what has happened since the row before --------------------


@dataclass(frozen=True)
class _Turnover:
    """Compares with the row before; what it remembers is part of the checkpoint."""

    projection: str

    def check(self, network: Network) -> None:
        network.projection(self.projection)

    def begin(self, view: View) -> dict[str, Any]:
        return {"active": np.packbits(view.active(self.projection))}

    def row(self, view: View, memory: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        now = view.active(self.projection)
        bits = np.unpackbits(np.asarray(memory["active"]), count=now.size)
        before = bits.astype(bool).reshape(now.shape)
        born = (now & ~before).sum(axis=1, dtype=np.int32)
        died = (before & ~now).sum(axis=1, dtype=np.int32)
        given = {"born": Labelled(born, ("post",)), "died": Labelled(died, ("post",))}
        return given, self.begin(view)


def turnover(projection: str) -> Any:
    """How many synapses of each neuron were born and died since the row before (first row: 0)."""
    return _Turnover(projection)


@dataclass(frozen=True)
class _Rates:
    counts_spikes = True

    def begin(self, view: View) -> dict[str, Any]:
        return {"counts": view.spike_counts, "time_s": view.time_s}

    def row(self, view: View, memory: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        passed = view.time_s - float(memory["time_s"])
        spiked = view.spike_counts - np.asarray(memory["counts"])
        rate = spiked / passed if passed > 0 else np.full(spiked.shape, np.nan)
        return Labelled(rate, ("neuron",), {"units": "Hz"}), self.begin(view)


def rates() -> Any:
    """Mean rate of each neuron since the row before (first row: NaN)."""
    return _Rates()


@dataclass(frozen=True)
class _Reward:
    def begin(self, view: View) -> dict[str, Any]:
        return {"total": view.total_reward, "time_s": view.time_s}

    def row(self, view: View, memory: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        passed = view.time_s - float(memory["time_s"])
        earned = view.total_reward - float(memory["total"])
        return earned / passed if passed > 0 else np.nan, self.begin(view)


def reward() -> Any:
    """Mean reward that environments gave since the row before (NaN where no time has passed)."""
    return _Reward()


# -- as they come --------------------


@dataclass(frozen=True)
class Spikes:
    """Every spike: time and neuron; within a window of biological time if one is given."""

    between_s: tuple[float, float] | None = None


def spikes(between_s: tuple[float, float] | None = None) -> Spikes:
    """All spikes, or those with between_s[0] <= time < between_s[1]."""
    if between_s is not None:
        found = arguments.numbers("between_s", between_s, shape=(2,))
        between_s = (float(found[0]), float(found[1]))
    return Spikes(between_s)


@dataclass(frozen=True, eq=False)
class Traces:
    """θ of chosen synapses at each of their updates."""

    synapses: Mapping[str, Sequence[tuple[int, int]]]


def traces(synapses: Mapping[str, Sequence[tuple[int, int]]]) -> Traces:
    """θ of chosen synapses ``{projection: [(post, pre), …]}`` at each of their updates."""
    return Traces(arguments.instance("synapses", synapses, Mapping, "use {'x->z': [(0, 5)]}"))


@dataclass(frozen=True)
class Presentations:
    """When what was shown: start, and index in the library of each input group."""


def presentations() -> Presentations:
    """When what was shown."""
    return Presentations()


AS_THEY_COME = (Spikes, Traces, Presentations)


def check_record(name: str, record: Any, network: Network) -> None:
    """Refuse what is no record, or names what the network does not have."""
    check_name("name of a record", name)
    if isinstance(record, AS_THEY_COME):
        return
    if not isinstance(record, (Every, AtMarks)):
        remedy = "use every(seconds, what), at_marks(what), spikes(), traces() or presentations()"
        raise refuse(f"record {name!r}", "must say when it is taken", type(record), remedy)
    if not callable(record.what) and not hasattr(record.what, "row"):
        raise refuse(f"record {name!r}", "must be a function of a View", type(record.what))
    check = getattr(record.what, "check", None)
    if check is not None:
        check(network)
