"""The paper's dynamics: overdamped Langevin steps (Eq. 21, the rule in discrete time).

    θ ← θ + [ b (∂log p_S + N ∂log p_N) + T b′ ] Δt + sqrt(2 T b Δt) ν

One Euler–Maruyama step of the rule. The stationary distribution is wrong to first order in Δt:
along a direction in which b × curvature is λ, the variance is too large by 1/(1 − λΔt/2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.priors.base import at
from synsamp.rule.equation import diffusion, drift, euler_maruyama
from synsamp.rule.kernel import chain_kernel, pick
from synsamp.rule.rule import Rule

Floats = NDArray[np.float64]

_SPREAD_ERROR = 0.01


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
    """Move the part of θ that begins at ``first``; parameter arrays cover all of θ."""
    sqrt_dt = constants[0]
    for i in range(theta.size):
        b = speed_value(theta[i], at(speed_parameters, first + i))  # type: ignore[name-defined]  # noqa: F821
        b_slope = speed_slope(theta[i], at(speed_parameters, first + i))  # type: ignore[name-defined]  # noqa: F821
        theta[i] = euler_maruyama(
            theta[i],
            drift(
                b,
                b_slope,
                prior[i],
                data_size,
                in_theta(likelihood[i], theta[i], mapping_parameters),  # type: ignore[name-defined]  # noqa: F821
                pick(T, first + i),
            ),
            diffusion(b, pick(T, first + i)),
            sqrt_dt,
            normals[i],
        )


def spread_inflation(step: float | Floats) -> Floats:
    """Relative excess of the spread at λΔt = ``step``; inf where the iteration is unstable."""
    step = np.asarray(step, float)
    safe = np.minimum(step, 1.999)
    return np.where(step < 2.0, 1.0 / np.sqrt(1.0 - safe / 2.0) - 1.0, np.inf)


@dataclass(frozen=True)
class Overdamped:
    """The paper's dynamics (Eq. 21, the rule in discrete time); the default of ``sample``."""

    state_rows = 0

    def require_fit(self, rule: Rule, size: int) -> None:
        """Any rule fits."""

    def constants(self, dt: float) -> tuple[float, ...]:
        """Numbers that the step needs: sqrt(Δt)."""
        return (np.sqrt(dt),)

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
        """One step of θ (chains, parameters), in plain Python."""
        moved, noise = rule.terms(theta, gradient, T)
        theta[:] = euler_maruyama.py_func(theta, moved, noise, constants[0], normals)

    def tuned(self, slowest: float, draws: Floats | None = None, accepted: float = 0.0) -> Self:
        """The paper's dynamics has nothing to tune apart from the step."""
        return self

    def best_dt(self, typical: float, sharpest: float) -> float:
        """Δt at which the spread is wrong by 1 %, for λ = b × curvature."""
        aim = 2.0 * (1.0 - 1.0 / (1.0 + _SPREAD_ERROR) ** 2)
        return min(aim / typical, 0.5 / sharpest)

    def euler_dt(self, dt: float) -> float:
        """Δt itself."""
        return dt

    def spread_inflation(self, curvature: float, dt: float) -> float:
        """1/sqrt(1 − λΔt/2) − 1; R-hat does not detect it."""
        return float(spread_inflation(max(curvature * dt, 0.0)))

    def overshoots(self, curvature: float, dt: float, noisy: bool) -> bool:
        """Whether a step multiplies a deviation by a number below 0, or without noise below −1."""
        return curvature * dt >= (1.0 if noisy else 2.0)
