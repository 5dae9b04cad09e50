"""Several projections shown as one matrix, such as the lateral connections of eight circuits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Joined:
    """A matrix [post, pre] of projections.

    Parameters
    ----------
    name
        Name of the matrix.
    blocks
        Names of projections, [row of blocks][block].
    """

    def __init__(self, name: str, blocks: Sequence[Sequence[str]]) -> None:
        self.name, self._blocks = name, blocks

    @property
    def members(self) -> list[str]:
        """Names of all projections, row by row."""
        return [name for row in self._blocks for name in row]

    def theta(self, simulation: Any) -> NDArray[np.float64]:
        """θ, NaN where no synapse can exist."""
        return np.block([[simulation.theta(name) for name in row] for row in self._blocks])

    def weight(self, simulation: Any) -> NDArray[np.float64]:
        """Efficacies, 0 where no synapse is functional."""
        return np.block([[simulation.weight(name) for name in row] for row in self._blocks])
