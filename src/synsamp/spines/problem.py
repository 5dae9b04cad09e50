"""What is maximised: the likelihood of a kind of process as a function of one vector.

Where a spine is seen by its true size, its threshold is part of the vector unless it was given:
measured sizes then scatter to both sides of it. Where it is seen by its measured size, the smallest
one is the threshold of largest likelihood, and nothing is left to fit.
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

NOISE_FLOOR = 0.02
"""Measurement noise, as a share of the spread of sizes, that counts as none."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A kind of process, the looks, and how a spine is seen."""

    kind: type[Process]
    seen: Observations

    @property
    def fits_threshold(self) -> bool:
        """Whether the threshold is the last number of the vector."""
        return self.seen.by_true_size and not self.seen.threshold_given

    @property
    def names(self) -> tuple[str, ...]:
        """What the numbers of the vector are."""
        return (*self.kind.names(), *(("threshold",) if self.fits_threshold else ()))

    def at(self, q: Floats) -> tuple[Any, Observations]:
        """The process and the looks at a point."""
        if not self.fits_threshold:
            return self.kind.from_vector(q), self.seen
        return self.kind.from_vector(q[:-1]), self.seen.seen_above(float(q[-1]), True)

    def rough(self, q: Floats) -> Floats:
        """Log-likelihood of each spine by the Gaussian filter."""
        return gaussian_log_likelihoods(*self.at(q))

    @property
    def takes_nodes(self) -> bool:
        """Whether x has one part, so that the filter on nodes can follow it."""
        return self.kind is not TwoTimeScales

    def near(self, q: Floats) -> Callable[[Floats], Floats]:
        """The same by the filter on nodes, with as many nodes as it takes around a point."""
        nodes = resolution(*self.at(q))
        return lambda p: log_likelihoods(*self.at(p), nodes)

    def resolved(self, bounds: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """Bounds within which there are enough nodes: sizes must not stand still in an interval."""
        longest = np.log(slowest_resolved(float(self.seen.intervals.min())))
        return [
            (low, max(min(high, longest), low + 1.0)) if name == "relaxation" else (low, high)
            for name, (low, high) in zip(self.names, bounds, strict=True)
        ]

    def bounds_and_starts(self) -> tuple[list[tuple[float, float]], list[Floats]]:
        """Within which values the maximum is looked for, and where climbs begin."""
        seen = self.seen
        sizes = seen.sized()
        mean, sd = float(sizes.mean()), float(sizes.std())
        shortest = float(seen.intervals.min())
        longest = max(seen.span, shortest)
        middle = float(np.sqrt(shortest * longest))
        looked = np.arange(seen.kind.shape[1]) < seen.length[:, None]
        centre = mean - 1.5 * sd * float((seen.kind[looked] == 0).mean())
        means = (mean - 12 * sd, mean + 3 * sd)
        limits: dict[str, tuple[float, float]] = {
            "mean": means,
            "start_mean": means,
            "diffusion": (np.log(sd**2 / longest) - 12, np.log(sd**2 / shortest) + 3),
            "noise": ((NOISE_FLOOR * sd) ** 2, (1.5 * sd) ** 2),
            "threshold": (float(sizes.min()) - 0.5 * sd, float(np.median(sizes))),
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
            # The noisier, the more measured sizes fall below the threshold.
            shares = (0.01, 0.01, 0.1, 0.1)
            vectors = [
                np.append(v, np.quantile(sizes, share))
                for v, share in zip(vectors, shares, strict=True)
            ]
        return [limits[n] for n in self.names], vectors
