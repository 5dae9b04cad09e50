"""Compiled steps of the scene Landscape: the rule's Euler–Maruyama step for two parameters.

`synsamp.rule.Chains` does the same for any rule; this loop takes nothing but arrays, so that it
runs in a browser as well. A test compares the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.models.landscape import gradient_at, log_likelihood_at
from synsamp.noise.streams import fill_normals_with
from synsamp.priors import Gaussian
from synsamp.rule.equation import diffusion, drift, euler_maruyama
from synsamp.spiking.kernel.compiling import kernel

SPEED, TEMPERATURE, DATA_SIZE, MEAN, STD, SQRT_DT = range(6)
"""Entries of ``numbers``."""

prior_gradient, prior_log_density = Gaussian.gradient_of, Gaussian.log_density_of


@kernel
def advance(
    theta: Any,
    numbers: Any,
    centres: Any,
    widths: Any,
    heights: Any,
    stream: Any,
    words: Any,
    buffer: Any,
    taken: Any,
    thin: int,
    path: Any,
) -> None:
    """Advance θ by ``thin`` steps per row of ``path``, and write θ after each of them.

    ``taken[0]`` normals of ``buffer`` are used up.
    """
    b, T, N = numbers[SPEED], numbers[TEMPERATURE], numbers[DATA_SIZE]
    prior = numbers[MEAN], numbers[STD]
    noise, sqrt_dt = diffusion(b, T), numbers[SQRT_DT]
    for row in range(path.shape[0]):
        for _ in range(thin):
            if taken[0] + 2 > buffer.size:
                fill_normals_with(stream, words, buffer)
                taken[0] = 0
            at = taken[0]
            taken[0] = at + 2
            first, second = gradient_at(theta[0], theta[1], centres, widths, heights)
            force = drift(b, 0.0, prior_gradient(theta[0], prior), N, first, T)
            theta[0] = euler_maruyama(theta[0], force, noise, sqrt_dt, buffer[at])
            force = drift(b, 0.0, prior_gradient(theta[1], prior), N, second, T)
            theta[1] = euler_maruyama(theta[1], force, noise, sqrt_dt, buffer[at + 1])
        path[row, 0], path[row, 1] = theta[0], theta[1]


SUB = 5
"""Points per bin and axis at which the density is summed."""


@kernel
def density(
    numbers: Any, centres: Any, widths: Any, heights: Any, low: float, high: float, out: Any
) -> None:
    """Probability of each bin [x, y] of a square under (p_S p_N^N)^(1/T); they sum to 1."""
    n = out.shape[0]
    T, N = numbers[TEMPERATURE], numbers[DATA_SIZE]
    prior = numbers[MEAN], numbers[STD]
    step = (high - low) / (n * SUB)
    top, total = -np.inf, 0.0
    for again in range(2):
        for i in range(n):
            for j in range(n):
                cell = 0.0
                for k in range(SUB * SUB):
                    x = low + (i * SUB + k // SUB + 0.5) * step
                    y = low + (j * SUB + k % SUB + 0.5) * step
                    height = N * log_likelihood_at(x, y, centres, widths, heights)
                    height += prior_log_density(x, prior) + prior_log_density(y, prior)
                    if again == 0:
                        top = max(top, height)
                    else:
                        cell += np.exp((height - top) / T)
                if again == 1:
                    out[i, j] = cell
                    total += cell
    for i in range(n):
        for j in range(n):
            out[i, j] /= total


@kernel
def count(path: Any, low: float, high: float, out: Any) -> None:
    """Count each point of a path in its bin; points outside are not counted."""
    n = out.shape[0]
    scale = n / (high - low)
    for row in range(path.shape[0]):
        i, j = np.floor((path[row, 0] - low) * scale), np.floor((path[row, 1] - low) * scale)
        if i >= 0 and i < n and j >= 0 and j < n:
            out[int(i), int(j)] += 1.0
