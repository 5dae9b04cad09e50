"""The paper's plasticity: the likelihood term at a postsynaptic spike.

    Δθ = b N dw/dθ ( x − α e^w )                    (Eq. 11, synaptic sampling in spiking networks)

x is the summed EPSP of the afferent, α e^w its expected value; for w = exp(θ − θ0) the slope dw/dθ
is w itself. The factor b N is in `synsamp.rule.equation.likelihood_jump`. Then w is computed from
θ, and ŵ = max(0, w − f(0)) with its two sums from w.

If dw/dθ = w, synapses are computed in lanes: w grows by the factor e^Δ, and a short series is
enough for |Δ| <= 1/8. Other mappings are evaluated synapse by synapse. A synapse that does not
exist has θ = −inf and w = 0 permanently; so do synapses that pad a row to whole lanes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.mappings import Mapping
from synsamp.noise.arithmetic import exp_single, exp_up_to_4, scalar
from synsamp.rule.equation import likelihood_jump
from synsamp.spiking.kernel.compiling import row_function
from synsamp.spiking.kernel.diffusion import (
    at_least,
    exponential_weights,
    is_multiplicative,
    read_effects,
)
from synsamp.spiking.kernel.rows import SPIKE, SpikeRow, arrays_of
from synsamp.spiking.kernel.simd import (
    LANE,
    above,
    any_negative,
    largest,
    load,
    note_signs,
    numbers,
    singles,
    store,
    total,
    widen,
)
from synsamp.spiking.plasticity.base import Plasticity

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


def _require_limit(limit: float) -> None:
    if limit != math.inf:
        arguments.number("limit", limit, above=0, remedy="use inf for no clip")


@dataclass(frozen=True)
class TermClip:
    """Clip only the term α e^w at ``limit`` (default).

    Parameters
    ----------
    limit : float
        Largest value of α e^w.
    """

    limit: float = 5.0

    def __post_init__(self) -> None:
        _require_limit(self.limit)


@dataclass(frozen=True)
class ChangeClip:
    """Clip the whole instantaneous change Δθ at ±``limit``·b (the literal reading of the paper).

    Parameters
    ----------
    limit : float
        Largest size of Δθ in units of b.
    """

    limit: float = 5.0

    def __post_init__(self) -> None:
        _require_limit(self.limit)


@dataclass(frozen=True)
class SpikeLikelihood(Plasticity):
    """Likelihood term of the paper at a postsynaptic spike (Eq. 11): Δθ = b N dw/dθ (x − α e^w).

    Parameters
    ----------
    data_size
        N.
    alpha
        α, scale of the expected input.
    clip
        `TermClip` or `ChangeClip`.
    learn_when_retracted
        Whether the likelihood term also acts on synapses with θ <= 0. The printed equation says yes
        (w = exp(θ − θ0) for all θ); the text says that retracted synapses follow prior and noise
        alone.
    """

    circuits_only: ClassVar[bool] = True
    excitatory_only: ClassVar[bool] = True

    data_size: float = 100.0
    alpha: float = math.exp(-2.0)
    clip: TermClip | ChangeClip = TermClip()
    learn_when_retracted: bool = True

    def __post_init__(self) -> None:
        N = arguments.number("data_size", self.data_size, at_least=0, at_most=1e9)
        alpha = arguments.number("alpha", self.alpha, above=0, at_most=1e6)
        object.__setattr__(self, "data_size", N)  # 100 and 100.0 are the same N
        object.__setattr__(self, "alpha", alpha)
        arguments.flag("learn_when_retracted", self.learn_when_retracted)
        if not isinstance(self.clip, (TermClip, ChangeClip)):
            raise refuse("clip", "must be a TermClip or a ChangeClip", self.clip, "TermClip(5.0)")

    @property
    def most_expected_at(self) -> float:
        """min(limit, α e^w) = α e^min(w, log(limit/α)): the clip as a bound on w."""
        if isinstance(self.clip, ChangeClip):
            return math.inf
        return math.log(self.clip.limit / self.alpha)

    @property
    def kind(self) -> tuple[object, ...]:
        """Kind of clip, and whether retracted synapses learn."""
        return type(self), type(self.clip), self.learn_when_retracted

    @property
    def settings(self) -> tuple[float, ...]:
        """N, α and the limit of the clip."""
        return self.data_size, self.alpha, self.clip.limit

    def with_settings(self, settings: Sequence[float]) -> SpikeLikelihood:
        """A copy with other settings."""
        N, alpha, limit = map(float, settings)
        return replace(self, data_size=N, alpha=alpha, clip=type(self.clip)(limit))

    @property
    def numbers(self) -> tuple[float, ...]:
        """N, α, the w above which α e^w is constant, and the limit of Δθ/b."""
        return self.data_size, self.alpha, self.most_expected_at, self.clip.limit

    def spike_function(self, mapping: Mapping) -> int:
        """The function in lanes if dw/dθ = w, else the one for any mapping."""
        parts: dict[str, Any] = {
            "clipped": _clip if isinstance(self.clip, ChangeClip) else _leave,
            "gated": _always if self.learn_when_retracted else _if_functional,
        }
        if is_multiplicative(mapping):
            early = 0.0 <= self.most_expected_at <= 4.0
            parts["expected"] = _expected_up_to_4 if early else _expected
            return row_function(_spike_in_lanes, SPIKE, **parts)
        return row_function(
            _spike_any,
            SPIKE,
            expected=_expected,
            weight_of=mapping.weight_of,
            slope_of=mapping.slope_of,
            mapping_numbers=numbers(len(mapping.parameters)),
            **parts,
        )


@scalar
def _expected(w: Any, alpha: Any, most_at: Any) -> Any:
    """Expected EPSP at a spike: α e^w, constant above ``most_at``."""
    return alpha * exp_single(min(w, most_at))


@scalar
def _expected_up_to_4(w: Any, alpha: Any, most_at: Any) -> Any:
    """The same for 0 <= ``most_at`` <= 4, as in the paper (log(5/α) = 3.6), in fewer steps."""
    return alpha * exp_up_to_4(min(w, most_at))


@scalar
def _leave(change: Any, most: Any) -> Any:
    return change


@scalar
def _clip(change: Any, most: Any) -> Any:
    return min(max(change, -most), most)


@scalar
def _always(change: Any, w: Any, retracted: Any) -> Any:
    return change


@scalar
def _if_functional(change: Any, w: Any, retracted: Any) -> Any:
    """The change, or 0 where w <= f(0), that is θ <= 0."""
    return change * above(w, retracted)


@scalar
def small_exp(x: Any) -> Any:
    """e^x for |x| <= 1/8 in single precision: the series up to x⁴/24."""
    p = np.float32(1 / 24) * x + np.float32(1 / 6)
    p = p * x + np.float32(0.5)
    p = p * x + np.float32(1.0)
    return p * x + np.float32(1.0)


def _spike_in_lanes(row: SpikeRow) -> int:
    theta, weight, effect, fall, rise = arrays_of(row)
    b, plasticity, retracted, sums = row.speed, row.plasticity, row.retracted, row.sums
    # likelihood_jump is linear in the gradient, so its factor b N is taken once per row.
    gain = np.float32(likelihood_jump(b, plasticity[0], 1.0))
    alpha, most_at = gain * np.float32(plasticity[1]), np.float32(plasticity[2])
    most = np.float32(plasticity[3] * b)
    fall_gain, rise_gain = gain * row.fall_decay, gain * row.rise_decay
    moved, crossed = singles(0.0), singles(0.0)
    sum_fall, sum_rise = singles(0.0), singles(0.0)
    for i in range(0, row.n, LANE):
        w, falls, rises, theta_was = load(weight, i), load(fall, i), load(rise, i), load(theta, i)
        x = fall_gain * falls - rise_gain * rises
        change = w * (x - expected(w, alpha, most_at))
        step = gated(clipped(change, most), w, retracted)
        store(theta, i, at_least(theta_was + widen(step), theta_was, row.theta_min))
        new = w * small_exp(step)
        store(weight, i, new)
        moved = max(moved, step * step)
        crossed = note_signs(crossed, retracted - w, retracted - new)
        e = max(new - retracted, np.float32(0.0))
        store(effect, i, e)
        sum_fall = sum_fall + e * falls
        sum_rise = sum_rise + e * rises
    sums[0], sums[1] = total(sum_fall), total(sum_rise)
    if largest(moved) >= np.float32(1 / 64):  # a series is not enough
        exponential_weights(theta, weight, retracted)
        sums[0], sums[1] = read_effects(weight, retracted, row.sign, fall, rise, effect)
        return 1
    return int(any_negative(crossed))


def _spike_any(row: SpikeRow) -> int:
    theta, weight, effect, fall, rise = arrays_of(row)
    b, plasticity, retracted, sums = row.speed, row.plasticity, row.retracted, row.sums
    gain = np.float32(likelihood_jump(b, plasticity[0], 1.0))
    alpha, most_at = np.float32(plasticity[1]), np.float32(plasticity[2])
    most = np.float32(plasticity[3] * b)
    p = mapping_numbers(row.mapping, 1, 0)
    for i in range(row.n):
        old = theta[i]
        if old > -np.inf:
            x = row.fall_decay * fall[i] - row.rise_decay * rise[i]
            slope = np.float32(slope_of(old, p))
            change = gain * (slope * (x - expected(weight[i], alpha, most_at)))
            step = gated(clipped(change, most), weight[i], retracted)
            theta[i] = at_least(old + step, old, row.theta_min)
            weight[i] = weight_of(theta[i], p)
    sums[0], sums[1] = read_effects(weight, retracted, row.sign, fall, rise, effect)
    return 1
