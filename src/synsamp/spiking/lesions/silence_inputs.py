"""Silencing of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synsamp import arguments
from synsamp.spiking.layout import Layout
from synsamp.spiking.lesions.base import NetworkLesion, indices, require_some
from synsamp.spiking.network import Network
from synsamp.spiking.state import State


@dataclass(frozen=True)
class SilenceInputs(NetworkLesion):
    """Silence inputs of a group permanently.

    Parameters
    ----------
    group
        Name of the input group.
    inputs
        Indices within the group, at least one.
    """

    group: str
    inputs: Sequence[int]

    def __post_init__(self) -> None:
        arguments.text("group", self.group)
        require_some("inputs", self.inputs)

    def apply(self, state: State, network: Network, layout: Layout) -> None:
        """Mark the inputs as silenced."""
        group = arguments.one_of("group", self.group, [g.name for g in network.inputs])
        chosen = indices("inputs", self.inputs, network.size_of(group))
        state.inputs.silenced[group][chosen] = True
