"""Three stochastic processes of log size x, and how a session observes it.

    one time scale    dx = (μ − x)/τ dt + sqrt(2 s²/τ) dW        (Ornstein–Uhlenbeck)
    two time scales   x = μ + slow + fast, each of the kind above around 0
    random walk       dx = sqrt(2 D) dW, from a Gaussian start

In the paper's symbols s² = Tσ² and τ = σ²/b, so s²/τ = bT. A session measures y = x + η ν with
independent ν ~ N(0, 1). A spine is seen if its size exceeds the threshold: the measured size y if
the same procedure detects and measures spines, or the true size x if presence is judged separately
from the measurement (``Observations.threshold_on``).
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class Process(ABC):
    """Parameters of a process, as a frozen dataclass: the mean first, the noise last.

    Those in ``POSITIVE`` are fitted as their logarithm. The noise is fitted as its variance, for
    which the likelihood is regular at 0.
    """

    NAME: ClassVar[str]
    POSITIVE: ClassVar[tuple[str, ...]]
    noise: float

    @classmethod
    @functools.cache
    def names(cls) -> tuple[str, ...]:
        """The parameters in the order of the vector."""
        return tuple(f.name for f in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def from_vector(cls, vector: ArrayLike) -> Self:
        """The process at a point of the space in which it is fitted."""
        given = zip(cls.names(), np.asarray(vector, float), strict=True)
        return cls(*(float(cls.to_value(n, v)) for n, v in given))

    @classmethod
    def to_value(cls, name: str, coordinate: Any) -> Any:
        """A parameter from its coordinate in the space in which it is fitted."""
        if name == "noise":
            return np.sqrt(np.maximum(coordinate, 0.0))
        return np.exp(coordinate) if name in cls.POSITIVE else coordinate

    @classmethod
    def to_coordinate(cls, name: str, value: float) -> float:
        """The coordinate of a parameter in the space in which it is fitted."""
        if name == "noise":
            return value * value
        return float(np.log(value)) if name in cls.POSITIVE else value

    def vector(self) -> Floats:
        """The coordinates of this process in the space in which it is fitted."""
        return np.array([self.to_coordinate(n, getattr(self, n)) for n in self.names()])

    @abstractmethod
    def parts(self) -> list[tuple[float, float]]:
        """(stationary or starting spread, relaxation time) of each independent part of x."""

    def transition(self, interval: ArrayLike) -> list[tuple[Floats, Floats]]:
        """(factor of decay, standard deviation added) of each part over an interval."""
        found = []
        for spread, relaxation in self.parts():
            rate = np.asarray(interval, float) / relaxation
            found.append((np.exp(-rate), spread * np.sqrt(-np.expm1(-2.0 * rate))))
        return found

    def start(self) -> tuple[float, float]:
        """Mean and standard deviation of x before the first observation."""
        mean = float(getattr(self, self.names()[0]))
        return mean, math.hypot(*(spread for spread, _ in self.parts()))

    def spread_after(self, elapsed: Floats) -> Floats:
        """Standard deviation of x, without any observation, at some times after the start."""
        return np.full(elapsed.shape, self.start()[1])

    def reach(self, span: float) -> float:
        """Standard deviation of x over the whole time span."""
        return float(self.spread_after(np.array([span]))[0])


@dataclass(frozen=True)
class OneTimeScale(Process):
    """Ornstein–Uhlenbeck process: the synaptic sampling rule under a Gaussian prior alone.

    Parameters
    ----------
    mean
        μ of log size.
    spread
        Stationary standard deviation s of log size.
    relaxation
        τ in the table's unit of time.
    noise
        Standard deviation η of the measurement noise on log size.
    """

    NAME: ClassVar[str] = "one time scale"
    POSITIVE: ClassVar[tuple[str, ...]] = ("spread", "relaxation")

    mean: float
    spread: float
    relaxation: float
    noise: float

    def parts(self) -> list[tuple[float, float]]:
        """One part."""
        return [(self.spread, self.relaxation)]


@dataclass(frozen=True)
class TwoTimeScales(Process):
    """The sum of a slow and a fast Ornstein–Uhlenbeck process.

    Parameters
    ----------
    mean
        Mean of log size.
    slow_spread, slow_relaxation, fast_spread, fast_relaxation
        Stationary standard deviation of log size, and relaxation time, of the two processes.
    noise
        Standard deviation of the measurement error of log size.
    """

    NAME: ClassVar[str] = "two time scales"
    POSITIVE: ClassVar[tuple[str, ...]] = (
        "slow_spread",
        "slow_relaxation",
        "fast_spread",
        "fast_relaxation",
    )

    mean: float
    slow_spread: float
    slow_relaxation: float
    fast_spread: float
    fast_relaxation: float
    noise: float

    def parts(self) -> list[tuple[float, float]]:
        """Slow, then fast."""
        return [
            (self.slow_spread, self.slow_relaxation),
            (self.fast_spread, self.fast_relaxation),
        ]


@dataclass(frozen=True)
class RandomWalk(Process):
    """Diffusion without return to a mean, from a Gaussian start at the first session.

    Parameters
    ----------
    start_mean, start_spread
        Mean and standard deviation of log size at the first session.
    diffusion
        D: the variance of log size grows by 2 D per unit of time.
    noise
        Standard deviation of the measurement error of log size.
    """

    NAME: ClassVar[str] = "random walk"
    POSITIVE: ClassVar[tuple[str, ...]] = ("start_spread", "diffusion")

    start_mean: float
    start_spread: float
    diffusion: float
    noise: float

    def parts(self) -> list[tuple[float, float]]:
        """One part that never relaxes."""
        return [(self.start_spread, np.inf)]

    def transition(self, interval: ArrayLike) -> list[tuple[Floats, Floats]]:
        """No decay; the variance grows by 2 D per unit of time."""
        dt = np.asarray(interval, float)
        return [(np.ones_like(dt), np.sqrt(2.0 * self.diffusion * dt))]

    def spread_after(self, elapsed: Floats) -> Floats:
        """Grows with time."""
        found: Floats = np.sqrt(self.start_spread**2 + 2.0 * self.diffusion * elapsed)
        return found


PROCESSES: tuple[type[Process], ...] = (OneTimeScale, TwoTimeScales, RandomWalk)
