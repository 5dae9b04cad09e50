"""Numbers of the synapses without activity: how far they are from what the rule says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.ornstein_uhlenbeck import estimate_ornstein_uhlenbeck
from synsamp.claims import Value
from synsamp.experiments.base import Results
from synsamp.paper.fig3_motility.parameters import MotilityParameters
from synsamp.paper.fig3_motility.records import watched
from synsamp.paper.fig3_motility.sizes import change_slope

Floats = NDArray[np.float64]
ESTIMATED_STEPS = 100_000
"""Steps from which the process without activity is estimated: enough, and quick."""
IN_A_RELAXATION = 5
"""Steps in a relaxation time, or in all of the time if that is shorter."""


def without_activity(p: MotilityParameters, results: Results) -> dict[str, Value]:
    """Law, process and moments in standard errors, each beside its null.

    The null of law and process is half the noise, as if it lacked its √2: the same paths, drawn
    together around μ by √2, are those of the rule at T/2. That of the moments is w for log w.
    """
    last, later = results["free/pair"].pair.values.reshape(2, -1).astype(float)
    mean, theta_0 = p.rule.prior.mean, p.rule.theta_0
    path = _path(p, results)
    colder = tuple(mean + (each - mean) / np.sqrt(2.0) for each in (last, path))
    estimates, deviation = _process(p, path)
    log_weight = last - theta_0
    return {
        "free_law": _distance(p, last),
        "free_law_colder": _distance(p, colder[0]),
        "free_process": deviation,
        "free_process_colder": _process(p, colder[1])[1],
        "free_moments": _moments(log_weight),
        "free_moments_of_w": _moments(np.exp(log_weight)),
        "free_slope": change_slope(last, later, theta_0),
        "free_slope_dealt": change_slope(last, later, theta_0, dealt=True),
        **estimates,
    }


def _distance(p: MotilityParameters, theta: Floats) -> float:
    """Kolmogorov–Smirnov distance to the prior, times √n."""
    law = stats.norm(p.rule.prior.mean, p.rule.prior.std * np.sqrt(p.rule.temperature))
    return float(stats.kstest(theta, law.cdf).statistic * np.sqrt(theta.size))


def _moments(values: Floats) -> float:
    """Skewness and kurtosis in standard errors, root mean square; of a normal sample about 0.9."""
    z = stats.skewtest(values).statistic, stats.kurtosistest(values).statistic
    return float(np.sqrt(np.mean(np.square(z))))


def _path(p: MotilityParameters, results: Results) -> Floats:
    """θ [time, synapse] of as many synapses as are needed, on a grid fit to see it relax."""
    theta = watched(p, results, "free", "fast", "theta")
    relaxation_s = p.rule.prior.std**2 / p.fast.speed
    in_relaxation = max(1, round(relaxation_s / p.fast.look_every_s / IN_A_RELAXATION))
    in_all = max(1, (len(theta) - 1) // IN_A_RELAXATION)
    rows = theta[:: min(in_relaxation, in_all)]
    return rows[:, : max(1, ESTIMATED_STEPS // (len(rows) - 1))].astype(float)


def _process(p: MotilityParameters, path: Floats) -> tuple[dict[str, Value], float]:
    """Estimates of μ, σ√T and b·T, and the largest deviation from the truth in standard errors."""
    apart_s = p.fast.tracked_s / (len(path) - 1)
    found = estimate_ornstein_uhlenbeck(path[:-1], path[1:], apart_s)
    deviations = (
        (found.mean - p.rule.prior.mean) / found.mean_error,
        (found.spread - p.rule.prior.std * np.sqrt(p.rule.temperature)) / found.spread_error,
        (found.noise - p.fast.speed * p.rule.temperature) / found.noise_error,
    )
    estimates: dict[str, Value] = {
        "free_mean": found.mean,
        "free_spread": found.spread,
        "free_noise": found.noise,
    }
    return estimates, float(np.max(np.abs(deviations)))
