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

from synsamp.arguments import instance, number_or_numbers, numbers
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
            object.__setattr__(self, "temperature", _as_temperature(self.temperature))

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
    def data_size(self) -> float:
        """The factor N of the likelihood term."""
        return float(self.likelihood.data_size) if self.likelihood is not None else 1.0

    def temperatures(self, times: NDArray[np.float64], size: int) -> NDArray[np.float64]:
        """T at each time: shape (times,) where it is the same for all, else (times, size)."""
        if not callable(self.temperature):
            value = np.asarray(self.temperature, float)
            rows = np.broadcast_to(value, times.shape + value.shape)
        else:
            rows = numbers("temperature", [self.temperature(float(t)) for t in times], **_HEAT)
        # Copies: a broadcast view is read-only, for which a kernel would be compiled anew.
        if rows.ndim == 1:
            return np.array(rows)
        if rows.ndim != 2 or rows.shape[-1] not in (1, size):
            raise refuse("temperature", f"must be one number or {size} numbers", rows.shape[1:])
        return np.array(np.broadcast_to(rows, (times.size, size)), order="C")

    def terms(
        self, theta: NDArray[np.float64], likelihood_gradient: Any, T: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(drift, diffusion) for an array of parameters, from a likelihood gradient at hand."""
        b, b_slope = self.speed.evaluate(theta)
        prior_gradient = self.prior.gradient(theta)
        return (
            drift.py_func(b, b_slope, prior_gradient, self.data_size, likelihood_gradient, T),
            diffusion.py_func(b, T),
        )

    def check(self, theta: NDArray[np.float64]) -> None:
        """Refuse start values that do not fit the rule, and a mapping or prior that fails there."""
        size = theta.shape[-1]
        if isinstance(self.prior, PriorByGroup) and self.prior.group.shape != (size,):
            labels = " x ".join(map(str, self.prior.group.shape))
            raise refuse("start", f"must have {labels} parameters, as prior.group does", size)
        self.prior.parts(size)
        self.temperatures(np.zeros(1), size)
        assert isinstance(self.speed, Speed)
        self.speed.check(theta)
        _require_finite("gradient of the prior", self.prior.gradient(theta))
        if self.maps:
            _require_finite("weight of the mapping", self.mapping.weight(theta))
            _require_finite("slope of the mapping", self.mapping.slope(theta))


_HEAT: Any = dict(at_least=0, at_most=1e12, remedy="0 gives MAP, 1 the posterior")


def _as_temperature(value: Any) -> Any:
    return number_or_numbers("temperature", value, **_HEAT)


def _require_finite(name: str, values: NDArray[np.float64]) -> None:
    if not np.all(np.isfinite(values)):
        bad = float(values[~np.isfinite(values)].flat[0])
        raise refuse(name, "must be finite at the start values", bad, "start elsewhere")


__all__ = ["Likelihood", "Rule"]
