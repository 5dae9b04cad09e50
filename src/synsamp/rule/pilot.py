"""A pilot run that finds the time step and the relaxation time of the slowest direction.

Rounds of doubling length start where the last one ended. After each, power iteration on differences
of the gradient finds the sharpest direction at some of the draws (`rule/step.py`), and the
covariance of the draws has the slowest one. The pilot ends when R-hat of a round is below 1.1. Its
last states are the start values of the run, so the pilot serves as burn-in.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.rule.backends import ChainBackend, DivergedError
from synsamp.rule.diagnostics import diagnose
from synsamp.rule.mala import MALA
from synsamp.rule.method import Method
from synsamp.rule.rule import Rule
from synsamp.rule.step import curvatures

Floats = NDArray[np.float64]

_FIRST, _ROUNDS, _AT_LEAST = 64, 11, 4
_MOST_DRAWS, _MOST_NUMBERS = 256, 2**22
_STATES = 16
_MOST_PARAMETERS = 256
"""Parameters, evenly spaced, whose R-hat ends the pilot."""
_CONVERGED = 1.1


class MakeBackend(Protocol):
    """Makes chains of the rule from start values, a time step and a seed."""

    def __call__(
        self, start: Floats, dt: float, seed: np.random.SeedSequence, method: Method
    ) -> ChainBackend:
        """The chains."""


class Tuned(NamedTuple):
    """What the pilot found."""

    dt: float
    method: Method
    theta: Floats
    """Last states, shape (chains, parameters)."""
    relaxation: float
    """Relaxation time of the slowest direction."""
    curvature: tuple[float, float]
    """Typical and largest b × curvature of −log(prior × likelihood)."""


def tune(
    make: MakeBackend, rule: Rule, start: Floats, method: Method, seed: np.random.SeedSequence
) -> Tuned:
    """Find the step, tune the method and move the chains to where they should start."""
    likelihood = rule.likelihood
    if likelihood is not None and not likelihood.has_fixed_gradient:
        raise refuse("dt", "must be a number if hidden states are random", "auto", "try 1e-3")
    T = rule.temperatures(np.zeros(1), start.shape[1])[0]
    gradient = make(start, 1.0, seed, method.tuned(1.0)).fixed_gradient
    b = np.broadcast_to(rule.speed.evaluate(start)[0], start.shape)
    tiny = 1e-8 * float(np.mean((1.0 + np.abs(start)) ** 2 / b))
    sharp = _positive(curvatures(rule, start[:_STATES], tiny, T, gradient), 1.0 / tiny)
    theta, relaxation = start, 1.0 / float(sharp.max())
    if len(start) > 1 and np.all(start == start[0]):  # spread them by one width of the sharpest
        normals = np.random.default_rng(seed.spawn(1)[0]).standard_normal(start.shape)
        width = np.sqrt(T * b / sharp.max())  # huge at a turning point of the density
        theta = start + normals * np.minimum(width, 1.0 + np.abs(start))
    method = method.tuned(relaxation)
    for k in range(_ROUNDS):
        dt, steps = method.best_dt(float(np.median(sharp)), float(sharp.max())), _FIRST * 2**k
        most = int(np.clip(_MOST_NUMBERS // theta.size, 8, _MOST_DRAWS))
        try:
            chains = make(theta, dt, seed.spawn(1)[0], method)
            draws = chains.advance(steps, thin=max(1, steps // most))
        except DivergedError:
            sharp = 16.0 * sharp  # a quarter of the step, or a sixteenth
            continue
        late = draws[:, draws.shape[1] // 2 :]
        states = late.reshape(-1, late.shape[2])[
            :: max(1, late.shape[0] * late.shape[1] // _STATES)
        ]
        found = curvatures(rule, states, method.euler_dt(dt), T, gradient)
        sharp = _positive(found, float(sharp.max()))
        if method.overshoots(float(sharp.max()), dt, bool(np.any(T > 0))):
            continue  # the start was flatter than the places the chains reached: return to it
        theta = draws[:, -1].copy()
        noise = np.broadcast_to(T * b[0], theta.shape[1:])
        scaled = late / np.sqrt(np.where(noise > 0, noise, np.inf))
        relaxation = max(_slowest(scaled), 1.0 / float(np.median(sharp)))
        method = method.tuned(relaxation, scaled, chains.accepted)
        if k >= _AT_LEAST and _converged(draws):
            break
    if isinstance(method, MALA):  # its metric makes all directions relax in about one unit of time
        relaxation = 1.0
    curvature = (float(np.median(sharp)), float(sharp.max()))
    return Tuned(method.best_dt(*curvature), method, theta, relaxation, curvature)


def _positive(found: Floats, otherwise: float) -> Floats:
    """Curvatures above zero; where the posterior curves the other way, its size counts."""
    sizes = np.abs(found)
    return sizes[sizes > 0] if np.any(sizes > 0) else np.array([otherwise])


def _slowest(draws: Floats) -> float:
    """Largest variance of draws (chains, draws, parameters) along any direction."""
    rows = draws.reshape(-1, draws.shape[2])
    rows = rows - rows.mean(axis=0)
    square = rows.T @ rows if rows.shape[1] <= rows.shape[0] else rows @ rows.T
    return float(np.linalg.eigvalsh(square)[-1]) / len(rows)


def _converged(draws: Floats) -> bool:
    some = draws[:, :, :: -(-draws.shape[2] // _MOST_PARAMETERS)]
    r_hat = diagnose(lambda columns: some[:, :, columns], some.shape)["r_hat"]
    return not bool(np.any(r_hat > _CONVERGED))
