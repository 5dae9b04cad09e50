"""The steps of a protocol: what is done to the network, in the order of a Methods section.

`Show`, `Silence` and `Act` take time; `Lesion`, `AddNeurons`, `Change`, `Mark` and `Save` happen at
once; `Branch` lets a copy of the network go its own way. What happens at once may be chosen from
the state: a function of a `View` instead of the thing itself. It is asked once, and must depend on
the view alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from synsamp import arguments
from synsamp.environments import Dopamine, Environment
from synsamp.environments.base import check_environment
from synsamp.errors import refuse
from synsamp.protocol.every import Every
from synsamp.protocol.view import View
from synsamp.spiking import Network, NetworkLesion
from synsamp.spiking.changes import changed
from synsamp.spiking.input.stimulus import StimulusLike, parse_stimulus

ParameterChanges = Mapping[str, Any]
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def check_step_name(what: str, name: Any) -> str:
    """A name that can be a group of the results: letters, digits, - and _."""
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        rule = "must begin with a letter and have up to 40 letters, digits, - and _"
        raise refuse(what, rule, name, "for example no_lesion")
    return name


@dataclass(frozen=True, eq=False)
class Show:
    """Show a stimulus for a while, from its beginning.

    Parameters
    ----------
    stimulus : Stimulus or mapping of str to presentations
        What is shown; a mapping gives presentations by input group.
    duration_s : float
        Biological time (s).
    """

    stimulus: StimulusLike
    duration_s: float

    def __post_init__(self) -> None:
        arguments.number("duration_s", self.duration_s, above=0, at_most=1e12)

    def describe(self) -> str:
        """In one line, for the log."""
        return f"shown for {self.duration_s:g} s"


@dataclass(frozen=True)
class Silence:
    """No input for a while.

    Parameters
    ----------
    duration_s : float
        Biological time (s).
    stimulus : None
        Always None.
    """

    duration_s: float
    stimulus: None = None

    def __post_init__(self) -> None:
        arguments.number("duration_s", self.duration_s, above=0, at_most=1e12)

    def describe(self) -> str:
        """In one line, for the log."""
        return f"silence for {self.duration_s:g} s"


@dataclass(frozen=True, eq=False)
class Act:
    """Act on an environment for a while, from its beginning, and learn from its reward.

    The running mean of reward continues from one such step to the next. ``rewarded=False``
    withholds the reward from the network.

    Parameters
    ----------
    environment : Environment
        What the network acts on.
    duration_s : float
        Biological time (s).
    dopamine : Dopamine
        How reward becomes the dopamine signal.
    rewarded : bool
        Whether reward reaches the network.
    """

    environment: Environment
    duration_s: float
    dopamine: Dopamine = Dopamine()  # noqa: RUF009 (frozen)
    rewarded: bool = True

    def __post_init__(self) -> None:
        arguments.number("duration_s", self.duration_s, above=0, at_most=1e12)
        arguments.instance("environment", self.environment, Environment, "subclass Environment")
        arguments.instance("dopamine", self.dopamine, Dopamine, "use Dopamine(...)")
        arguments.flag("rewarded", self.rewarded)

    def describe(self) -> str:
        """In one line, for the log."""
        reward = "" if self.rewarded else ", reward withheld"
        return f"acting on {self.environment.describe()} for {self.duration_s:g} s{reward}"


class Lesion:
    """Remove neurons or synapses, or silence inputs: one lesion, several, or chosen from the state.

    ``Lesion(lambda view: RemoveNeurons("z", tuned_to_two(view)))``; an empty list removes nothing.

    Parameters
    ----------
    what : lesion, sequence of lesions, or callable
        Lesions of `synsamp.spiking`, or a function of a `View` that returns them.
    name : str
        Name in the log of lesions.
    """

    def __init__(
        self,
        what: NetworkLesion | Sequence[NetworkLesion] | Callable[[View], object],
        name: str = "",
    ) -> None:
        self.what = what
        self.name = name
        if not callable(what):
            as_lesions(what)

    def chosen(self, view: View) -> list[NetworkLesion]:
        """What it removes, asked of the state if need be."""
        return as_lesions(self.what(view) if callable(self.what) else self.what)

    def describe(self) -> str:
        """In one line, for the log."""
        return f"lesion {self.name}".strip()


def as_lesions(what: Any) -> list[NetworkLesion]:
    """One lesion or several as a list."""
    found = list(what) if isinstance(what, Sequence) else [what]
    return [
        arguments.instance("lesion", each, NetworkLesion, "e.g. RemoveNeurons") for each in found
    ]


class AddNeurons:
    """Add neurons to a population, in places of removed ones: neurogenesis.

    A new neuron is at rest. Its potential synapses from and to living neurons have a θ drawn from
    their prior. Populations keep their size: for one that grows, give its final size and begin with
    ``Lesion(RemoveNeurons("e", later))``.

    Parameters
    ----------
    population : str
        Name of the population.
    what : sequence of int, or callable
        Indices within the population of neurons that were removed before, or a function of a `View`
        that returns them. An empty list adds none.
    """

    def __init__(
        self, population: str, what: Sequence[int] | Callable[[View], Sequence[int]]
    ) -> None:
        self.population = arguments.text("population", population)
        self.what = what
        if not callable(what):
            arguments.wholes("neurons", what, at_least=0)

    def chosen(self, view: View) -> list[int]:
        """The neurons, asked of the state if need be."""
        found = self.what(view) if callable(self.what) else self.what
        return [int(i) for i in arguments.wholes("neurons", found, at_least=0)]

    def describe(self) -> str:
        """In one line, for the log."""
        return f"neurons added to {self.population}"


class Change:
    """Set other numbers of projections: speed, temperature, prior, plasticity (`sim.change`).

    ``Change("x->z", temperature=0.0)``; several projections as a list; ``speed=0.0`` switches
    plasticity off. ``Change(f)``: ``f(view)`` gives ``{projection: {number: value}}``.

    Parameters
    ----------
    what : str, sequence of str, or callable
        Projections to change, or a function of a `View` that returns
        ``{projection: {number: value}}``.
    **numbers
        New values, such as ``speed=0.0`` or ``temperature=0.5``.
    """

    def __init__(
        self,
        what: str | Sequence[str] | Callable[[View], Mapping[str, ParameterChanges]],
        **numbers: object,
    ) -> None:
        if callable(what) == bool(numbers):
            rule = "must have projections with numbers, or a function of the state alone"
            raise refuse("Change", rule, f"{len(numbers)} numbers", 'e.g. Change("x->z", speed=0)')
        self.what = what
        self.numbers = numbers

    def chosen(self, view: View) -> dict[str, dict[str, Any]]:
        """Numbers by projection, asked of the state if need be."""
        if callable(self.what):
            found = arguments.instance("what Change(f) gives", self.what(view), Mapping)
            return {name: dict(numbers) for name, numbers in found.items()}
        return {name: dict(self.numbers) for name in self.projections}

    @property
    def projections(self) -> list[str]:
        """Names, where they are known before the run."""
        if callable(self.what):
            return []
        return [self.what] if isinstance(self.what, str) else list(self.what)

    def describe(self) -> str:
        """In one line, for the log."""
        return "change chosen from the state" if callable(self.what) else "change"


@dataclass(frozen=True)
class Mark:
    """A named moment: every record that is taken `at_marks` takes a row.

    Parameters
    ----------
    name : str
        Name of the moment.
    """

    name: str

    def __post_init__(self) -> None:
        check_step_name("name of a Mark", self.name)

    def describe(self) -> str:
        """In one line, for the log."""
        return f"mark {self.name}"


@dataclass(frozen=True)
class Save:
    """Keep the whole state under a name, to start something else from (`saved_state`).

    Parameters
    ----------
    name : str
        Name of the state.
    """

    name: str

    def __post_init__(self) -> None:
        check_step_name("name of a Save", self.name)

    def describe(self) -> str:
        """In one line, for the log."""
        return f"state saved as {self.name}"


@dataclass(frozen=True, eq=False)
class Branch:
    """A copy continues from here through other steps, with the same noise.

    ``record`` takes the place of the protocol's; None records the same. What is recorded stands
    under the branch's name: ``results["control/theta"]``.

    Parameters
    ----------
    name : str
        Name of the branch, and of its results.
    steps : sequence of steps
        What the copy does.
    record : mapping of str to record, optional
        Records in place of the protocol's; default: the same records.
    """

    name: str
    steps: Sequence[ProtocolStep]
    record: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        check_step_name("name of a Branch", self.name)

    def describe(self) -> str:
        """In one line, for the log."""
        return f"branch {self.name}"


TIMED = (Show, Silence, Act)
AT_ONCE = (Lesion, AddNeurons, Change, Mark, Save)


ProtocolStep: TypeAlias = (
    Show | Silence | Act | Lesion | AddNeurons | Change | Mark | Save | Branch | Every
)
"""What a `Protocol` or a `Branch` does, one after the other."""


def checked_step(step: Any, network: Network) -> Any:
    """Return a step with its stimulus checked.

    Raises an error for what is no step, or names what the network does not have.
    """
    if isinstance(step, Every):
        if not isinstance(step.what, Change):
            rule = "must repeat a Change"
            raise refuse("every() among steps", rule, type(step.what).__name__, "record the rest")
        checked_step(step.what, network)
        return step
    kinds = (*TIMED, *AT_ONCE, Branch)
    arguments.instance("step", step, kinds, "e.g. Show(stimulus, 1000)")
    if isinstance(step, Show):
        return replace(step, stimulus=parse_stimulus(step.stimulus, network))
    if isinstance(step, Act):
        check_environment(step.environment, network)
    if isinstance(step, AddNeurons):
        places = network.neurons_of(step.population)
        if not callable(step.what):
            of = f"neurons of {step.population!r}"
            arguments.wholes(of, step.what, at_least=0, at_most=places.size - 1)
    if isinstance(step, Change):
        numbers = {name: dict(step.numbers) for name in step.projections}
        if numbers:
            changed(network, numbers)
    return step


def seconds_of(steps: Sequence[ProtocolStep]) -> float:
    """Biological time of all steps, branches included."""
    total = 0.0
    for step in steps:
        if isinstance(step, TIMED):
            total += step.duration_s
        elif isinstance(step, Branch):
            total += seconds_of(step.steps)
    return total


def has_lesions(steps: Sequence[ProtocolStep]) -> bool:
    """Return whether there is a lesion among the steps, branches included."""
    return any(
        isinstance(step, Lesion) or (isinstance(step, Branch) and has_lesions(step.steps))
        for step in steps
    )
