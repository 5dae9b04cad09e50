"""What happens to the synapses of one neuron: between its spikes, and at a spike.

Between spikes only prior and noise act: with a Gaussian prior an Ornstein–Uhlenbeck process with a
transition known in closed form (`refresh`), with any other prior small Euler–Maruyama steps over
the same interval. At a spike the likelihood term adds Δθ = b N w (x − min(5, α e^w)) (`jump`).

Templates of this file get prior, mapping and clip bound by `bind`; the equation itself stands
in `synsamp.rule.equation`. A synapse that does not exist has θ = −inf, w = 0 and stays so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.noise.arithmetic import exp, scalar
from synsamp.priors import Gaussian
from synsamp.priors.base import at
from synsamp.rule.equation import (
    diffusion,
    drift,
    euler_maruyama,
    likelihood_jump,
    ornstein_uhlenbeck,
)
from synsamp.spiking.compiling import bind, vector
from synsamp.spiking.draws import take_normals

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


class Synapses(NamedTuple):
    """State of all synapses: θ, w and α e^w by row, ŵ by column; when each neuron was refreshed."""

    theta: NDArray[np.float64]
    weight: NDArray[np.float32]
    expected: NDArray[np.float32]  # α e^w: the input the synapse expects at a spike
    column: NDArray[np.float32]
    listed: NDArray[np.int32]  # by row: afferents with ŵ > 0, whose cells in the columns are set
    is_listed: NDArray[np.bool_]
    n_listed: NDArray[np.int64]  # per row
    refreshed_s: NDArray[np.float64]  # per neuron


@scalar
def at_least(theta: float, floor: float) -> float:
    """θ kept at or above the floor; a synapse that does not exist stays at −inf."""
    return theta if theta == -np.inf else max(theta, floor)


@scalar
def small_exp(x: np.float32) -> np.float32:
    """e^x for |x| <= 1/8 in single precision: the series up to x⁴/24."""
    p = np.float32(1 / 24) * x + np.float32(1 / 6)
    p = p * x + np.float32(0.5)
    p = p * x + np.float32(1.0)
    return p * x + np.float32(1.0)


# -- between spikes --------------------


@scalar
def _moved(new: float, old: float) -> float:
    """Δθ; zero for a synapse that does not exist."""
    return new - old if old > -np.inf else 0.0


def _transition_shared(
    p: int, elapsed: float, theta: Any, change: Any, noise: Any, wiring: Any, rule: Any
) -> None:
    """Gaussian prior with the same mean and std for all afferents: exact in one pass."""
    mean, std = at(rule.prior, wiring.first_afferent[p])
    keep, spread = ornstein_uhlenbeck(rule.b[p], rule.T[p], std, elapsed)
    floor = rule.floor[p]
    normals = noise.buffer[take_normals(noise, theta.size) :]
    for i in range(theta.size):
        old = theta[i]
        new = at_least(mean + keep * (old - mean) + spread * normals[i], floor)
        theta[i] = new
        change[i] = _moved(new, old)


def _transition_each(
    p: int, elapsed: float, theta: Any, change: Any, noise: Any, wiring: Any, rule: Any
) -> None:
    """Gaussian prior with a mean and std per afferent."""
    normals = noise.buffer[take_normals(noise, theta.size) :]
    for i in range(theta.size):
        mean, std = at(rule.prior, wiring.first_afferent[p] + i)
        keep, spread = ornstein_uhlenbeck(rule.b[p], rule.T[p], std, elapsed)
        old = theta[i]
        new = at_least(mean + keep * (old - mean) + spread * normals[i], rule.floor[p])
        theta[i] = new
        change[i] = _moved(new, old)


def _transition_split(
    p: int, elapsed: float, theta: Any, change: Any, noise: Any, wiring: Any, rule: Any
) -> None:
    """Any prior: Euler–Maruyama steps with b·Δt bounded by the splitting step."""
    b, T = rule.b[p], rule.T[p]
    steps = max(1, int(np.ceil(b * elapsed / rule.splitting_step[p])))
    sqrt_dt = np.sqrt(elapsed / steps)
    spread = diffusion(b, T)
    change[:] = np.float32(0.0)
    for _ in range(steps):
        normals = noise.buffer[take_normals(noise, theta.size) :]
        for i in range(theta.size):
            old = theta[i]
            if old > -np.inf:
                slope = prior_gradient(old, at(rule.prior, wiring.first_afferent[p] + i))
                force = drift(b, 0.0, slope, 0.0, 0.0, T)
                moved = euler_maruyama(old, force, spread, sqrt_dt, normals[i])
                theta[i] = at_least(moved, rule.floor[p])
                change[i] += theta[i] - old


def _exact_weights(p: int, theta: Any, weight: Any, expected: Any, rule: Any) -> None:
    """Compute w = f(θ) and α e^w anew from θ."""
    parameters = at(rule.mapping, p)
    alpha = rule.alpha[p]
    for i in range(theta.size):
        w = weight_of(theta[i], parameters) if theta[i] > -np.inf else 0.0
        weight[i] = w
        expected[i] = alpha * exp(w)


def _refresh(
    p: int,
    elapsed: float,
    exactly: bool,
    theta: Any,
    weight: Any,
    expected: Any,
    change: Any,
    noise: Any,
    wiring: Any,
    rule: Any,
) -> bool:
    """Prior and noise over ``elapsed``; then w and α e^w follow, anew from θ if ``exactly``.

    Returns whether a synapse may have become functional or ceased to be.
    """
    transition(p, elapsed, theta, change, noise, wiring, rule)
    if exactly:
        exact_weights(p, theta, weight, expected, rule)
        return True
    return advance_weights(p, theta, weight, expected, change, rule)


# -- at a spike --------------------


def _jump(
    p: int, theta: Any, weight: Any, expected: Any, change: Any, epsps: Any, rule: Any
) -> bool:
    """Δθ = b N dw/dθ (x − α e^w) for a whole row; then w and α e^w follow.

    Returns whether a synapse may have become functional or ceased to be.
    """
    # likelihood_jump is linear in the gradient, so its factor b N is taken once per row.
    gain = np.float32(likelihood_jump(rule.b[p], rule.N[p], 1.0))
    gradients(p, theta, weight, expected, epsps, change, gain, rule)
    floor = rule.floor[p]
    for i in range(theta.size):
        theta[i] = at_least(theta[i] + change[i], floor)
    return advance_weights(p, theta, weight, expected, change, rule)


def _gradients_multiplicative(
    p: int, theta: Any, weight: Any, expected: Any, epsps: Any, change: Any, gain: Any, rule: Any
) -> None:
    """Exponential mapping: dw/dθ = w."""
    limit = clip_limit(rule, p)
    fall, rise, fall_decay, rise_decay = epsps
    for i in range(weight.size):
        x = fall_decay * fall[i] - rise_decay * rise[i]
        change[i] = clipped_jump(weight[i], x, expected[i], gain, limit)


def _gradients_any(
    p: int, theta: Any, weight: Any, expected: Any, epsps: Any, change: Any, gain: Any, rule: Any
) -> None:
    """Any mapping: the slope is evaluated at θ."""
    limit = clip_limit(rule, p)
    parameters = at(rule.mapping, p)
    fall, rise, fall_decay, rise_decay = epsps
    for i in range(weight.size):
        x = fall_decay * fall[i] - rise_decay * rise[i]
        exists = theta[i] > -np.inf
        slope = np.float32(slope_of(theta[i], parameters)) if exists else np.float32(0.0)
        change[i] = clipped_jump(slope, x, expected[i], gain, limit)


@scalar
def _jump_term_clipped(slope: Any, x: Any, expected: Any, gain: Any, limit: Any) -> Any:
    return gain * (slope * (x - min(expected, limit)))


@scalar
def _limit_of_term(rule: Any, p: int) -> Any:
    return np.float32(rule.limit[p])


@scalar
def _jump_change_clipped(slope: Any, x: Any, expected: Any, gain: Any, limit: Any) -> Any:
    return min(max(gain * (slope * (x - expected)), -limit), limit)


@scalar
def _limit_of_change(rule: Any, p: int) -> Any:
    return np.float32(rule.limit[p] * rule.b[p])


@vector
def _multiply(weight: Any, expected: Any, change: Any, retracted: Any) -> Any:
    """Multiply w by e^Δ and α e^w by e^(Δw).

    Returns Σ (Δ² + Δw²)⁴ (does the series suffice?) and how many synapses crossed θ = 0.
    """
    moved = np.float32(0.0)
    crossed = np.float32(0.0)
    for i in range(weight.size):
        old = weight[i]
        new = old * small_exp(change[i])
        step = new - old
        weight[i] = new
        expected[i] = expected[i] * small_exp(step)
        squares = change[i] * change[i] + step * step
        fourth = squares * squares
        moved += fourth * fourth
        crossed += np.float32(1.0) if (old > retracted) != (new > retracted) else np.float32(0.0)
    return moved, crossed


def _advance_multiplicative(
    p: int, theta: Any, weight: Any, expected: Any, change: Any, rule: Any
) -> bool:
    retracted = np.float32(rule.retracted_weight[p])
    moved, crossed = _multiply(weight, expected, change, retracted)
    if moved < np.float32(8.0**-8):  # so every |Δ| and |Δw| is below 1/8
        return crossed > np.float32(0.0)
    exact_weights(p, theta, weight, expected, rule)  # here, too, if anything is NaN
    return True


def _advance_exactly(
    p: int, theta: Any, weight: Any, expected: Any, change: Any, rule: Any
) -> bool:
    exact_weights(p, theta, weight, expected, rule)
    return True


# -- putting the parts together --------------------


def row_functions(kind: tuple[Any, ...], exact: bool) -> tuple[Any, Any]:
    """(refresh, jump) for one kind of rule."""
    prior_gradient, prior_type, per_afferent, weight_of, slope_of, clips_change = kind
    exact_weights = bind(_exact_weights, weight_of=weight_of)
    if issubclass(prior_type, Gaussian):
        transition = bind(_transition_each if per_afferent else _transition_shared)
    else:
        transition = bind(_transition_split, prior_gradient=prior_gradient)
    multiplicative = slope_of is weight_of
    gradients = bind(
        _gradients_multiplicative if multiplicative else _gradients_any,
        clipped_jump=_jump_change_clipped if clips_change else _jump_term_clipped,
        clip_limit=_limit_of_change if clips_change else _limit_of_term,
        slope_of=slope_of,
    )
    advance = bind(
        _advance_multiplicative if multiplicative and not exact else _advance_exactly,
        exact_weights=exact_weights,
    )
    refresh = bind(
        _refresh, transition=transition, exact_weights=exact_weights, advance_weights=advance
    )
    jump = bind(_jump, gradients=gradients, advance_weights=advance)
    return refresh, jump


def _refresh_by_kind(
    kind: int,
    p: int,
    elapsed: float,
    exactly: bool,
    theta: Any,
    weight: Any,
    expected: Any,
    change: Any,
    noise: Any,
    wiring: Any,
    rules: Any,
) -> bool:
    if kind == 0:
        return first(p, elapsed, exactly, theta, weight, expected, change, noise, wiring, rules[0])
    return rest(
        kind - 1, p, elapsed, exactly, theta, weight, expected, change, noise, wiring, rules[1:]
    )


def _refresh_last_kind(
    kind: int,
    p: int,
    elapsed: float,
    exactly: bool,
    theta: Any,
    weight: Any,
    expected: Any,
    change: Any,
    noise: Any,
    wiring: Any,
    rules: Any,
) -> bool:
    return first(p, elapsed, exactly, theta, weight, expected, change, noise, wiring, rules[0])


def _jump_by_kind(
    kind: int,
    p: int,
    theta: Any,
    weight: Any,
    expected: Any,
    change: Any,
    epsps: Any,
    rules: Any,
) -> bool:
    if kind == 0:
        return first(p, theta, weight, expected, change, epsps, rules[0])
    return rest(kind - 1, p, theta, weight, expected, change, epsps, rules[1:])


def _jump_last_kind(
    kind: int,
    p: int,
    theta: Any,
    weight: Any,
    expected: Any,
    change: Any,
    epsps: Any,
    rules: Any,
) -> bool:
    return first(p, theta, weight, expected, change, epsps, rules[0])


def functions_by_kind(kinds: tuple[tuple[Any, ...], ...], exact: bool) -> tuple[Any, Any]:
    """(refresh, jump) that choose among the kinds of a network, once per row."""
    parts = [row_functions(kind, exact) for kind in kinds]
    refresh = bind(_refresh_last_kind, first=parts[-1][0])
    jump = bind(_jump_last_kind, first=parts[-1][1])
    for part in reversed(parts[:-1]):
        refresh = bind(_refresh_by_kind, first=part[0], rest=refresh)
        jump = bind(_jump_by_kind, first=part[1], rest=jump)
    return refresh, jump
