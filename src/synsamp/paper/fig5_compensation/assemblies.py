"""Do other neurons answer to the other digit? Histograms of z_V, sound alone (Fig. 5B).

A histogram is the mean count of each neuron in each window of a word. Those of two independent
halves of a test are compared: for the same digit, and for different digits. What all words have in
common (who fires much, and the rise and fall of the whole population) makes both alike, so only the
difference between the two tells assemblies apart. With shuffled words it is 0 but for noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from synsamp.analysis.tuning import correlations
from synsamp.experiments.base import Results
from synsamp.paper.fig5_compensation.course import MAIN, lesions_before, record_of
from synsamp.paper.fig5_compensation.decoding import blocks_of, shuffled
from synsamp.paper.fig5_compensation.parameters import ScheduleSection

WORDS = ("as heard", "shuffled")


def collect_assemblies(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Likeness of histograms before learning and in the last test before lesion 1."""
    test = results[record_of(MAIN, "test")]
    rng = np.random.default_rng(int(results["example"].attrs["surrogates"]))
    before_lesion = np.flatnonzero(lesions_before(test.time.values, schedule.lesions_s) == 0)
    rows = [0, int(before_lesion[-1])]
    found = []
    for row in rows:
        counts, words = blocks_of(test.counts.values[row], test.word.values[row])
        found.append([likeness(counts, each) for each in (words, shuffled(words, rng))])
    return xr.Dataset(
        {
            "likeness": (
                ("learned", "words", "digits"),
                np.array(found),
                {"description": "of histograms of independent halves"},
            )
        },
        coords={
            "learned": [False, True],
            "words": list(WORDS),
            "digits": ["same", "different"],
            "test_time": ("learned", test.time.values[rows], {"units": "s"}),
        },
    )


def likeness(counts: Sequence[Any], words: Sequence[Any]) -> tuple[float, float]:
    """Mean correlation between halves of the blocks, of one digit and of different digits."""
    middle = len(counts) // 2
    halves = []
    for part in (slice(0, middle), slice(middle, None)):
        x, heard = np.concatenate(counts[part]), np.concatenate(words[part])
        halves.append(np.stack([x[heard == digit].mean(axis=0).ravel() for digit in (0, 1)]))
    across = correlations(halves[0], halves[1])
    return float(np.diagonal(across).mean()), float(np.diagonal(across[:, ::-1]).mean())
