"""The likelihood of a kind of process as a function of one vector of parameters.

With the threshold on the true size, measured sizes scatter on both sides of it, so the threshold is
a parameter after those of the process unless the user gave it. With the threshold on the measured
size, the smallest size is its maximum-likelihood estimate. If spines can be missed, the probability
of missing one is the last parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.spines.filter import log_likelihoods, resolution, slowest_resolved
from synsamp.spines.gaussian_filter import gaussian_log_likelihoods
from synsamp.spines.observations import Observations
from synsamp.spines.process import Process, TwoTimeScales

Floats = NDArray[np.float64]

MOST_MISSED = 0.5
"""Largest probability that a spine above the threshold is missed in a session."""

NOISE_FLOOR = 0.02
"""Measurement noise, as a fraction of the spread of sizes, that counts as 0."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A kind of process and the observations to fit it to."""

    kind: type[Process]
    seen: Observations

    @property
    def fits_threshold(self) -> bool:
        """Whether the threshold is a parameter."""
        return self.seen.threshold_on == "true" and not self.seen.threshold_given

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        more = ("threshold",) * self.fits_threshold + ("missed",) * self.seen.can_miss
        return (*self.kind.names(), *more)

    def at(self, q: Floats) -> tuple[Any, Observations]:
        """The process and the observations at a point."""
        n, seen = len(self.kind.names()), self.seen
        if self.fits_threshold:
            seen = seen.with_threshold(float(q[n]), "true")
        if seen.can_miss:  # finite differences may cross 0
            seen = seen.with_missed(float(np.clip(q[-1], 0.0, MOST_MISSED)))
        return self.kind.from_vector(q[:n]), seen

    def approximate(self, q: Floats) -> Floats:
        """Log-likelihood of each spine from the Gaussian filter."""
        return gaussian_log_likelihoods(*self.at(q))

    @property
    def has_exact(self) -> bool:
        """Whether x has one part, as the filter on nodes requires."""
        return self.kind is not TwoTimeScales

    def exact_near(self, q: Floats) -> Callable[[Floats], Floats]:
        """Log-likelihood of each spine from the filter on nodes, with enough nodes around ``q``."""
        nodes = resolution(*self.at(q))
        return lambda p: log_likelihoods(*self.at(p), nodes)

    def resolved(self, bounds: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """Bounds within which the nodes resolve the change of a size over an interval."""
        longest = np.log(slowest_resolved(float(self.seen.intervals.min())))
        return [
            (low, max(min(high, longest), low + 1.0)) if name == "relaxation" else (low, high)
            for name, (low, high) in zip(self.names, bounds, strict=True)
        ]

    def bounds_and_starts(self) -> tuple[list[tuple[float, float]], list[Floats]]:
        """Bounds of the maximisation, and its starting points."""
        seen = self.seen
        sizes = seen.sized()
        mean, sd = float(sizes.mean()), float(sizes.std())
        shortest = float(seen.intervals.min())
        longest = max(seen.span, shortest)
        middle = float(np.sqrt(shortest * longest))
        imaged = np.arange(seen.kind.shape[1]) < seen.length[:, None]
        centre = mean - 1.5 * sd * float((seen.kind[imaged] == 0).mean())
        means = (mean - 12 * sd, mean + 3 * sd)
        limits: dict[str, tuple[float, float]] = {
            "mean": means,
            "start_mean": means,
            "diffusion": (np.log(sd**2 / longest) - 12, np.log(sd**2 / shortest) + 3),
            "noise": ((NOISE_FLOOR * sd) ** 2, (1.5 * sd) ** 2),
            "threshold": (float(sizes.min()) - 0.5 * sd, float(np.median(sizes))),
            "missed": (0.0, MOST_MISSED),
        }
        for name in self.kind.names():
            if name.endswith("spread"):
                limits[name] = (np.log(0.05 * sd), np.log(10 * sd))
            elif name.endswith("relaxation"):
                limits[name] = (np.log(0.1 * shortest), np.log(30 * longest))
        starts: list[dict[str, Any]] = [
            {
                "mean": centre,
                "start_mean": centre,
                "spread": 1.2 * sd,
                "start_spread": 1.2 * sd,
                "slow_spread": sd,
                "fast_spread": 0.5 * sd,
                "relaxation": time,
                "slow_relaxation": 3 * time,
                "fast_relaxation": max(0.3 * middle, 0.5 * shortest),
                "diffusion": sd**2 / (2 * time),
                "noise": noise,
            }
            for noise in (0.1 * sd, 0.4 * sd)
            for time in (middle, longest)
        ]
        names = self.kind.names()
        vectors = [self.kind(*(one[n] for n in names)).vector() for one in starts]
        if self.fits_threshold:
            # With more noise, more measured sizes fall below the threshold.
            below = (0.01, 0.01, 0.1, 0.1)
            vectors = [
                np.append(v, np.quantile(sizes, fraction))
                for v, fraction in zip(vectors, below, strict=True)
            ]
        if seen.can_miss:
            vectors = [np.append(v, 0.02) for v in vectors]
        return [limits[n] for n in self.names], vectors
