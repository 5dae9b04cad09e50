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
from synsamp.spines.likelihood import (
    Floats,
    climb,
    clustered,
    curvature,
    inverse,
    profile,
    refine,
    step_sizes,
)
from synsamp.spines.observations import Observations
from synsamp.spines.process import OneTimeScale, Process, TwoTimeScales

NOISE_FLOOR = 0.02
"""Measurement noise, as a share of the spread of sizes, that counts as none."""

FEWEST_LOOKS, FEWEST_STEPS = 12, 6
"""Sizes, and pairs of sizes of one spine, without which nothing is fitted."""

PROFILED_LOOKS = 6_000
"""Up to this many looks intervals follow the likelihood; beyond, it is taken as a parabola."""

NORMAL = 1.959963984540054
"""The quantile of 97.5 %."""

NOISE_TERM = {"bT": {"spread": 2.0, "relaxation": -1.0}}
"""What is a product of powers of parameters, as b·T = s²/τ is."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A process at its largest likelihood, with what is known of the error."""

    process: Process
    covariance: Floats  # in the space of `Process.vector`, spines taken as independent
    hessian: Floats
    errors: dict[str, float]  # in that space, animals as the unit where there are enough
    ends: dict[str, tuple[float, float]]  # 95 % intervals
    log_likelihood: float
    rough_log_likelihood: float  # the largest by the Gaussian filter
    n_spines: int
    n_looks: int
    n_animals: int
    threshold: float  # log size
    how: str

    @property
    def n_parameters(self) -> int:
        """Parameters fitted; the threshold counts for every process alike and is left out."""
        return len(self.process.names())

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion; spines are the independent pieces of data."""
        return self.n_parameters * float(np.log(self.n_spines)) - 2.0 * self.log_likelihood

    def value(self, name: str) -> float:
        """The estimate of a parameter, or of b·T."""
        if name in NOISE_TERM:
            powers = NOISE_TERM[name]
            return float(np.prod([getattr(self.process, n) ** p for n, p in powers.items()]))
        return float(getattr(self.process, name))

    def error(self, name: str) -> float:
        """Standard error of a parameter by the curvature (delta method for what is transformed)."""
        error = self.errors[name]
        if name == "noise":
            return error / (2.0 * self.value(name))
        positive = name in self.process.POSITIVE or name in NOISE_TERM
        return error * self.value(name) if positive else error

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % interval."""
        return self.ends[name]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per parameter: estimate, standard error, 95 % interval."""
        rows = [
            (self.process.NAME, name, self.value(name), self.error(name), *self.ends[name])
            for name in self.ends
        ]
        columns = ["process", "parameter", "estimate", "error", "low", "high"]
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
    whose = np.zeros(seen.n_spines, np.int64) if animal is None else np.asarray(animal, np.int64)
    bounds, starts = _bounds_and_starts(seen, kind)

    def rough(q: Floats) -> Floats:
        return gaussian_log_likelihoods(kind.from_vector(q), seen)

    q, value = climb(rough, starts, bounds)
    rough_q, rough_value = q, value
    steps = np.full(q.size, 0.01)
    for _ in range(2):  # the second time with steps that fit the first time's errors
        hessian, scores = curvature(rough, _inside(q, steps, bounds), steps)
        steps = step_sizes(inverse(hessian))
    how = "Gaussian filter (moments matched at absences)"
    if kind is not TwoTimeScales:
        nodes = resolution(kind.from_vector(q), seen)
        exact, how = _on_nodes(kind, seen, nodes), "filter on nodes"
        q, value = refine(exact, q, hessian, bounds)
        hessian, scores = curvature(exact, _inside(q, steps, bounds), steps)
    plain = inverse(hessian)
    between, degrees = clustered(plain, scores, whose)
    ends, errors = {}, {}
    for name in [*kind.names(), *(NOISE_TERM if kind is OneTimeScale else ())]:
        weight = _weight(kind, name)
        own = float(np.sqrt(weight @ plain @ weight))
        # A few animals can agree by chance: their spread may widen an interval, not narrow it.
        reach = NORMAL
        if between is not None:
            among = float(np.sqrt(weight @ between @ weight))
            reach = max(reach, float(stats.t.ppf(0.975, degrees)) * among / own)
        errors[name] = own * reach / NORMAL
        at = float(weight @ q)
        if seen.n_looks <= PROFILED_LOOKS and kind is OneTimeScale:
            # The quick filter is off by far less than the error of so small a table, so it may
            # draw the shape of the likelihood around the maximum of the exact one.
            pair = profile(rough, rough_q, rough_value, own, bounds, weight, reach)
            shift = at - float(weight @ rough_q)
            pair = pair[0] + shift, pair[1] + shift
        else:
            pair = at - reach * own, at + reach * own
        ends[name] = _ends(kind, name, pair, bounds)
    return Fitted(
        process=kind.from_vector(q),
        covariance=plain,
        hessian=hessian,
        errors=errors,
        ends=ends,
        log_likelihood=value,
        rough_log_likelihood=rough_value,
        n_spines=seen.n_spines,
        n_looks=seen.n_looks,
        n_animals=int(whose.max()) + 1,
        threshold=seen.threshold,
        how=how,
    )


def _on_nodes(kind: type[Process], seen: Observations, nodes: Resolution) -> Any:
    return lambda q: log_likelihoods(kind.from_vector(q), seen, nodes)


def _weight(kind: type[Process], name: str) -> Floats:
    """The direction in the space of the fit along which a quantity (or its log) lies."""
    powers = NOISE_TERM.get(name, {name: 1.0})
    return np.array([powers.get(n, 0.0) for n in kind.names()])


def _inside(q: Floats, steps: Floats, bounds: list[tuple[float, float]]) -> Floats:
    """The nearest place from which a step leaves no bound."""
    low, high = np.array(bounds).T
    found: Floats = np.clip(q, low + steps, high - steps)
    return found


def _ends(
    kind: type[Process], name: str, pair: tuple[float, float], bounds: list[tuple[float, float]]
) -> tuple[float, float]:
    if name in NOISE_TERM:
        with np.errstate(over="ignore"):
            return float(np.exp(pair[0])), float(np.exp(pair[1]))
    low, high = (float(kind.to_value(name, end)) for end in pair)
    if name == "noise" and pair[0] <= 1.01 * bounds[kind.names().index(name)][0]:
        low = 0.0
    return low, high


def _check(seen: Observations) -> None:
    sizes = seen.sized()
    if sizes.size < FEWEST_LOOKS:
        raise refuse("sizes", f"must be at least {FEWEST_LOOKS}", sizes.size, "measure more spines")
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
    """Within which values a process is looked for, and where the climbs begin."""
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
    }
    for name in kind.names():
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
    vectors = [kind(*(one[n] for n in kind.names())).vector() for one in starts]
    return [limits[n] for n in kind.names()], vectors
