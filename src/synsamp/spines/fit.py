"""Fit a process to the sizes of spines, the threshold and the noise of measurement included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from synsamp.errors import refuse
from synsamp.spines.filter import Resolution, log_likelihoods, resolution
from synsamp.spines.gaussian_filter import gaussian_log_likelihoods
from synsamp.spines.likelihood import Floats, clustered, climb, curvature, refine, step_sizes
from synsamp.spines.likelihood import inverse as covariance_of
from synsamp.spines.observations import Observations
from synsamp.spines.process import OneTimeScale, Process, RandomWalk, TwoTimeScales

NOISE_FLOOR = 0.02
"""Measurement noise, as a share of the spread of sizes, that counts as none."""

FEWEST_LOOKS, FEWEST_STEPS = 12, 6
"""Sizes, and pairs of sizes of one spine, without which nothing is fitted."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A process at its largest likelihood, with what is known of the error."""

    process: Process
    covariance: Floats  # of the free parameters, in the space of `Process.vector`
    free: tuple[str, ...]
    log_likelihood: float
    degrees: float
    n_spines: int
    n_looks: int
    n_animals: int
    threshold: float
    at_bounds: tuple[str, ...]
    n_nodes: Resolution | None  # None: by the Gaussian filter
    hessian: Floats

    @property
    def aic(self) -> float:
        """Akaike's criterion; the threshold counts for every process alike and is left out."""
        return 2.0 * len(self.free) - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion; spines are the independent pieces of data."""
        return len(self.free) * float(np.log(self.n_spines)) - 2.0 * self.log_likelihood

    def error(self, name: str) -> float:
        """Standard error of a parameter, of its logarithm if it is positive; 0 if fixed."""
        if name not in self.free:
            return 0.0
        k = self.free.index(name)
        return float(np.sqrt(self.covariance[k, k]))

    def combined(self, **powers: float) -> tuple[float, float, float, float]:
        """exp(Σ power · log parameter): value, standard error, 95 % interval."""
        names = self.process.names()
        vector = self.process.vector()
        weight = np.array([powers.get(n, 0.0) for n in self.free])
        value = float(sum(powers[n] * vector[names.index(n)] for n in powers))
        error = float(np.sqrt(weight @ self.covariance @ weight))
        reach = self._quantile() * error
        with np.errstate(over="ignore"):
            low, high = np.exp(value - reach), np.exp(value + reach)
        return float(np.exp(value)), float(np.exp(value)) * error, float(low), float(high)

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """The interval of a parameter; of a positive one it is symmetric in the logarithm."""
        at = self.process.vector()[self.process.names().index(name)]
        reach = self._quantile(level) * self.error(name)
        ends = np.array([at - reach, at + reach])
        with np.errstate(over="ignore"):
            ends = np.exp(ends) if name in self.process.POSITIVE else ends
        return float(ends[0]), float(ends[1])

    def _quantile(self, level: float = 0.95) -> float:
        return float(stats.t.ppf(0.5 + level / 2, self.degrees))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per parameter: estimate, standard error, 95 % interval."""
        rows = []
        for name in self.process.names():
            value = float(getattr(self.process, name))
            error = self.error(name) * (value if name in self.process.POSITIVE else 1.0)
            low, high = self.interval(name)
            rows.append((self.process.NAME, name, value, error, low, high, name in self.free))
        if isinstance(self.process, OneTimeScale):
            found = self.combined(spread=2.0, relaxation=-1.0)
            rows.append((self.process.NAME, "bT", *found, True))
        columns = ["process", "parameter", "estimate", "error", "low", "high", "free"]
        return pd.DataFrame(rows, columns=columns)


def fit_process(
    seen: Observations,
    kind: type[Process] = OneTimeScale,
    animal: Sequence[int] | NDArray[np.int64] | None = None,
) -> Fitted:
    """The process of this kind under which the looks at the spines are most probable.

    ``animal`` numbers the animal of each spine from 0; from three on, errors take them as units.
    """
    _check(seen)
    exact = kind is not TwoTimeScales
    whose = np.zeros(seen.n_spines, np.int64) if animal is None else np.asarray(animal, np.int64)
    bounds, starts = _bounds_and_starts(seen, kind)

    def rough(q: Floats) -> Floats:
        return gaussian_log_likelihoods(kind.from_vector(q), seen)

    names = kind.names()
    q, _ = climb(rough, starts, bounds)
    noise_at = names.index("noise")
    keep = np.ones(len(names), bool)
    if q[noise_at] < bounds[noise_at][0] + 0.1:  # no noise to be seen: leave it at next to none
        q[noise_at] = bounds[noise_at][0]
        keep[noise_at] = False

    def filled(part: Floats) -> Floats:
        whole = q.copy()
        whole[keep] = part
        return whole

    free_bounds = [b for b, k in zip(bounds, keep, strict=True) if k]
    part = q[keep]
    steps = np.full(part.size, 0.01)
    for _ in range(2):  # the second time with steps that fit the first time's errors
        hessian, _ = curvature(lambda p: rough(filled(p)), part, steps)
        steps = step_sizes(covariance_of(hessian))
    nodes = None
    if exact:
        nodes = resolution(kind.from_vector(q), seen)

        def fine(p: Floats) -> Floats:
            return log_likelihoods(kind.from_vector(filled(p)), seen, nodes)

        part = refine(fine, part, hessian, free_bounds)
        hessian, scores = curvature(fine, part, steps)
        value = float(fine(part).sum())
    else:
        hessian, scores = curvature(lambda p: rough(filled(p)), part, steps)
        value = float(rough(filled(part)).sum())
    covariance, degrees = clustered(hessian, scores, whose)
    free = tuple(n for n, k in zip(names, keep, strict=True) if k)
    near = [
        n
        for n, v, (low, high) in zip(free, part, free_bounds, strict=True)
        if v - low < 0.02 or high - v < 0.02
    ]
    return Fitted(
        process=kind.from_vector(filled(part)),
        covariance=covariance,
        free=free,
        log_likelihood=value,
        degrees=degrees,
        n_spines=seen.n_spines,
        n_looks=seen.n_looks,
        n_animals=int(whose.max()) + 1,
        threshold=seen.threshold,
        at_bounds=tuple(near),
        n_nodes=nodes,
        hessian=hessian,
    )


def _check(seen: Observations) -> None:
    sizes = seen.sized()
    if sizes.size < FEWEST_LOOKS:
        raise refuse(
            "sizes", f"must be at least {FEWEST_LOOKS}", sizes.size, "measure more spines"
        )
    pairs = int(((seen.kind[:, 1:] == 1) & (seen.kind[:, :-1] == 1)).sum())
    if pairs < FEWEST_STEPS:
        raise refuse(
            "spines measured twice in a row",
            f"must be at least {FEWEST_STEPS}",
            pairs,
            "follow the same spines over more sessions",
        )
    if np.ptp(sizes) == 0:
        raise refuse("sizes", "must vary", float(np.exp(sizes[0])), "a process needs change")


def _bounds_and_starts(
    seen: Observations, kind: type[Process]
) -> tuple[list[tuple[float, float]], list[Floats]]:
    sizes = seen.sized()
    mean, sd = float(sizes.mean()), float(sizes.std())
    shortest = float(seen.intervals.min())
    longest = max(seen.span, shortest)
    sd_bounds = (np.log(0.05 * sd), np.log(10 * sd))
    time_bounds = (np.log(0.1 * shortest), np.log(30 * longest))
    noise_bounds = (np.log(NOISE_FLOOR * sd), np.log(1.5 * sd))
    limits: dict[str, tuple[float, float]] = {
        "mean": (mean - 12 * sd, mean + 3 * sd),
        "start_mean": (mean - 12 * sd, mean + 3 * sd),
        "diffusion": (
            np.log(sd**2 / longest) - 12,
            np.log(sd**2 / shortest) + 3,
        ),
    }
    for name in kind.names():
        if name.endswith("spread"):
            limits[name] = sd_bounds
        elif name.endswith("relaxation"):
            limits[name] = time_bounds
    limits["noise"] = noise_bounds
    middle = float(np.sqrt(shortest * longest))
    absent = float((seen.kind[np.arange(seen.kind.shape[1]) < seen.length[:, None]] == 0).mean())
    centre = mean - 1.5 * sd * absent
    starts: list[dict[str, Any]] = []
    for noise in (0.1 * sd, 0.4 * sd):
        for time in (middle, longest):
            starts.append(
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
            )
    vectors = [kind(*(one[n] for n in kind.names())).vector() for one in starts]
    return [limits[n] for n in kind.names()], vectors


__all__ = ["Fitted", "OneTimeScale", "RandomWalk", "TwoTimeScales", "fit_process"]
