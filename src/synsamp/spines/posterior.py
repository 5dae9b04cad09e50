"""The posterior of the process's parameters, drawn by the package's own rule.

The parameters of the fit are moved as the rule moves synapses,

    dz = ∂ log[p(looks | q) p(q)]/∂z dt + sqrt(2) dW,      q = best + L z,

where L Lᵀ is the covariance of the fit, so that all directions of z have about the same width and
one time step suits all. The gradient is a difference of the exact likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from synsamp.arguments import seed as checked_seed
from synsamp.arguments import whole
from synsamp.rule import Batch, Rule, sample
from synsamp.spines.fit import Fitted
from synsamp.spines.likelihood import inverse
from synsamp.spines.observations import Observations
from synsamp.spines.problem import Problem
from synsamp.spines.process import OneTimeScale

Floats = NDArray[np.float64]

STEP = 0.1
"""Time step; Euler's rule widens a Gaussian of variance 1 by STEP/2 of its variance."""

DIFFERENCE = 0.01
"""Step of the difference in widths of the fit; it shifts the posterior by half of that."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Draws of the parameters with R-hat and effective sample size."""

    draws: xr.Dataset
    frame: pd.DataFrame


def posterior_of(
    seen: Observations,
    fitted: Fitted,
    *,
    steps: int = 1500,
    chains: int = 4,
    seed: int = 0,
    progress: bool = True,
) -> Posterior:
    """Sample μ, s, τ and the noise given the looks at the spines."""
    whole("steps", steps, at_least=10)
    problem = Problem(OneTimeScale, seen.seen_above(seen.threshold, fitted.by_true_size))
    if not fitted.by_true_size:
        problem = Problem(OneTimeScale, seen.seen_above(fitted.threshold, False))
    names = problem.names
    at = names.index("noise")
    vector = fitted.process.vector()
    if problem.fits_threshold:
        vector = np.append(vector, fitted.threshold)
    prior_mean, prior_std = (part[: vector.size] for part in weak_prior(seen))
    best = vector.copy()
    best[at] = 0.5 * np.log(vector[at])  # the logarithm of the noise instead of its variance
    jacobian = np.ones(best.size)
    jacobian[at] = 2.0 * vector[at]
    precision = jacobian[:, None] * fitted.hessian * jacobian[None, :] + np.diag(prior_std**-2.0)
    scale = np.linalg.cholesky(inverse(precision))
    nodes = problem.nodes(vector)

    def log_joint(z: Floats) -> float:
        q = best + scale @ z
        inside = q.copy()
        inside[at] = np.exp(2 * q[at])
        value = float(problem.exact(inside, nodes).sum())
        value -= float(0.5 * np.sum(((q - prior_mean) / prior_std) ** 2))
        return value if np.isfinite(value) else -1e12

    def gradient(z: Floats) -> Floats:
        found = np.empty_like(z)
        for c in range(len(z)):
            here = log_joint(z[c])
            for i in range(z.shape[1]):
                step = np.zeros(z.shape[1])
                step[i] = DIFFERENCE
                found[c, i] = (log_joint(z[c] + step) - here) / DIFFERENCE
        # Far out, where a chain would be thrown further, its pull is held to that of 8 widths.
        return np.clip(found, -8.0, 8.0)

    rng = np.random.default_rng(checked_seed("seed", seed))
    drawn = sample(
        Rule(Batch(gradient)),
        rng.standard_normal((chains, best.size)),
        steps=steps,
        dt=STEP,
        chains=chains,
        burn_in=steps // 5,
        seed=seed,
        progress=progress,
    )
    q = best + drawn["theta"].values @ scale.T
    values = np.concatenate([q[..., :1], np.exp(q[..., 1:])], axis=-1)
    noise_term = values[..., 1] ** 2 / values[..., 2]
    draws = xr.Dataset(
        {
            **{n: (("chain", "draw"), values[..., k]) for k, n in enumerate(names)},
            "bT": (("chain", "draw"), noise_term),
        }
    )
    return Posterior(draws, _summary(draws))


def weak_prior(seen: Observations) -> tuple[Floats, Floats]:
    """Means and widths of Gaussian priors on μ, log s, log τ, log noise and log threshold.

    On the scale of the table, and wide enough to say little where the table says anything: a
    factor of e² in the spread, e⁴ in the relaxation time and e³ in the noise are within two
    standard deviations.
    """
    sizes = seen.sized()
    sd = float(sizes.std())
    middle = float(np.sqrt(seen.intervals.min() * max(seen.span, seen.intervals.min())))
    logs = np.log([1.2 * sd, middle, 0.2 * sd])
    mean = np.array([sizes.mean() - 0.5 * sd, *logs, np.quantile(sizes, 0.05)])
    return mean, np.array([2.0 * sd, 1.0, 2.0, 1.5, 0.5 * sd])


def _summary(draws: xr.Dataset) -> pd.DataFrame:
    import arviz_stats  # half a second, so only when somebody samples

    rows = []
    for name in draws.data_vars:
        values = draws[name]
        low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
        # Ranks do not care for a transform, so these hold for the logarithms as well.
        r_hat, ess = float(arviz_stats.rhat(values)), float(arviz_stats.ess(values))
        rows.append((name, middle, float(values.std()), low, high, r_hat, ess))
    columns = ["parameter", "median", "std", "low", "high", "r_hat", "ess"]
    return pd.DataFrame(rows, columns=columns)
