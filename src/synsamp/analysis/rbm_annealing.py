"""log Z of a Boltzmann machine too large to sum: annealed importance sampling (Neal 2001).

Between a machine without couplings (β = 0), whose Z is known, and the machine itself (β = 1) lie

    p_β(x) ∝ exp( b_vis·x + Σ_i log(1 + e^(β (b_i + w_i·x))) )

Each of many walkers starts at β = 0, gains log p_β′(x) − log p_β(x) at every step and then moves
by one Gibbs update under β′. The mean of e^gain is the ratio of the two Z without bias
(Salakhutdinov & Murray 2008).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.analysis.rbm_likelihood import as_machine, sum_softplus
from synsamp.arguments import generator, whole

Array = NDArray[np.float64]


class AnnealedEstimate(NamedTuple):
    """log Z with the standard error that the spread of the walkers suggests.

    If a few walkers carry most of the weight (``effective_walkers`` near 1), the error is itself
    unreliable: use more steps.
    """

    log_z: float
    standard_error: float
    effective_walkers: float


def annealed_log_partition(
    rng: np.random.Generator,
    weights: Array,
    hidden_bias: Array,
    visible_bias: Array,
    steps: int = 2000,
    walkers: int = 100,
) -> AnnealedEstimate:
    """Estimate log Z of a machine of any size."""
    generator("rng", rng)
    steps = whole("steps", steps, at_least=1, at_most=10**8)
    walkers = whole("walkers", walkers, at_least=2, at_most=10**6)
    weights, hidden_bias, visible_bias = as_machine(weights, hidden_bias, visible_bias)
    start = 1.0 / (1.0 + np.exp(-visible_bias))
    x = (rng.random((walkers, visible_bias.size)) < start).astype(float)
    inputs = x @ weights.T + hidden_bias
    gain = np.zeros(walkers)
    betas = np.linspace(0.0, 1.0, steps + 1)
    for before, beta in pairwise(betas):
        gain += sum_softplus(beta * inputs) - sum_softplus(before * inputs)
        z = _fire(rng, beta * inputs)
        x = _fire(rng, visible_bias + beta * (z @ weights))
        inputs = x @ weights.T + hidden_bias
    # At β = 0 each hidden unit contributes log 2 and each visible unit log(1 + e^b).
    log_z_start = hidden_bias.size * np.log(2.0) + float(sum_softplus(visible_bias))
    top = gain.max()
    scaled = np.exp(gain - top)
    mean = scaled.mean()
    return AnnealedEstimate(
        log_z_start + top + float(np.log(mean)),
        float(scaled.std(ddof=1) / mean / np.sqrt(walkers)),
        float(scaled.sum() ** 2 / (scaled**2).sum()),
    )


def _fire(rng: np.random.Generator, activation: Array) -> Array:
    """1 with probability σ(activation), else 0."""
    return (rng.random(activation.shape) * (1.0 + np.exp(-activation)) < 1.0).astype(float)
