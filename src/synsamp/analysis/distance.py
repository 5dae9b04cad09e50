"""How far a sampled distribution is from the true one, and how far chance alone takes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def total_variation(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    """½ Σ |share − probability| over the bins: 0 for equal, 1 for disjoint distributions."""
    shares = counts / counts.sum()
    return 0.5 * float(np.abs(shares - probabilities / probabilities.sum()).sum())


def total_variation_by_chance(
    counts_per_chain: NDArray[np.float64],
    quantile: float,
    rng: np.random.Generator,
    repeats: int = 4000,
) -> float:
    """The distance that the pooled counts of independent chains stay below, if all is well.

    Each chain deviates from the pooled distribution by chance, correlations in time included. As
    chains are independent and a deviation is as likely as its opposite, the same deviations with
    random signs show what else could have come out (a wild bootstrap, Wu 1986).
    """
    shares = counts_per_chain.reshape(len(counts_per_chain), -1)
    shares = shares / shares.sum(axis=1, keepdims=True)
    n = len(shares)
    # The pooled mean takes up a part of each deviation; n/(n−1) gives it back.
    deviations = (shares - shares.mean(axis=0)) * np.sqrt(n / (n - 1))
    signs = rng.choice([-1.0, 1.0], size=(repeats, n))
    distances = 0.5 * np.abs(signs @ deviations / n).sum(axis=1)
    return float(np.quantile(distances, quantile))
