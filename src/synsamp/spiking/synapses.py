"""What happens to the synapses of one neuron: between its spikes, and at a spike.

Between spikes only prior and noise act: with a Gaussian prior an Ornstein–Uhlenbeck process with a
transition known in closed form (`refresh`), with any other prior small Euler–Maruyama steps over
the same interval. At a spike the likelihood term adds Δθ = b N w (x − min(5, α e^w)) (`jump`).

Templates of this file get prior, mapping and clip bound by `bind`; the equation itself stands
in `synsamp.rule.equation`. A synapse that does not exist has θ = −inf, w = 0 and stays so; so have
those that pad a row to whole lanes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.noise.arithmetic import exp_single, exp_up_to_4, scalar
from synsamp.priors import Gaussian
from synsamp.priors.base import at
from synsamp.rule.equation import (
    diffusion,
    drift,
    euler_maruyama,
    likelihood_jump,
    ornstein_uhlenbeck,
)
from synsamp.spiking.compiling import bind, in_lanes
from synsamp.spiking.draws import take_normals
from synsamp.spiking.lanes import (
    LANE,
    any_negative,
    largest,
    load,
    narrow,
    note_signs,
    singles,
    store,
    total,
    widen,
)

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


class Synapses(NamedTuple):
    """State of all synapses: θ and w by row, ŵ by column; when each neuron was refreshed."""

    theta: NDArray[np.float64]
    weight: NDArray[np.float32]
    column: NDArray[np.float32]
    listed: NDArray[
        np.int32
    ]  # by row: afferents whose cells are set; all with ŵ > 0 are among them
    is_listed: NDArray[np.uint16]  # one bit per synapse
    n_listed: NDArray[np.int64]  # per row
    refreshed_s: NDArray[np.float64]  # per neuron


@scalar
def at_least(new: Any, old: Any, floor: float) -> Any:
    """θ kept at or above the floor; a synapse that does not exist stays at −inf."""
    return max(new, min(old, floor))


@in_lanes
def read_effects(weight: Any, retracted: Any, fall: Any, rise: Any, effect: Any) -> Any:
    """ŵ = max(0, w − e^−θ0), and the neuron's two sums Σ ŵ fall, Σ ŵ rise."""
    sum_fall, sum_rise = singles(0.0), singles(0.0)
    for i in range(0, weight.size, LANE):
        e = max(load(weight, i) - retracted, np.float32(0.0))
        store(effect, i, e)
        sum_fall = sum_fall + e * load(fall, i)
        sum_rise = sum_rise + e * load(rise, i)
    return total(sum_fall), total(sum_rise)


# -- between spikes --------------------


@in_lanes
def _transition(
    theta: Any, mean: float, keep: float, spread: float, normals: Any, floor: float
) -> None:
    """θ ← μ + keep (θ − μ) + spread ν for a row."""
    for i in range(0, theta.size, LANE):
        old = load(theta, i)
        new = mean + keep * (old - mean) + spread * widen(load(normals, i))
        store(theta, i, at_least(new, old, floor))


def _transition_shared(
    p: int, elapsed: float, theta: Any, noise: Any, wiring: Any, rule: Any
) -> None:
    """Gaussian prior with the same mean and std for all afferents: exact in one pass."""
    mean, std = at(rule.prior, wiring.first_afferent[p])
    keep, spread = ornstein_uhlenbeck(rule.b[p], rule.T[p], std, elapsed)
    normals = noise.buffer[take_normals(noise, theta.size) :]
    _transition(theta, mean, keep, spread, normals, rule.floor[p])


def _transition_each(
    p: int, elapsed: float, theta: Any, noise: Any, wiring: Any, rule: Any
) -> None:
    """Gaussian prior with a mean and std per afferent."""
    normals = noise.buffer[take_normals(noise, theta.size) :]
    for i in range(theta.size):
        mean, std = at(rule.prior, wiring.first_afferent[p] + i)
        keep, spread = ornstein_uhlenbeck(rule.b[p], rule.T[p], std, elapsed)
        old = theta[i]
        theta[i] = at_least(mean + keep * (old - mean) + spread * normals[i], old, rule.floor[p])


def _transition_split(
    p: int, elapsed: float, theta: Any, noise: Any, wiring: Any, rule: Any
) -> None:
    """Any prior: Euler–Maruyama steps with b·Δt bounded by the splitting step."""
    b, T = rule.b[p], rule.T[p]
    steps = max(1, int(np.ceil(b * elapsed / rule.splitting_step[p])))
    sqrt_dt = np.sqrt(elapsed / steps)
    spread = diffusion(b, T)
    for _ in range(steps):
        normals = noise.buffer[take_normals(noise, theta.size) :]
        for i in range(theta.size):
            old = theta[i]
            if old > -np.inf:
                slope = prior_gradient(old, at(rule.prior, wiring.first_afferent[p] + i))
                force = drift(b, 0.0, slope, 0.0, 0.0, T)
                moved = euler_maruyama(old, force, spread, sqrt_dt, normals[i])
                theta[i] = at_least(moved, old, rule.floor[p])


@in_lanes
def _exponentials(theta: Any, weight: Any, retracted: Any) -> bool:
    """w = f(0) e^θ for a row; returns whether a synapse crossed θ = 0."""
    crossed = singles(0.0)
    for i in range(0, theta.size, LANE):
        new = retracted * exp_single(narrow(load(theta, i)))
        crossed = note_signs(crossed, retracted - load(weight, i), retracted - new)
        store(weight, i, new)
    return any_negative(crossed)


def _weights_multiplicative(p: int, theta: Any, weight: Any, rule: Any) -> bool:
    """Weights of mappings with dw/dθ = w, which are w = f(0) e^θ."""
    return _exponentials(theta, weight, np.float32(rule.retracted_weight[p]))


def _weights_any(p: int, theta: Any, weight: Any, rule: Any) -> bool:
    """w = f(θ) for any mapping."""
    parameters = at(rule.mapping, p)
    for i in range(theta.size):
        weight[i] = weight_of(theta[i], parameters) if theta[i] > -np.inf else 0.0
    return True


def _refresh(
    p: int, elapsed: float, theta: Any, weight: Any, noise: Any, wiring: Any, rule: Any
) -> bool:
    """Prior and noise over ``elapsed``; then w anew from θ.

    Returns whether a synapse may have become functional or ceased to be.
    """
    transition(p, elapsed, theta, noise, wiring, rule)
    return weights(p, theta, weight, rule)


# -- at a spike --------------------


def _jump(p: int, theta: Any, weight: Any, change: Any, effect: Any, epsps: Any, rule: Any) -> Any:
    """Δθ = b N dw/dθ (x − α e^w) for a whole row; then w and ŵ follow.

    Returns whether a synapse may have become functional or ceased to be, and the two sums.
    """
    # likelihood_jump is linear in the gradient, so its factor b N is taken once per row.
    gain = np.float32(likelihood_jump(rule.b[p], rule.N[p], 1.0))
    changes(p, theta, weight, epsps, change, gain, rule)
    return advance(p, theta, weight, change, effect, epsps, rule)


@scalar
def _expected(w: Any, alpha: Any, most_at: Any) -> Any:
    """The input a synapse expects at a spike: α e^w, from ``most_at`` on constant."""
    return alpha * exp_single(min(w, most_at))


@scalar
def _expected_quickly(w: Any, alpha: Any, most_at: Any) -> Any:
    """The same for 0 <= ``most_at`` <= 4, as in the paper (log(5/α) = 3.6)."""
    return alpha * exp_up_to_4(min(w, most_at))


def _changes_in_lanes(
    weight: Any, epsps: Any, change: Any, gain: Any, alpha: Any, most_at: Any, most: Any
) -> None:
    fall, rise, fall_decay, rise_decay = epsps
    # The gain b N is multiplied into x and α once per row.
    fall_gain, rise_gain, alpha_gain = gain * fall_decay, gain * rise_decay, gain * alpha
    for i in range(0, weight.size, LANE):
        w = load(weight, i)
        x = fall_gain * load(fall, i) - rise_gain * load(rise, i)
        store(change, i, clipped(w * (x - expected(w, alpha_gain, most_at)), most))


def _changes_multiplicative(
    p: int, theta: Any, weight: Any, epsps: Any, change: Any, gain: Any, rule: Any
) -> None:
    """Mappings with dw/dθ = w."""
    alpha, most_at = np.float32(rule.alpha[p]), np.float32(rule.most_expected_at[p])
    most = np.float32(rule.most_change[p])
    in_lanes_of_a_row(weight, epsps, change, gain, alpha, most_at, most)


def _changes_any(
    p: int, theta: Any, weight: Any, epsps: Any, change: Any, gain: Any, rule: Any
) -> None:
    """Any mapping: the slope is evaluated at θ."""
    alpha, most_at = np.float32(rule.alpha[p]), np.float32(rule.most_expected_at[p])
    most = np.float32(rule.most_change[p])
    parameters = at(rule.mapping, p)
    fall, rise, fall_decay, rise_decay = epsps
    for i in range(weight.size):
        x = fall_decay * fall[i] - rise_decay * rise[i]
        exists = theta[i] > -np.inf
        slope = np.float32(slope_of(theta[i], parameters)) if exists else np.float32(0.0)
        change[i] = clipped(gain * (slope * (x - expected(weight[i], alpha, most_at))), most)


@scalar
def _leave(change: Any, most: Any) -> Any:
    return change


@scalar
def _clip(change: Any, most: Any) -> Any:
    return min(max(change, -most), most)


@scalar
def small_exp(x: Any) -> Any:
    """e^x for |x| <= 1/8 in single precision: the series up to x⁴/24."""
    p = np.float32(1 / 24) * x + np.float32(1 / 6)
    p = p * x + np.float32(0.5)
    p = p * x + np.float32(1.0)
    return p * x + np.float32(1.0)


@in_lanes
def _multiply(
    theta: Any,
    weight: Any,
    change: Any,
    effect: Any,
    fall: Any,
    rise: Any,
    floor: float,
    retracted: Any,
) -> Any:
    """θ grows by Δ, w by the factor e^Δ; ŵ and its two sums as in `read_effects`.

    Returns the largest Δ² (does the series suffice?), whether a synapse crossed θ = 0, the sums.
    """
    moved, crossed = singles(0.0), singles(0.0)
    sum_fall, sum_rise = singles(0.0), singles(0.0)
    for i in range(0, theta.size, LANE):
        step, theta_was, weight_was = load(change, i), load(theta, i), load(weight, i)
        store(theta, i, at_least(theta_was + widen(step), theta_was, floor))
        new = weight_was * small_exp(step)
        store(weight, i, new)
        moved = max(moved, step * step)
        crossed = note_signs(crossed, retracted - weight_was, retracted - new)
        e = max(new - retracted, np.float32(0.0))
        store(effect, i, e)
        sum_fall = sum_fall + e * load(fall, i)
        sum_rise = sum_rise + e * load(rise, i)
    return largest(moved), any_negative(crossed), total(sum_fall), total(sum_rise)


def _advance_multiplicative(
    p: int, theta: Any, weight: Any, change: Any, effect: Any, epsps: Any, rule: Any
) -> Any:
    retracted, floor = np.float32(rule.retracted_weight[p]), rule.floor[p]
    fall, rise = epsps[0], epsps[1]
    moved, crossed, sum_fall, sum_rise = _multiply(
        theta, weight, change, effect, fall, rise, floor, retracted
    )
    if moved >= np.float32(1 / 64):  # a series is not enough
        weights(p, theta, weight, rule)
        crossed = True
        sum_fall, sum_rise = read_effects(weight, retracted, fall, rise, effect)
    return crossed, sum_fall, sum_rise


def _advance_any(
    p: int, theta: Any, weight: Any, change: Any, effect: Any, epsps: Any, rule: Any
) -> Any:
    for i in range(theta.size):
        theta[i] = at_least(theta[i] + change[i], theta[i], rule.floor[p])
    crossed = weights(p, theta, weight, rule)
    retracted = np.float32(rule.retracted_weight[p])
    sum_fall, sum_rise = read_effects(weight, retracted, epsps[0], epsps[1], effect)
    return crossed, sum_fall, sum_rise


# -- putting the parts together --------------------


def row_functions(kind: tuple[Any, ...]) -> tuple[Any, Any]:
    """(refresh, jump) for one kind of rule."""
    prior_gradient, prior_type, per_afferent, weight_of, slope_of, clips_change, clips_early = kind
    if issubclass(prior_type, Gaussian):
        transition = bind(_transition_each if per_afferent else _transition_shared)
    else:
        transition = bind(_transition_split, prior_gradient=prior_gradient)
    clipped = _clip if clips_change else _leave
    if slope_of is weight_of:
        expected = _expected_quickly if clips_early else _expected
        in_lanes_of_a_row = bind(
            _changes_in_lanes, inline=False, clipped=clipped, expected=expected
        )
        changes = bind(_changes_multiplicative, in_lanes_of_a_row=in_lanes_of_a_row)
        weights = bind(_weights_multiplicative)
        advance = bind(_advance_multiplicative, weights=weights)
    else:
        changes = bind(_changes_any, clipped=clipped, expected=_expected, slope_of=slope_of)
        weights = bind(_weights_any, weight_of=weight_of)
        advance = bind(_advance_any, weights=weights)
    refresh = bind(_refresh, transition=transition, weights=weights)
    jump = bind(_jump, changes=changes, advance=advance)
    return refresh, jump


def _refresh_by_kind(
    kind: int,
    p: int,
    elapsed: float,
    theta: Any,
    weight: Any,
    noise: Any,
    wiring: Any,
    rules: Any,
) -> bool:
    if kind == 0:
        return first(p, elapsed, theta, weight, noise, wiring, rules[0])
    return rest(kind - 1, p, elapsed, theta, weight, noise, wiring, rules[1:])


def _refresh_last_kind(
    kind: int,
    p: int,
    elapsed: float,
    theta: Any,
    weight: Any,
    noise: Any,
    wiring: Any,
    rules: Any,
) -> bool:
    return first(p, elapsed, theta, weight, noise, wiring, rules[0])


def _jump_by_kind(
    kind: int, p: int, theta: Any, weight: Any, change: Any, effect: Any, epsps: Any, rules: Any
) -> Any:
    if kind == 0:
        return first(p, theta, weight, change, effect, epsps, rules[0])
    return rest(kind - 1, p, theta, weight, change, effect, epsps, rules[1:])


def _jump_last_kind(
    kind: int, p: int, theta: Any, weight: Any, change: Any, effect: Any, epsps: Any, rules: Any
) -> Any:
    return first(p, theta, weight, change, effect, epsps, rules[0])


def functions_by_kind(kinds: tuple[tuple[Any, ...], ...]) -> tuple[Any, Any]:
    """(refresh, jump) that choose among the kinds of a network, once per row."""
    parts = [row_functions(kind) for kind in kinds]
    refresh = bind(_refresh_last_kind, first=parts[-1][0])
    jump = bind(_jump_last_kind, first=parts[-1][1])
    for part in reversed(parts[:-1]):
        refresh = bind(_refresh_by_kind, first=part[0], rest=refresh)
        jump = bind(_jump_by_kind, first=part[1], rest=jump)
    return refresh, jump
