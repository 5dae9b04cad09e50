"""Learning from reward: synapses sample from prior × expected reward (Kappel et al. 2018).

    de/dt = −e/τ_e + ∂u/∂θ · (spikes − expected spikes)        eligibility
    dg/dt = −g/τ_g + D(t) e                                    estimate of the gradient
    dθ    = b ( ∂log p_S(θ) + c g ) dt + sqrt(2 T b) dW,       theta_min <= θ <= theta_max

D is the circuit's modulator, dopamine. In a winner-take-all circuit a spike is of neuron k with
probability p_k = softmax(u)_k, so at each spike of the circuit e of every neuron jumps by

    ∂log p(winner)/∂θ_kj = dw_kj/dθ_kj x_j (1[k wins] − p_k).

Stochastic neurons have ρ_k(t) dt expected spikes, an integral without a closed form. Rejected
candidates of the thinning give an unbiased estimate of it (`synsamp.spiking.kernel.thinning`).

Between spikes D is constant, and e, g and the part φ of θ that comes from g,

    dφ/dt = −(b/σ²) φ + b c g,                                 for the Gaussian prior N(μ, σ²),

are linear with constant coefficients: their transition over any interval is a triangular matrix of
divided differences of exp, also where rates are equal. Prior and noise act on the rest of θ as in
other plasticities. A retracted synapse (θ <= 0) does not affect spikes, hence e = g = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.mappings import Mapping
from synsamp.noise.arithmetic import exp, scalar
from synsamp.priors import Flat, Gaussian, Prior, PriorByGroup
from synsamp.spiking.kernel.compiling import row_function
from synsamp.spiking.kernel.diffusion import at_least, is_multiplicative, read_effects
from synsamp.spiking.kernel.eligibility import DEPTH, PASSAGE
from synsamp.spiking.kernel.rows import (
    ELIGIBILITY,
    GATHER,
    PASS,
    SPIKE,
    EligibilityRow,
    SpikeRow,
    arrays_of,
)
from synsamp.spiking.kernel.simd import numbers
from synsamp.spiking.plasticity.base import Plasticity

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


@dataclass(frozen=True)
class RewardGradient(Plasticity):
    """Learning from reward: θ follows an estimate of the gradient of expected reward.

    Defaults are the values in the code of Kappel et al. (2018).

    Parameters
    ----------
    eligibility_s
        τ_e, time constant of the eligibility trace.
    gradient_s
        τ_g, time constant of the gradient estimate.
    weight
        c, weight of the gradient relative to the prior.
    theta_max
        Upper bound of θ; ``math.inf`` for none.
    expectation
        False omits the expected spikes from the eligibility: a wrong rule, for control experiments.
    """

    assigns_eligibility: ClassVar[bool] = True

    eligibility_s: float = 1.0
    gradient_s: float = 50.0
    weight: float = 1.0
    theta_max: float = 5.0
    expectation: bool = True

    def __post_init__(self) -> None:
        for name in ("eligibility_s", "gradient_s"):
            value = arguments.number(name, getattr(self, name), at_least=1e-4, at_most=1e9)
            object.__setattr__(self, name, value)
        weight = arguments.number("weight", self.weight, at_least=0, at_most=1e9)
        object.__setattr__(self, "weight", weight)
        if self.theta_max != math.inf:
            arguments.number("theta_max", self.theta_max, above=0, remedy="use inf for none")
        arguments.flag("expectation", self.expectation)

    @property
    def kind(self) -> tuple[object, ...]:
        """Whether expected spikes count."""
        return type(self), self.expectation

    @property
    def settings(self) -> tuple[float, ...]:
        """τ_e, τ_g, c and theta_max."""
        return self.eligibility_s, self.gradient_s, self.weight, self.theta_max

    def with_settings(self, settings: Sequence[float]) -> RewardGradient:
        """A copy with other settings."""
        eligibility_s, gradient_s, weight, ceiling = map(float, settings)
        return RewardGradient(eligibility_s, gradient_s, weight, ceiling, self.expectation)

    @property
    def numbers(self) -> tuple[float, ...]:
        """As the settings."""
        return self.settings

    def numbers_with(self, prior: Prior | PriorByGroup) -> tuple[float, ...]:
        """Settings and 1/σ² of the prior, which acts on φ as on all of θ."""
        if isinstance(prior, Gaussian) and np.ndim(prior.std) == 0:
            return *self.numbers, float(prior.std) ** -2
        if isinstance(prior, Flat):
            return *self.numbers, 0.0
        rule = "must be Gaussian with one std, or flat, where synapses learn from reward"
        raise refuse("prior", rule, type(prior).__name__, "e.g. Gaussian(0.0, 2.0)")

    def spike_function(self, mapping: Mapping) -> int:
        """Only recomputes ŵ: learning happens at every spike of the circuit."""
        return row_function(_nothing_at_spike, SPIKE)

    def eligibility_functions(self, mapping: Mapping) -> tuple[int, int, int]:
        """Transition over time; a spike of the circuit; θ takes up φ."""
        slope = _slope_is_weight if is_multiplicative(mapping) else _slope_of_any
        return (
            row_function(_pass, PASS, own=numbers(5)),
            row_function(
                _eligibility,
                ELIGIBILITY,
                slope=slope,
                share=1.0 if self.expectation else 0.0,
                slope_of=mapping.slope_of,
                own=numbers(PASSAGE),
                mapping_numbers=numbers(len(mapping.parameters)),
            ),
            row_function(_gather, GATHER),
        )


# -- time --------------------


@scalar
def divided(x: float, y: float) -> float:
    """(e^x − e^y)/(x − y), also where x = y."""
    if abs(x - y) > 1.0:
        return (exp(x) - exp(y)) / (x - y)
    d = 0.25 * (x - y) * (x - y)  # sinh(h)/h as a series in h², h = (x − y)/2 <= 1/2
    series = 1.0 + d / 156.0
    for k in (110.0, 72.0, 42.0, 20.0, 6.0):
        series = 1.0 + d / k * series
    return exp(0.5 * (x + y)) * series


@scalar
def divided_twice(x: float, y: float, z: float) -> float:
    """The second divided difference of exp at three points, also where some are equal."""
    low, high = min(x, min(y, z)), max(x, max(y, z))
    middle = x + y + z - low - high
    if high - low > 1.0:
        return (divided(high, middle) - divided(middle, low)) / (high - low)
    # Σ_n h_n / (n + 2)!, h_n the complete homogeneous polynomials of the distances from the centre
    centre = 0.5 * (low + high)
    a, b, c = low - centre, middle - centre, high - centre
    power, of_two, of_three, factor, total = 1.0, 1.0, 1.0, 0.5, 0.5
    for n in range(1, 14):
        power *= a
        of_two = of_two * b + power
        of_three = of_three * c + of_two
        factor /= n + 2.0
        total += factor * of_three
    return exp(centre) * total


@scalar
def passage(
    elapsed: float, b: float, dopamine: float, tau_e: float, tau_g: float, c: float, pull: float
) -> tuple[float, float, float, float, float, float]:
    """(e→e, e→g, g→g, e→φ, g→φ, φ→φ) over a time without spikes."""
    x, y, z = -elapsed / tau_e, -elapsed / tau_g, -elapsed * b * pull
    from_g = b * c * elapsed
    return (
        exp(x),
        dopamine * elapsed * divided(x, y),
        exp(y),
        from_g * dopamine * elapsed * divided_twice(x, y, z),
        from_g * divided(y, z),
        exp(z),
    )


def _pass(elapsed: float, b: float, modulator: float, plasticity: Any, out: Any) -> None:
    tau_e, tau_g, c, _, pull = own(plasticity, 1, 0)
    found = passage(elapsed, b, modulator, tau_e, tau_g, c, pull)
    for i in range(PASSAGE):
        out[i] = found[i]


# -- a spike of the circuit --------------------


@scalar
def _slope_is_weight(theta: Any, w: Any, of_theta: Any, p: Any) -> Any:
    return np.float64(w)


@scalar
def _slope_of_any(theta: Any, w: Any, of_theta: Any, p: Any) -> Any:
    return of_theta(theta, p)


def _eligibility(row: EligibilityRow) -> None:
    e_to_e, e_to_g, g_to_g, e_to_phi, g_to_phi, phi_to_phi = own(row.passage, 1, 0)
    p, surprise = mapping_numbers(row.mapping, 1, 0), row.spiked - share * row.expected
    eligibility = row.eligibility
    for at in range(row.n):
        i = row.listed[at]
        w = row.weight[i]
        if w > row.retracted:
            fall, rise = row.fall_decay * row.fall[i], row.rise_decay * row.rise[i]
            x = np.float64(fall) - np.float64(rise)
            e, g, phi = (
                eligibility[DEPTH * i],
                eligibility[DEPTH * i + 1],
                eligibility[DEPTH * i + 2],
            )
            jump = surprise * slope(row.theta[i], w, slope_of, p) * x
            eligibility[DEPTH * i] = e_to_e * e + jump
            eligibility[DEPTH * i + 1] = e_to_g * e + g_to_g * g
            eligibility[DEPTH * i + 2] = e_to_phi * e + g_to_phi * g + phi_to_phi * phi


def _nothing_at_spike(row: SpikeRow) -> int:
    _, weight, effect, fall, rise = arrays_of(row)
    row.sums[0], row.sums[1] = read_effects(weight, row.retracted, row.sign, fall, rise, effect)
    return 0


# -- a refresh --------------------


def _gather(n: int, theta: Any, theta_min: float, plasticity: Any, eligibility: Any) -> None:
    ceiling = plasticity[3]
    for i in range(n):
        old = theta[i]
        theta[i] = min(at_least(old + eligibility[DEPTH * i + 2], old, theta_min), ceiling)
        eligibility[DEPTH * i + 2] = 0.0
