"""θ[post, pre] in single precision, NaN where no synapse can exist."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.protocol.records.matrix import MatrixRecord
from synsamp.protocol.view import View


class Theta(MatrixRecord):
    """θ[post, pre] in single precision, NaN where no synapse can exist.

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    post, pre : array_like of int, optional
        Rows and columns to record; default: all.
    """

    description = "θ"

    def read(self, view: View) -> NDArray[Any]:
        """The whole matrix."""
        return view.theta(self.projection).astype(np.float32)


theta = Theta
