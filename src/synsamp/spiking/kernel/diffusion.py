"""Between spikes: prior and noise move θ, and w follows.

    dθ = b ∂log p_S(θ) dt + sqrt(2 T b) dW,   θ >= theta_min,   w = f(θ)

A prior with an exact transition over an interval (`Prior.transition_of`; for a Gaussian the
Ornstein–Uhlenbeck process) is applied at once; any other by one Euler–Maruyama step, which the
kernel keeps short. Each function here is one row of synapses; the kernel calls it by its address.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.mappings import Mapping
from synsamp.noise.arithmetic import exp_single, scalar
from synsamp.priors import Prior
from synsamp.rule.equation import diffusion, drift, euler_maruyama
from synsamp.spiking.kernel.compiling import row_function, separate
from synsamp.spiking.kernel.rows import MOVE, WEIGH, ElapsedRow
from synsamp.spiking.kernel.simd import (
    LANE,
    any_negative,
    array_at,
    load,
    narrow,
    note_signs,
    numbers,
    singles,
    store,
    total,
    widen,
)

# mypy: disable-error-code="name-defined"
# ruff: noqa: F821


@scalar
def at_least(new: Any, old: Any, theta_min: float) -> Any:
    """θ kept at or above theta_min; a synapse that does not exist stays at −inf."""
    return max(new, min(old, theta_min))


# -- prior and noise --------------------


def move_for(prior: Prior, whole_row: bool) -> int:
    """The address of the function that moves θ under ``prior``.

    ``whole_row``: all synapses of a row share the prior's parameters and are computed in lanes.
    """
    count = len(prior.parameters)
    if prior.transition_of is None:
        return row_function(
            _by_a_step, MOVE, gradient=prior.gradient_of, prior_numbers=numbers(count)
        )
    template = _exactly_in_lanes if whole_row else _exactly
    return row_function(
        template, MOVE, transition=prior.transition_of, prior_numbers=numbers(count)
    )


def _exactly_in_lanes(row: ElapsedRow) -> None:
    """θ ← mean + keep (θ − mean) + spread ν for a row that shares the prior's parameters."""
    theta, normals = array_at(row.theta, row.n), array_at(row.normals, row.n)
    mean, keep, spread = transition(
        prior_numbers(row.prior, row.plane, 0), row.speed, row.temperature, row.elapsed_s
    )
    for i in range(0, row.n, LANE):
        old = load(theta, i)
        new = mean + keep * (old - mean) + spread * widen(load(normals, i))
        store(theta, i, at_least(new, old, row.theta_min))


def _exactly(row: ElapsedRow) -> None:
    """Exact transition with parameters of the prior for each synapse."""
    theta, normals = array_at(row.theta, row.n), array_at(row.normals, row.n)
    for i in range(row.n):
        p = prior_numbers(row.prior, row.plane, i * row.step)
        mean, keep, spread = transition(p, row.speed, row.temperature, row.elapsed_s)
        old = theta[i]
        moved = mean + keep * (old - mean) + spread * normals[i]
        theta[i] = at_least(moved, old, row.theta_min)


def _by_a_step(row: ElapsedRow) -> None:
    """Any prior: one Euler–Maruyama step."""
    theta, normals = array_at(row.theta, row.n), array_at(row.normals, row.n)
    b, T = row.speed, row.temperature
    sqrt_dt, spread = np.sqrt(row.elapsed_s), diffusion(b, T)
    for i in range(row.n):
        old = theta[i]
        if old > -np.inf:
            p = prior_numbers(row.prior, row.plane, i * row.step)
            force = drift(b, 0.0, gradient(old, p), 0.0, 0.0, T)
            moved = euler_maruyama(old, force, spread, sqrt_dt, normals[i])
            theta[i] = at_least(moved, old, row.theta_min)


# -- from θ to w and ŵ --------------------


def is_multiplicative(mapping: Mapping) -> bool:
    """Whether dw/dθ = w, that is w = f(0) e^θ."""
    return mapping.slope_of is mapping.weight_of


def weigh_for(mapping: Mapping) -> int:
    """The address of the function that computes w from θ."""
    if is_multiplicative(mapping):
        return row_function(_weigh_in_lanes, WEIGH)
    parts = {"weight_of": mapping.weight_of, "mapping_numbers": numbers(len(mapping.parameters))}
    return row_function(_weigh_any, WEIGH, **parts)


@separate
def exponential_weights(theta: Any, weight: Any, retracted: Any) -> bool:
    """w = f(0) e^θ for a row; returns whether a synapse crossed θ = 0."""
    crossed = singles(0.0)
    for i in range(0, theta.size, LANE):
        new = retracted * exp_single(narrow(load(theta, i)))
        crossed = note_signs(crossed, retracted - load(weight, i), retracted - new)
        store(weight, i, new)
    return any_negative(crossed)


def _weigh_in_lanes(n: int, theta_at: Any, weight_at: Any, mapping: Any, retracted: Any) -> int:
    return int(exponential_weights(array_at(theta_at, n), array_at(weight_at, n), retracted))


def _weigh_any(n: int, theta_at: Any, weight_at: Any, mapping: Any, retracted: Any) -> int:
    theta, weight = array_at(theta_at, n), array_at(weight_at, n)
    p = mapping_numbers(mapping, 1, 0)
    for i in range(n):
        weight[i] = weight_of(theta[i], p) if theta[i] > -np.inf else 0.0
    return 1


@separate
def read_effects(weight: Any, retracted: Any, sign: Any, fall: Any, rise: Any, effect: Any) -> Any:
    """ŵ = ± max(0, w − f(0)), and the neuron's two sums Σ ŵ fall, Σ ŵ rise."""
    sum_fall, sum_rise = singles(0.0), singles(0.0)
    for i in range(0, weight.size, LANE):
        e = sign * max(load(weight, i) - retracted, np.float32(0.0))
        store(effect, i, e)
        sum_fall = sum_fall + e * load(fall, i)
        sum_rise = sum_rise + e * load(rise, i)
    return total(sum_fall), total(sum_rise)
