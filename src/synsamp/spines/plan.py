"""Plan an experiment: how often a comparison of two conditions finds a given effect.

The information that a spine gives about each parameter follows from the curvature of the likelihood
of a large simulated table of each condition. Errors of smaller tables follow from it, and are
enlarged by the differences between animals that occur by chance, as in the analysis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from synsamp.arguments import number, whole
from synsamp.arguments import seed as checked_seed
from synsamp.errors import refuse
from synsamp.spines.likelihood import FEWEST_ANIMALS, curvature, inverse
from synsamp.spines.problem import Problem
from synsamp.spines.process import OneTimeScale
from synsamp.spines.simulate import simulated_table

Floats = NDArray[np.float64]

SIMULATED_SPINES = 1_500
DRAWS = 4_000
STEPS = np.array([0.03, 0.03, 0.03, 0.004])
WEIGHTS = {"relaxation": np.array([0.0, 0, 1, 0]), "bT": np.array([0.0, 2, -1, 0])}
"""Logarithms of τ and of b·T in the coordinates of the fit."""


def plan(
    effect: float,
    *,
    animals: Sequence[int] = (3, 5, 8, 12),
    spines: Sequence[int] = (20, 50, 100, 200),
    relaxation: float = 20.0,
    mean: float = -0.5,
    spread: float = 1.0,
    noise: float = 0.2,
    sessions: int = 10,
    interval: float = 4.0,
    between: float = 0.0,
    seed: int = 0,
) -> pd.DataFrame:
    """Power to distinguish two conditions whose relaxation times differ by a factor.

    Parameters
    ----------
    effect
        Ratio of the relaxation times τ; b·T = s²/τ differs by the inverse.
    animals
        Numbers of animals per condition.
    spines
        Numbers of spines per animal, seen at least once.
    relaxation, mean, spread, noise
        Parameters of the first condition (`OneTimeScale`); the threshold is at log size 0.
    sessions, interval
        Number of sessions, and days between them.
    between
        Standard deviation of log τ and log b·T between animals of one condition.
    seed
        Seed of all random numbers.

    Returns
    -------
    pandas.DataFrame
        ``animals`` per condition, ``spines`` per animal, ``effect``, ``quantity`` (relaxation or
        bT) and ``power``, the probability that its 95 % interval excludes a ratio of 1.

    Examples
    --------
    >>> from synsamp.spines import plan
    >>> table = plan(2.0, animals=[4], spines=[100])
    >>> bool(table["power"].between(0, 1).all())
    True
    """
    ratio = number("effect", effect, above=0)
    if ratio == 1:
        raise refuse("effect", "must differ from 1", ratio, "for example 1.5")
    counts = [whole("animals", n, at_least=1) for n in animals]
    sizes = [whole("spines", n, at_least=5) for n in spines]
    apart = number("between", between, at_least=0)
    step = number("interval", interval, above=0)
    times = step * np.arange(whole("sessions", sessions, at_least=3), dtype=np.float64)
    first = number("relaxation", relaxation, above=0)
    rng = np.random.default_rng(checked_seed("seed", seed))
    given = {"mean": mean, "spread": spread, "noise": max(noise, 0.05 * spread)}
    own = [
        _per_spine(OneTimeScale(relaxation=tau, **given), times, k)
        for k, tau in enumerate((first, first * ratio))
    ]
    rows = []
    for n in counts:
        for size in sizes:
            for name, weight in WEIGHTS.items():
                errors = [float(np.sqrt(weight @ cov @ weight / (n * size))) for cov in own]
                power = _power(float(np.log(ratio)), errors, n, n * size, apart, rng)
                rows.append((n, size, ratio, name, power))
    return pd.DataFrame(rows, columns=["animals", "spines", "effect", "quantity", "power"])


def _per_spine(process: OneTimeScale, times: Floats, seed: int) -> Floats:
    """Covariance of the fitted coordinates for one spine, from a large simulated table."""
    values = {n: getattr(process, n) for n in process.names()}
    table = simulated_table(**values, times=times, n_spines=SIMULATED_SPINES, seed=seed)
    problem = Problem(OneTimeScale, table.observations(1.0))
    hessian, _ = curvature(problem.approximate, process.vector(), STEPS)
    found: Floats = inverse(hessian) * SIMULATED_SPINES
    return found


def _power(
    change: float, errors: list[float], n: int, spines: int, apart: float, rng: np.random.Generator
) -> float:
    """Share of draws in which the change exceeds its interval, with errors as in the fit."""
    enough = float(stats.t.ppf(0.975, max(spines - len(STEPS), 1)))
    found, total = np.full(DRAWS, change), np.zeros(DRAWS)
    for own in errors:
        true = np.sqrt(own**2 + apart**2 / n)
        found = found + true * rng.standard_normal(DRAWS)
        reach = np.full(DRAWS, enough * own)
        if n >= FEWEST_ANIMALS:
            among = true * np.sqrt(rng.chisquare(n - 1, DRAWS) / (n - 1))
            reach = np.maximum(reach, float(stats.t.ppf(0.975, n - 1)) * among)
        total = total + reach**2
    # The interval of a difference combines both errors, each as a multiple of 1.96.
    return float((np.abs(found) > np.sqrt(total)).mean())
