"""A rule: which prior, which likelihood, how fast, how hot, and what w is to θ.

    Rule(likelihood, prior, speed=b, temperature=T, mapping=f)

Maximum likelihood learning is the same rule without its first and last term:
``Rule(likelihood, temperature=0)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import instance
from synsamp.errors import refuse
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule.equation import diffusion, drift
from synsamp.rule.likelihood import Likelihood, as_likelihood
from synsamp.rule.speed import Speed, as_speed


@dataclass(frozen=True, eq=False)
class Rule:
    """dθ = [b ∂log p_S + N b ∂log p_N + T b′] dt + sqrt(2Tb) dW.

    likelihood:  a gradient function, ``Batch``, ``Online``, ``HiddenStates``, or None
    prior:       one prior for all, or ``PriorByGroup``
    speed:       b, a number, one per parameter, or a ``Speed`` (function of θ)
    temperature: T, a number, one per parameter, or a function of time returning either
    mapping:     w = f(θ). The likelihood is then one of w: its gradient is called with w and gives
                 ∂log p_N/∂w, and the rule multiplies by dw/dθ. Default: w = θ
    """

    likelihood: Any = None
    prior: Prior | PriorByGroup = Flat()  # noqa: RUF009 (frozen, hence a safe default)
    speed: Any = 1.0
    temperature: float | NDArray[np.float64] | Callable[[float], Any] = 1.0
    mapping: Mapping = Identity()  # noqa: RUF009

    def __post_init__(self) -> None:
        object.__setattr__(self, "likelihood", as_likelihood(self.likelihood))
        object.__setattr__(self, "speed", as_speed(self.speed))
        instance("prior", self.prior, (Prior, PriorByGroup), "e.g. synsamp.Gaussian(0, 1)")
        instance("mapping", self.mapping, Mapping, "e.g. synsamp.Exponential(3.0)")
        if not callable(self.temperature):
            _require_temperature(self.temperature)

    @property
    def compiled(self) -> bool:
        """Whether the whole loop can run compiled."""
        parts = [self.prior, self.speed]
        if self.likelihood is not None:
            parts += [self.likelihood, self.mapping]
        return all(part.compiled for part in parts)

    @property
    def maps(self) -> bool:
        """Whether the likelihood speaks of another w than θ itself."""
        return self.likelihood is not None and not isinstance(self.mapping, Identity)

    @property
    def n_inputs(self) -> float:
        """The factor N of the likelihood term."""
        return float(self.likelihood.n_inputs) if self.likelihood is not None else 1.0

    def temperatures(self, times: NDArray[np.float64], size: int) -> NDArray[np.float64]:
        """T at each time: shape (times,) where it is the same for all, else (times, size)."""
        if not callable(self.temperature):
            value = np.asarray(self.temperature, float)
            rows = np.broadcast_to(value, times.shape + value.shape)
        else:
            rows = np.array([np.asarray(self.temperature(float(t)), float) for t in times])
            _require_temperature(rows)
        # Copies: a broadcast view is read-only, for which a kernel would be compiled anew.
        if rows.ndim == 1:
            return np.array(rows)
        if rows.shape[-1] not in (1, size):
            raise refuse("temperature", f"must be one number or {size} numbers", rows.shape[1:])
        return np.array(np.broadcast_to(rows, (times.size, size)), order="C")

    def terms(
        self, theta: NDArray[np.float64], likelihood_gradient: Any, T: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(drift, diffusion) for an array of parameters, from a likelihood gradient at hand."""
        b, b_slope = self.speed.evaluate(theta)
        prior_gradient = self.prior.gradient(theta)
        return (
            drift.py_func(b, b_slope, prior_gradient, self.n_inputs, likelihood_gradient, T),
            diffusion.py_func(b, T),
        )

    def check(self, theta: NDArray[np.float64]) -> None:
        """Refuse start values that do not fit the rule."""
        size = theta.shape[-1]
        if isinstance(self.prior, PriorByGroup) and self.prior.size != size:
            raise refuse(
                "start", f"must have {self.prior.size} parameters, as prior.group does", size
            )
        assert isinstance(self.speed, Speed)
        self.speed.check(theta)


def _require_temperature(value: Any) -> None:
    array = np.asarray(value, float)
    if not np.all(np.isfinite(array) & (array >= 0)):
        raise refuse(
            "temperature", "must be >= 0 and finite", value, "0 gives MAP, 1 the posterior"
        )


__all__ = ["Likelihood", "Rule"]
