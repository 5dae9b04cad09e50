"""Survival of spines, measured and predicted, as compiled functions over arrays.

Spines are observed at equal intervals. The measured curve is the share of the spines present at one
observation that were present at each of the next k. The prediction follows the density of θ above
the threshold 0 from one observation to the next, under prior and noise alone: θ then is an
Ornstein–Uhlenbeck process, whose transition over any interval is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.priors.gaussian import ornstein_uhlenbeck
from synsamp.spiking.kernel.compiling import kernel

GRID = 200
"""Points of θ above the threshold."""


@kernel
def observe(theta: Any, runs: Any, present: Any, kept: Any, total: Any) -> None:
    """Count one observation.

    runs[spine]: observations in a row at which it has been present. present[k]: how many were
    present k observations ago (−1: not observed). kept[k], total[k]: sums of the measured curve.
    """
    lags = kept.size
    for k in range(lags - 1, 0, -1):
        present[k] = present[k - 1]
    present[0] = 0
    for i in range(theta.size):
        runs[i] = runs[i] + 1 if theta[i] > 0.0 else 0
        present[0] += int(theta[i] > 0.0)
    for i in range(theta.size):
        for k in range(min(runs[i], lags)):
            kept[k] += 1.0
    for k in range(lags):
        total[k] += max(present[k], 0)


@kernel
def predict(
    mean: float, std: float, b: float, T: float, interval_s: float, work: Any, out: Any
) -> None:
    """Survival at observations 0, 1, … of spines that are present in equilibrium.

    ``work`` is float64[2 GRID + GRID²].
    """
    keep, spread = ornstein_uhlenbeck(b, T, std, interval_s)
    width = std * np.sqrt(T)
    step = max(mean + 6.0 * width, width) / GRID
    now, after, move = 0, GRID, 2 * GRID
    total = 0.0
    for i in range(GRID):
        z = ((i + 0.5) * step - mean) / width
        work[now + i] = np.exp(-0.5 * z * z)
        total += work[now + i]
    scale = step / (spread * np.sqrt(2.0 * np.pi))
    for i in range(GRID):
        centre = mean + keep * ((i + 0.5) * step - mean)
        for j in range(GRID):
            z = ((j + 0.5) * step - centre) / spread
            work[move + i * GRID + j] = scale * np.exp(-0.5 * z * z)
    out[0] = 1.0
    for k in range(1, out.size):
        left = 0.0
        for j in range(GRID):
            work[after + j] = 0.0
        for i in range(GRID):
            mass = work[now + i]
            for j in range(GRID):
                work[after + j] += mass * work[move + i * GRID + j]
        for j in range(GRID):
            work[now + j] = work[after + j]
            left += work[now + j]
        out[k] = left / total
