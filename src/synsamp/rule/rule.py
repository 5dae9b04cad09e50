"""A rule: prior, likelihood, speed, temperature and mapping of the parameters θ.

    Rule(likelihood, prior, speed=b, temperature=T, mapping=f)

``Rule(likelihood, temperature=0)``, without prior and noise, is maximum likelihood learning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, number_or_numbers, numbers
from synsamp.errors import refuse
from synsamp.mappings import Identity, Mapping
from synsamp.priors import Flat, Prior, PriorByGroup, Values
from synsamp.rule.equation import diffusion, drift
from synsamp.rule.likelihood import Likelihood, as_likelihood
from synsamp.rule.speed import Speed, as_speed

_FLAT, _IDENTITY = Flat(), Identity()
_BOUNDS: Any = dict(at_least=0, at_most=1e12, remedy="0 gives MAP, 1 the posterior")


@dataclass(frozen=True, eq=False, init=False)
class Rule:
    """The synaptic sampling rule (Eq. 5; Eq. 12 with b(θ) and T) for one model.

    dθ = [b ∂log p_S + N b ∂log p_N + T b′] dt + sqrt(2Tb) dW

    Parameters
    ----------
    likelihood : callable, Batch, Online, HiddenStates or None
        Gradient of log p_N. A function stands for ``Batch(function)``.
    prior : Prior or PriorByGroup
        Prior p_S of θ.
    speed : float, array of shape (parameters,), or Speed
        Sampling speed b > 0, per time unit; a ``Speed`` depends on θ.
    temperature : float, array of shape (parameters,), or callable
        Temperature T >= 0, or a function of time that returns either; 0 gives MAP.
    mapping : Mapping
        w = f(θ). The likelihood is then a function of w: its gradient receives w and returns
        ∂log p_N/∂w, and the rule multiplies by dw/dθ (Eq. 10, structural plasticity rule).

    Examples
    --------
    >>> rule = Rule(lambda theta: (1.0 - theta) / 0.1**2, Gaussian(0, 1), speed=0.5)
    """

    likelihood: Likelihood | None
    prior: Prior | PriorByGroup
    speed: Speed
    temperature: float | NDArray[np.float64] | Callable[[float], Values]
    mapping: Mapping

    def __init__(
        self,
        likelihood: Likelihood | Callable[..., ArrayLike] | None = None,
        prior: Prior | PriorByGroup = _FLAT,
        speed: Values | Sequence[float] | Speed = 1.0,
        temperature: Values | Sequence[float] | Callable[[float], Values] = 1.0,
        mapping: Mapping = _IDENTITY,
    ) -> None:
        instance("prior", prior, (Prior, PriorByGroup), "e.g. synsamp.Gaussian(0, 1)")
        instance("mapping", mapping, Mapping, "e.g. synsamp.Exponential(3.0)")
        if not callable(temperature):
            temperature = number_or_numbers("temperature", temperature, **_BOUNDS)
        for name, value in (
            ("likelihood", as_likelihood(likelihood)),
            ("prior", prior),
            ("speed", as_speed(speed)),
            ("temperature", temperature),
            ("mapping", mapping),
        ):
            object.__setattr__(self, name, value)

    @property
    def compiled(self) -> bool:
        """Whether the whole loop can run compiled."""
        parts: list[Any] = [self.prior, self.speed]
        if self.likelihood is not None:
            parts += [self.likelihood, self.mapping]
        return all(part.compiled for part in parts)

    @property
    def maps(self) -> bool:
        """Whether the likelihood is a function of a w that differs from θ."""
        return self.likelihood is not None and not isinstance(self.mapping, Identity)

    @property
    def data_size(self) -> float:
        """Factor N of the likelihood term."""
        return float(self.likelihood.data_size or 1.0) if self.likelihood is not None else 1.0

    def temperatures(self, times: NDArray[np.float64], size: int) -> NDArray[np.float64]:
        """T at each time.

        Parameters
        ----------
        times : ndarray, shape (times,)
            Times since the start.
        size : int
            Number of parameters.

        Returns
        -------
        ndarray of shape (times,) if all parameters share T, else (times, size)
        """
        if not callable(self.temperature):
            value = np.asarray(self.temperature, float)
            rows = np.broadcast_to(value, times.shape + value.shape)
        else:
            rows = numbers("temperature", [self.temperature(float(t)) for t in times], **_BOUNDS)
        # Copies: Numba would compile the kernel again for a read-only broadcast view.
        if rows.ndim == 1:
            return np.array(rows)
        if rows.ndim != 2 or rows.shape[-1] not in (1, size):
            raise refuse("temperature", f"must be one number or {size} numbers", rows.shape[1:])
        return np.array(np.broadcast_to(rows, (times.size, size)), order="C")

    def terms(
        self, theta: NDArray[np.float64], likelihood_gradient: Any, T: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Drift and diffusion of an array of parameters, for a given likelihood gradient."""
        b, b_slope = self.speed.evaluate(theta)
        prior_gradient = self.prior.gradient(theta)
        return (
            drift.py_func(b, b_slope, prior_gradient, self.data_size, likelihood_gradient, T),
            diffusion.py_func(b, T),
        )

    def check(self, theta: NDArray[np.float64]) -> None:
        """Raise an error if start values (…, parameters) do not fit, or give infinite terms."""
        size = theta.shape[-1]
        if isinstance(self.prior, PriorByGroup) and self.prior.group.shape != (size,):
            labels = " x ".join(map(str, self.prior.group.shape))
            raise refuse("start", f"must have {labels} parameters, as prior.group does", size)
        self.prior.parts(size)
        self.temperatures(np.zeros(1), size)
        self.speed.check(theta)
        _require_finite("gradient of the prior", self.prior.gradient(theta))
        if self.maps:
            _require_finite("weight of the mapping", self.mapping.weight(theta))
            _require_finite("slope of the mapping", self.mapping.slope(theta))


def _require_finite(name: str, values: NDArray[np.float64]) -> None:
    if not np.all(np.isfinite(values)):
        bad = float(values[~np.isfinite(values)].flat[0])
        raise refuse(name, "must be finite at the start values", bad, "start elsewhere")
