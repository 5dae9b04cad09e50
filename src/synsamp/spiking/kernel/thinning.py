"""Spikes of stochastic neurons, drawn exactly by thinning.

Their rates ρ_0 exp(u) follow the potentials, but none can exceed its *limit*: contributions to u
that fall enter with their present value, those that rise with their value at the end of a short
while, and each arrival raises the limits of its targets by the peak of its EPSP. So candidates
come as a Poisson process with the sum of all limits; one is of neuron k with probability limit_k /
sum, and becomes a spike with probability p = ρ_k / limit_k. The limit of the candidate is then
recomputed, whether it spiked or not; all limits are recomputed after a while and when weights
change. When their sum grows, the waiting time of the next candidate shrinks by the same factor.

Where synapses learn from reward, rejected candidates estimate the expected number of spikes: given
the spikes, they are a Poisson process of rate limit − ρ, so the sum of p/(1 − p) over them has the
integral of ρ as its mean. This adds p/(1 − p) of the variance of the spikes; limits there are twice
as high, so that p <= 1/2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.noise.arithmetic import exp, exp_single
from synsamp.spiking.kernel.compiling import once, separate, vector
from synsamp.spiking.kernel.memory import (
    BOUND,
    BOUND_S,
    CANDIDATE,
    GROUP,
    RENEW_S,
    Activity,
    Wiring,
    Work,
)
from synsamp.spiking.kernel.potentials import (
    NO_NEURON,
    NOT_FINITE,
    bring_adaptation,
    epsp_decays,
)
from synsamp.spiking.kernel.random import Words, uniform
from synsamp.spiking.kernel.simd import LANE, above, load, part, singles, store, total, widen

ABOVE_LIMIT = -3
"""In place of a neuron, like NO_NEURON and NOT_FINITE: a rate exceeded its limit."""
MOST_HZ = 1e7
"""Largest sum of limits; beyond it a simulation would hardly progress."""
MARGIN = 1.01
"""Factor of limits above the computed bound, since they are in single precision."""
ROOM = 2.0
"""Factor of limits where rejected candidates count: p <= 1/2."""
LEAST_HZ = 1e-30
"""Smallest limit of an intact neuron, well above the underflow of single precision."""


@vector
def add_most(sums: Any, factor: float, keep: float, out: Any) -> None:
    """The largest that ``factor`` × each sum is while it decays to ``keep`` times itself."""
    for i in range(out.size):
        value = factor * sums[i]
        out[i] += max(value, keep * value)


@vector
def set_limits(u: Any, base_hz: float, highest_hz: Any, bias: Any, out: Any) -> None:
    """Limits from the largest potentials; 0 for neurons that were removed."""
    for i in range(out.size):
        rate = MARGIN * base_hz * exp(u[i])
        rate = rate if rate < highest_hz[i] else np.float64(highest_hz[i])
        rate = rate if rate > LEAST_HZ else LEAST_HZ
        rate = rate if u[i] == u[i] else np.nan  # which exp does not pass on
        out[i] = np.float32(rate if bias[i] > -np.inf else 0.0)


@separate
def limit_some(
    circuit: int, first: int, size: int, now: float, wiring: Wiring, activity: Activity, work: Work
) -> None:
    """What the rates of some neurons of a circuit do not exceed until all limits are recomputed."""
    while_s = activity.clock[BOUND_S] - now
    u, bias = part(work.potentials, 0, size), part(activity.bias, first, size)
    bring_adaptation(circuit, first, size, now, wiring, activity)
    for i in range(size):
        u[i] = bias[i] + while_s * wiring.bias_per_s[circuit]
    strength = wiring.adaptation_strength[circuit]
    keep_fall = exp(-while_s / wiring.adaptation_fall_s[circuit])
    keep_rise = exp(-while_s / wiring.adaptation_rise_s[circuit])
    add_most(part(activity.adaptation_fall, first, size), strength, keep_fall, u)
    add_most(part(activity.adaptation_rise, first, size), -strength, keep_rise, u)
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    for i in range(wiring.epsp_fall_s.size):
        fall, rise = epsp_decays(i, now, wiring, activity)
        keep_fall = exp(-while_s / wiring.epsp_fall_s[i])
        keep_rise = exp(-while_s / wiring.epsp_rise_s[i])
        add_most(part(activity.sum_fall, i * plane + first, size), fall, keep_fall, u)
        add_most(part(activity.sum_rise, i * plane + first, size), -rise, keep_rise, u)
    base_hz = wiring.base_hz[circuit] * (ROOM if wiring.assigns_eligibility[circuit] else 1.0)
    highest_hz = part(wiring.highest_limit_hz, first, size)
    set_limits(u, base_hz, highest_hz, bias, part(activity.limit_hz, first, size))


@once
def use_bound(now: float, bound: float, activity: Activity) -> None:
    """Set the sum of limits and rescale the waiting time of the next candidate."""
    clock = activity.clock
    if clock[CANDIDATE] >= 0.0:
        left = (clock[CANDIDATE] - now) * clock[BOUND]
        clock[CANDIDATE] = now + left / bound if bound > 0.0 else -1.0
    clock[BOUND] = bound


@separate
def add_up_group(group: int, wiring: Wiring, activity: Activity) -> None:
    """Set the sum of the present limits of a group."""
    size = np.int64(wiring.constants[GROUP])
    bound = 0.0
    for start in range(group * size, min((group + 1) * size, activity.bias.size), LANE):
        bound += total(widen(load(activity.limit_hz, start)))
    activity.group_hz[group] = bound


@separate
def add_up_groups(now: float, activity: Activity) -> None:
    """Set the sum of all limits."""
    bound = 0.0
    for group in range(activity.group_hz.size):
        bound += activity.group_hz[group]
    use_bound(now, bound, activity)


@separate
def renew_limits(now: float, wiring: Wiring, activity: Activity, work: Work) -> None:
    """What no rate exceeds for the next while, if nothing arrives; and their sum."""
    activity.clock[BOUND_S] = now + wiring.constants[RENEW_S]
    for circuit in range(wiring.stochastic.size):
        if wiring.stochastic[circuit]:
            first = wiring.first_neuron[circuit]
            size = wiring.first_neuron[circuit + 1] - first
            limit_some(circuit, first, size, now, wiring, activity, work)
    for group in range(activity.group_hz.size):
        add_up_group(group, wiring, activity)
    add_up_groups(now, activity)


@separate
def renew_limit(neuron: int, now: float, wiring: Wiring, activity: Activity, work: Work) -> None:
    """Recompute the limit of one neuron."""
    limit_some(wiring.circuit_of[neuron], neuron, 1, now, wiring, activity, work)
    add_up_group(neuron // np.int64(wiring.constants[GROUP]), wiring, activity)
    add_up_groups(now, activity)


@separate
def raise_limits(
    axon: int, now: float, wiring: Wiring, column: Any, activity: Activity, work: Work
) -> None:
    """A spike has arrived: the limits of its excited targets grow by the EPSP's peak."""
    i = wiring.axon_kernel[axon]
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    first, cell = wiring.axon_first_sum[axon] - i * plane, wiring.axon_cell[axon]
    peak = np.float32(wiring.epsp_peak[i])
    grown, large = 0.0, np.float32(activity.group_hz.size > 1)
    for start in range(0, wiring.axon_width[axon], LANE):
        effect = max(load(column, cell + start), np.float32(0.0))
        old = load(activity.limit_hz, first + start)
        factor = exp_single(effect * peak)
        same = large * (np.float32(1.0) - above(effect, np.float32(0.0)))
        factor = factor * (np.float32(1.0) - same) + same
        new = min(old * factor, load(wiring.highest_limit_hz, first + start))
        store(activity.limit_hz, first + start, new)
        grown += total(widen(new) - widen(old))
    if grown != 0.0 and activity.group_hz.size > 1:
        size = np.int64(wiring.constants[GROUP])
        last = min(first + wiring.axon_width[axon], activity.bias.size) - 1
        for group in range(first // size, last // size + 1):
            add_up_group(group, wiring, activity)
    for k in range(wiring.sparse_blocks.size):
        p = wiring.sparse_blocks[k]
        j = axon - wiring.first_axon[p]
        if 0 <= j < wiring.n_afferents[p]:
            grown = raise_listed(
                wiring.first_column[p] + j, p, peak, grown, wiring, column, activity, work
            )
    if grown != 0.0:
        use_bound(now, activity.clock[BOUND] + grown, activity)


@separate
def raise_listed(
    at: int,
    p: int,
    peak: np.float32,
    grown: float,
    wiring: Wiring,
    column: Any,
    activity: Activity,
    work: Work,
) -> float:
    """The same for a column of a sparse block; returns by how much limits have grown so far.

    Growth is added up in lanes, as for other columns: the same network has the same sum. exp(0) is
    slightly above 1 in single precision, so that limits grow also where ŵ = 0; large networks pass
    over those neurons, of which most columns mainly consist.
    """
    size, large = np.int64(wiring.constants[GROUP]), activity.group_hz.size > 1
    start, end = wiring.column_start[at], wiring.column_start[at + 1]
    for lane in range(start, end, LANE):
        store(work.grown, 0, widen(singles(0.0)))
        for cell in range(lane, min(lane + LANE, end)):
            effect = max(column[wiring.first_cell[p] + cell], np.float32(0.0))
            if effect > np.float32(0.0) or not large:
                neuron = wiring.cell_neuron[cell]
                old = activity.limit_hz[neuron]
                new = min(old * exp_single(effect * peak), wiring.highest_limit_hz[neuron])
                activity.limit_hz[neuron] = new
                change = np.float64(new) - np.float64(old)
                work.grown[cell - lane] = change
                activity.group_hz[neuron // size] += change
        grown += total(load(work.grown, 0))
    return grown


@separate
def raise_limit(neuron: int, by: float, wiring: Wiring, activity: Activity) -> float:
    """The potential of a neuron may be higher by this much; returns how its limit has grown."""
    old = activity.limit_hz[neuron]
    new = min(old * exp_single(np.float32(by)), wiring.highest_limit_hz[neuron])
    activity.limit_hz[neuron] = new
    change = np.float64(new) - np.float64(old)
    activity.group_hz[neuron // np.int64(wiring.constants[GROUP])] += change
    return change


@separate
def whose(share: float, wiring: Wiring, activity: Activity) -> tuple[int, float]:
    """The neuron into whose limit ``share`` of their sum falls, and what is left of it there."""
    group, size = 0, np.int64(wiring.constants[GROUP])
    while group < activity.group_hz.size - 1 and share >= activity.group_hz[group]:
        share -= activity.group_hz[group]
        group += 1
    start, n = group * size, min((group + 1) * size, activity.bias.size)
    while start < n:
        here = total(widen(load(activity.limit_hz, start)))
        if share < here:
            break
        share -= here
        start += LANE
    for neuron in range(start, min(start + LANE, n)):
        limit = np.float64(activity.limit_hz[neuron])
        if share < limit:
            return neuron, share
        share -= limit
    return NO_NEURON, share  # the last bit of a sum


@separate
def accept(
    now: float, wiring: Wiring, activity: Activity, events: Words
) -> tuple[int, int, float, float]:
    """Accept or reject a candidate: its neuron, the neuron that spikes (or why none), p, ∂log ρ/∂u.

    p is the probability that the candidate becomes a spike; ∂log ρ/∂u is 1, or 0 at the maximal
    rate.
    """
    candidate, share = whose(uniform(events) * activity.clock[BOUND], wiring, activity)
    if candidate == NO_NEURON:
        return NO_NEURON, NO_NEURON, 0.0, 0.0
    circuit, limit = wiring.circuit_of[candidate], np.float64(activity.limit_hz[candidate])
    rate = wiring.base_hz[circuit] * exp(potential(candidate, circuit, now, wiring, activity))
    if now < activity.refractory_until_s[candidate]:
        return candidate, NO_NEURON, 0.0, 0.0
    slope = 1.0
    if rate > wiring.most_hz[circuit]:
        rate, slope = wiring.most_hz[circuit], 0.0
    if not rate <= limit:
        return candidate, ABOVE_LIMIT if rate == rate else NOT_FINITE, 1.0, slope
    return candidate, candidate if share < rate else NO_NEURON, rate / limit, slope


@once
def potential(neuron: int, circuit: int, now: float, wiring: Wiring, activity: Activity) -> float:
    """u of one neuron that was not removed."""
    bring_adaptation(circuit, neuron, 1, now, wiring, activity)
    u = activity.adaptation_fall[neuron] - activity.adaptation_rise[neuron]
    u = u * wiring.adaptation_strength[circuit] + activity.bias[neuron]
    plane = activity.sum_fall.size // wiring.epsp_fall_s.size
    for i in range(wiring.epsp_fall_s.size):
        fall, rise = epsp_decays(i, now, wiring, activity)
        at = i * plane + neuron
        u += fall * activity.sum_fall[at] - rise * activity.sum_rise[at]
    return u
