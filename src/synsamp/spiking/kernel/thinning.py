"""Spikes of free neurons, drawn exactly by thinning.

Their rates ρ_0 exp(u) follow the potentials, but none can exceed its *limit*: contributions to u
that fall are taken as they are now, those that rise as they will be at the end of a short while,
and each arrival raises the limits of those whom it excites by the peak of its EPSP. So candidates
come as a Poisson process with the sum of all limits, and one becomes a spike with probability
Σ ρ / limit. Limits are taken anew after a candidate, after a while, and when weights change. As
they grow, the candidate in hand comes closer by the same factor: what is left of its unit
exponential is used up faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp, exp_single
from synsamp.spiking.kernel.compiling import once, separate
from synsamp.spiking.kernel.memory import (
    BOUND,
    BOUND_S,
    CANDIDATE,
    RENEW_S,
    Activity,
    Wiring,
    Work,
)
from synsamp.spiking.kernel.potentials import (
    NOBODY,
    NOT_FINITE,
    decay_adaptation,
    epsp_decays,
    potentials,
)
from synsamp.spiking.kernel.random import Words, uniform
from synsamp.spiking.kernel.simd import LANE, load, part, store, total, widen

ABOVE_LIMIT = -3
"""In place of a neuron, beside NOBODY and NOT_FINITE: a rate passed its limit."""
MOST_HZ = 1e7
"""All limits together; a network beyond it would hardly move on."""
MARGIN = 1.01
"""Of a limit over the bound it is computed from: limits are kept in single precision."""
LEAST_HZ = 1e-30
"""Of the limit of a neuron that is alive: below it single precision would soon end at 0."""


@once
def most(value: float, keep: float) -> float:
    """The largest value that ``value`` takes on while it decays to ``keep`` times itself."""
    return value if value > 0.0 else value * keep


@separate
def renew_limits(now: float, wiring: Wiring, activity: Activity) -> None:
    """What no rate exceeds for the next while, if nothing arrives; and their sum."""
    while_s = wiring.constants[RENEW_S]
    n_kernels = wiring.epsp_fall_s.size
    plane = activity.sum_fall.size // n_kernels
    bound: Any = 0.0
    for circuit in range(wiring.free.size):
        if not wiring.free[circuit]:
            continue
        decay_adaptation(circuit, now, wiring, activity)
        first, last = wiring.first_neuron[circuit], wiring.first_neuron[circuit + 1]
        strength = wiring.adaptation_strength[circuit]
        keep_fall = exp(-while_s / wiring.adaptation_fall_s[circuit])
        keep_rise = exp(-while_s / wiring.adaptation_rise_s[circuit])
        for neuron in range(first, last):
            u = most(strength * activity.adaptation_fall[neuron], keep_fall)
            u += most(-strength * activity.adaptation_rise[neuron], keep_rise)
            for i in range(n_kernels):
                fall, rise = epsp_decays(i, now, wiring, activity)
                at = i * plane + neuron
                u += most(fall * activity.sum_fall[at], exp(-while_s / wiring.epsp_fall_s[i]))
                u += most(-rise * activity.sum_rise[at], exp(-while_s / wiring.epsp_rise_s[i]))
            limit = np.float32(0.0)
            if activity.bias[neuron] == 0.0:
                rate = MARGIN * wiring.base_hz[circuit] * exp(u)
                limit = np.float32(rate if rate > LEAST_HZ else LEAST_HZ)
            activity.limit_hz[neuron] = limit
            bound += limit
    use_bound(now, bound, activity)
    activity.clock[BOUND_S] = now + while_s


@once
def use_bound(now: float, bound: float, activity: Activity) -> None:
    """Another sum of limits; the candidate in hand comes sooner or later in proportion."""
    clock = activity.clock
    if clock[CANDIDATE] >= 0.0:
        left = (clock[CANDIDATE] - now) * clock[BOUND]
        clock[CANDIDATE] = now + left / bound if bound > 0.0 else -1.0
    clock[BOUND] = bound


@separate
def raise_limits(axon: int, now: float, wiring: Wiring, column: Any, activity: Activity) -> None:
    """A spike has arrived: those whom it excites may become faster by its EPSP's peak."""
    i = wiring.axon_kernel[axon]
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    first, cell = wiring.axon_first_sum[axon] - i * plane, wiring.axon_cell[axon]
    peak = np.float32(wiring.epsp_peak[i])
    grown = 0.0
    for start in range(0, wiring.axon_width[axon], LANE):
        effect = max(load(column, cell + start), np.float32(0.0))
        old = load(activity.limit_hz, first + start)
        new = old * exp_single(effect * peak)
        store(activity.limit_hz, first + start, new)
        grown += total(widen(new) - widen(old))
    if grown != 0.0:
        use_bound(now, activity.clock[BOUND] + grown, activity)


@separate
def accept(now: float, wiring: Wiring, activity: Activity, events: Words, work: Work) -> int:
    """The free neuron that spikes at a candidate, or who it is not."""
    share = uniform(events) * activity.clock[BOUND]
    found, up_to = NOBODY, 0.0
    for circuit in range(wiring.free.size):
        if not wiring.free[circuit]:
            continue
        first, last = wiring.first_neuron[circuit], wiring.first_neuron[circuit + 1]
        potentials(circuit, now, wiring, activity, part(work.potentials, 0, last - first))
        for neuron in range(first, last):
            rate = wiring.base_hz[circuit] * exp(work.potentials[neuron - first])
            if now < activity.dead_until_s[neuron] or activity.bias[neuron] < 0.0:
                continue
            if not rate <= activity.limit_hz[neuron]:
                return ABOVE_LIMIT if rate == rate else NOT_FINITE
            up_to += rate
            if found == NOBODY and share < up_to:
                found = neuron
    return found
