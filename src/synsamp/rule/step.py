"""Check from the curvature at the draws whether the time step is small enough.

Along a direction in which b × curvature of −log(prior × likelihood) is λ, a step removes the
fraction λΔt of a deviation. The spread is then too wide by a factor 1/sqrt(1 − λΔt/2), and the
iteration is unstable for λΔt >= 2; R-hat detects neither. Power iteration on differences of the
gradient, over the distance covered by the noise of one step, finds the sharpest direction. The
prior is local, so one difference serves all parameters. If steps jump back and forth over a narrow
mode, the curvature on either side is uninformative; therefore the force after one noise-free step
is also compared with the force before it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.rule.equation import diffusion
from synsamp.rule.method import Method
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.rule import Rule

Floats = NDArray[np.float64]
Gradient = Callable[[Floats], Floats]

WORTH_A_WARNING = 0.05
"""Relative error of the spread above which a warning is issued."""
_ITERATIONS = 8
_MOST_STATES = 8


class StepSizeWarning(UserWarning):
    """The time step biases the sampled distribution; the message suggests a smaller one."""


def probe_states(n_chains: int, n_draws: int, n_gradients: int) -> list[tuple[int, int]]:
    """(chain, draw) of the states to examine, few enough to cost a twentieth of the run."""
    affordable = n_gradients // (20 * 2 * _ITERATIONS)
    n = int(np.clip(affordable, 1, min(_MOST_STATES, n_chains * n_draws)))
    later = n_draws // 2  # the first half may still depend on the start values
    return [(k % n_chains, later + (n_draws - 1 - later) * k // n) for k in range(n)]


def curvatures(
    rule: Rule,
    states: Floats,
    euler_dt: float,
    T: float | Floats,
    gradient: Gradient | None,
) -> Floats:
    """Largest b × curvature of −log(prior × likelihood) at each state (n, parameters).

    The width of a step with ``euler_dt`` is the distance over which gradients are compared.
    """
    with np.errstate(all="ignore"):
        found = np.array([_sharpest(rule, theta, euler_dt, T, gradient) for theta in states])
    return found[np.isfinite(found)]


def check_step(
    rule: Rule,
    states: Floats,
    dt: float,
    time: float,
    gradient: Gradient | None,
    method: Method = Overdamped(),  # noqa: B008 (frozen)
    find_dt: Callable[[], float] | None = None,
) -> float:
    """Warn if ``dt`` is too large at these states (n, parameters); returns the excess spread.

    ``gradient`` is the deterministic gradient of the log-likelihood in θ, of rows of θ; with None
    only the prior counts. ``find_dt`` finds a good step by a short run, since draws of biased
    chains may lie where the curvature differs from that of the posterior.
    """
    T = rule.temperatures(np.array([time]), states.shape[1])[0]
    found = curvatures(rule, states, method.euler_dt(dt), T, gradient)
    if found.size == 0:
        return float("nan")
    typical, worst = float(np.median(found)), float(found.max())
    noisy = bool(np.any(T > 0))
    share = method.spread_inflation(typical, dt) if noisy else 0.0
    unstable = method.overshoots(worst, dt, noisy)
    if share > WORTH_A_WARNING or unstable:
        good = method.best_dt(max(typical, 1e-300), worst) if find_dt is None else find_dt()
        if unstable:
            effect = "steps may overshoot in the sharpest direction"
        else:
            effect = f"the spread of θ in the sharpest direction is about {share:.0%} too wide"
        warnings.warn(
            f"dt must be small compared with 1/(speed × curvature), got {dt:g}: at the draws "
            f"{effect}; use dt = {one_digit(min(good, dt))} or smaller, or dt='auto'",
            StepSizeWarning,
            stacklevel=4,
        )
    return share


def one_digit(x: float) -> str:
    """Rounded down to one digit."""
    unit = 10.0 ** np.floor(np.log10(x))
    return f"{np.floor(x / unit * (1 + 1e-9)) * unit:.1g}"


def _sharpest(rule: Rule, theta: Floats, dt: float, T: Any, gradient: Gradient | None) -> float:
    """Largest eigenvalue of sqrt(b) H sqrt(b), with the Hessian H of −log(prior × likelihood)."""
    b = np.broadcast_to(rule.speed.evaluate(theta)[0], theta.shape)
    noise = np.broadcast_to(diffusion.py_func(b, T) * np.sqrt(dt), theta.shape)
    far = np.where(noise > 0, noise, 1e-4 * (1.0 + np.abs(theta)))
    pull = rule.prior.gradient(theta - far) - rule.prior.gradient(theta + far)
    prior = pull / (2.0 * far)
    jump = _along_a_step(rule, theta, b, dt, gradient)
    if gradient is None:
        return max(jump, float(np.max(b * prior)))
    root = np.sqrt(b)

    def apply(v: Floats) -> Floats:
        u = root * v
        reach = 1.0 / np.sqrt(np.sum((u / far) ** 2))  # reach·u is about one step's noise long
        two = gradient(np.stack([theta - reach * u, theta + reach * u]))
        return np.asarray(root * (prior * u + rule.data_size * (two[0] - two[1]) / (2.0 * reach)))

    value = _top_eigenvalue(apply, theta.size, 0.0)
    if value < 0:  # the largest in size is negative: shift the spectrum and repeat
        value = _top_eigenvalue(apply, theta.size, -value)
    return max(jump, value)


def _along_a_step(
    rule: Rule, theta: Floats, b: Floats, dt: float, gradient: Gradient | None
) -> float:
    """λ from the force after one noise-free step, f(θ + bfΔt) = (1 − λΔt) f(θ)."""

    def force(at: Floats) -> Floats:
        likelihood = 0.0 if gradient is None else rule.data_size * gradient(at[None])[0]
        return rule.prior.gradient(at) + likelihood

    before = force(theta)
    after = force(theta + b * before * dt)
    strength = float(before @ (b * before))
    return (1.0 - float(after @ (b * before)) / strength) / dt if strength > 0 else 0.0


def _top_eigenvalue(apply: Callable[[Floats], Floats], size: int, shift: float) -> float:
    v = np.random.default_rng(0).standard_normal(size)
    v /= np.linalg.norm(v)
    value = 0.0
    for _ in range(_ITERATIONS):
        moved = apply(v)
        value = float(v @ moved)
        moved = moved + shift * v
        norm = np.linalg.norm(moved)
        if not norm > 0:
            break
        v = moved / norm
    return value
