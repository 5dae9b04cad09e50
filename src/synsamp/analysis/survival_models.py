"""Survival models, fitted to interval-censored lifetimes.

    exponential          S(t) = exp(−t/τ)
    power law            S(t) = (1 + t/τ)^−γ
    Weibull              S(t) = exp(−(t/τ)^k)
    log-normal           S(t) = Φ(log(τ/t)/w)
    double exponential   S(t) = a exp(−t/τ₁) + (1 − a) exp(−t/τ₂)
    first passage        a process of sizes until it is observed below the threshold

The likelihood of a lifetime is S(last seen) − S(first missed), or S(last seen) if it did not end
during the observation. So neither the spacing of sessions nor the end of the observation biases a
fit. The exponential is the limit γ → ∞ of the power law with γ/τ fixed.

The fits do not use `scipy.stats`: `fit` with `CensoredData` finds the same maxima (a test compares
them), but evaluates every lifetime separately instead of each distinct interval once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from synsamp.analysis.survival import Lifetimes
from synsamp.arguments import instance, one_of
from synsamp.errors import refuse

Floats = NDArray[np.float64]
FEWEST = 3


@dataclass(frozen=True, eq=False)
class SurvivalModel:
    """A survival model at its maximum likelihood.

    Attributes
    ----------
    name
        One of `SURVIVAL_MODELS` or "first passage".
    parameters
        Estimates by symbol.
    log_likelihood, n
        Maximum of the log-likelihood, and number of lifetimes.
    survival
        The function S(t).
    """

    name: str
    parameters: dict[str, float]
    log_likelihood: float
    n: int
    survival: Callable[[Any], Floats] = field(repr=False)

    @property
    def aic(self) -> float:
        """Akaike information criterion; smaller is better. First passage has no free parameters."""
        return 2.0 * len(self.parameters) - 2.0 * self.log_likelihood

    @property
    def median(self) -> float:
        """Time by which half are lost; inf beyond 1e12."""

        def left(log_time: float) -> float:
            return float(self.survival(np.exp(log_time))) - 0.5

        ends = float(np.log(1e-6)), float(np.log(1e12))
        if left(ends[0]) <= 0 or left(ends[1]) > 0:
            return 0.0 if left(ends[0]) <= 0 else float("inf")
        return float(np.exp(optimize.brentq(left, *ends, xtol=1e-9)))


def _exponential(t: Floats, q: Floats) -> Floats:
    return np.exp(-t / np.exp(q[0]))


def _power(t: Floats, q: Floats) -> Floats:
    return np.exp(-np.exp(q[1]) * np.log1p(t / np.exp(q[0])))


def _weibull(t: Floats, q: Floats) -> Floats:
    with np.errstate(over="ignore"):  # if all lifetimes end at once; S is 0 there
        return np.exp(-((t / np.exp(q[0])) ** np.exp(q[1])))


def _log_normal(t: Floats, q: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        found: Floats = special.ndtr((q[0] - np.log(t)) / np.exp(q[1]))
    return found


def _double(t: Floats, q: Floats) -> Floats:
    fraction = special.expit(q[2])
    first, second = np.exp(q[0]), np.exp(q[0]) + np.exp(q[1])
    found: Floats = fraction * np.exp(-t / first) + (1 - fraction) * np.exp(-t / second)
    return found


def _double_parameters(q: Floats) -> dict[str, float]:
    return {
        "τ₁": float(np.exp(q[0])),
        "τ₂": float(np.exp(q[0]) + np.exp(q[1])),
        "a": float(special.expit(q[2])),
    }


# name: S(t, q), starting points relative to a typical log time, parameters by symbol
_MODELS: dict[str, tuple[Any, list[list[float]], Any]] = {
    "exponential": (_exponential, [[0.0]], lambda q: {"τ": float(np.exp(q[0]))}),
    "power law": (
        _power,
        [[-1.0, -0.5], [1.0, 1.0]],
        lambda q: {"τ": float(np.exp(q[0])), "γ": float(np.exp(q[1]))},
    ),
    "Weibull": (
        _weibull,
        [[0.0, 0.0], [0.0, -0.7]],
        lambda q: {"τ": float(np.exp(q[0])), "k": float(np.exp(q[1]))},
    ),
    "log-normal": (
        _log_normal,
        [[0.0, 0.0], [0.0, 0.7]],
        lambda q: {"τ": float(np.exp(q[0])), "w": float(np.exp(q[1]))},
    ),
    "double exponential": (_double, [[-1.0, 1.0, 0.0], [-0.5, 2.0, 1.0]], _double_parameters),
}

SURVIVAL_MODELS = tuple(_MODELS)
"""Names of the models with free parameters."""


def fit_survival_models(lifetimes: Lifetimes) -> list[SurvivalModel]:
    """Fit all survival models.

    Parameters
    ----------
    lifetimes
        Lifetimes, of which at least three ended.

    Returns
    -------
    list of SurvivalModel
        The model with the smallest AIC first.
    """
    return sorted(
        (fit_survival_model(lifetimes, name) for name in SURVIVAL_MODELS), key=lambda one: one.aic
    )


def fit_survival_model(lifetimes: Lifetimes, name: str) -> SurvivalModel:
    """Fit one survival model by maximum likelihood.

    Parameters
    ----------
    lifetimes
        Lifetimes, of which at least three ended.
    name
        One of `SURVIVAL_MODELS`, such as "Weibull".
    """
    instance("lifetimes", lifetimes, Lifetimes)
    one_of("survival model", name, _MODELS)
    if lifetimes.ended.sum() < FEWEST:
        raise refuse(
            "lifetimes",
            f"must hold at least {FEWEST} that ended",
            int(lifetimes.ended.sum()),
            "observe longer or more connections",
        )
    survival, starts, by_symbol = _MODELS[name]
    pairs, counts = _distinct(lifetimes)
    scale = float(np.log(lifetimes.first_missed[lifetimes.ended].mean()))

    def cost(q: Floats) -> float:
        return -_log_likelihood(pairs, counts, lambda t: survival(t, q))

    tries = []
    for start in starts:
        x = np.array(start)
        x[0] += scale
        if name == "double exponential":
            x[1] += scale
        # Beyond these bounds a model cannot be distinguished from a step or another model.
        bounds = [(v - 12, v + 12) for v in x]
        tries.append(
            optimize.minimize(
                cost, x, method="Nelder-Mead", bounds=bounds, options={"maxiter": 3000}
            )
        )
    best = min(tries, key=lambda one: one.fun)
    return SurvivalModel(
        name, by_symbol(best.x), -float(best.fun), len(lifetimes), _bound(survival, best.x)
    )


def _bound(survival: Any, q: Floats) -> Callable[[Any], Floats]:
    return lambda t: survival(np.asarray(t, float), q)


def first_passage(lifetimes: Lifetimes, times: Floats, alive: Floats) -> SurvivalModel:
    """Log-likelihood of the lifetimes under a predicted survival, without free parameters.

    Parameters
    ----------
    lifetimes
        Observed lifetimes.
    times, alive
        Predicted survival ``alive`` at ``times``; log S is interpolated linearly.
    """
    log_alive = np.log(np.maximum(alive, 1e-300))

    def survival(t: Any) -> Floats:
        at = np.asarray(t, float)
        slope = (log_alive[-1] - log_alive[-2]) / (times[-1] - times[-2])
        beyond = log_alive[-1] + slope * (at - times[-1])
        inside = np.interp(at, times, log_alive)
        return np.exp(np.where(at > times[-1], beyond, inside))

    pairs, counts = _distinct(lifetimes)
    return SurvivalModel(
        "first passage", {}, _log_likelihood(pairs, counts, survival), len(lifetimes), survival
    )


def _distinct(lifetimes: Lifetimes) -> tuple[Floats, NDArray[np.int64]]:
    """Distinct intervals and their counts: sessions on a grid give few."""
    pairs = np.stack([lifetimes.last_seen, lifetimes.first_missed], axis=1)
    rows, counts = np.unique(pairs, axis=0, return_counts=True)
    return rows, counts


def _log_likelihood(pairs: Floats, counts: NDArray[np.int64], survival: Any) -> float:
    ended = np.isfinite(pairs[:, 1])
    late = np.zeros(len(pairs))
    late[ended] = survival(pairs[ended, 1])
    return float(counts @ np.log(np.maximum(survival(pairs[:, 0]) - late, 1e-300)))
