"""How synapses behave: prior, mapping, plasticity, speed and temperature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.mappings import Exponential, Mapping
from synsamp.priors import Gaussian, Prior, PriorByGroup
from synsamp.spiking.neurons import keep
from synsamp.spiking.plasticity.base import Plasticity
from synsamp.spiking.plasticity.spike_likelihood import SpikeLikelihood

HIGHEST_THETA = 20.0
"""Mappings are checked up to this θ; for w = exp(θ − 3) that is w = 2.4e7."""


@dataclass(frozen=True, eq=False)
class SynapseModel:
    """How the synapses of a projection change (Eq. 11, sign of the prior corrected).

        dθ = b ( ∂log p_S(θ) + plasticity ) dt + sqrt(2 T b) dW,   θ >= theta_min,   w = f(θ)

    Parameters
    ----------
    prior
        p_S(θ). Its parameters may be numbers or arrays of shape [pre] or [post, pre].
    mapping
        f, from θ to the weight w (Eq. 9); it must grow with θ for θ > 0.
    plasticity
        Change of θ at spikes.
    speed
        b in 1/s.
    temperature
        T.
    theta_min
        Lower bound of θ.
    max_euler_step
        Bound of b·Δt in one Euler–Maruyama step, for priors without an exact transition. Gaussian
        and flat priors have one and need no steps.
    """

    prior: Prior | PriorByGroup = Gaussian(0.5, 1.0)  # noqa: RUF009 (frozen, hence a safe default)
    mapping: Mapping = Exponential(3.0)  # noqa: RUF009
    plasticity: Plasticity = SpikeLikelihood()  # noqa: RUF009
    speed: float = 1e-4
    temperature: float = 1.0
    theta_min: float = -5.0
    max_euler_step: float = 1e-3

    def __post_init__(self) -> None:
        step = self.max_euler_step
        keep(
            self,
            speed=arguments.number("speed", self.speed, at_least=0, at_most=1e3),
            temperature=arguments.number("temperature", self.temperature, at_least=0, at_most=1e6),
            theta_min=arguments.number("theta_min", self.theta_min, at_least=-1e6, at_most=0),
            max_euler_step=arguments.number("max_euler_step", step, at_least=1e-9, at_most=1),
        )
        arguments.instance("prior", self.prior, (Prior, PriorByGroup), "e.g. Gaussian(0.5, 1.0)")
        arguments.instance("mapping", self.mapping, Mapping, "e.g. Exponential(3.0)")
        arguments.instance(
            "plasticity", self.plasticity, Plasticity, "e.g. SpikeLikelihood(data_size=100.0)"
        )
        for name, part in (("prior", self.prior), ("mapping", self.mapping)):
            if not part.compiled:
                raise refuse(
                    name,
                    "must be compiled to run inside the engine",
                    type(part).__name__,
                    "decorate its functions with numba.njit",
                )
        check_mapping(self.mapping, self.theta_min)
        self.plasticity.numbers_with(self.prior)  # raises an error if it needs another prior


def check_mapping(mapping: Mapping, theta_min: float) -> None:
    """Raise an error for mappings that the engine cannot use.

    w must grow with θ for θ > 0 and never exceed f(0) >= 0 for θ <= 0: then a synapse is functional
    (ŵ = max(0, w − f(0)) > 0) exactly if θ > 0. The slope must be dw/dθ.
    """
    name = f"mapping {type(mapping).__name__}"
    theta = np.concatenate([np.linspace(theta_min, 0.0, 101), np.linspace(0.0, HIGHEST_THETA, 401)])
    with np.errstate(all="ignore"):
        weight, slope = mapping.weight(theta), mapping.slope(theta)
    if not (np.isfinite(weight).all() and np.isfinite(slope).all()):
        bad = theta[~(np.isfinite(weight) & np.isfinite(slope))][0]
        raise refuse(
            name, f"must be finite for θ from {theta_min:g} to {HIGHEST_THETA:g}", float(bad)
        )
    at_zero = float(weight[100])
    if not 0.0 <= at_zero < 1e30:
        raise refuse(name, "must have f(0) >= 0 (and below 1e30)", at_zero, "shift it")
    if not (np.diff(weight[101:]) > 0).all():
        bad = theta[101:-1][np.diff(weight[101:]) <= 0][0]
        raise refuse(name, "must grow with θ for θ > 0", f"none at {bad:g}", "use e.g. Exponential")
    if not (weight[:101] <= at_zero).all():
        bad = theta[:101][weight[:101] > at_zero][0]
        raise refuse(
            name, "must not exceed f(0) for θ <= 0", f"more at {bad:g}", "θ <= 0 is retracted"
        )
    step = 1e-4
    inner = theta[(theta > theta_min + step) & (np.abs(theta) > 2 * step) & (theta < 10.0)]
    expected = (mapping.weight(inner + step) - mapping.weight(inner - step)) / (2 * step)
    off = np.abs(mapping.slope(inner) - expected) > 1e-3 * (np.abs(expected) + 1e-3 * slope.max())
    if off.any():
        bad = float(inner[off][0])
        raise refuse(
            f"slope of {name}", "must be dw/dθ", f"{float(mapping.slope(bad)):g} at θ = {bad:g}"
        )
