"""Log-normal prior on the weight w, expressed in θ through the mapping.

If w = f(θ) and w is log-normal, then log p_S(θ) = log LN(f(θ); m, s) + log f′(θ). For the
exponential mapping this is a Gaussian in θ with mean m + θ0 (Fig. 3D).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import instance, number
from synsamp.errors import refuse
from synsamp.mappings import Exponential, Mapping
from synsamp.priors.base import LOCATION_BOUNDS, SCALE_BOUNDS, Prior, Size
from synsamp.specialise import specialise

_HALF_LOG_2_PI = 0.5 * np.log(2 * np.pi)


def _log_density(theta: Any, p: Any) -> Any:
    m, s = p[0], p[1]
    log_w = np.log(weight_of(theta, p[2:]))  # type: ignore[name-defined]  # noqa: F821
    z = (log_w - m) / s
    density_of_w = -0.5 * z * z - np.log(s) - _HALF_LOG_2_PI - log_w
    return density_of_w + np.log(slope_of(theta, p[2:]))  # type: ignore[name-defined]  # noqa: F821


def _gradient(theta: Any, p: Any) -> Any:
    m, s = p[0], p[1]
    w = weight_of(theta, p[2:])  # type: ignore[name-defined]  # noqa: F821
    pull = -(1.0 + (np.log(w) - m) / (s * s)) / w
    return pull * slope_of(theta, p[2:]) + dlog_slope_of(theta, p[2:])  # type: ignore[name-defined]  # noqa: F821


@dataclass(frozen=True)
class LogNormalWeight(Prior):
    """Log-normal prior on the weight: log w ~ N(log_mean, log_std²).

    Parameters
    ----------
    log_mean, log_std : float
        Mean and standard deviation of log w.
    mapping : Mapping
        w = f(θ), with ``dlog_slope_of``.
    """

    log_mean: float = -2.5
    log_std: float = 1.0
    mapping: Mapping = Exponential()  # noqa: RUF009 (frozen, hence a safe default)

    def __post_init__(self) -> None:
        object.__setattr__(self, "log_mean", number("log_mean", self.log_mean, **LOCATION_BOUNDS))
        object.__setattr__(self, "log_std", number("log_std", self.log_std, **SCALE_BOUNDS))
        instance("mapping", self.mapping, Mapping, "e.g. synsamp.Exponential(3.0)")
        if self.mapping.dlog_slope_of is None:
            raise refuse(
                "mapping.dlog_slope_of",
                "must be given for a prior on w",
                None,
                "pass d log(dw/dθ)/dθ as dlog_slope_of to CustomMapping",
            )

    @property
    def log_density_of(self) -> Any:
        """Log density in θ, with the mapping's functions bound in."""
        return self._bound(_log_density)

    @property
    def gradient_of(self) -> Any:
        """Gradient in θ, with the mapping's functions bound in."""
        return self._bound(_gradient)

    @property
    def parameters(self) -> tuple[float, ...]:
        """log-mean, log-std, then the mapping's own parameters."""
        return (float(self.log_mean), float(self.log_std), *self.mapping.parameters)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draw w, then convert it to θ."""
        return self.mapping.theta(np.exp(rng.normal(self.log_mean, self.log_std, size)))

    def _bound(self, template: Any) -> Any:
        m = self.mapping
        return specialise(
            template, weight_of=m.weight_of, slope_of=m.slope_of, dlog_slope_of=m.dlog_slope_of
        )
