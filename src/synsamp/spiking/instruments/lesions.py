"""Lesions: remove neurons, remove synapses, silence inputs; at once, at a time, on a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network
from synsamp.spiking.state import State


@dataclass(frozen=True)
class RemoveNeurons:
    """Neurons of a circuit fall silent for good; all synapses from and to them go.

    The circuit's total rate stays ρ_net: divisive inhibition hands it to those that remain.
    """

    circuit: str
    neurons: Sequence[int]

    def __post_init__(self) -> None:
        arguments.text("circuit", self.circuit)
        _require_some("neurons", self.neurons)

    def describe(self) -> str:
        """Say in one line what is removed."""
        return f"neurons {list(map(int, self.neurons))} of {self.circuit} removed"


@dataclass(frozen=True, eq=False)
class RemoveSynapses:
    """Synapses of a projection retract: all that are active, or those of a mask [post, pre].

    With ``regrow`` they are put to ``theta`` (retracted) and may come back under the rule;
    without, they can never exist again.
    """

    projection: str
    which: str | NDArray[np.bool_] = "active"
    regrow: bool = True
    theta: float = -1.0

    def __post_init__(self) -> None:
        if isinstance(self.which, str) and self.which != "active":
            raise refuse("which", "must be 'active' or a mask [post, pre]", self.which)
        arguments.text("projection", self.projection)
        arguments.flag("regrow", self.regrow)
        arguments.number("theta", self.theta, at_most=0, remedy="θ <= 0 is retracted")

    def describe(self) -> str:
        """Say in one line what is removed."""
        which = "active synapses" if isinstance(self.which, str) else "chosen synapses"
        tail = "may regrow" if self.regrow else "may not regrow"
        return f"{which} of {self.projection} removed, {tail}"


@dataclass(frozen=True)
class SilenceInputs:
    """Inputs of a group never spike again."""

    group: str
    inputs: Sequence[int]

    def __post_init__(self) -> None:
        arguments.text("group", self.group)
        _require_some("inputs", self.inputs)

    def describe(self) -> str:
        """Say in one line what is silenced."""
        return f"{len(self.inputs)} inputs of {self.group} silenced"


LESIONS = (RemoveNeurons, RemoveSynapses, SilenceInputs)
Lesion = RemoveNeurons | RemoveSynapses | SilenceInputs


@dataclass(frozen=True)
class Scheduled:
    """A lesion to come: at a time, or when a condition on the simulation first holds.

    The condition is asked at every grid point; it must not change the simulation.
    """

    lesion: Lesion
    at_s: float | None = None
    when: Callable[[Any], bool] | None = None

    def __post_init__(self) -> None:
        if (self.at_s is None) == (self.when is None):
            raise refuse(
                "a scheduled lesion", "must have either at_s or when", (self.at_s, self.when)
            )
        arguments.instance("lesion", self.lesion, LESIONS)
        if self.at_s is not None:
            arguments.number("at_s", self.at_s, at_least=0)
        elif not callable(self.when):
            raise refuse("when", "must be a function of the simulation", type(self.when))

    def is_due(self, simulation: Any, on_grid: bool) -> bool:
        """Whether its time has come; conditions are asked on the grid, however a run is cut up."""
        if self.when is not None:
            return on_grid and bool(self.when(simulation))
        return self.at_s is not None and bool(simulation.time_s >= self.at_s)


def all_scheduled(lesions: Any) -> tuple[Scheduled, ...]:
    """The lesions to come, checked."""
    if isinstance(lesions, Scheduled) or not isinstance(lesions, Sequence):
        raise refuse("lesions", "must be a list of Scheduled", type(lesions))
    return tuple(arguments.instance("each of lesions", s, Scheduled) for s in lesions)


def next_stop_s(
    waiting: Sequence[Scheduled], end_s: float, now_s: float, sync_interval_s: float
) -> float:
    """Where a run must stop next: at a lesion's time, or at the next point of the grid to ask."""
    times = (sync_interval_s if lesion.at_s is None else lesion.at_s for lesion in waiting)
    return min([end_s, *(max(at_s, now_s) for at_s in times)])


def apply(lesion: Lesion, state: State, network: Network, layout: Layout) -> None:
    """Change a state; columns, potentials and inputs must be made anew afterwards."""
    arguments.instance("lesion", lesion, LESIONS)
    if isinstance(lesion, RemoveNeurons):
        _remove_neurons(lesion, state, network, layout)
    elif isinstance(lesion, RemoveSynapses):
        _remove_synapses(lesion, state, network, layout)
    else:
        group = arguments.one_of("group", lesion.group, [g.name for g in network.inputs])
        chosen = _indices("inputs", lesion.inputs, network.size_of(group))
        state.inputs.silenced[group][chosen] = True


def _remove_neurons(lesion: RemoveNeurons, state: State, network: Network, layout: Layout) -> None:
    numbers = network.neurons_of(lesion.circuit)
    local = _indices("neurons", lesion.neurons, numbers.size)
    state.activity.bias[numbers[local]] = -np.inf
    for p, projection in enumerate(layout.projections):
        gone = np.zeros(layout.matrix(p, state.synapses.theta).shape, bool)
        if projection.target == lesion.circuit:
            gone[local, :] = True
        if projection.source == lesion.circuit:
            gone[:, local] = True
        _set_theta(state, layout, p, gone, -np.inf)


def _remove_synapses(
    lesion: RemoveSynapses, state: State, network: Network, layout: Layout
) -> None:
    p = layout.place_of(network.projection(lesion.projection).name)
    theta = layout.matrix(p, state.synapses.theta)
    gone = theta > 0 if isinstance(lesion.which, str) else np.asarray(lesion.which)
    if gone.shape != theta.shape or gone.dtype != bool:
        raise refuse("which", f"must be boolean with shape {theta.shape}", gone.shape)
    if lesion.regrow:
        gone = gone & (theta > lesion.theta)
    _set_theta(state, layout, p, gone, lesion.theta if lesion.regrow else -np.inf)


def _set_theta(
    state: State, layout: Layout, p: int, where: NDArray[np.bool_], value: float
) -> None:
    model = layout.projections[p].synapses
    weight = 0.0
    if value > -np.inf:
        value = max(value, model.theta_min)
        weight = float(model.mapping.weight(value))
    layout.matrix(p, state.synapses.theta)[where] = value
    layout.matrix(p, state.synapses.weight)[where] = weight
    layout.eligibility(p, state.synapses.eligibility)[where] = 0.0


def _require_some(name: str, values: Any) -> None:
    if arguments.wholes(name, values).size == 0:
        raise refuse(name, "must not be empty", 0, "name at least one")


def _indices(name: str, values: Sequence[int], size: int) -> NDArray[np.int64]:
    return np.unique(arguments.wholes(name, values, at_least=0, at_most=size - 1))
