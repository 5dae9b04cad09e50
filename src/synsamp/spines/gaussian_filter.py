"""An approximate likelihood: a Kalman filter, with moment matching at absences.

After a measured size the density stays Gaussian. An absence truncates it at the threshold, except
for the fraction of missed spines; the result is replaced by a Gaussian with the same mean and
variance (assumed density filtering). The filter handles two parts of x as easily as one, so
`TwoTimeScales` is fitted with it, and it provides the starting point for the filter on nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp.spines.observations import ABSENT, SIZED, Observations
from synsamp.spines.process import Process

Floats = NDArray[np.float64]


def gaussian_log_likelihoods(process: Process, seen: Observations) -> Floats:
    """log P(observations | seen at least once) of every spine, approximated at absences."""
    first, given = _arguments(process, seen)
    whole = _filter(seen.kind, seen.value, seen.gap, seen.length, first(seen.elapsed), *given)
    found: Floats = whole - log_entry_by(process, seen)
    return found


def log_entry_by(process: Process, seen: Observations) -> Floats:
    """log of the probability that each spine is in the table."""
    first, given = _arguments(process, seen)
    blanks = seen.blanks
    nothing = np.zeros(blanks.gap.shape, np.int8)
    blank = np.zeros(nothing.shape)
    absent = _filter(nothing, blank, blanks.gap, blanks.length, first(blanks.elapsed), *given)
    return log_entry(absent, seen)


def _arguments(
    process: Process, seen: Observations
) -> tuple[Callable[[Floats], Floats], tuple[Any, ...]]:
    """The spread of the first part after some time, and the arguments that all rows share."""
    steps = process.transition(seen.intervals)
    spreads = [spread for spread, _ in process.parts()]
    if len(steps) == 1:
        steps = [*steps, (np.zeros_like(steps[0][0]), np.zeros_like(steps[0][0]))]
        spreads = [*spreads, 0.0]
    # Of a sum of two, the first part is that which may grow with time.
    alone = spreads[1] == 0.0

    def first(elapsed: Floats) -> Floats:
        return process.spread_after(elapsed) if alone else np.full(elapsed.shape, spreads[0])

    return first, (
        process.start()[0],
        spreads[1],
        *steps[0],
        *steps[1],
        process.noise,
        seen.threshold,
        seen.threshold_on == "true",
        seen.missed,
    )


def log_entry(log_absent: Floats, seen: Observations) -> Floats:
    """log of what each spine's likelihood is divided by, from log P of the rows of absences."""
    chance = 1.0 + seen.blanks.shares @ np.exp(log_absent)
    found: Floats = np.log(np.maximum(chance, 1e-12))[seen.pattern]
    return found


@njit(cache=True, error_model="numpy")
def _log_below(z):  # type: ignore[no-untyped-def]
    """log Φ(z) and φ(z)/Φ(z); for very negative z by the series of Mills' ratio."""
    if z > -8.0:
        p = 0.5 * math.erfc(-z / math.sqrt(2.0))
        return math.log(p), math.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * p)
    ratio = -z / (1.0 - 1.0 / (z * z) + 3.0 / (z * z * z * z))
    return -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) - math.log(ratio), ratio


@njit(cache=True, error_model="numpy")
def _filter(  # type: ignore[no-untyped-def]
    kind,
    value,
    gap,
    length,
    spread_a,
    mean,
    spread_b,
    keep_a,
    add_a,
    keep_b,
    add_b,
    noise,
    c,
    on_true_size,
    missed,
):
    n_spines = kind.shape[0]
    out = np.empty(n_spines)
    for s in range(n_spines):
        a, b = 0.0, 0.0
        aa, ab, bb = spread_a[s] * spread_a[s], 0.0, spread_b * spread_b
        total = 0.0
        for k in range(length[s]):
            if k > 0:
                g = gap[s, k]
                a, b = keep_a[g] * a, keep_b[g] * b
                aa = keep_a[g] * keep_a[g] * aa + add_a[g] * add_a[g]
                ab = keep_a[g] * keep_b[g] * ab
                bb = keep_b[g] * keep_b[g] * bb + add_b[g] * add_b[g]
            hidden = aa + 2.0 * ab + bb
            variance = hidden + noise * noise
            if kind[s, k] != ABSENT:
                total += math.log1p(-missed)
            if kind[s, k] == SIZED:
                to_a, to_b = (aa + ab) / variance, (ab + bb) / variance
                shift = value[s, k] - mean - a - b
                total += -0.5 * shift * shift / variance
                total -= math.log(math.sqrt(2.0 * math.pi * variance))
                a += to_a * shift
                b += to_b * shift
                aa -= to_a * to_a * variance
                ab -= to_a * to_b * variance
                bb -= to_b * to_b * variance
                if not on_true_size:
                    continue
                hidden = aa + 2.0 * ab + bb
            # Truncate at the threshold: keep the part above it if the spine was seen, else below.
            if on_true_size:
                variance = max(hidden, 1e-30)
            std = math.sqrt(variance)
            z = (c - mean - a - b) / std
            if kind[s, k] == ABSENT:
                log_p, ratio = _log_below(z)
                shift, less = -std * ratio, ratio * (ratio + z)
                if missed > 0.0:  # a mixture of the part below and, rarely, all
                    below = math.exp(log_p)
                    p = below + missed * (1.0 - below)
                    share = (1.0 - missed) * below / p
                    square = share * (variance * (1.0 - less) + shift * shift)
                    shift = share * shift
                    less = 1.0 - (square + (1.0 - share) * variance - shift * shift) / variance
                    log_p = math.log(p)
            else:
                log_p, ratio = _log_below(-z)
                shift, less = std * ratio, ratio * (ratio - z)
            total += log_p
            to_a, to_b = (aa + ab) / variance, (ab + bb) / variance
            a += to_a * shift
            b += to_b * shift
            aa -= to_a * to_a * variance * less
            ab -= to_a * to_b * variance * less
            bb -= to_b * to_b * variance * less
        out[s] = total
    return out
