"""Positions of neurons and inputs, and distances between them.

A population has positions if you give it a `Space`: ``StochasticNeurons("e", 2000,
positions=Torus())``. Lengths have any unit, as long as all populations and rules of distance share
it. On a ring and on a torus distances are measured the short way round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse

Array = NDArray[np.float64]
LONGEST = 1e9


class Space(ABC):
    """Where the neurons of a population lie; subclasses are frozen dataclasses."""

    period: tuple[float, ...] | None = None
    """Length after which each axis repeats; None for open ends."""

    @abstractmethod
    def coordinates(self, size: int) -> Array:
        """Positions [neuron, axis] of a population of this size."""


def _check_lengths(space: Space, *names: str) -> None:
    for name in names:
        of = f"{name} of {type(space).__name__}"
        value = arguments.number(of, getattr(space, name), above=0, at_most=LONGEST)
        object.__setattr__(space, name, value)
    if hasattr(space, "seed"):
        arguments.seed(f"seed of {type(space).__name__}", space.seed)


def _spread(size: int, seed: int, *lengths: float) -> Array:
    return np.random.default_rng(seed).uniform(0.0, lengths, (size, len(lengths)))


@dataclass(frozen=True)
class Line(Space):
    """Evenly spaced on a line.

    Parameters
    ----------
    length
        Length of the line.
    """

    length: float = 1.0

    def __post_init__(self) -> None:
        _check_lengths(self, "length")

    def coordinates(self, size: int) -> Array:
        """Centres of equal stretches, [neuron, 1]."""
        at: Array = (np.arange(size) + 0.5) * np.float64(self.length / size)
        return at[:, None]


@dataclass(frozen=True)
class Ring(Line):
    """Evenly spaced on a ring.

    Parameters
    ----------
    length
        Circumference of the ring.
    """

    @property
    def period(self) -> tuple[float, ...]:  # type: ignore[override]
        """The circumference."""
        return (self.length,)


@dataclass(frozen=True)
class Plane(Space):
    """Uniformly random on a sheet with open edges.

    Parameters
    ----------
    width, height
        Lengths of the sides.
    seed
        Seed of the positions; give populations on one sheet different seeds.
    """

    width: float = 1.0
    height: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        _check_lengths(self, "width", "height")

    def coordinates(self, size: int) -> Array:
        """Uniform draws, [neuron, 2]."""
        return _spread(size, self.seed, self.width, self.height)


@dataclass(frozen=True)
class Torus(Plane):
    """Uniformly random on a sheet whose opposite edges meet.

    Parameters
    ----------
    width, height
        Lengths of the sides.
    seed
        Seed of the positions; give populations on one sheet different seeds.
    """

    @property
    def period(self) -> tuple[float, ...]:  # type: ignore[override]
        """Width and height."""
        return self.width, self.height


@dataclass(frozen=True)
class Volume(Space):
    """Uniformly random in a box.

    Parameters
    ----------
    width, height, depth
        Lengths of the sides.
    seed
        Seed of the positions.
    """

    width: float = 1.0
    height: float = 1.0
    depth: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        _check_lengths(self, "width", "height", "depth")

    def coordinates(self, size: int) -> Array:
        """Uniform draws, [neuron, 3]."""
        return _spread(size, self.seed, self.width, self.height, self.depth)


@dataclass(frozen=True, eq=False)
class Positions(Space):
    """Given positions.

    Parameters
    ----------
    points
        Coordinates [neuron, axis], for one to three axes.
    period
        Length after which each axis repeats; None for open ends.
    """

    points: ArrayLike
    period: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        found = arguments.numbers(
            "positions", self.points, shape=(None, None), at_least=-LONGEST, at_most=LONGEST
        )
        if not 1 <= found.shape[1] <= 3:
            raise refuse("positions", "must have shape [neuron, 1 to 3 axes]", found.shape)
        object.__setattr__(self, "points", found)
        if self.period is not None:
            shape = (found.shape[1],)
            period = arguments.numbers("period of positions", self.period, shape=shape, above=0)
            object.__setattr__(self, "period", tuple(period.tolist()))

    def coordinates(self, size: int) -> Array:
        """The given points."""
        points = np.asarray(self.points)
        if len(points) != size:
            raise refuse("positions", f"must be given for all {size} neurons", len(points))
        return points


def check_positions(of: str, positions: Space | None, size: int) -> None:
    """Raise an error unless positions are None, or a `Space` for this many neurons."""
    if positions is not None:
        arguments.instance(f"positions {of}", positions, Space, "e.g. Plane(1.0, 1.0)")
        positions.coordinates(size)


def distances(one: Array, two: Array, period: tuple[float, ...] | None) -> Array:
    """Distances between points with axes last; shapes are broadcast."""
    apart = np.abs(one - two)
    if period is not None:
        lengths = np.array(period)
        apart = apart % lengths
        apart = np.minimum(apart, lengths - apart)
    return np.asarray(np.sqrt((apart * apart).sum(axis=-1)))
