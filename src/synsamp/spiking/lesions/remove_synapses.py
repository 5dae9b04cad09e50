"""Removal of synapses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.layout import Layout
from synsamp.spiking.lesions.base import NetworkLesion, set_theta
from synsamp.spiking.network import Network
from synsamp.spiking.state import State


@dataclass(frozen=True, eq=False)
class RemoveSynapses(NetworkLesion):
    """Retract synapses of a projection.

    Parameters
    ----------
    projection
        Name of the projection.
    which
        ``"active"`` for all functional synapses, or a boolean mask in the shape of θ.
    regrow
        If True, the synapses are set to ``theta`` and may become functional again under the rule;
        if False, they can never exist again.
    theta
        Value θ <= 0 (retracted) to which synapses that may regrow are set.
    """

    projection: str
    which: str | NDArray[np.bool_] = "active"
    regrow: bool = True
    theta: float = -1.0

    def __post_init__(self) -> None:
        if not isinstance(self.which, str):
            arguments.array("which", self.which, "True and False")
        elif self.which != "active":
            raise refuse("which", "must be 'active' or a mask [post, pre]", self.which)
        arguments.text("projection", self.projection)
        arguments.flag("regrow", self.regrow)
        arguments.number("theta", self.theta, at_most=0, remedy="θ <= 0 is retracted")

    def apply(self, state: State, network: Network, layout: Layout) -> None:
        """Set θ of the chosen synapses."""
        p = layout.place_of(network.projection(self.projection).name)
        theta = layout.read(p, "synapse", state.synapses.theta)
        gone = theta > 0 if isinstance(self.which, str) else np.asarray(self.which)
        if gone.shape != theta.shape or gone.dtype != bool:
            raise refuse("which", f"must be boolean with shape {theta.shape}", gone.shape)
        if self.regrow:
            gone = gone & (theta > self.theta)
        set_theta(state, layout, p, gone, self.theta if self.regrow else -np.inf)
