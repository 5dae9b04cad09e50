"""Measures of Fig. 3, of one circuit.

Branches are ``fast`` and ``slow`` (the learning circuit at both speeds), ``no_activity_fast`` and
``no_activity_slow`` (its synapses under prior and noise alone). The null of half the noise, as if
it lacked its √2, uses the same paths, contracted around μ by √2: those of the rule at T/2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.ornstein_uhlenbeck import estimate_ornstein_uhlenbeck
from synsamp.claims import Amount, Measure, Multiple, Ratio, Share, measures_in
from synsamp.experiments.base import Results
from synsamp.paper.fig3_motility.parameters import MotilityParameters
from synsamp.paper.fig3_motility.survival import (
    COMPARED,
    HELD_WEIGHT,
    POWER_LAW,
    change_slope,
    imaged,
    relative_drift,
    settling,
)

Floats = NDArray[np.float64]
ESTIMATED_STEPS = 100_000
"""Steps from which the process without activity is estimated."""
IN_A_RELAXATION = 5
"""Steps per relaxation time, or per record if that is shorter."""

# -- without activity -----------------------------------------------------------------------------


def _ends(results: Results) -> Floats:
    """θ at the end, and shortly after it [2, synapse]."""
    return np.asarray(results["no_activity/pair"].pair.values.reshape(2, -1), float)


def _half_noise(p: MotilityParameters, theta: Floats) -> Floats:
    mean = p.rule.prior.mean
    return np.asarray(mean + (theta - mean) / np.sqrt(2.0))


def _distance(p: MotilityParameters, theta: Floats) -> float:
    prior = stats.norm(p.rule.prior.mean, p.rule.prior.std * np.sqrt(p.rule.temperature))
    return float(stats.kstest(theta, prior.cdf).statistic * np.sqrt(theta.size))


def distance_to_prior(p: MotilityParameters, results: Results) -> Amount:
    """Kolmogorov–Smirnov distance of θ without activity from the prior, times √n."""
    return _distance(p, _ends(results)[0])


def distance_to_prior_half_noise(p: MotilityParameters, results: Results) -> Amount:
    """The same distance at half the noise."""
    return _distance(p, _half_noise(p, _ends(results)[0]))


def _path(p: MotilityParameters, results: Results) -> Floats:
    """θ [time, synapse] without activity, at intervals that resolve the relaxation."""
    theta = imaged(p, results, "no_activity_fast", "theta")
    relaxation_s = p.rule.prior.std**2 / p.fast.speed
    in_relaxation = max(1, round(relaxation_s / p.fast.session_every_s / IN_A_RELAXATION))
    in_all = max(1, (len(theta) - 1) // IN_A_RELAXATION)
    rows = theta[:: min(in_relaxation, in_all)]
    return rows[:, : max(1, ESTIMATED_STEPS // (len(rows) - 1))].astype(float)


def _process(p: MotilityParameters, path: Floats) -> float:
    interval_s = p.fast.tracked_s / (len(path) - 1)
    found = estimate_ornstein_uhlenbeck(path[:-1], path[1:], interval_s)
    deviations = (
        (found.mean - p.rule.prior.mean) / found.mean_error,
        (found.spread - p.rule.prior.std * np.sqrt(p.rule.temperature)) / found.spread_error,
        (found.noise - p.fast.speed * p.rule.temperature) / found.noise_error,
    )
    return float(np.max(np.abs(deviations)))


def process_deviation(p: MotilityParameters, results: Results) -> Amount:
    """Largest deviation of the estimates of μ, σ√T and b·T, in standard errors."""
    return _process(p, _path(p, results))


def process_deviation_half_noise(p: MotilityParameters, results: Results) -> Amount:
    """The same deviation at half the noise."""
    return _process(p, _half_noise(p, _path(p, results)))


def _moments(values: Floats) -> float:
    z = stats.skewtest(values).statistic, stats.kurtosistest(values).statistic
    return float(np.sqrt(np.mean(np.square(z))))


def log_weight_moments(p: MotilityParameters, results: Results) -> Amount:
    """Skewness and kurtosis of log w in standard errors, root mean square; about 0.9 if normal."""
    return _moments(_ends(results)[0] - p.rule.theta_0)


def weight_moments(p: MotilityParameters, results: Results) -> Amount:
    """Skewness and kurtosis of w, likewise."""
    return _moments(np.exp(_ends(results)[0] - p.rule.theta_0))


# -- sizes and populations ------------------------------------------------------------------------


def _slope(p: MotilityParameters, results: Results, branch: str, shuffled: bool) -> float:
    if branch.startswith("no_activity"):
        first, later = _ends(results)
        return change_slope(first, later, p.rule.theta_0, shuffled)
    changes = "shuffled" if shuffled else "own"
    return float(results["changes"].slope.sel(branch=branch, changes=changes))


def size_slope(p: MotilityParameters, results: Results, branch: str) -> float:
    """Slope of log |Δw| over log w; 1 means that changes are proportional to w."""
    return _slope(p, results, branch, shuffled=False)


def shuffled_size_slope(p: MotilityParameters, results: Results, branch: str) -> float:
    """The same slope with changes shuffled across connections."""
    return _slope(p, results, branch, shuffled=True)


def small_weight_slope(p: Any, results: Results, branch: str) -> float:
    """Slope of log std(Δw) over log w of weights that the likelihood does not stabilise."""
    return float(results["changes"].smaller_slope.sel(branch=branch))


def active_share(p: MotilityParameters, results: Results, branch: str) -> Share:
    """Mean share of active synapses."""
    return float(imaged(p, results, branch, "active").mean(axis=1).mean())


def drift(p: MotilityParameters, results: Results, branch: str) -> float:
    """Relative change of the share of active synapses, last quarter to first quarter."""
    return relative_drift(imaged(p, results, branch, "active").mean(axis=1))


def drift_while_settling(p: MotilityParameters, results: Results) -> float:
    """The same from the start of the circuit, over the same time in units of 1/b."""
    return relative_drift(settling(p, results).mean(axis=1))


def strong_weight_drift(p: MotilityParameters, results: Results, branch: str) -> float:
    """Relative change of the share of weights that the likelihood stabilises."""
    strong = imaged(p, results, branch, "theta") > p.rule.theta_0 + np.log(HELD_WEIGHT)
    return relative_drift(strong.mean(axis=1))


def _weights(p: MotilityParameters, results: Results, branch: str) -> Floats:
    """Weights of active connections in the last record of all θ."""
    last = imaged(p, results, branch, "theta")[-1].astype(float)
    return np.exp(last[last > 0] - p.rule.theta_0)


def _variation(weights: Floats) -> float:
    return float(weights.std() / weights.mean()) if weights.size else math.nan


def weight_variation(p: MotilityParameters, results: Results, branch: str) -> Amount:
    """Coefficient of variation of the weights of active connections."""
    return _variation(_weights(p, results, branch))


def exponential_variation(p: MotilityParameters, results: Results, branch: str) -> Amount:
    """The same of as many draws from an exponential distribution."""
    weights = _weights(p, results, branch)
    rng = np.random.default_rng(weights[:1].view(np.uint64))  # differs between circuits
    return _variation(rng.standard_exponential(weights.size))


def dip(p: Any, results: Results, branch: str) -> Amount:
    """Emptiest inner tenth of the time active, relative to the smaller outer tenth."""
    return float(results["populations"].dip.sel(branch=branch))


def persistent_efficacy(p: Any, results: Results, branch: str) -> Share:
    """Share of the summed efficacy that persistent connections contribute."""
    return float(results["populations"].efficacy.sel(branch=branch))


# -- survival -------------------------------------------------------------------------------------


def _survival(results: Results, branch: str) -> xr.Dataset:
    speed = branch.rpartition("_")[2]
    return results[f"survival_{speed}"].sel(branch=branch)


def power_law_margin(p: Any, results: Results, branch: str) -> float:
    """AIC of the best other model of survival minus that of the power law."""
    aic = _survival(results, branch).aic.values
    return float(np.delete(aic, POWER_LAW).min() - aic[POWER_LAW])


def _aic_of(k: int) -> Measure:
    def aic(p: Any, results: Results, branch: str) -> float:
        values = _survival(results, branch).aic
        return float(values[k]) - float(values[POWER_LAW])

    aic.__name__ = COMPARED[k].lower().replace(" ", "_").replace("-", "_") + "_aic"
    aic.__doc__ = f"AIC of {COMPARED[k]} survival minus that of the power law."
    return aic


AIC = tuple(_aic_of(k) for k in range(len(COMPARED)) if k != POWER_LAW)


def loss_deviation(p: Any, results: Results, branch: str) -> Amount:
    """Losses at four ages minus those predicted by first passage, in standard errors (RMS)."""
    return float(_survival(results, branch).losses)


def power_law_exponent(p: Any, results: Results, branch: str) -> float:
    """Exponent γ of the power law fitted to survival."""
    return float(_survival(results, branch).gamma)


def new_connections(p: Any, results: Results, branch: str) -> Amount:
    """Number of new connections."""
    return float(_survival(results, branch).new)


def exponent_change(p: Any, results: Results) -> Amount:
    """Absolute log ratio of the exponents at both speeds, in real time."""
    return _log_ratio(*(float(_survival(results, branch).gamma) for branch in ("fast", "slow")))


def exponent_change_scaled(p: Any, results: Results) -> Amount:
    """The same, observed for the same duration in units of 1/b."""
    return _log_ratio(*results["scaling"].gamma.values)


def _log_ratio(one: float, other: float) -> float:
    return float(np.abs(np.log(other / one)))


def time_scale(p: MotilityParameters, results: Results) -> Multiple:
    """Median lifetime, slow over fast, relative to the ratio of b."""
    return _time_scale(p, results["scaling"])


def time_scale_unchanged(p: MotilityParameters, results: Results) -> Multiple:
    """The same without activity, if b is not changed but imaging is."""
    return _time_scale(p, results["unchanged"])


def _time_scale(p: MotilityParameters, scaling: xr.Dataset) -> Ratio:
    fast, slow = scaling["median"].values
    return Ratio(slow, fast * p.fast.speed / p.slow.speed)


MEASURES = (*measures_in(__name__), *AIC)
ALSO_MEASURED = (
    "size_slope@fast",
    "strong_weight_drift@slow",
    *(
        f"{name}@{speed}"
        for name in ("small_weight_slope", "active_share", "power_law_exponent", "new_connections")
        for speed in ("fast", "slow")
    ),
    *(
        f"{measure.__name__}@{branch}"
        for measure in AIC
        for branch in ("fast", "slow", "no_activity_fast", "no_activity_slow")
    ),
)
"""Shown in docs/reference/fig3-methods.md."""
