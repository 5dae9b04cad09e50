"""Efficacies ŵ[post, pre] in single precision, 0 where θ <= 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.protocol.records.matrix import MatrixRecord
from synsamp.protocol.view import View


class Weight(MatrixRecord):
    """Efficacies ŵ[post, pre] in single precision, 0 where θ <= 0.

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    post, pre : array_like of int, optional
        Rows and columns to record; default: all.
    """

    description = "efficacy ŵ"

    def read(self, view: View) -> NDArray[Any]:
        """The whole matrix."""
        return view.weight(self.projection).astype(np.float32)


weight = Weight
