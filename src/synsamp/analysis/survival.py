"""How long connections live: lifetimes from observations, Kaplan–Meier, and two laws fitted.

A connection is seen at discrete times only. Its life ends somewhere between the last time it was
seen and the first time it was missed; one that is still there at the end is right-censored. The
fits use just that, S(last seen) − S(first missed), so neither the grid nor the end of the
observation biases them.

    exponential   S(t) = exp(−t/τ)            one rate of loss for all
    power law     S(t) = (1 + t/τ)^−γ         straight in log–log beyond τ (Loewenstein 2014)

The exponential is the limit γ → ∞ of the power law with γ/τ fixed. AIC weighs the extra parameter.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from synsamp.arguments import flags, instance, number, numbers, whole
from synsamp.errors import refuse

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Times since a connection was first counted: last seen, and first missed (inf: never)."""

    last_seen: Floats
    first_missed: Floats

    def __post_init__(self) -> None:
        last = numbers("last_seen", self.last_seen, shape=(None,))
        missed = numbers("first_missed", self.first_missed, finite=False)
        if last.shape != missed.shape:
            raise refuse(
                "last_seen and first_missed",
                "must be rows of one length",
                (last.shape, missed.shape),
            )
        if not ((last >= 0).all() and (missed > last).all()):
            raise refuse("lifetimes", "must have 0 <= last_seen < first_missed", "others")
        object.__setattr__(self, "last_seen", last)
        object.__setattr__(self, "first_missed", missed)

    def __len__(self) -> int:
        return len(self.last_seen)

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which lives were seen to end."""
        return np.isfinite(self.first_missed)

    def scaled(self, factor: float) -> Lifetimes:
        """The same lives with time counted in other units."""
        factor = number("factor", factor, above=0)
        return Lifetimes(self.last_seen * factor, self.first_missed * factor)


def joined(parts: list[Lifetimes]) -> Lifetimes:
    """Lives of several circuits or cohorts together."""
    for k, part in enumerate(instance("parts", parts, (list, tuple))):
        instance(f"parts[{k}]", part, Lifetimes)
    return Lifetimes(
        np.concatenate([p.last_seen for p in parts] or [np.zeros(0)]),
        np.concatenate([p.first_missed for p in parts] or [np.zeros(0)]),
    )


def new_lifetimes(active: ArrayLike, step: float, window_steps: int) -> Lifetimes:
    """Lives of newly formed connections, from states ``active[time, connection]`` on a grid.

    New: active now and not active ``window_steps`` before. Cohorts are taken every
    ``window_steps``, so that no formation is counted twice; a life lasts while the connection is
    active at every later grid point.
    """
    states = flags("active", active, shape=(None, None), remedy="[time, connection]")
    step = number("step", step, above=0)
    window_steps = whole("window_steps", window_steps, at_least=1)
    parts = []
    for now in range(window_steps, len(states) - 1, window_steps):
        new = states[now] & ~states[now - window_steps]
        later = states[now:, new]
        gone = ~later
        ended = gone.any(axis=0)
        missed_at = np.where(ended, gone.argmax(axis=0), len(later))
        parts.append(Lifetimes((missed_at - 1) * step, np.where(ended, missed_at * step, np.inf)))
    return joined(parts)


@dataclass(frozen=True, eq=False)
class Curve:
    """Kaplan–Meier estimate at each time a loss was noticed, with a 95 % band; starts at (0, 1)."""

    time: Floats
    survival: Floats
    low: Floats
    high: Floats
    at_risk: NDArray[np.int64]


def kaplan_meier(lives: Lifetimes, confidence: float = 0.95) -> Curve:
    """Survival of right-censored lives; the band is Greenwood's on the log–log scale."""
    instance("lives", lives, Lifetimes)
    confidence = number("confidence", confidence, above=0, below=1)
    if len(lives) == 0:
        raise refuse("lifetimes", "must not be empty", 0, "observe longer or more connections")
    data = stats.CensoredData(
        uncensored=lives.first_missed[lives.ended], right=lives.last_seen[~lives.ended]
    )
    found = stats.ecdf(data)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The confidence interval is undefined", RuntimeWarning)
        band = found.sf.confidence_interval(confidence_level=confidence, method="log-log")
    time = found.sf.quantiles
    # Before the first loss and where the estimate is 0 or 1 the log–log band is not defined.
    value = found.sf.probabilities
    low = np.where(np.isfinite(band.low.probabilities), band.low.probabilities, value)
    high = np.where(np.isfinite(band.high.probabilities), band.high.probabilities, value)
    return Curve(
        np.concatenate([[0.0], time]),
        np.concatenate([[1.0], value]),
        np.concatenate([[1.0], low]),
        np.concatenate([[1.0], high]),
        np.array(
            [len(lives), *((lives.last_seen[None, :] >= time[:, None]).sum(axis=1))], np.int64
        ),
    )


@dataclass(frozen=True)
class Fit:
    """A law fitted by maximum likelihood; errors are standard errors (NaN where undefined)."""

    law: str
    tau: float
    gamma: float  # inf for the exponential
    tau_error: float
    gamma_error: float
    log_likelihood: float
    n: int

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2.0 * (1 if self.law == "exponential" else 2) - 2.0 * self.log_likelihood

    def survival(self, time: ArrayLike) -> Floats:
        """S(t)."""
        t = numbers("time", time, at_least=0)
        if self.law == "exponential":
            return np.exp(-t / self.tau)
        return np.exp(-self.gamma * np.log1p(t / self.tau))

    @property
    def median(self) -> float:
        """Time by which half are gone."""
        if self.law == "exponential":
            return self.tau * float(np.log(2.0))
        return self.tau * float(np.expm1(np.log(2.0) / self.gamma))


def fit_exponential(lives: Lifetimes) -> Fit:
    """S(t) = exp(−t/τ)."""
    _check_can_fit(lives)
    guess = max(float(lives.last_seen.mean()), 1e-3 * _scale(lives))

    def cost(x: Floats) -> float:
        return -_log_likelihood(lives, lambda t: -t / np.exp(x[0]))

    best = optimize.minimize(cost, [np.log(guess)], method="Nelder-Mead", options=_OPTIONS)
    (error,) = _standard_errors(cost, best.x)
    tau = float(np.exp(best.x[0]))
    return Fit("exponential", tau, np.inf, tau * error, np.nan, -float(best.fun), len(lives))


def fit_power_law(lives: Lifetimes) -> Fit:
    """S(t) = (1 + t/τ)^−γ."""
    _check_can_fit(lives)
    scale = _scale(lives)

    def cost(x: Floats) -> float:
        tau, gamma = np.exp(x)
        return -_log_likelihood(lives, lambda t: -gamma * np.log1p(t / tau))

    # Beyond these bounds the law is an exponential, or a step, to all that data can tell.
    bounds = [(np.log(scale * 1e-6), np.log(scale * 1e6)), (np.log(1e-3), np.log(1e6))]
    starts = [[np.log(scale * s), np.log(g)] for s in (0.3, 3.0) for g in (0.5, 3.0)]
    tries = [
        optimize.minimize(cost, x, method="Nelder-Mead", bounds=bounds, options=_OPTIONS)
        for x in starts
    ]
    best = min(tries, key=lambda one: one.fun)
    errors = _standard_errors(cost, best.x)
    tau, gamma = (float(v) for v in np.exp(best.x))
    return Fit(
        "power law", tau, gamma, tau * errors[0], gamma * errors[1], -float(best.fun), len(lives)
    )


_OPTIONS = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 4000, "maxfev": 4000}


def _scale(lives: Lifetimes) -> float:
    """A typical time: the mean of what was seen of ended lives."""
    return float(lives.first_missed[lives.ended].mean())


def _check_can_fit(lives: Lifetimes) -> None:
    instance("lives", lives, Lifetimes)
    if lives.ended.sum() < 3:
        raise refuse(
            "lifetimes",
            "must hold at least three that were seen to end",
            int(lives.ended.sum()),
            "observe longer or more connections",
        )


def _log_likelihood(lives: Lifetimes, log_survival: Callable[[Floats], Floats]) -> float:
    """Σ log(S(last seen) − S(first missed)), with S(first missed) = 0 for censored lives.

    Lives on a grid take few distinct values, so equal ones are computed once.
    """
    pairs, counts = _distinct(lives)
    start = log_survival(pairs[:, 0])
    ended = np.isfinite(pairs[:, 1])
    lost = np.zeros(len(pairs))
    lost[ended] = -np.expm1(log_survival(pairs[ended, 1]) - start[ended])
    terms = start + np.where(ended, np.log(np.maximum(lost, 1e-300)), 0.0)
    return float(counts @ terms)


def _distinct(lives: Lifetimes) -> tuple[Floats, NDArray[np.int64]]:
    cached = getattr(lives, "_distinct_pairs", None)
    if cached is None:
        pairs = np.stack([lives.last_seen, lives.first_missed], axis=1)
        cached = np.unique(pairs, axis=0, return_counts=True)
        object.__setattr__(lives, "_distinct_pairs", cached)
    return cached


def _standard_errors(cost: Callable[[Floats], float], x: Floats) -> Floats:
    """From the curvature of the log-likelihood in log parameters; NaN where it is flat."""
    n, h = len(x), 1e-3
    hessian = np.empty((n, n))
    steps = np.eye(n) * h
    for i in range(n):
        for j in range(n):
            hessian[i, j] = (
                cost(x + steps[i] + steps[j])
                - cost(x + steps[i] - steps[j])
                - cost(x - steps[i] + steps[j])
                + cost(x - steps[i] - steps[j])
            ) / (4 * h * h)
    values = np.linalg.eigvalsh(hessian)
    if not np.isfinite(hessian).all() or values.min() <= 1e-9 * max(values.max(), 1e-300):
        return np.full(n, np.nan)
    return np.sqrt(np.diag(np.linalg.inv(hessian)))
