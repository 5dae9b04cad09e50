"""Probes of the scenes: how often does the network's answer name what was shown?

The answer of a trial is that of a nearest-centroid decoder: spike counts of the trial are compared
with the mean counts of each label over all other trials. Chance is one over the number of labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking import InOrder, Simulation


def leave_one_out(counts: NDArray[Any], labels: NDArray[Any]) -> int:
    """Trials whose label is found, each by the centroids of all other trials."""
    counts, kinds = np.asarray(counts, float), np.unique(labels)
    correct = 0
    for trial in range(len(counts)):
        others = np.arange(len(counts)) != trial
        centroids = [counts[others & (labels == kind)].mean(axis=0) for kind in kinds]
        distances = [float(np.sum((counts[trial] - c) ** 2)) for c in centroids]
        correct += int(kinds[int(np.argmin(distances))] == labels[trial])
    return correct


def decode_digits(
    test: tuple[InOrder, NDArray[np.int64]], simulation: Simulation, tick: int, *, seed: int
) -> dict[str, Any]:
    """Show unseen images once each; spikes per image of each label, and decoding."""
    stimulus, labels = test
    shown: Sequence[Any] = stimulus.library["x"]
    length_s = float(sum(one.durations_s.sum() for one in shown))
    found = simulation.probe(stimulus, length_s, seed=np.random.SeedSequence([seed, tick]))
    counts = found.counts(simulation.network.n_neurons)[: labels.size]
    kinds = np.unique(labels)
    means = np.stack([counts[labels == kind].mean(axis=0) for kind in kinds], axis=1)
    errors = np.stack(
        [counts[labels == k].std(axis=0, ddof=1) / np.sqrt((labels == k).sum()) for k in kinds],
        axis=1,
    )
    return {
        "trials": int(labels.size),
        "correct": leave_one_out(counts, labels),
        "chance": 1.0 / kinds.size,
        "mean": means.tolist(),
        "error": errors.tolist(),
    }
