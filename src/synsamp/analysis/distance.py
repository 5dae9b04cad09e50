"""How far a sampled distribution is from the true one, and how far chance alone takes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import generator, number, numbers, whole
from synsamp.errors import refuse


def total_variation(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    """½ Σ |share − probability| over the bins: 0 for equal, 1 for disjoint distributions."""
    found = _shares(numbers("counts", counts, at_least=0), "counts")
    model = numbers("probabilities", probabilities, shape=found.shape, at_least=0)
    return 0.5 * float(np.abs(found - _shares(model, "probabilities")).sum())


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
    counts = np.atleast_1d(numbers("counts_per_chain", counts_per_chain, at_least=0))
    quantile = number("quantile", quantile, at_least=0, at_most=1)
    generator("rng", rng)
    repeats = whole("repeats", repeats, at_least=1, at_most=10**7)
    n = len(counts)
    if n < 2:
        raise refuse("counts_per_chain", "must hold at least two chains", counts.shape)
    shares = np.stack([_shares(one.reshape(-1), "counts_per_chain") for one in counts])
    # The pooled mean takes up a part of each deviation; n/(n−1) gives it back.
    deviations = (shares - shares.mean(axis=0)) * np.sqrt(n / (n - 1))
    signs = rng.choice([-1.0, 1.0], size=(repeats, n))
    distances = 0.5 * np.abs(signs @ deviations / n).sum(axis=1)
    return float(np.quantile(distances, quantile))


def _shares(values: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    total = float(values.sum())
    if not total > 0:
        raise refuse(name, "must not all be 0", total)
    return values / total
