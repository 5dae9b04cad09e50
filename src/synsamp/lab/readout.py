"""Probes of the scenes: how often does the network's answer name what was shown?

The answer of a trial is that of a nearest-centroid decoder: its spike counts are compared with the
mean counts of each label in the other half of the trials. Chance is one over the number of labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking import InOrder, Simulation


def decoded(counts: NDArray[Any], labels: NDArray[Any]) -> int:
    """Trials whose label is found by the centroids of the other half of the trials.

    Two halves, not all other trials: leaving out one trial moves the centroid of its label
    away from it, so that a network that knows nothing would score below chance.
    """
    counts, kinds = np.asarray(counts, float), np.unique(labels)
    second = np.arange(len(counts)) >= len(counts) // 2
    correct = 0
    for tested in (second, ~second):
        centroids = np.stack([counts[~tested & (labels == kind)].mean(axis=0) for kind in kinds])
        distances = np.sum((counts[tested][:, None] - centroids) ** 2, axis=-1)
        correct += int(np.sum(kinds[distances.argmin(axis=1)] == labels[tested]))
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
        "correct": decoded(counts, labels),
        "chance": 1.0 / kinds.size,
        "mean": means.tolist(),
        "error": errors.tolist(),
    }


def decode_heard(
    test: tuple[InOrder, NDArray[np.int64]],
    seeing: slice,
    burn_in_s: float,
    windows: int,
    simulation: Simulation,
    tick: int,
    *,
    seed: int,
) -> dict[str, Any]:
    """Let words be heard alone; decode them from the neurons that see, in windows of time.

    The windows divide the shortest word: the total rate of a circuit is fixed, so counts over whole
    words would reveal their length.
    """
    stimulus, labels = test
    heard: Sequence[Any] = next(iter(stimulus.library.values()))
    lengths_s = np.array([one.durations_s.sum() for one in heard])
    found = simulation.probe(
        stimulus,
        float(lengths_s.sum()),
        seed=np.random.SeedSequence([seed, tick]),
        burn_in_s=burn_in_s,
    )
    starts = np.concatenate([[0.0], np.cumsum(lengths_s)])[:-1]
    counts = np.zeros((labels.size, windows, simulation.network.n_neurons))
    trial = np.searchsorted(starts, found.time_s, side="right") - 1
    window = np.floor((found.time_s - starts[trial]) / lengths_s.min() * windows).astype(int)
    within = window < windows
    np.add.at(counts, (trial[within], window[within], found.neuron[within]), 1)
    return {
        "trials": int(labels.size),
        "correct": decoded(counts[:, :, seeing].reshape(labels.size, -1), labels),
        "chance": 1.0 / np.unique(labels).size,
    }
