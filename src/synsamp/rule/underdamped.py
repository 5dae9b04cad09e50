"""Underdamped dynamics: a velocity averages the rule over the time τ (BAOAB steps).

    dθ = v dt,      τ dv = [ b (∂log p_S + N ∂log p_N) − v ] dt + sqrt(2 T b) dW

For τ → 0 this is the synaptic sampling rule (Eq. 5). For every τ the stationary distribution of θ
is that of Theorem 1, and v is Gaussian with variance T b/τ. Inertia carries θ along shallow
directions, so that a chain needs about sqrt(κ) instead of κ steps to forget where it was, with the
condition number κ of the posterior.

A step splits the equation as in BAOAB (Leimkuhler & Matthews 2013): kick, half a drift, friction
with noise, half a drift. Two half kicks between draws are one whole kick, so a step needs one
gradient. θ of a Gaussian posterior then has the exact variance at any stable step; otherwise the
bias is of second order in Δt. The iteration is stable for Δt < 2 sqrt(τ/λ), with λ the largest
b × curvature of −log(prior × likelihood).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import number
from synsamp.errors import SynsampError, refuse
from synsamp.noise.arithmetic import scalar
from synsamp.priors.base import at
from synsamp.rule.equation import drift
from synsamp.rule.kernel import chain_kernel, pick
from synsamp.rule.rule import Rule

Floats = NDArray[np.float64]

_PHASE = 1.0
"""Δt sqrt(λ/τ) of an automatic step, at the sharpest state that the pilot visits: the angle by
which the sharpest direction turns. Steps are unstable from 2."""


@scalar
def kick(v: Any, drift: Any, kick_time: Any) -> Any:
    """v after the force acted for Δt; ``kick_time`` is Δt/τ."""
    return v + kick_time * drift


@scalar
def glide(theta: Any, v: Any, half_dt: Any) -> Any:
    """θ after moving with the velocity v for Δt/2."""
    return theta + half_dt * v


@scalar
def refresh(v: Any, b: Any, T: Any, keep: Any, heat: Any, normal: Any) -> Any:
    """v after friction and noise for Δt; ``keep`` is e^(−Δt/τ), ``heat`` is (1 − keep²)/τ."""
    return keep * v + np.sqrt(heat * T * b) * normal


def _update_template(
    theta: Any,
    state: Any,
    first: int,
    prior: Any,
    data_size: float,
    likelihood: Any,
    speed_parameters: Any,
    mapping_parameters: Any,
    T: Any,
    constants: Any,
    normals: Any,
) -> None:
    """Move the part of θ that begins at ``first``; the first row of the state is v."""
    half_dt, kick_time, keep, heat = constants
    for i in range(theta.size):
        b = speed_value(theta[i], at(speed_parameters, first + i))  # type: ignore[name-defined]  # noqa: F821
        gradient = in_theta(likelihood[i], theta[i], mapping_parameters)  # type: ignore[name-defined]  # noqa: F821
        force = drift(b, 0.0, prior[i], data_size, gradient, pick(T, first + i))
        v = kick(state[0, first + i], force, kick_time)
        middle = glide(theta[i], v, half_dt)
        v = refresh(v, b, pick(T, first + i), keep, heat, normals[i])
        theta[i] = glide(middle, v, half_dt)
        state[0, first + i] = v


@dataclass(frozen=True)
class Underdamped:
    """Underdamped Langevin dynamics, in BAOAB steps: faster than the paper's for correlated θ.

    Parameters
    ----------
    tau : float, optional
        Time τ over which the velocity averages the rule, in the time unit of the speed b. Default:
        the relaxation time of the slowest direction, which ``sample`` measures if ``dt="auto"``.

    Examples
    --------
    >>> sample(Rule(gradient, Gaussian(0, 1)), start=[0.0], method=Underdamped())
    """

    tau: float | None = None
    state_rows = 1

    def __post_init__(self) -> None:
        if self.tau is not None:
            remedy = "use the relaxation time of the slowest direction"
            object.__setattr__(self, "tau", number("tau", self.tau, above=0, remedy=remedy))

    def require_fit(self, rule: Rule, size: int) -> None:
        """Raise an error if the speed depends on θ: the velocity would need a further term."""
        if not rule.speed.is_constant:
            remedy = "use a constant speed, or method=synsamp.Overdamped()"
            raise refuse("speed", "must not depend on θ with Underdamped", "a Speed", remedy)

    def constants(self, dt: float) -> tuple[float, ...]:
        """Numbers that the step needs: Δt/2, Δt/τ, e^(−Δt/τ), (1 − e^(−2Δt/τ))/τ."""
        if self.tau is None:
            raise SynsampError("tau must be given with a number as dt; or use dt='auto'")
        return (0.5 * dt, dt / self.tau, np.exp(-dt / self.tau), self._heat(dt))

    def _heat(self, dt: float) -> float:
        assert self.tau is not None
        return -float(np.expm1(-2.0 * dt / self.tau)) / self.tau

    def kernel(self, rule: Rule) -> Any:
        """Compiled loop of one chain."""
        return chain_kernel(rule, _update_template)

    def step(
        self,
        rule: Rule,
        theta: Floats,
        state: Floats,
        gradient: Any,
        T: Any,
        constants: tuple[float, ...],
        normals: NDArray[np.float32],
    ) -> None:
        """One step of θ (chains, parameters), in plain Python; ``state[:, 0]`` is v."""
        half_dt, kick_time, keep, heat = constants
        b = rule.speed.evaluate(theta)[0]
        force = drift.py_func(b, 0.0, rule.prior.gradient(theta), rule.data_size, gradient, T)
        v = kick.py_func(state[:, 0], force, kick_time)
        middle = glide.py_func(theta, v, half_dt)
        v = refresh.py_func(v, b, T, keep, heat, normals)
        theta[:], state[:, 0] = glide.py_func(middle, v, half_dt), v

    def tuned(self, slowest: float, draws: Floats | None = None, accepted: float = 0.0) -> Self:
        """The same with τ = ``slowest``, the relaxation time of the slowest direction."""
        return replace(self, tau=slowest)

    def best_dt(self, typical: float, sharpest: float) -> float:
        """Δt at which the sharpest direction, λ = b × curvature, turns by 1 rad in a step."""
        assert self.tau is not None
        return float(_PHASE * np.sqrt(self.tau / sharpest))

    def euler_dt(self, dt: float) -> float:
        """Δt²/2τ: the thermal velocity moves θ as far as the noise of such a step."""
        assert self.tau is not None
        return dt * dt / (2.0 * self.tau)

    def spread_inflation(self, curvature: float, dt: float) -> float:
        """0 for a Gaussian while steps are stable, else inf."""
        return np.inf if self._phase(curvature, dt) >= 2.0 else 0.0

    def overshoots(self, curvature: float, dt: float, noisy: bool) -> bool:
        """Whether steps are close to the limit of stability."""
        return self._phase(curvature, dt) >= 1.9

    def _phase(self, curvature: float, dt: float) -> float:
        assert self.tau is not None
        return dt * float(np.sqrt(max(curvature, 0.0) / self.tau))
