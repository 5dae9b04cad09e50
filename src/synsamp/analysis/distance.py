"""Total variation distance between sampled and true distributions, and its null distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import generator, number, numbers, whole
from synsamp.errors import refuse


def total_variation(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    """Half of Σ abs(frequency − probability): 0 for equal, 1 for disjoint distributions."""
    found = _frequencies(numbers("counts", counts, at_least=0), "counts")
    wanted = numbers("probabilities", probabilities, shape=found.shape, at_least=0)
    return 0.5 * float(np.abs(found - _frequencies(wanted, "probabilities")).sum())


def total_variation_by_chance(
    counts_per_chain: NDArray[np.float64],
    quantile: float,
    rng: np.random.Generator,
    repeats: int = 4000,
) -> float:
    """A quantile of the distance of pooled counts if the chains sample the true distribution.

    Each chain deviates from the pooled distribution by chance, including correlations in time.
    Chains are independent and deviations symmetric, so random signs of the deviations give their
    null distribution (wild bootstrap, Wu 1986).

    Parameters
    ----------
    counts_per_chain
        Shape (chains, …), at least two chains.
    quantile
        Between 0 and 1.
    rng
        Source of the random signs.
    repeats
        Bootstrap samples.
    """
    counts = np.atleast_1d(numbers("counts_per_chain", counts_per_chain, at_least=0))
    quantile = number("quantile", quantile, at_least=0, at_most=1)
    generator("rng", rng)
    repeats = whole("repeats", repeats, at_least=1, at_most=10**7)
    n = len(counts)
    if n < 2:
        raise refuse("counts_per_chain", "must hold at least two chains", counts.shape)
    frequencies = np.stack([_frequencies(one.reshape(-1), "counts_per_chain") for one in counts])
    # Deviations from the pooled mean are too small; n/(n−1) corrects their variance.
    deviations = (frequencies - frequencies.mean(axis=0)) * np.sqrt(n / (n - 1))
    signs = rng.choice([-1.0, 1.0], size=(repeats, n))
    distances = 0.5 * np.abs(signs @ deviations / n).sum(axis=1)
    return float(np.quantile(distances, quantile))


def _frequencies(values: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    total = float(values.sum())
    if not total > 0:
        raise refuse(name, "must not all be 0", total)
    return values / total
