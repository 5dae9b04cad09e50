"""What records of a matrix [post, pre] have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import StateRecord
from synsamp.protocol.view import View
from synsamp.spiking import Network

POST_PRE = ("post", "pre")


@dataclass(frozen=True, eq=False)
class MatrixRecord(StateRecord):
    """A matrix [post, pre] of a projection, or some of its rows and columns.

    If the projection's synapses are listed, the row is [synapse] in the order of the list.

    Parameters
    ----------
    projection
        Name of the projection.
    post, pre
        Indices of the neurons to keep; None keeps all, and is the only choice for a list.
    """

    projection: str
    post: ArrayLike | None = None
    pre: ArrayLike | None = None
    description: ClassVar[str]

    def __post_init__(self) -> None:
        for name in POST_PRE:
            chosen = getattr(self, name)
            if chosen is not None:
                found = arguments.wholes(name, chosen, shape=(None,), at_least=0)
                object.__setattr__(self, name, found)

    @abstractmethod
    def read(self, view: View) -> NDArray[Any]:
        """The whole matrix."""

    def check(self, network: Network) -> None:
        """Raise an error if the projection or a synapse does not exist."""
        projection = network.projection(self.projection)
        for name, population in zip(POST_PRE, (projection.target, projection.source), strict=True):
            size = network.size_of(population)
            if projection.listed is not None and getattr(self, name) is not None:
                rule = "must be None where synapses are listed"
                raise refuse(name, rule, getattr(self, name), "select from the stored row")
            if (chosen := getattr(self, name)) is not None:
                arguments.wholes(name, chosen, shape=(None,), at_least=0, at_most=size - 1)

    def __call__(self, view: View) -> NamedArray:
        """The row."""
        matrix = self.read(view)
        listed = view.network.projection(self.projection).listed
        if listed is not None:
            where = {"synapse": np.arange(listed.size)}
            return NamedArray(matrix, ("synapse",), {"description": self.description}, where)
        coordinates = {}
        for axis, chosen in enumerate((self.post, self.pre)):
            if chosen is not None:
                coordinates[POST_PRE[axis]] = np.asarray(chosen)
                matrix = np.take(matrix, np.asarray(chosen), axis)
            else:
                coordinates[POST_PRE[axis]] = np.arange(matrix.shape[axis])
        return NamedArray(matrix, POST_PRE, {"description": self.description}, coordinates)
