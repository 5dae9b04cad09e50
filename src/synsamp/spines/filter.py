"""The likelihood of each spine's observations, by a forward filter on quadrature nodes.

The filter propagates the density of x given all observations so far. A measured size y has its own
nodes, y + η ξ, so small measurement noise needs no more nodes. Absences share the nodes below the
threshold for all spines, with one transition matrix per distinct interval. With p the density on
the old nodes,

    p′(x′) ∝ P(observation | x′) ∫ N(x′; μ + keep (x − μ), add²) p(x) dx,

and the log-likelihood is the sum of the log normalisation constants. A table holds only spines that
were seen at least once, so each spine's likelihood is divided by the probability of entering the
table (`Blanks`). If spines can be missed, P(absent | x) is that fraction above the threshold.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray
from scipy import special

from synsamp.noise.arithmetic import exp
from synsamp.spines.gaussian_filter import log_entry
from synsamp.spines.observations import ABSENT, SIZED, Observations, ThresholdOn, observations
from synsamp.spines.process import Process

Floats = NDArray[np.float64]

REACH = 6.0
"""Standard deviations beyond which a Gaussian is neglected (2e-9 of it)."""

ACCURACY = 1e-6
"""Relative error of the quadrature in one step."""

PER_STEP = 2.4
"""Nodes per standard deviation of a step, below the threshold."""

MOST_NODES = 400

FEW_OBSERVATIONS = 4_000
"""Up to this many observations a single thread is faster."""

_hermite = functools.lru_cache(maxsize=64)(special.roots_hermitenorm)
_legendre = functools.lru_cache(maxsize=64)(special.roots_legendre)


class Resolution(NamedTuple):
    """Number of nodes around a measured size, across the threshold and below it.

    Fixed during a fit, so that the likelihood is a smooth function of the parameters.
    """

    sized: int
    edge: int
    tail: int


def resolution(process: Process, seen: Observations) -> Resolution:
    """Enough nodes for the narrowest step of the table under a process like this one."""
    ((_, added),) = process.transition(seen.intervals)
    step = max(float(added.min()), 1e-3 * process.start()[1])
    noise = process.noise
    # The integrand over ξ is φ(ξ) times two Gaussians of width step/noise; the error of Hermite's
    # rule falls as (r/(1 + r))^n.
    r = max(2.0 * (noise / step) ** 2, 1e-9)
    hermite = 3 + int(np.ceil(-np.log(ACCURACY) / np.log1p(1.0 / r)))
    tail = max(REACH * process.reach(seen.span) + process.start()[0] - seen.threshold, 0.0)
    tail = max(REACH * process.reach(seen.span) + seen.threshold - process.start()[0], tail)
    return Resolution(
        sized=int(np.clip(hermite, 5, 80)),
        edge=int(np.clip(14 + 14 * noise / step, 14, 70)),
        tail=int(np.clip(14 + PER_STEP * tail / step, 24, MOST_NODES)),
    )


def slowest_resolved(interval: float) -> float:
    """The relaxation time above which a size changes less per interval than the node spacing."""
    step = 2.0 * REACH * PER_STEP / (MOST_NODES - 14)
    return float(-2.0 * interval / np.log1p(-(step**2)))


def log_likelihoods(process: Process, seen: Observations, nodes: Resolution) -> Floats:
    """log P(observations | seen at least once) of every spine."""
    mean, spread = process.start()
    ((keep, added),) = process.transition(seen.intervals)
    noise = max(process.noise, 1e-4 * spread)
    xi, weight = _hermite(nodes.sized)
    absent, bare = _outside(process, seen, noise, nodes)
    matrices = _matrices(absent[0], absent[1], mean, keep, added)
    near = _legendre(nodes.edge)
    far = seen.threshold if seen.threshold_on == "true" else -np.inf  # below which x is not seen
    hermite = xi, weight / weight.sum()
    given = (mean, keep, added, noise, far, *hermite, *near, *absent, *bare, matrices)
    first = process.spread_after(seen.elapsed)
    whole = _run(seen, seen.kind, seen.value, seen.gap, seen.length, first, *given)
    blanks = seen.blanks
    nothing = np.zeros(blanks.gap.shape, np.int8)
    blank = np.zeros(nothing.shape)
    first = process.spread_after(blanks.elapsed)
    never = _run(seen, nothing, blank, blanks.gap, blanks.length, first, *given)
    if seen.missed:
        whole = whole + (seen.kind == SIZED).sum(axis=1) * np.log1p(-seen.missed)
    return whole - log_entry(never, seen)


def survival_between_sessions(
    process: Process,
    threshold: float,
    step: float,
    n_steps: int,
    threshold_on: ThresholdOn = "measured",
    missed: float = 0.0,
) -> Floats:
    """P(still seen at each of n further sessions | absent before, then seen), evenly spaced.

    First passage of the fitted process, observed only in sessions.
    """
    times = np.arange(n_steps + 1, dtype=np.float64) * float(step)
    seen = observations(times, np.ones((1, times.size), np.int8), np.zeros((1, times.size)))
    seen = seen.with_threshold(threshold, threshold_on)
    seen = seen.with_missed(missed) if missed else seen
    nodes = resolution(process, seen)
    mean, spread = process.start()
    ((keep, added),) = process.transition(seen.intervals)
    noise = max(process.noise, 1e-4 * spread)
    (below, lost), (above, held) = _outside(process, seen, noise, nodes)
    mass = lost * _normal(below, mean, spread)
    into = _normal(above[:, None], mean + keep[0] * (below - mean)[None, :], added[0])
    mass = held * (into @ mass)
    stay = held[:, None] * _normal(
        above[:, None], mean + keep[0] * (above - mean)[None, :], added[0]
    )
    alive = [1.0]
    total = mass.sum()
    for _ in range(n_steps):
        mass = stay @ mass
        alive.append(float(mass.sum() / total))
    return np.array(alive)


def _normal(x: Any, mean: Any, std: Any) -> Any:
    z = (x - mean) / std
    return np.exp(-0.5 * z * z) / (std * np.sqrt(2.0 * np.pi))


def _outside(
    process: Process, seen: Observations, noise: float, nodes: Resolution
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Nodes and weights × P(observation | x) for "absent", and for "seen, size not measured"."""
    c, edge = seen.threshold, REACH * noise
    mean, spread = process.start()
    far = REACH * process.reach(seen.span)
    low = min(mean - far, c - edge - 0.5 * spread)
    high = max(mean + far, c + edge + 0.5 * spread)
    found = 1.0 - seen.missed
    if seen.threshold_on == "true":  # the threshold is sharp in x
        xi, weight = _legendre(nodes.tail + nodes.edge // 2)
        below = 0.5 * (c - low) * (xi + 1) + low, 0.5 * (c - low) * weight
        above = 0.5 * (high - c) * (xi + 1) + c, 0.5 * (high - c) * weight
        absent = _joined(below, (above[0], seen.missed * above[1])) if seen.can_miss else below
        return absent, (above[0], found * above[1])
    xi, weight = _legendre(nodes.tail)
    tail = 0.5 * (c - edge - low) * (xi + 1) + low, 0.5 * (c - edge - low) * weight
    top = 0.5 * (high - c - edge) * (xi + 1) + c + edge, 0.5 * (high - c - edge) * weight
    xi, weight = _legendre(nodes.edge)
    middle, share = c + edge * xi, edge * weight
    unseen = special.ndtr((c - middle) / noise)
    absent = _joined(tail, (middle, share * (unseen + seen.missed * (1.0 - unseen))))
    if seen.can_miss:
        absent = _joined(absent, (top[0], seen.missed * top[1]))
    return absent, _joined((middle, found * share * (1.0 - unseen)), (top[0], found * top[1]))


def _joined(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Nodes and weights of two ranges together."""
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _matrices(x: Floats, weight: Floats, mean: float, keep: Floats, added: Floats) -> Floats:
    """Absent to absent, [interval, new node, old node]."""
    moved = mean + keep[:, None, None] * (x - mean)[None, None, :]
    found: Floats = weight[None, :, None] * _normal(x[None, :, None], moved, added[:, None, None])
    return found


def _filter(  # type: ignore[no-untyped-def]
    kind,
    value,
    gap,
    length,
    spread,
    mean,
    keep,
    added,
    noise,
    far,
    xi,
    weight,
    near_xi,
    near_weight,
    absent_x,
    absent_w,
    bare_x,
    bare_w,
    matrices,
):
    n_spines = kind.shape[0]
    out = np.empty(n_spines)
    room = max(max(xi.size, near_xi.size), max(absent_x.size, bare_x.size))
    for s in prange(n_spines):
        old_x, old_m = np.empty(room), np.empty(room)
        new_x, new_m = np.empty(room), np.empty(room)
        n_old, total = 0, 0.0
        for k in range(length[s]):
            now = kind[s, k]
            if now == SIZED and value[s, k] - far < REACH * noise:
                # Truncated at the threshold, with nodes spread over the rest of the Gaussian.
                n_new = near_xi.size
                low = max(far, value[s, k] - REACH * noise)
                high = max(far + 3.0 * noise, value[s, k] + REACH * noise)
                for j in range(n_new):
                    new_x[j] = low + 0.5 * (high - low) * (near_xi[j] + 1.0)
                    z = (new_x[j] - value[s, k]) / noise
                    new_m[j] = 0.5 * (high - low) * near_weight[j] * np.exp(-0.5 * z * z)
                    new_m[j] /= noise * np.sqrt(2.0 * np.pi)
            elif now == SIZED:
                n_new = xi.size
                for j in range(n_new):
                    new_x[j] = value[s, k] + noise * xi[j]
                    new_m[j] = weight[j]
            elif now == ABSENT:
                n_new = absent_x.size
                new_x[:n_new] = absent_x
                new_m[:n_new] = absent_w
            else:
                n_new = bare_x.size
                new_x[:n_new] = bare_x
                new_m[:n_new] = bare_w
            norm = 0.0
            if k == 0:
                for j in range(n_new):
                    z = (new_x[j] - mean) / spread[s]
                    new_m[j] *= np.exp(-0.5 * z * z) / (spread[s] * np.sqrt(2.0 * np.pi))
                    norm += new_m[j]
            elif now == ABSENT and kind[s, k - 1] == ABSENT:
                matrix = matrices[gap[s, k]]
                for j in range(n_new):
                    p = 0.0
                    for i in range(n_old):
                        p += matrix[j, i] * old_m[i]
                    new_m[j] = p
                    norm += p
            else:
                a, d = keep[gap[s, k]], added[gap[s, k]]
                inverse = 1.0 / d
                scale = 1.0 / (d * np.sqrt(2.0 * np.pi))
                for i in range(n_old):
                    old_x[i] = mean + a * (old_x[i] - mean)
                for j in range(n_new):
                    p = 0.0
                    for i in range(n_old):
                        z = (new_x[j] - old_x[i]) * inverse
                        p += old_m[i] * exp(-0.5 * z * z)
                    new_m[j] *= p * scale
                    norm += new_m[j]
            if not norm > 0.0:
                total = -np.inf
                break
            total += np.log(norm)
            for j in range(n_new):
                new_m[j] /= norm
            old_x, new_x = new_x, old_x
            old_m, new_m = new_m, old_m
            n_old = n_new
        out[s] = total
    return out


_OPTIONS: Any = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "reassoc", "nsz"}}
_alone = njit(**_OPTIONS)(_filter)
_shared = njit(parallel=True, **_OPTIONS)(_filter)


def _run(seen: Observations, *given: Any) -> Floats:
    """Filter a small table on one thread: starting threads takes longer."""
    found: Floats = (_shared if seen.n_observations > FEW_OBSERVATIONS else _alone)(*given)
    return found
