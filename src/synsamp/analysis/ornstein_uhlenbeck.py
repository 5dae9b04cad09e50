"""The Ornstein–Uhlenbeck process: maximum-likelihood estimates and first-passage survival.

    dx = (b/σ²)(μ − x) dt + sqrt(2 b T) dW

is the rule for θ without a likelihood. The speed b, the width σ and the temperature T cannot be
estimated separately from x, but these can: μ, the stationary spread s = σ sqrt(T), and the strength
of the noise b·T (so the relaxation time is s²/(b·T)). The likelihood of each step is exact for any
interval: x′ ~ N(μ + k (x − μ), s² (1 − k²)) with k = exp(−b·T Δ/s²).

First passage is observed on a grid of sessions: x was at or below a threshold some sessions ago, is
above it now, and survives while it is above in every later session.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from synsamp.arguments import number, numbers, whole
from synsamp.errors import refuse

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OrnsteinUhlenbeck:
    """Estimates with standard errors; ``noise`` is b·T, ``spread`` is σ sqrt(T)."""

    mean: float
    spread: float
    noise: float
    mean_error: float
    spread_error: float
    noise_error: float
    n_steps: int

    @property
    def relaxation(self) -> float:
        """Time in which a deviation decays to 1/e."""
        return self.spread**2 / self.noise


def estimate_ornstein_uhlenbeck(
    before: ArrayLike, after: ArrayLike, interval: ArrayLike
) -> OrnsteinUhlenbeck:
    """Estimate the process by maximum likelihood from steps.

    Parameters
    ----------
    before, after
        x before and after each step, shape (steps,), at least ten. The likelihood is conditional
        on ``before``, so its selection causes no bias.
    interval
        Duration of each step, or one number.
    """
    x, y = numbers("before", before).ravel(), numbers("after", after).ravel()
    dt = np.atleast_1d(numbers("interval", interval, above=0)).ravel()
    if dt.size not in (1, x.size):
        raise refuse("interval", f"must be one number or {x.size}", dt.size)
    dt = np.broadcast_to(dt, x.shape)
    if x.shape != y.shape:
        raise refuse("before and after", "must be equally long", (x.size, y.size))
    if x.size < 10:
        raise refuse("steps", "must be at least ten", x.size, "observe longer or more spines")
    if np.ptp(x) == 0 or not (x != y).any():
        raise refuse("values", "must vary", "one value", "check the data")

    def cost(q: Floats) -> float:
        mean, log_spread, log_noise = q
        variance = np.exp(2 * log_spread)
        keep = np.exp(-np.exp(log_noise) * dt / variance)
        step = np.maximum(variance * -np.expm1(2 * np.log(np.maximum(keep, 1e-300))), 1e-300)
        return float(0.5 * np.sum(np.log(step) + (y - mean - keep * (x - mean)) ** 2 / step))

    spread = float(np.std(np.concatenate([x, y])))
    noise = float(np.mean((y - x) ** 2 / dt)) / 2
    start = np.array([np.mean(y), np.log(spread), np.log(noise)])
    best = optimize.minimize(
        cost, start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-8, "maxiter": 8000}
    )
    errors = _errors(cost, best.x)
    spread, noise = (float(v) for v in np.exp(best.x[1:]))
    return OrnsteinUhlenbeck(
        float(best.x[0]),
        spread,
        noise,
        float(errors[0]),
        spread * float(errors[1]),
        noise * float(errors[2]),
        x.size,
    )


def _errors(cost: object, q: Floats) -> Floats:
    """Standard errors from the curvature of the log-likelihood; NaN where it is flat."""
    h = np.array([1e-3 * max(np.exp(q[1]), 1e-12), 1e-3, 1e-3])
    hessian = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            a, b = np.eye(3)[i] * h, np.eye(3)[j] * h
            corners = cost(q + a + b) - cost(q + a - b) - cost(q - a + b) + cost(q - a - b)  # type: ignore[operator]
            hessian[i, j] = corners / (4 * h[i] * h[j])
    if not np.isfinite(hessian).all() or np.linalg.eigvalsh(hessian).min() <= 0:
        return np.full(3, np.nan)
    return np.sqrt(np.diag(np.linalg.inv(hessian)))


def first_passage_survival(
    mean: float,
    spread: float,
    relaxation: float,
    step: float,
    n_steps: int,
    window_steps: int = 1,
    threshold: float = 0.0,
) -> Floats:
    """Survival of new excursions above a threshold in the stationary process.

    New means above the threshold now and at or below it ``window_steps`` before. The process is
    reversible, so the density of new excursions is π(x) P(below after the window | x). Each session
    applies the transition of one step on Gauss–Legendre nodes above the threshold.

    Parameters
    ----------
    mean, spread, relaxation
        μ, s and τ of the process.
    step
        Time between sessions.
    n_steps
        Number of sessions.
    window_steps
        Sessions since the excursion was last below the threshold.
    threshold
        Value of x.

    Returns
    -------
    ndarray
        S at 0, ``step``, …, ``n_steps`` · ``step``; NaN if the threshold is out of reach.
    """
    mean, threshold = number("mean", mean), number("threshold", threshold)
    spread, relaxation = (
        number("spread", spread, above=0),
        number("relaxation", relaxation, above=0),
    )
    step, n_steps = (
        number("step", step, above=0),
        whole("n_steps", n_steps, at_least=1, at_most=10**6),
    )
    window_steps = whole("window_steps", window_steps, at_least=1)
    keep = np.exp(-step / relaxation)
    added = spread * np.sqrt(-np.expm1(-2.0 * step / relaxation))
    if added < _FINEST * spread:
        finest = relaxation * _FINEST**2 / 2
        raise refuse("step", f"must be at least {finest:.3g}", step, "use fewer sessions")
    reach = mean + _REACH * spread - threshold
    if not 0 < reach < 2 * _REACH * spread:
        return np.full(n_steps + 1, np.nan)
    at, weight = special.roots_legendre(max(100, int(_NODES_PER_STEP * reach / added)))
    x, weight = threshold + 0.5 * reach * (at + 1.0), 0.5 * reach * weight
    past = keep**window_steps
    below = special.ndtr(
        (threshold - mean - past * (x - mean)) / (spread * np.sqrt(1.0 - past * past))
    )
    mass = weight * np.exp(-0.5 * ((x - mean) / spread) ** 2) * below
    mass /= mass.sum()
    moved = (x[:, None] - mean - keep * (x - mean)[None, :]) / added
    stay = weight[:, None] * np.exp(-0.5 * moved**2) / (added * np.sqrt(2.0 * np.pi))
    alive = np.ones(n_steps + 1)
    for k in range(1, n_steps + 1):
        mass = stay @ mass
        alive[k] = mass.sum()
    return alive


_REACH, _NODES_PER_STEP, _FINEST = 8.0, 3.0, 0.02
"""Spreads beyond which the density is neglected, nodes per standard deviation of a step, and the
smallest standard deviation of a step in spreads (smaller ones need thousands of nodes)."""
