"""Functional synapses [post, pre] (θ > 0)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from synsamp.protocol.records.matrix import MatrixRecord
from synsamp.protocol.view import View


class Active(MatrixRecord):
    """Functional synapses [post, pre] (θ > 0).

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    post, pre : array_like of int, optional
        Rows and columns to record; default: all.
    """

    description = "θ > 0"

    def read(self, view: View) -> NDArray[Any]:
        """The whole matrix."""
        return view.active(self.projection)


active = Active
