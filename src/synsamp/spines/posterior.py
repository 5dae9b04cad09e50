"""The posterior of the process's parameters, drawn by the package's own rule.

The parameters of the fit are moved as the rule moves synapses,

    dz = ∂ log[p(looks | q) p(q)]/∂z dt + sqrt(2) dW,      q = mode + L z,

where L Lᵀ is the inverse curvature at the mode, so that all directions of z have about the same
width and one small time step suits all. The gradient is that of the quick filter with its distance
from the exact likelihood taken as a parabola; what that leaves out is made good by weights, the
exact likelihood of each kept draw over the one it was drawn by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy import optimize

from synsamp.arguments import seed as checked_seed
from synsamp.arguments import whole
from synsamp.progress import progress_bar
from synsamp.rule import Batch, Rule, sample
from synsamp.spines.fit import Fitted
from synsamp.spines.likelihood import curvature, inverse, root, step_sizes, total
from synsamp.spines.observations import Observations
from synsamp.spines.problem import Problem
from synsamp.spines.process import OneTimeScale

Floats = NDArray[np.float64]

STEP = 0.02
"""Time step; Euler's rule widens a Gaussian of standard deviation 1 by STEP/4."""

DIFFERENCE = 0.01
"""Step of the difference in widths of the posterior; it shifts the draws by half of that."""

FAR = 4.0
"""Widths beyond which the distance of the two filters is no longer taken as a parabola."""

KEPT = 200
"""Draws of each chain that are kept and weighed by the exact likelihood."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Gaussians on μ, log s, log τ, log noise and log threshold."""

    mean: Floats
    std: Floats


@dataclass(frozen=True, eq=False)
class Posterior:
    """Draws of the parameters with their weights (mean 1), R-hat and effective sample size."""

    draws: xr.Dataset
    frame: pd.DataFrame
    widening: float
    """By which share the time step makes the posterior too wide."""


def posterior_of(
    seen: Observations,
    fitted: Fitted,
    *,
    prior: Prior | None = None,
    steps: int = 10_000,
    chains: int = 4,
    seed: int = 0,
    progress: bool = True,
) -> Posterior:
    """Sample μ, s, τ and the noise, and the threshold where it is fitted, given the looks."""
    whole("steps", steps, at_least=KEPT)
    threshold = seen.threshold if fitted.by_true_size else fitted.threshold
    problem = Problem(OneTimeScale, seen.seen_above(threshold, fitted.by_true_size))
    density = _Density(problem, fitted, prior or weak_prior(seen))
    mode, scale = density.widths()

    def log_joint(z: Floats) -> float:
        return density.quick(mode + scale @ z)

    def gradient(z: Floats) -> Floats:
        found = np.empty_like(z)
        steps = DIFFERENCE * np.eye(z.shape[1])
        for c, at in enumerate(z):
            here = log_joint(at)
            found[c] = [(log_joint(at + step) - here) / DIFFERENCE for step in steps]
        # Far out, where a chain would be thrown further, its pull is held to that of 8 widths.
        return np.clip(found, -8.0, 8.0)

    rng = np.random.default_rng(checked_seed("seed", seed))
    drawn = sample(
        Rule(Batch(gradient)),
        rng.standard_normal((chains, mode.size)),
        steps=steps,
        dt=STEP,
        chains=chains,
        burn_in=steps // 5,
        thin=steps // KEPT,
        seed=seed,
        progress=progress,
    )
    if drawn.attrs["interrupted"]:  # who ends this wants an end, not a part of the draws
        raise KeyboardInterrupt
    q = mode + drawn["theta"].values @ scale.T
    log_weight = np.empty(q.shape[:2])
    with progress_bar("weighing draws", log_weight.size, progress) as advance:
        for where in np.ndindex(log_weight.shape):
            log_weight[where] = density.exact(q[where]) - density.quick(q[where])
            advance(1)
    weight = np.exp(log_weight - log_weight.max())
    values = np.concatenate([q[..., :1], np.exp(q[..., 1:])], axis=-1)
    columns = {n: values[..., k] for k, n in enumerate(problem.names)}
    columns |= {"bT": values[..., 1] ** 2 / values[..., 2], "weight": weight / weight.mean()}
    draws = xr.Dataset({name: (("chain", "draw"), column) for name, column in columns.items()})
    return Posterior(draws, _summary(draws), float(drawn.attrs["spread_inflation"]))


class _Density:
    """log p(looks | q) p(q) where q has the logarithm of the noise instead of its variance."""

    def __init__(self, problem: Problem, fitted: Fitted, prior: Prior) -> None:
        self._problem, self._at = problem, problem.names.index("noise")
        best = fitted.process.vector()
        if problem.fits_threshold:
            best = np.append(best, fitted.threshold)
        self._start = best
        self._prior = Prior(prior.mean[: best.size], prior.std[: best.size])
        low, high = np.array(problem.resolved(problem.bounds_and_starts()[0])).T
        self._most = high
        steps = step_sizes(fitted.covariance)
        self._centre = np.clip(best, low + steps, high - steps)
        exact = problem.near(self._centre)
        self._bend, scores = curvature(lambda p: exact(p) - problem.rough(p), self._centre, steps)
        self._tilt = scores.sum(axis=0)
        self._widths = root(fitted.hessian)

    def _in_fit(self, q: Floats) -> Floats:
        """The point in the space of the fit; slower than nodes can follow is as slow as that."""
        found = q.copy()
        found[self._at] = np.exp(2 * q[self._at])
        return np.minimum(found, self._most)

    def _log_prior(self, q: Floats) -> float:
        return -0.5 * float(np.sum(((q - self._prior.mean) / self._prior.std) ** 2))

    def exact(self, q: Floats) -> float:
        """By the filter on nodes."""
        p = self._in_fit(q)
        return total(self._problem.near(p), p) + self._log_prior(q)

    def quick(self, q: Floats) -> float:
        """By the quick filter and a parabola for what it is off."""
        p = self._in_fit(q)
        away = p - self._centre
        away = away * min(
            1.0, FAR / max(float(np.linalg.norm(np.linalg.solve(self._widths, away))), 1e-300)
        )
        off = float(self._tilt @ away - 0.5 * away @ self._bend @ away)
        return total(self._problem.rough, p) + off + self._log_prior(q)

    def widths(self) -> tuple[Floats, Floats]:
        """Where it is largest, and a root of the inverse curvature there."""
        start = self._start.copy()
        start[self._at] = 0.5 * np.log(start[self._at])
        found = optimize.minimize(lambda q: -self.quick(q), start, method="BFGS")
        mode = np.asarray(found.x, float)
        bend, _ = curvature(lambda q: np.array([self.quick(q)]), mode, np.full(mode.size, 0.02))
        steps = step_sizes(inverse(bend))
        bend, _ = curvature(lambda q: np.array([self.quick(q)]), mode, steps)
        # The prior alone bends as much as this, wherever the mode is.
        return mode, root(bend, float(self._prior.std.max() ** -2.0))


def weak_prior(seen: Observations) -> Prior:
    """On the scale of the table, and wide enough to say little where the table says anything.

    A factor of e² in the spread, e⁴ in the relaxation time and e³ in the noise are within two
    standard deviations.
    """
    sizes = seen.sized()
    sd = float(sizes.std())
    middle = float(np.sqrt(seen.intervals.min() * max(seen.span, seen.intervals.min())))
    logs = np.log([1.2 * sd, middle, 0.2 * sd])
    mean = np.array([sizes.mean() - 0.5 * sd, *logs, np.quantile(sizes, 0.05)])
    return Prior(mean, np.array([2.0 * sd, 1.0, 2.0, 1.5, 0.5 * sd]))


def _summary(draws: xr.Dataset) -> pd.DataFrame:
    import arviz_stats  # half a second, so only when somebody samples

    weight = draws["weight"].values.ravel()
    share = float(
        weight.sum() ** 2 / np.sum(weight**2) / weight.size
    )  # what weights leave of draws
    rows = []
    for name in draws.drop_vars("weight").data_vars:
        values = draws[name].values.ravel()
        low, middle, high = np.quantile(
            values, [0.025, 0.5, 0.975], weights=weight, method="inverted_cdf"
        )
        mean = np.average(values, weights=weight)
        std = float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))
        # Ranks do not care for a transform, so these hold for the logarithms as well.
        r_hat, ess = float(arviz_stats.rhat(draws[name])), float(arviz_stats.ess(draws[name]))
        rows.append((name, middle, std, low, high, r_hat, share * ess))
    columns = ["parameter", "median", "std", "low", "high", "r_hat", "ess"]
    return pd.DataFrame(rows, columns=columns)
