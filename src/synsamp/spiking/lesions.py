"""Lesions: remove neurons, remove synapses, silence inputs; at once, at a time, on a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse

if TYPE_CHECKING:
    from synsamp.spiking.simulation import Simulation


@dataclass(frozen=True)
class RemoveNeurons:
    """Neurons of a circuit fall silent for good; all synapses from and to them go.

    The circuit's total rate stays ρ_net: divisive inhibition hands it to those that remain.
    """

    circuit: str
    neurons: Sequence[int]

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
        if not self.theta <= 0:
            raise refuse("theta", "must be <= 0, where a synapse is retracted", self.theta)

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

    def describe(self) -> str:
        """Say in one line what is silenced."""
        return f"{len(self.inputs)} inputs of {self.group} silenced"


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


def apply(lesion: Lesion, sim: Simulation) -> None:
    """Change the state of a simulation; it must settle potentials and inputs afterwards."""
    if isinstance(lesion, RemoveNeurons):
        _remove_neurons(lesion, sim)
    elif isinstance(lesion, RemoveSynapses):
        _remove_synapses(lesion, sim)
    else:
        groups = [g.name for g in sim.network.inputs]
        if lesion.group not in groups:
            raise refuse("group", f"must be one of {', '.join(groups)}", lesion.group)
        size = sim.network.size_of(lesion.group)
        sim._feed.silence(lesion.group, _indices("inputs", lesion.inputs, size))


def _remove_neurons(lesion: RemoveNeurons, sim: Simulation) -> None:
    numbers = sim.neurons_of(lesion.circuit)
    local = _indices("neurons", lesion.neurons, numbers.size)
    sim._activity.bias[numbers[local]] = -np.inf
    for p, projection in enumerate(sim.layout.projections):
        gone = np.zeros(sim._matrix(p, sim._synapses.theta).shape, bool)
        if projection.target == lesion.circuit:
            gone[local, :] = True
        if projection.source == lesion.circuit:
            gone[:, local] = True
        _set_theta(sim, p, gone, -np.inf)


def _remove_synapses(lesion: RemoveSynapses, sim: Simulation) -> None:
    p = sim._index(lesion.projection)
    theta = sim._matrix(p, sim._synapses.theta)
    gone = theta > 0 if isinstance(lesion.which, str) else np.asarray(lesion.which)
    if gone.shape != theta.shape or gone.dtype != bool:
        raise refuse("which", f"must be boolean with shape {theta.shape}", gone.shape)
    if lesion.regrow:
        gone = gone & (theta > lesion.theta)
    _set_theta(sim, p, gone, lesion.theta if lesion.regrow else -np.inf)


def _set_theta(sim: Simulation, p: int, where: NDArray[np.bool_], value: float) -> None:
    rule = sim.layout.projections[p].rule
    weight = float(rule.mapping.weight(value)) if value > -np.inf else 0.0
    sim._matrix(p, sim._synapses.theta)[where] = value
    sim._matrix(p, sim._synapses.weight)[where] = weight


def _indices(name: str, values: Sequence[int], size: int) -> NDArray[np.int64]:
    numbers = np.unique(np.asarray(values, np.int64))
    if numbers.size and not 0 <= numbers[0] <= numbers[-1] < size:
        raise refuse(name, f"must lie in 0..{size - 1}", [int(numbers[0]), int(numbers[-1])])
    return numbers
