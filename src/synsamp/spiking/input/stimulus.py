"""Stimuli: what is shown, and in which order.

A presentation is any object with ``durations_s[n_segments]`` and ``rates_hz[n_segments, n_inputs]``
(`synsamp.data.encoding.RateSegments` is one). A stimulus holds a library of presentations per
input group and chooses which come next; a custom one is a class with these two members::

    class Alternating:
        def __init__(self, ones, twos):
            self.library = {"x": [*ones, *twos]}
            self.n = len(ones)

        def choose(self, rng, first, count):
            number = first + np.arange(count)               # 0, 1, 2, … since the start
            return {"x": rng.integers(self.n, size=count) + self.n * (number % 2)}

`choose` must depend only on its arguments; a resumed run is then bit-identical.

Short forms: an array of rates in Hz (one per input) is shown throughout; a list of presentations is
shown in order; a dictionary has one of these, or `SpikeTimes`, per input group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.network import Network
from synsamp.spiking.neurons import FASTEST_HZ

REPEAT_S = 1.0
"""Constant rates are repeated presentations of this length."""


class Stimulus(Protocol):
    """Interface of stimuli: a library of presentations per input group, and an order."""

    @property
    def library(self) -> Mapping[str, Sequence[object]]:
        """Presentations by input group; other groups are silent."""

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> Mapping[str, NDArray[np.int64]]:
        """Return indices into the library for presentations ``first`` … first + count − 1.

        A presentation must have the same duration in all groups.
        """


class RandomOrder:
    """Presentations of one input group in random order.

    Parameters
    ----------
    presentations
        The library, e.g. a list of `RateSegments`.
    group
        Name of the input group.
    weights
        Relative probability of each presentation; default: all equal.
    """

    def __init__(
        self, presentations: Sequence[object], group: str = "x", weights: ArrayLike | None = None
    ) -> None:
        _require_row("presentations", presentations)
        self.library = {arguments.text("group", group): presentations}
        self._group = group
        self._shares: NDArray[np.float64] | None = None
        if weights is not None:
            given = arguments.numbers(
                "weights",
                weights,
                shape=(len(presentations),),
                at_least=0,
                remedy="give one number >= 0 per presentation",
            )
            if not given.sum() > 0:
                raise refuse("weights", "must not all be 0", given.sum())
            self._shares = given / given.sum()

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """Draw presentations independently."""
        n = len(self.library[self._group])
        if self._shares is None:
            return {self._group: rng.integers(n, size=count)}
        return {self._group: rng.choice(n, size=count, p=self._shares)}


class InOrder:
    """Presentations in order, repeated from the start.

    Parameters
    ----------
    library
        Lists of presentations by input group, of equal length; or one list, for group ``x``.
    """

    def __init__(self, library: Mapping[str, Sequence[object]] | Sequence[object]) -> None:
        self.library = dict(library) if isinstance(library, Mapping) else {"x": library}
        for name, row in self.library.items():
            _require_row(f"presentations for {name!r}", row)
        lengths = {name: len(row) for name, row in self.library.items()}
        if len(set(lengths.values())) != 1:
            raise refuse("library", "must have equally many presentations per group", lengths)
        self._length = next(iter(lengths.values()))

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """Continue in order, cyclically."""
        order = (first + np.arange(count)) % self._length
        return dict.fromkeys(self.library, order)


@dataclass(frozen=True, eq=False)
class SpikeTimes:
    """Spikes of an input group at given times.

    Parameters
    ----------
    time_s
        Spike times (s) after the stimulus was set, [spike].
    input
        Index of the input that spikes, [spike].
    """

    time_s: NDArray[np.float64]
    input: NDArray[np.int64]

    def __post_init__(self) -> None:
        times = arguments.numbers("time_s", self.time_s, shape=(None,), at_least=0, at_most=1e12)
        inputs = arguments.wholes("input", self.input, shape=(times.size,), at_least=0)
        order = np.argsort(times, kind="stable")
        object.__setattr__(self, "time_s", times[order])
        object.__setattr__(self, "input", inputs[order])


@dataclass(frozen=True, eq=False)
class CheckedStimulus:
    """A stimulus that fits input groups of these sizes: presentations in an order, given spikes.

    `Protocol` and `Simulation` check what a user gives once, and hand this on. Values of
    presentations are checked when they are first shown: a library may load them on demand.
    """

    given: StimulusLike
    stimulus: Stimulus | None
    spikes: Mapping[str, SpikeTimes]
    group_sizes: Mapping[str, int]


StimulusLike: TypeAlias = (
    CheckedStimulus
    | Stimulus
    | SpikeTimes
    | ArrayLike
    | Sequence[object]
    | Mapping[str, object]
    | None
)
"""What `Simulation` takes as a stimulus: a `Stimulus`; constant rates (Hz, [input]), a list of
presentations or `SpikeTimes`; these by input group if there are several; None: no input."""


class _Lasting(NamedTuple):
    """Constant rates as a presentation."""

    durations_s: NDArray[np.float64]
    rates_hz: NDArray[np.float64]


class Constant:
    """Constant rates (Hz) of input groups: one presentation, repeated.

    The rates are not checked here; the caller (such as `parse_stimulus`) has done so.
    """

    def __init__(self, rates_hz: Mapping[str, NDArray[np.float64]]) -> None:
        self.library = {name: [rates] for name, rates in rates_hz.items()}

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """Always the one presentation."""
        return dict.fromkeys(self.library, np.zeros(count, np.int64))


def parse_stimulus(given: Any, network: Network) -> CheckedStimulus:
    """Check any form of stimulus that a user may give against the network, unless it is checked."""
    groups = {g.name: g.size for g in network.inputs}
    if isinstance(given, CheckedStimulus):
        return given if given.group_sizes == groups else parse_stimulus(given.given, network)
    return CheckedStimulus(given, *_parsed(given, groups), groups)


def _parsed(
    given: Any, groups: Mapping[str, int]
) -> tuple[Stimulus | None, Mapping[str, SpikeTimes]]:
    """Presentations in an order, and given spikes."""
    if given is None:
        return None, {}
    if hasattr(given, "library") and callable(getattr(given, "choose", None)):
        library = arguments.instance("library of the stimulus", given.library, Mapping)
        for name, row in library.items():
            arguments.one_of("stimulus library", name, groups)
            _require_row(f"presentations for {name!r}", row)
        return given, {}
    if not isinstance(given, Mapping):
        if len(groups) != 1:
            raise refuse(
                "stimulus",
                f"must name its input groups ({', '.join(groups) or 'none here'})",
                type(given),
                "give a dictionary such as {'x': …}",
            )
        given = dict.fromkeys(groups, given)
    spikes: dict[str, SpikeTimes] = {}
    rows: dict[str, Any] = {}
    for name, part in given.items():
        size = groups[arguments.one_of("stimulus", name, groups)]
        if isinstance(part, SpikeTimes):
            arguments.wholes(f"inputs of {name!r}", part.input, at_most=size - 1)
            spikes[name] = part
        elif isinstance(part, (list, tuple)) and any(hasattr(one, "rates_hz") for one in part):
            for number, one in enumerate(part):
                if not hasattr(one, "rates_hz") or not hasattr(one, "durations_s"):
                    what = f"presentation {number} for {name!r}"
                    raise refuse(what, "must have durations_s and rates_hz", type(one))
            rows[name] = part
        else:
            remedy = "give one rate per input, a list of presentations, or SpikeTimes"
            what = f"rates for {name!r}"
            rows[name] = arguments.numbers(
                what, part, shape=(size,), at_least=0, at_most=FASTEST_HZ, remedy=remedy
            )
    return _in_order(rows), spikes


def _in_order(rows: dict[str, Any]) -> Stimulus | None:
    """Combine lists of presentations; constant rates of other groups take their durations."""
    lists = {name: row for name, row in rows.items() if not isinstance(row, np.ndarray)}
    rates = {name: row for name, row in rows.items() if isinstance(row, np.ndarray)}
    if not lists:
        return Constant(rates) if rates else None
    lasting = [float(np.sum(shown.durations_s)) for shown in next(iter(lists.values()))]
    for name, row in rates.items():
        lists[name] = [_Lasting(np.array([t]), row[None]) for t in lasting]
    return InOrder(lists)


def _require_row(name: str, presentations: Any) -> None:
    is_row = hasattr(presentations, "__len__") and hasattr(presentations, "__getitem__")
    if isinstance(presentations, (str, bytes, Mapping)) or not is_row:
        raise refuse(name, "must be a list of presentations", type(presentations))
    if len(presentations) == 0:
        raise refuse(name, "must not be empty", 0)
