"""The posterior of the process's parameters, sampled with the synaptic sampling rule.

The parameters q follow Langevin dynamics (Eq. 3, synaptic sampling),

    dz = ∂ log[p(observations | q) p(q)]/∂z dt + sqrt(2) dW,      q = mode + L z,

where L Lᵀ is the inverse curvature at the mode, so that all directions of z have similar widths and
one small time step suits all. The gradient is that of the Gaussian filter plus a quadratic
correction towards the exact likelihood. Importance weights correct the rest: the exact likelihood
of each kept draw relative to the one that it was drawn from.
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
"""Time step; the Euler scheme inflates a standard deviation of 1 by STEP/4."""

DIFFERENCE = 0.01
"""Finite-difference step in widths of the posterior; it shifts the draws by half of it."""

FAR = 4.0
"""Widths beyond which the quadratic correction is not extrapolated."""

LEAST_MISSED = 1e-3
"""Smallest starting value of the probability of missing a spine."""

KEPT = 200
"""Draws of each chain that are kept and weighted by the exact likelihood."""


PARAMETERS = (*OneTimeScale.names(), "threshold", "missed")


@dataclass(frozen=True, eq=False)
class ParameterPrior:
    """Independent Gaussians on μ and the logarithms of the other `PARAMETERS`, in their order."""

    mean: Floats
    std: Floats


@dataclass(frozen=True, eq=False)
class Posterior:
    """Draws of the parameters with their weights (mean 1), R-hat and effective sample size."""

    draws: xr.Dataset
    frame: pd.DataFrame
    spread_inflation: float
    """Relative inflation of the posterior's spread by the time step."""


def posterior_of(
    seen: Observations,
    fitted: Fitted,
    *,
    prior: ParameterPrior | None = None,
    steps: int = 10_000,
    chains: int = 4,
    seed: int = 0,
    progress: bool = True,
) -> Posterior:
    """Sample μ, s, τ and the noise, given the observations.

    The threshold and the probability of missing a spine are sampled as well if they were fitted.

    Parameters
    ----------
    seen
        Observations of the spines.
    fitted
        The maximum-likelihood fit of `OneTimeScale`, where the chains start.
    prior
        Default: `weak_prior`.
    steps
        Steps of each chain, of which the first fifth is discarded.
    chains
        Number of chains.
    seed
        Seed of all random numbers.
    progress
        Show a progress bar.
    """
    whole("steps", steps, at_least=KEPT)
    threshold = seen.threshold if fitted.threshold_on == "true" else fitted.threshold
    seen = seen.with_threshold(threshold, fitted.threshold_on)
    if fitted.missed is not None:
        seen = seen.with_missed(fitted.missed)
    problem = Problem(OneTimeScale, seen)
    density = _Density(problem, fitted, prior or weak_prior(seen))
    mode, scale = density.widths()

    def log_joint(z: Floats) -> float:
        return density.approximate(mode + scale @ z)

    def gradient(z: Floats) -> Floats:
        found = np.empty_like(z)
        steps = DIFFERENCE * np.eye(z.shape[1])
        for c, at in enumerate(z):
            here = log_joint(at)
            found[c] = [(log_joint(at + step) - here) / DIFFERENCE for step in steps]
        # Limit the gradient to that at 8 widths, so that a chain far out does not diverge.
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
    if drawn.attrs["interrupted"]:  # the command stops; it does not report a part of the draws
        raise KeyboardInterrupt
    q = mode + drawn["theta"].values @ scale.T
    log_weight = np.empty(q.shape[:2])
    with progress_bar("weighting draws", log_weight.size, progress) as advance:
        for where in np.ndindex(log_weight.shape):
            log_weight[where] = density.exact(q[where]) - density.approximate(q[where])
            advance(1)
    weight = np.exp(log_weight - log_weight.max())
    values = np.concatenate([q[..., :1], np.exp(q[..., 1:])], axis=-1)
    columns = {n: values[..., k] for k, n in enumerate(problem.names)}
    columns |= {"bT": values[..., 1] ** 2 / values[..., 2], "weight": weight / weight.mean()}
    draws = xr.Dataset({name: (("chain", "draw"), column) for name, column in columns.items()})
    return Posterior(draws, _summary(draws), float(drawn.attrs["spread_inflation"]))


class _Density:
    """log p(observations | q) p(q); q has the logs of the noise and of the missed fraction."""

    def __init__(self, problem: Problem, fitted: Fitted, prior: ParameterPrior) -> None:
        self._problem, self._at = problem, problem.names.index("noise")
        best = fitted.process.vector()
        if problem.fits_threshold:
            best = np.append(best, fitted.threshold)
        if fitted.missed is not None:
            best = np.append(best, max(fitted.missed, LEAST_MISSED))
        self._start = best
        chosen = [PARAMETERS.index(name) for name in problem.names]
        self._prior = ParameterPrior(prior.mean[chosen], prior.std[chosen])
        low, high = np.array(problem.resolved(problem.bounds_and_starts()[0])).T
        self._most = high
        steps = step_sizes(fitted.covariance)
        self._centre = np.clip(best, low + steps, high - steps)
        exact = problem.exact_near(self._centre)
        self._curvature, scores = curvature(
            lambda p: exact(p) - problem.approximate(p), self._centre, steps
        )
        self._slope = scores.sum(axis=0)
        self._widths = root(fitted.hessian)

    def _in_fit(self, q: Floats) -> Floats:
        """The point in the space of the fit, limited to what the nodes resolve."""
        found = q.copy()
        found[self._at] = np.exp(2 * q[self._at])
        if self._problem.seen.can_miss:
            found[-1] = np.exp(q[-1])
        return np.minimum(found, self._most)

    def _log_prior(self, q: Floats) -> float:
        return -0.5 * float(np.sum(((q - self._prior.mean) / self._prior.std) ** 2))

    def exact(self, q: Floats) -> float:
        """From the filter on nodes."""
        p = self._in_fit(q)
        return total(self._problem.exact_near(p), p) + self._log_prior(q)

    def approximate(self, q: Floats) -> float:
        """From the Gaussian filter and a quadratic correction."""
        p = self._in_fit(q)
        away = p - self._centre
        away = away * min(
            1.0, FAR / max(float(np.linalg.norm(np.linalg.solve(self._widths, away))), 1e-300)
        )
        off = float(self._slope @ away - 0.5 * away @ self._curvature @ away)
        return total(self._problem.approximate, p) + off + self._log_prior(q)

    def widths(self) -> tuple[Floats, Floats]:
        """The mode, and a root of the inverse curvature there."""
        start = self._start.copy()
        start[self._at] = 0.5 * np.log(start[self._at])
        if self._problem.seen.can_miss:
            start[-1] = np.log(start[-1])
        found = optimize.minimize(lambda q: -self.approximate(q), start, method="BFGS")
        mode = np.asarray(found.x, float)
        hessian, _ = curvature(
            lambda q: np.array([self.approximate(q)]), mode, np.full(mode.size, 0.02)
        )
        steps = step_sizes(inverse(hessian))
        hessian, _ = curvature(lambda q: np.array([self.approximate(q)]), mode, steps)
        # The curvature is at least that of the prior.
        return mode, root(hessian, float(self._prior.std.max() ** -2.0))


def weak_prior(seen: Observations) -> ParameterPrior:
    """A weak prior on the scale of the table.

    A factor of e² in the spread, e⁴ in the relaxation time and e³ in the noise lie within two
    standard deviations.
    """
    sizes = seen.sized()
    sd = float(sizes.std())
    middle = float(np.sqrt(seen.intervals.min() * max(seen.span, seen.intervals.min())))
    logs = np.log([1.2 * sd, middle, 0.2 * sd])
    mean = np.array([sizes.mean() - 0.5 * sd, *logs, np.quantile(sizes, 0.05), np.log(0.02)])
    return ParameterPrior(mean, np.array([2.0 * sd, 1.0, 2.0, 1.5, 0.5 * sd, 1.5]))


def _summary(draws: xr.Dataset) -> pd.DataFrame:
    import arviz_stats  # takes half a second, so only when needed

    weight = draws["weight"].values.ravel()
    share = float(
        weight.sum() ** 2 / np.sum(weight**2) / weight.size
    )  # effective fraction of the draws after weighting
    rows = []
    for name in draws.drop_vars("weight").data_vars:
        values = draws[name].values.ravel()
        low, middle, high = np.quantile(
            values, [0.025, 0.5, 0.975], weights=weight, method="inverted_cdf"
        )
        mean = np.average(values, weights=weight)
        std = float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))
        # Both use ranks, so they hold for the logarithms as well.
        r_hat, ess = float(arviz_stats.rhat(draws[name])), float(arviz_stats.ess(draws[name]))
        rows.append((name, middle, std, low, high, r_hat, share * ess))
    columns = ["parameter", "median", "std", "low", "high", "r_hat", "ess"]
    return pd.DataFrame(rows, columns=columns)
