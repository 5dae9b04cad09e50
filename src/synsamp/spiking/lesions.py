"""Lesions: remove neurons, remove synapses, silence inputs; at once, at a time, on a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse


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
            raise refuse("a scheduled lesion", "must have either at_s or when", (self.at_s, self.when))
