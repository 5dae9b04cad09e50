"""Fit a process to the sizes of spines, the threshold and the noise of measurement included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from synsamp.errors import refuse
from synsamp.spines.likelihood import (
    Floats,
    climb,
    clustered,
    curvature,
    inverse,
    profile,
    refine,
    step_sizes,
    total,
)
from synsamp.spines.observations import Observations
from synsamp.spines.problem import Problem
from synsamp.spines.process import OneTimeScale, Process

FEWEST_LOOKS, FEWEST_STEPS = 12, 6
"""Sizes, and pairs of sizes of one spine, without which nothing is fitted."""

ENOUGH_TO_START = 400
"""Spines of a large table on which the climb from several starts is tried first."""

PROFILED_LOOKS = 6_000
"""Up to this many looks intervals follow the likelihood; beyond, it is taken as a parabola, and a
random walk, which takes many nodes, is fitted by the Gaussian filter alone."""

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
    by_true_size: bool
    how: str

    @property
    def n_parameters(self) -> int:
        """Parameters of the process; the threshold counts for every one alike and is left out."""
        return len(self.process.names())

    @property
    def seen_by(self) -> str:
        """By which size a spine is seen, in words."""
        return "true size" if self.by_true_size else "measured size"

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
        if name == "threshold":
            return float(np.exp(self.threshold))
        return float(getattr(self.process, name))

    def error(self, name: str) -> float:
        """Standard error of a parameter by the curvature (delta method for what is transformed)."""
        error = self.errors[name]
        if name == "noise":
            low, high = self.ends[name]
            # Fitted as a variance; near none the delta method says nothing and the interval does.
            return error / (2.0 * self.value(name)) if low > 0 else high / NORMAL
        positive = name in self.process.POSITIVE or name in (*NOISE_TERM, "threshold")
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
    by_true_size: bool | None = None,
    profiled: bool = True,
) -> Fitted:
    """The process of this kind under which the looks at the spines are most probable.

    ``animal`` numbers the animal of each spine from 0; from three on, errors take them as units.
    ``by_true_size`` says whether a spine is seen by its true or by its measured size; without it,
    both are tried and the more probable is taken. ``profiled=False`` takes the likelihood as a
    parabola for its intervals, which is quicker.
    """
    _check(seen)
    whose = np.zeros(seen.n_spines, np.int64) if animal is None else np.asarray(animal, np.int64)
    below = bool((seen.sized() < seen.threshold).any())  # then it is not the measured size
    if by_true_size is None and (below or not seen.has_absences):
        by_true_size = below
    ways = [False, True] if by_true_size is None else [by_true_size]
    tries = []
    for way in ways:
        problem = Problem(kind, seen.seen_above(seen.threshold, way))
        bounds, starts = problem.bounds_and_starts()
        if seen.n_spines > 2 * ENOUGH_TO_START:  # some spines are enough to tell a good start
            some = Problem(kind, problem.seen.every(seen.n_spines // ENOUGH_TO_START))
            starts = [climb(some.rough, starts, bounds)[0]]
        q, value = climb(problem.rough, starts, bounds)
        judged = total(problem.near(q), q) if problem.takes_nodes and len(ways) > 1 else value
        # The true size must be clearly more probable: without noise both are the same.
        tries.append((judged - (1.0 if way else 0.0), problem, q, value))
    _, problem, q, value = max(tries, key=lambda one: one[0])
    return _around(problem, q, value, whose, profiled)


def _around(
    problem: Problem, q: Floats, value: float, whose: NDArray[np.int64], profiled: bool
) -> Fitted:
    """Climb on by the exact likelihood, and find errors and intervals there."""
    kind, seen, names = problem.kind, problem.seen, problem.names
    bounds, _ = problem.bounds_and_starts()
    rough_value = value
    by_nodes = problem.takes_nodes and (kind is OneTimeScale or seen.n_looks <= PROFILED_LOOKS)
    if by_nodes:
        bounds = problem.resolved(bounds)
        q = np.clip(q, *np.array(bounds).T)
    noise = float(q[names.index("noise")])  # its variance, which may be far smaller than 1
    first = {"noise": 0.1 * noise, "threshold": 0.05 * float(np.sqrt(noise))}
    steps = np.array([first.get(name, 0.01) for name in names])
    for _ in range(2):  # the second time with steps that fit the first time's errors
        hessian, scores = curvature(problem.rough, _inside(q, steps, bounds), steps)
        steps = step_sizes(inverse(hessian))
    how = "Gaussian filter (moments matched at absences)"
    if by_nodes:
        how = "filter on nodes"
        exact = problem.near(q)
        q, value = refine(exact, q, hessian, bounds)
        hessian, scores = curvature(exact, _inside(q, steps, bounds), steps)
    plain = inverse(hessian)
    between, degrees = clustered(plain, scores, whose)
    # Student's t instead of the normal law: with 20 spines, which are the independent pieces of
    # data, the latter's intervals hold the truth too seldom.
    enough = float(stats.t.ppf(0.975, max(seen.n_spines - len(names), 1)))
    ends, errors = {}, {}
    for name in [*names, *(NOISE_TERM if kind is OneTimeScale else ())]:
        weight = _weight(names, name)
        own = float(np.sqrt(weight @ plain @ weight))
        # A few animals can agree by chance: their spread may widen an interval, not narrow it.
        reach = enough
        if between is not None:
            among = float(np.sqrt(weight @ between @ weight))
            reach = max(reach, float(stats.t.ppf(0.975, degrees)) * among / own)
        errors[name] = own * reach / NORMAL
        at = float(weight @ q)
        if profiled and seen.n_looks <= PROFILED_LOOKS and kind is OneTimeScale:
            pair = profile(problem.near, q, value, plain, bounds, weight, reach)
        else:
            pair = at - reach * own, at + reach * own
        ends[name] = _ends(kind, name, pair, bounds)
    process, looks = problem.at(q)
    return Fitted(
        process=process,
        covariance=plain,
        hessian=hessian,
        errors=errors,
        ends=ends,
        log_likelihood=value,
        rough_log_likelihood=rough_value,
        n_spines=seen.n_spines,
        n_looks=seen.n_looks,
        n_animals=int(whose.max()) + 1,
        threshold=looks.threshold,
        by_true_size=seen.by_true_size,
        how=how,
    )


def _weight(names: Sequence[str], name: str) -> Floats:
    """The direction in the space of the fit along which a quantity (or its log) lies."""
    powers = NOISE_TERM.get(name, {name: 1.0})
    return np.array([powers.get(n, 0.0) for n in names])


def _inside(q: Floats, steps: Floats, bounds: list[tuple[float, float]]) -> Floats:
    """The nearest place from which a step leaves no bound."""
    low, high = np.array(bounds).T
    found: Floats = np.clip(q, low + steps, high - steps)
    return found


def _ends(
    kind: type[Process], name: str, pair: tuple[float, float], bounds: list[tuple[float, float]]
) -> tuple[float, float]:
    with np.errstate(over="ignore"):
        if name in NOISE_TERM or name == "threshold":
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
