"""Which word was it? A linear decoder of spike counts, fitted anew in each test or kept.

Fitted anew, it says what the neurons still tell (decodability). Kept from before lesion 1, it says
what a reader who does not learn again would make of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.analysis.decoder import Decoder, cross_validated_accuracy, fit_decoder
from synsamp.analysis.peth import SpikeTrials, rates_in_windows

NO_WORD = -1
"""Fills up blocks that had fewer presentations than fit into a row."""


def counts_in_windows(trials: SpikeTrials, windows: int, length_s: float) -> NDArray[np.float64]:
    """Spikes in equal windows of the first ``length_s``, [presentation, window, neuron]."""
    return (rates_in_windows(trials, windows, length_s) * (length_s / windows)).round()


def told(counts: Sequence[Any], words: Sequence[Any]) -> NDArray[np.float64]:
    """Share of words told rightly in each block, by a decoder that was fitted on the others."""
    pairs = zip(counts, words, strict=True)
    return cross_validated_accuracy([(_rows(c), np.asarray(w)) for c, w in pairs])


def fitted(counts: Sequence[Any], words: Sequence[Any]) -> list[Decoder]:
    """Readouts to be kept, one for each block, fitted on the other blocks."""
    rows = [_rows(c) for c in counts]
    decoders = []
    for left_out in range(len(rows)):
        others = [i for i in range(len(rows)) if i != left_out]
        x = np.concatenate([rows[i] for i in others])
        decoders.append(fit_decoder(x, np.concatenate([words[i] for i in others])))
    return decoders


def told_by(
    decoders: Sequence[Decoder], counts: Sequence[Any], words: Sequence[Any]
) -> NDArray[np.float64]:
    """Share of words told rightly in each block by the kept decoder of that block.

    Tests just before and just after a lesion draw the same noise block by block, so a decoder must
    not be asked about the block it was fitted on, not even in another test.
    """
    asked = zip(decoders, counts, words, strict=True)
    return np.array([float((r.predict(_rows(c)) == np.asarray(w)).mean()) for r, c, w in asked])


def padded_blocks(counts: Sequence[Any], words: Sequence[Any], most: int) -> tuple[Any, Any]:
    """Blocks of unequal length as arrays [block, presentation, window, neuron] and words."""
    table = np.zeros((len(counts), most, *counts[0].shape[1:]), np.uint16)
    names = np.full((len(counts), most), NO_WORD, np.int8)
    for block, (one, word) in enumerate(zip(counts, words, strict=True)):
        table[block, : len(word)] = np.minimum(one, np.iinfo(np.uint16).max)
        names[block, : len(word)] = word
    return table, names


def blocks_of(counts: Any, words: Any) -> tuple[list[Any], list[Any]]:
    """Back from arrays to the presentations that there were."""
    used = [np.asarray(row) != NO_WORD for row in words]
    return (
        [np.asarray(c)[u] for c, u in zip(counts, used, strict=True)],
        [np.asarray(w)[u] for w, u in zip(words, used, strict=True)],
    )


def shuffled(words: Sequence[Any], rng: np.random.Generator) -> list[Any]:
    """The words of each block in another order: what is told of them then is told by chance."""
    return [rng.permutation(np.asarray(row)) for row in words]


def _rows(counts: Any) -> NDArray[np.float64]:
    """One row of features per presentation."""
    return np.asarray(counts, float).reshape(len(counts), -1)
