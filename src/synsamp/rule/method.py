"""What a sampling method provides: `Overdamped`, `Underdamped` and `MALA` have this interface.

A method moves θ of every chain by one step at a time, in a compiled loop and in plain Python. Its
``state`` holds a few rows of numbers per chain, such as the velocity.
"""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.rule.rule import Rule

Floats = NDArray[np.float64]


class Method(Protocol):
    """How θ moves under a rule."""

    state_rows: int
    """Rows of the state of a chain, each as long as θ."""

    def require_fit(self, rule: Rule, size: int) -> None:
        """Raise an error if the method cannot sample this rule of ``size`` parameters."""

    def constants(self, dt: float) -> tuple[Any, ...]:
        """Numbers and arrays that the step needs at the time step Δt."""

    def kernel(self, rule: Rule) -> Any:
        """Compiled loop of one chain, with the arguments of ``chain_kernel``'s."""

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
        """One step of θ (chains, parameters) and state (chains, rows, parameters), in place."""

    def tuned(self, slowest: float, draws: Floats | None = None, accepted: float = 0.0) -> Self:
        """The method after a round of the pilot.

        Parameters
        ----------
        slowest : float
            Relaxation time of the slowest direction.
        draws : ndarray, shape (chains, draws, parameters), optional
            Draws of the round, divided by sqrt(T b).
        accepted : float
            Share of accepted steps.
        """

    def best_dt(self, typical: float, sharpest: float) -> float:
        """Δt for the typical and the largest b × curvature of −log(prior × likelihood)."""

    def euler_dt(self, dt: float) -> float:
        """Δt of a step of the paper's dynamics that is about as long."""

    def spread_inflation(self, curvature: float, dt: float) -> float:
        """Relative error of the spread along a direction with this b × curvature."""

    def overshoots(self, curvature: float, dt: float, noisy: bool) -> bool:
        """Whether steps are unstable, or nearly so, along a direction with this b × curvature."""
