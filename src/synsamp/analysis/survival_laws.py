"""Laws of survival, fitted to lives of which only the looks around their end are known.

    exponential          S(t) = exp(−t/τ)
    power law            S(t) = (1 + t/τ)^−γ
    Weibull              S(t) = exp(−(t/τ)^k)
    log-normal           S(t) = Φ(log(τ/t)/w)
    double exponential   S(t) = a exp(−t/τ₁) + (1 − a) exp(−t/τ₂)
    first passage        a process of sizes until it is found below the threshold

Likelihood of a life: S(last seen) − S(first missed), or S(last seen) if it was there to the end.
So neither the grid of looks nor the end of the observation biases a fit. The exponential is the
limit γ → ∞ of the power law with γ/τ fixed; AIC weighs the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from synsamp.analysis.survival import Lifetimes
from synsamp.arguments import instance
from synsamp.errors import refuse

Floats = NDArray[np.float64]
FEWEST = 3


@dataclass(frozen=True, eq=False)
class FittedLaw:
    """A law at its largest likelihood; ``survival`` is its S(t)."""

    law: str
    parameters: dict[str, float]
    log_likelihood: float
    n: int
    survival: Callable[[Any], Floats] = field(repr=False)

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better. First passage has nothing fitted to lives."""
        return 2.0 * len(self.parameters) - 2.0 * self.log_likelihood

    @property
    def median(self) -> float:
        """Time by which half are gone; infinite if that is beyond 1e12."""

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
    with np.errstate(over="ignore"):  # of lives that all end at once; S is 0 there
        return np.exp(-((t / np.exp(q[0])) ** np.exp(q[1])))


def _log_normal(t: Floats, q: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        found: Floats = special.ndtr((q[0] - np.log(t)) / np.exp(q[1]))
    return found


def _double(t: Floats, q: Floats) -> Floats:
    share = special.expit(q[2])
    first, second = np.exp(q[0]), np.exp(q[0]) + np.exp(q[1])
    found: Floats = share * np.exp(-t / first) + (1 - share) * np.exp(-t / second)
    return found


def _double_words(q: Floats) -> dict[str, float]:
    return {
        "τ₁": float(np.exp(q[0])),
        "τ₂": float(np.exp(q[0]) + np.exp(q[1])),
        "a": float(special.expit(q[2])),
    }


# law: S(t, q), starts around the logarithm of a typical time, the parameters in words
_LAWS: dict[str, tuple[Any, list[list[float]], Any]] = {
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
    "double exponential": (_double, [[-1.0, 1.0, 0.0], [-0.5, 2.0, 1.0]], _double_words),
}


LAWS = tuple(_LAWS)
"""The laws that have parameters of their own."""


def fit_laws(lives: Lifetimes) -> list[FittedLaw]:
    """All laws with parameters of their own, the one with the smallest AIC first."""
    return sorted((fit_law(lives, law) for law in LAWS), key=lambda one: one.aic)


def fit_law(lives: Lifetimes, law: str) -> FittedLaw:
    """One law, by name."""
    instance("lives", lives, Lifetimes)
    if not isinstance(law, str) or law not in _LAWS:
        raise refuse("law", f"must be one of {', '.join(_LAWS)}", law)
    if lives.ended.sum() < FEWEST:
        raise refuse(
            "lives",
            f"must hold at least {FEWEST} that were seen to end",
            int(lives.ended.sum()),
            "observe longer or more connections",
        )
    survival, starts, words = _LAWS[law]
    pairs, counts = _distinct(lives)
    scale = float(np.log(lives.first_missed[lives.ended].mean()))

    def cost(q: Floats) -> float:
        return -_log_likelihood(pairs, counts, lambda t: survival(t, q))

    tries = []
    for start in starts:
        x = np.array(start)
        x[0] += scale
        if law == "double exponential":
            x[1] += scale
        # Beyond these a law is a step or another law, to all that data can tell.
        bounds = [(v - 12, v + 12) for v in x]
        tries.append(
            optimize.minimize(
                cost, x, method="Nelder-Mead", bounds=bounds, options={"maxiter": 3000}
            )
        )
    best = min(tries, key=lambda one: one.fun)
    return FittedLaw(law, words(best.x), -float(best.fun), len(lives), _bound(survival, best.x))


def _bound(survival: Any, q: Floats) -> Callable[[Any], Floats]:
    return lambda t: survival(np.asarray(t, float), q)


def first_passage(lives: Lifetimes, times: Floats, alive: Floats) -> FittedLaw:
    """The survival that a process foretells, held against the lives; nothing is fitted to them.

    ``alive`` is S at ``times``; between them its logarithm is taken as straight.
    """
    log_alive = np.log(np.maximum(alive, 1e-300))

    def survival(t: Any) -> Floats:
        at = np.asarray(t, float)
        slope = (log_alive[-1] - log_alive[-2]) / (times[-1] - times[-2])
        beyond = log_alive[-1] + slope * (at - times[-1])
        inside = np.interp(at, times, log_alive)
        return np.exp(np.where(at > times[-1], beyond, inside))

    pairs, counts = _distinct(lives)
    return FittedLaw(
        "first passage", {}, _log_likelihood(pairs, counts, survival), len(lives), survival
    )


def _distinct(lives: Lifetimes) -> tuple[Floats, NDArray[np.int64]]:
    """Lives on a grid of looks take few distinct values; equal ones are computed once."""
    pairs = np.stack([lives.last_seen, lives.first_missed], axis=1)
    rows, counts = np.unique(pairs, axis=0, return_counts=True)
    return rows, counts


def _log_likelihood(pairs: Floats, counts: NDArray[np.int64], survival: Any) -> float:
    ended = np.isfinite(pairs[:, 1])
    late = np.zeros(len(pairs))
    late[ended] = survival(pairs[ended, 1])
    return float(counts @ np.log(np.maximum(survival(pairs[:, 0]) - late, 1e-300)))
