"""Fit a process to the sizes of spines, including the threshold and the measurement noise."""

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
    clustered,
    curvature,
    inverse,
    maximise,
    profile,
    refine,
    step_sizes,
    total,
)
from synsamp.spines.observations import Observations, ThresholdOn
from synsamp.spines.offsets import Offsets
from synsamp.spines.problem import MOST_MISSED, Problem
from synsamp.spines.process import OneTimeScale, Process

FEWEST_SIZES, FEWEST_PAIRS = 12, 6
"""Smallest numbers of sizes, and of successive sizes of one spine, for a fit."""

ENOUGH_TO_START = 400
"""Spines of a large table used to choose among several starting points."""

MOST_PROFILED = 6_000
"""Up to this many observations intervals come from the profile likelihood; beyond, from its
curvature, and a random walk, which needs many nodes, is fitted by the Gaussian filter alone."""

LIKELIER = 1.92
"""Gain in log-likelihood from which the probability of missing a spine is a parameter (5 %)."""

TRIED_MISSED, WORTH_TRYING = (0.003, 0.01, 0.03, 0.1), 0.3
"""Probabilities of missing a spine that are tried, and the gain from which one is fitted."""

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""

NOISE_TERM = {"bT": {"spread": 2.0, "relaxation": -1.0}}
"""Products of powers of parameters: b·T = s²/τ."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A process at its maximum likelihood, with standard errors and 95 % intervals.

    `frame` holds the estimates. ``process`` has the parameters, ``log_likelihood`` is the maximum
    (``approximate_log_likelihood`` that of the Gaussian filter), ``threshold`` is a log size, and
    ``threshold_on`` says whether the true or the measured size must exceed it. ``missed`` is the
    probability that a session misses a spine above the threshold, None if it is not a parameter.
    """

    process: Process
    covariance: Floats  # of `Process.vector`, spines independent
    hessian: Floats
    errors: dict[str, float]  # of `Process.vector`, clustered by animal if there are enough
    ends: dict[str, tuple[float, float]]  # 95 % intervals
    log_likelihood: float
    approximate_log_likelihood: float  # from the Gaussian filter
    n_spines: int
    n_observations: int
    n_animals: int
    threshold: float  # log size
    threshold_on: ThresholdOn
    missed: float | None
    method: str

    @property
    def n_parameters(self) -> int:
        """Number of parameters of the process, without those of detection, which all share."""
        return len(self.process.names())

    @property
    def aic(self) -> float:
        """Akaike information criterion; smaller is better."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Bayesian information criterion; spines are the independent data."""
        return self.n_parameters * float(np.log(self.n_spines)) - 2.0 * self.log_likelihood

    def value(self, name: str) -> float:
        """The estimate of a parameter, or of b·T."""
        if name in NOISE_TERM:
            powers = NOISE_TERM[name]
            return float(np.prod([getattr(self.process, n) ** p for n, p in powers.items()]))
        if name == "threshold":
            return float(np.exp(self.threshold))
        if name == "missed":
            return self.missed or 0.0
        return float(getattr(self.process, name))

    def error(self, name: str) -> float:
        """Standard error of a parameter from the curvature (delta method if transformed)."""
        error = self.errors[name]
        if name == "noise":
            low, high = self.ends[name]
            # Fitted as a variance; near 0 the delta method fails, so the interval is used.
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
    threshold_on: ThresholdOn | None = None,
    missed: bool | None = None,
    offsets: Offsets | None = None,
    profiled: bool = True,
) -> Fitted:
    """Fit a process by maximum likelihood.

    Parameters
    ----------
    seen
        Observations of the spines.
    kind
        The process to fit.
    animal
        Number of the animal of each spine, from 0; with three or more animals, errors are
        clustered by animal.
    threshold_on
        Whether the true or the measured size decides if a spine is seen; by default both are
        fitted and the more probable is kept.
    missed
        Whether a session can miss a spine above the threshold, so that not every absence is a
        loss; by default this is fitted if it is more probable by a likelihood ratio test.
    offsets
        Offsets that were removed from the sizes, whose errors enlarge the intervals.
    profiled
        Profile-likelihood intervals; False uses the curvature, which is faster.
    """
    _check(seen)
    whose = np.zeros(seen.n_spines, np.int64) if animal is None else np.asarray(animal, np.int64)
    below = bool((seen.sized() < seen.threshold).any())  # then the measured size cannot decide
    if threshold_on is None and (below or not seen.has_absences):
        threshold_on = "true" if below else "measured"
    ways: list[ThresholdOn] = ["measured", "true"] if threshold_on is None else [threshold_on]
    tries = []
    for way in ways:
        at = seen.with_threshold(seen.threshold, way)
        problem, q, value = _quick(Problem(kind, at.with_missed(0.0) if missed else at))
        judged, gain = value, 0.0
        if problem.has_exact and (missed is None or len(ways) > 1):
            judged = total(problem.exact_near(q), q)
            gain = _gain_by_missing(problem, q) - judged if missed is None else 0.0
        # The true size must be clearly more probable: without noise both are equivalent.
        least = 1.0 if way == "true" else 0.0
        tries.append((judged + max(gain, 0.0) - least, problem, q, value, gain))
    _, problem, q, value, gain = max(tries, key=lambda one: one[0])
    if missed is None and gain > WORTH_TRYING:
        free = _quick(Problem(kind, problem.seen.with_missed(0.0)))
        if _peak(*free) - _peak(problem, q, value) > LIKELIER:
            problem, q, value = free
    return _around(problem, q, value, whose, offsets, profiled)


def _gain_by_missing(problem: Problem, q: Floats) -> float:
    """The largest log-likelihood if sessions miss some spines, other parameters unchanged."""
    if not problem.seen.has_absences:
        return -np.inf
    free = Problem(problem.kind, problem.seen.with_missed(0.0))
    exact = free.exact_near(np.append(q, 0.0))
    return max(total(exact, np.append(q, m)) for m in TRIED_MISSED)


def _quick(problem: Problem) -> tuple[Problem, Floats, float]:
    """The maximum under the Gaussian filter."""
    bounds, starts = problem.bounds_and_starts()
    n = problem.seen.n_spines
    if n > 2 * ENOUGH_TO_START:  # some spines suffice to choose a start
        some = Problem(problem.kind, problem.seen.every(n // ENOUGH_TO_START))
        starts = [maximise(some.approximate, starts, bounds)[0]]
    return problem, *maximise(problem.approximate, starts, bounds)


def _by_nodes(problem: Problem) -> bool:
    """Whether the filter on nodes is fast enough for this process and table."""
    few = problem.seen.n_observations <= MOST_PROFILED
    return problem.has_exact and (problem.kind is OneTimeScale or few)


def _peak(problem: Problem, q: Floats, value: float) -> float:
    """The maximum of the best available likelihood, from that of the Gaussian filter."""
    if not _by_nodes(problem):
        return value
    bounds = problem.resolved(problem.bounds_and_starts()[0])
    hessian, _, _ = _curved(problem, q, bounds)
    return refine(problem.exact_near(q), q, hessian, bounds, enough=0.1)[1]


def _curved(
    problem: Problem, q: Floats, bounds: list[tuple[float, float]]
) -> tuple[Floats, Floats, Floats]:
    """Curvature and scores under the Gaussian filter, and steps of finite differences."""
    noise = float(q[problem.names.index("noise")])  # a variance, which may be far below 1
    first = {"noise": 0.1 * noise, "threshold": 0.05 * float(np.sqrt(noise)), "missed": 0.003}
    steps = np.array([first.get(name, 0.01) for name in problem.names])
    for _ in range(2):  # the second time with steps from the first errors
        hessian, scores = curvature(problem.approximate, _inside(q, steps, bounds), steps)
        steps = step_sizes(inverse(hessian))
    return hessian, scores, steps


def _around(
    problem: Problem,
    q: Floats,
    value: float,
    whose: NDArray[np.int64],
    offsets: Offsets | None,
    profiled: bool,
) -> Fitted:
    """Maximise the exact likelihood from here, and compute errors and intervals."""
    kind, seen, names = problem.kind, problem.seen, problem.names
    bounds, _ = problem.bounds_and_starts()
    approximate_value = value
    by_nodes = _by_nodes(problem)
    if by_nodes:
        bounds = problem.resolved(bounds)
        q = np.clip(q, *np.array(bounds).T)
    hessian, scores, steps = _curved(problem, q, bounds)
    method = "Gaussian filter (moment matching at absences)"
    if by_nodes:
        method = "filter on nodes"
        exact = problem.exact_near(q)
        q, value = refine(exact, q, hessian, bounds)
        hessian, scores = curvature(exact, _inside(q, steps, bounds), steps)
    plain = inverse(hessian)
    between, degrees = clustered(plain, scores, whose)
    more, few = np.zeros_like(plain), 1.0
    if offsets is not None:
        more = offsets.covariance(problem, q, steps, whose)
        few = float(stats.t.ppf(0.975, max(int(whose.max()), 1)))
    # Student's t instead of the normal distribution: with 20 spines, which are the independent
    # data, normal intervals cover the truth too seldom.
    enough = float(stats.t.ppf(0.975, max(seen.n_spines - len(names), 1)))
    ends, errors = {}, {}
    for name in [*names, *(NOISE_TERM if kind is OneTimeScale else ())]:
        weight = _weight(names, name)
        own = float(np.sqrt(weight @ plain @ weight))
        # A few animals can agree by chance, so they may enlarge an interval but not shrink it.
        reach = enough
        if between is not None:
            among = float(np.sqrt(weight @ between @ weight))
            reach = max(reach, float(stats.t.ppf(0.975, degrees)) * among / own)
        added = few * float(np.sqrt(max(float(weight @ more @ weight), 0.0)))
        errors[name] = float(np.hypot(own * reach, added)) / NORMAL
        at = float(weight @ q)
        if profiled and seen.n_observations <= MOST_PROFILED and kind is OneTimeScale:
            pair = profile(problem.exact_near, q, value, plain, bounds, weight, reach)
        else:
            pair = at - reach * own, at + reach * own
        pair = at - float(np.hypot(at - pair[0], added)), at + float(np.hypot(pair[1] - at, added))
        ends[name] = _ends(kind, name, pair, bounds)
    process, observed = problem.at(q)
    return Fitted(
        process=process,
        covariance=plain,
        hessian=hessian,
        errors=errors,
        ends=ends,
        log_likelihood=value,
        approximate_log_likelihood=approximate_value,
        n_spines=seen.n_spines,
        n_observations=seen.n_observations,
        n_animals=int(whose.max()) + 1,
        threshold=observed.threshold,
        threshold_on=seen.threshold_on,
        missed=observed.missed if seen.can_miss else None,
        method=method,
    )


def _weight(names: Sequence[str], name: str) -> Floats:
    """The linear combination of coordinates that gives a quantity or its logarithm."""
    powers = NOISE_TERM.get(name, {name: 1.0})
    return np.array([powers.get(n, 0.0) for n in names])


def _inside(q: Floats, steps: Floats, bounds: list[tuple[float, float]]) -> Floats:
    """The nearest point from which a step stays within the bounds."""
    low, high = np.array(bounds).T
    found: Floats = np.clip(q, low + steps, high - steps)
    return found


def _ends(
    kind: type[Process], name: str, pair: tuple[float, float], bounds: list[tuple[float, float]]
) -> tuple[float, float]:
    with np.errstate(over="ignore"):
        if name in NOISE_TERM or name == "threshold":
            return float(np.exp(pair[0])), float(np.exp(pair[1]))
        if name == "missed":
            return max(pair[0], 0.0), min(pair[1], MOST_MISSED)
        low, high = (float(kind.to_value(name, end)) for end in pair)
    if name == "noise" and pair[0] <= 1.01 * bounds[kind.names().index(name)][0]:
        low = 0.0
    return low, high


def _check(seen: Observations) -> None:
    sizes = seen.sized()
    if sizes.size < FEWEST_SIZES:
        raise refuse("sizes", f"must be at least {FEWEST_SIZES}", sizes.size, "measure more spines")
    pairs = int(((seen.kind[:, 1:] == 1) & (seen.kind[:, :-1] == 1)).sum())
    if pairs < FEWEST_PAIRS:
        raise refuse(
            "spines measured twice in a row",
            f"must be at least {FEWEST_PAIRS}",
            pairs,
            "follow the same spines over more sessions",
        )
    if np.ptp(sizes) == 0:
        raise refuse("sizes", "must vary", float(np.exp(sizes[0])), "check the column of sizes")
