"""MALA: the paper's step, accepted or rejected, so that the time step leaves no bias.

    θ' = θ + A F(θ) Δt + sqrt(2 T Δt) D L ν,        A = D L Lᵀ D,   D = diag(sqrt(b))

    accept with probability min(1, exp[ (U(θ') − U(θ))/T + (|ν|² − |ν'|²)/2 ])

F is the gradient of U = log(prior × likelihood), and ν' = −ν − sqrt(Δt/2T) LᵀD (F(θ) + F(θ')) is
the noise that leads back (Roberts & Tweedie 1996). With the metric L Lᵀ = 1 the proposal is one
step of the rule (Eq. 21). Otherwise the metric is the covariance of the pilot's draws, so that all
directions relax equally fast. The metric and the step are fixed during the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import function, number, numbers
from synsamp.errors import refuse
from synsamp.priors.base import at
from synsamp.rule.equation import drift
from synsamp.rule.kernel import bind_likelihood, bind_mapping, bind_priors, take_normals
from synsamp.rule.likelihood import Batch
from synsamp.rule.rule import Rule
from synsamp.specialise import is_compiled, specialise

Floats = NDArray[np.float64]

_ACCEPTANCE = 0.574
"""Share of accepted steps at which MALA is most efficient (Roberts & Rosenthal 1998)."""
_LENGTH = 1.36
"""Δt of that step for independent standard normals is about this × parameters^(−1/3)."""


def _posterior_template(
    theta: Any, data_size: float, terms: Any, data: Any, force: Any, room: Any, part: Any
) -> float:
    """U(θ); writes F(θ). ``terms`` are parameters and ranges of the prior, and of the mapping."""
    prior_parameters, prior_ranges, mapping_parameters = terms
    weights = weights_of(theta, mapping_parameters, room)  # type: ignore[name-defined]  # noqa: F821
    value = data_size * log_likelihood(weights, *data)  # type: ignore[name-defined]  # noqa: F821
    gradient = likelihood_gradient(weights, 0, None, force, data)  # type: ignore[name-defined]  # noqa: F821
    add_log_priors(theta, 0, part, prior_parameters, prior_ranges)  # type: ignore[name-defined]  # noqa: F821
    value += part.sum()
    add_priors(theta, 0, part, prior_parameters, prior_ranges)  # type: ignore[name-defined]  # noqa: F821
    for i in range(theta.size):
        likelihood = in_theta(gradient[i], theta[i], mapping_parameters)  # type: ignore[name-defined]  # noqa: F821
        force[i] = drift(1.0, 0.0, part[i], data_size, likelihood, 0.0)  # b is in the metric
    return value


def _chain_template(
    theta: Any,
    state: Any,
    first_step: int,
    n_steps: int,
    constants: Any,
    temperatures: Any,
    prior_parameters: Any,
    prior_ranges: Any,
    speed_parameters: Any,
    mapping_parameters: Any,
    data_size: float,
    inputs: Any,
    data: Any,
    rng: Any,
    stream: Any,
    buffer: Any,
    position: int,
    origin: int,
    thin: int,
    draws: Any,
) -> int:
    dt, metric = constants
    T, terms = temperatures[0], (prior_parameters, prior_ranges, mapping_parameters)
    noise, back = np.sqrt(2.0 * T * dt), np.sqrt(0.5 * dt / T)
    size, dense = theta.size, metric.shape[0] > 0
    force, new_force = np.empty(size), np.empty(size)
    room, part, step = np.empty(size), np.empty(size), np.empty(size)
    other, normals = np.empty(size), np.empty(size, np.float32)
    root = np.empty(size)
    for i in range(size):
        root[i] = np.sqrt(speed_value(theta[i], at(speed_parameters, i)))  # type: ignore[name-defined]  # noqa: F821
    value = posterior(theta, data_size, terms, data, force, room, part)  # type: ignore[name-defined]  # noqa: F821
    kept = 0
    for s in range(n_steps):
        position = take_normals(stream, buffer, position, normals)
        for i in range(size):  # LᵀD F Δt + sqrt(2TΔt) ν
            pull = root[i] * force[i]
            if dense:
                pull = 0.0
                for j in range(i, size):
                    pull += metric[j, i] * root[j] * force[j]
            step[i] = dt * pull + noise * normals[i]
        for i in range(size):
            move = step[i]
            if dense:
                move = 0.0
                for j in range(i + 1):
                    move += metric[i, j] * step[j]
            other[i] = theta[i] + root[i] * move
        new_value = posterior(other, data_size, terms, data, new_force, room, part)  # type: ignore[name-defined]  # noqa: F821
        ratio = (new_value - value) / T
        for i in range(size):
            pull = root[i] * (force[i] + new_force[i])
            if dense:
                pull = 0.0
                for j in range(i, size):
                    pull += metric[j, i] * root[j] * (force[j] + new_force[j])
            reverse = -normals[i] - back * pull
            ratio += 0.5 * (normals[i] * normals[i] - reverse * reverse)
        if np.log(rng.random()) < ratio:  # false for nan
            theta[:], force[:], value = other, new_force, new_value
            state[0, 0] += 1.0
        if (first_step + s + 1 - origin) % thin == 0:
            draws[kept] = theta
            kept += 1
    return position


def _no_log_likelihood(theta: Any, zeros: Any) -> float:
    return 0.0


@dataclass(frozen=True, eq=False)
class MALA:
    """Metropolis-adjusted Langevin steps: without bias, for compiled log-likelihoods.

    Parameters
    ----------
    log_likelihood : callable, optional
        ``log_likelihood(w, *data)``, compiled by Numba: the function whose gradient is the
        likelihood of the rule, up to a constant. None for a rule without likelihood.
    metric : ndarray, shape (parameters, parameters), optional
        Lower triangular L. Default: 1, or with ``dt="auto"`` the Cholesky factor of the covariance
        of the pilot's draws.
    length : float
        Factor of the automatic step, which the pilot adapts.

    Examples
    --------
    >>> sample(Rule(gradient, Gaussian(0, 1)), start=[0.0], method=MALA(log_likelihood))
    """

    log_likelihood: Callable[..., float] | None = None
    metric: Floats | None = None
    length: float = 1.0
    state_rows = 1  # its first number counts the accepted steps

    def __post_init__(self) -> None:
        number("length", self.length, above=0, at_most=1e6)
        if self.metric is not None:
            metric = numbers("metric", self.metric, shape=(None, None))
            if metric.shape[0] != metric.shape[1] or np.triu(metric, 1).any():
                remedy = "use np.linalg.cholesky(covariance)"
                raise refuse("metric", "must be square and lower triangular", metric.shape, remedy)
            object.__setattr__(self, "metric", metric)

    def require_fit(self, rule: Rule, size: int) -> None:
        """Raise an error unless U(θ) is known and the whole loop can be compiled."""
        if self.metric is not None and len(self.metric) != size:
            remedy = "give one row per parameter"
            raise refuse("metric", f"must have shape {(size, size)}", self.metric.shape, remedy)
        if rule.likelihood is not None:
            remedy = "pass MALA(log_likelihood), compiled by numba.njit"
            function("log_likelihood", self.log_likelihood, remedy)
            if type(rule.likelihood) is not Batch:
                got = type(rule.likelihood).__name__
                raise refuse("likelihood", "must be a Batch for MALA", got, "use Underdamped()")
            if not rule.compiled or not is_compiled(self.log_likelihood):
                remedy = "compile gradient and log-likelihood by numba.njit, or use Underdamped()"
                raise refuse("functions", "must be compiled for MALA", "plain Python", remedy)
        if not rule.speed.is_constant:
            raise refuse("speed", "must not depend on θ with MALA", "a Speed", "use a number")
        T = rule.temperature
        if callable(T) or np.ndim(T) or not T > 0:
            raise refuse("temperature", "must be one number > 0 for MALA", T, "use Underdamped()")

    def constants(self, dt: float) -> tuple[Any, ...]:
        """Δt and the metric; an empty metric is 1."""
        return dt, np.zeros((0, 0)) if self.metric is None else self.metric

    def kernel(self, rule: Rule) -> Any:
        """Compiled loop of one chain."""
        weights_of, in_theta = bind_mapping(rule)
        log_likelihood = self.log_likelihood or specialise(_no_log_likelihood)
        posterior = specialise(
            _posterior_template,
            weights_of=weights_of,
            in_theta=in_theta,
            log_likelihood=log_likelihood,
            likelihood_gradient=bind_likelihood(rule),
            add_priors=bind_priors(rule, "gradient_of"),
            add_log_priors=bind_priors(rule, "log_density_of"),
        )
        parts = dict(posterior=posterior, speed_value=rule.speed.value_of)
        return specialise(_chain_template, on_disk=True, **parts)

    def step(
        self,
        rule: Rule,
        theta: Floats,
        state: Floats,
        gradient: Any,
        T: Any,
        constants: tuple[Any, ...],
        normals: NDArray[np.float32],
    ) -> None:
        """Never called: ``require_fit`` accepts compiled rules only."""
        raise NotImplementedError

    def tuned(self, slowest: float, draws: Floats | None = None, accepted: float = 0.0) -> Self:
        """Metric from the covariance of scaled draws; a longer step if too many are accepted."""
        if draws is None:
            return self
        rows = draws.reshape(-1, draws.shape[2])
        own = np.cov(rows.T).reshape(rows.shape[1], -1)
        trust = len(rows) / (len(rows) + 5.0 + 10.0 * rows.shape[1])
        covariance = trust * own + (1.0 - trust) * np.diag(np.diag(own) + 1e-300)
        length = float(self.length * np.exp(accepted - _ACCEPTANCE))
        metric = np.asarray(np.linalg.cholesky(covariance), np.float64)
        return replace(self, metric=metric, length=length)

    def best_dt(self, typical: float, sharpest: float) -> float:
        """Δt of the automatic step: from the number of parameters, or without metric from λ."""
        if self.metric is None:
            return 0.3 / sharpest
        return self.length * _LENGTH * float(len(self.metric) ** (-1 / 3))

    def euler_dt(self, dt: float) -> float:
        """Δt itself."""
        return dt

    def spread_inflation(self, curvature: float, dt: float) -> float:
        """0: rejections remove the bias."""
        return 0.0

    def overshoots(self, curvature: float, dt: float, noisy: bool) -> bool:
        """Never: a step that overshoots is rejected."""
        return False
