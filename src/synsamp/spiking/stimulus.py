"""What is shown, and in which order.

A presentation is any object with ``durations_s[n_segments]`` and ``rates_hz[n_segments, n_inputs]``
(`synsamp.data.encoding.RateSegments` is one). A stimulus holds a library of presentations per
input group and chooses which come next; one's own is a class with these two members::

    class Alternating:
        def __init__(self, ones, twos):
            self.library = {"x": [*ones, *twos]}
            self.n = len(ones)

        def choose(self, rng, first, count):
            number = first + np.arange(count)               # 0, 1, 2, … since the start
            return {"x": rng.integers(self.n, size=count) + self.n * (number % 2)}

`choose` must depend on its arguments alone; then a run resumes bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import refuse


class Stimulus(Protocol):
    """A library of presentations per input group, and an order."""

    @property
    def library(self) -> Mapping[str, Sequence[Any]]:
        """Presentations by name of the input group; groups not named stay silent."""

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> Mapping[str, NDArray[np.int64]]:
        """Indices into the library for the presentations number ``first`` … first + count − 1.

        All groups of one presentation must last equally long.
        """


class RandomOrder:
    """Presentations of one input group in random order, equally likely or by ``weights``."""

    def __init__(
        self, presentations: Sequence[Any], group: str = "x", weights: ArrayLike | None = None
    ) -> None:
        if len(presentations) == 0:
            raise refuse("presentations", "must not be empty", 0)
        self.library = {group: presentations}
        self._group = group
        self._shares: NDArray[np.float64] | None = None
        if weights is not None:
            given = np.asarray(weights, float)
            if (
                given.shape != (len(presentations),)
                or not (given >= 0).all()
                or not given.sum() > 0
            ):
                raise refuse("weights", "must be one number >= 0 per presentation", given)
            self._shares = given / given.sum()

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """Independent draws."""
        n = len(self.library[self._group])
        if self._shares is None:
            return {self._group: rng.integers(n, size=count)}
        return {self._group: rng.choice(n, size=count, p=self._shares)}


class InOrder:
    """Presentations one after the other, then from the start again.

    ``library`` maps input groups to equally long rows of presentations, or is one row for ``x``.
    """

    def __init__(self, library: Mapping[str, Sequence[Any]] | Sequence[Any]) -> None:
        self.library = dict(library) if isinstance(library, Mapping) else {"x": library}
        lengths = {name: len(row) for name, row in self.library.items()}
        if len(set(lengths.values())) != 1 or 0 in lengths.values():
            raise refuse("library", "must have equally many presentations per group", lengths)
        self._length = next(iter(lengths.values()))

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """Round and round."""
        order = (first + np.arange(count)) % self._length
        return dict.fromkeys(self.library, order)
