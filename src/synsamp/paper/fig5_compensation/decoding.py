"""Decoding of words from spike counts, and recall over time.

Trained in each test on its other blocks, a linear decoder shows what the neurons encode
(``recall``). Trained in the last test before lesion 1 and then fixed, it shows what downstream
neurons that do not relearn could read out (``recall_fixed``, NaN before that test).

Levels are means of a few tests: *learned* of the half hour before lesion 1 (or half of a shorter
phase), *recovered* from 1 h after lesion 1, *late* around 2 h after lesion 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.decoder import Decoder, cross_validated_accuracy, fit_decoder
from synsamp.analysis.peth import SpikeTrials, rates_in_windows
from synsamp.experiments import Results
from synsamp.paper.fig5_compensation.parameters import HOUR_S, ScheduleSection

NO_WORD = -1
"""Pads blocks with fewer presentations than a row."""
MAIN, NO_LESION = "main", "no_lesion"
PLASTICITY_OFF, NOISE_OFF, LIKELIHOOD = "plasticity_off", "noise_off", "likelihood_alone"
BRANCHES = {
    MAIN: 0,
    NO_LESION: 0,
    **{f"{PLASTICITY_OFF}_{n}": n for n in (1, 2)},
    **{f"{NOISE_OFF}_{n}": n for n in (1, 2)},
    f"{LIKELIHOOD}_2": 2,
}
"""Branches, and how many lesions preceded them."""
COPIED = ("likeness", "likeness_shuffled", "connections", "allowed")
Floats = NDArray[np.float64]


def counts_in_windows(trials: SpikeTrials, windows: int, length_s: float) -> NDArray[np.float64]:
    """Spikes in equal windows of the first ``length_s``, [presentation, window, neuron]."""
    return (rates_in_windows(trials, windows, length_s) * (length_s / windows)).round()


def cv_accuracy(counts: Sequence[Any], words: Sequence[Any]) -> NDArray[np.float64]:
    """Cross-validated accuracy in each block, of a decoder trained on the other blocks."""
    pairs = zip(counts, words, strict=True)
    return cross_validated_accuracy([(_rows(c), np.asarray(w)) for c, w in pairs])


def fit_decoders(counts: Sequence[Any], words: Sequence[Any]) -> list[Decoder]:
    """Train one decoder for each block, on the other blocks."""
    rows = [_rows(c) for c in counts]
    decoders = []
    for left_out in range(len(rows)):
        others = [i for i in range(len(rows)) if i != left_out]
        x = np.concatenate([rows[i] for i in others])
        decoders.append(fit_decoder(x, np.concatenate([words[i] for i in others])))
    return decoders


def fixed_decoder_accuracy(
    decoders: Sequence[Decoder], counts: Sequence[Any], words: Sequence[Any]
) -> NDArray[np.float64]:
    """Accuracy in each block of decoders that were trained earlier and then fixed.

    Tests just before and just after a lesion draw the same noise block by block, so a decoder must
    not be tested on a block that it was trained on, not even in another test.
    """
    tested = zip(decoders, counts, words, strict=True)
    return np.array([float((r.predict(_rows(c)) == np.asarray(w)).mean()) for r, c, w in tested])


def padded_blocks(counts: Sequence[Any], words: Sequence[Any], most: int) -> tuple[Any, Any]:
    """Blocks of unequal length as arrays [block, presentation, window, neuron] and words."""
    table = np.zeros((len(counts), most, *counts[0].shape[1:]), np.uint16)
    names = np.full((len(counts), most), NO_WORD, np.int8)
    for block, (one, word) in enumerate(zip(counts, words, strict=True)):
        table[block, : len(word)] = np.minimum(one, np.iinfo(np.uint16).max)
        names[block, : len(word)] = word
    return table, names


def blocks_of(counts: Any, words: Any) -> tuple[list[Any], list[Any]]:
    """Inverse of `padded_blocks`."""
    used = [np.asarray(row) != NO_WORD for row in words]
    return (
        [np.asarray(c)[u] for c, u in zip(counts, used, strict=True)],
        [np.asarray(w)[u] for w, u in zip(words, used, strict=True)],
    )


def shuffled(words: Sequence[Any], rng: np.random.Generator) -> list[Any]:
    """The words of each block in random order: decoding them gives chance level."""
    return [rng.permutation(np.asarray(row)) for row in words]


def _rows(counts: Any) -> NDArray[np.float64]:
    """One row of features per presentation."""
    return np.asarray(counts, float).reshape(len(counts), -1)


# -- recall over time --------------------


def record_of(branch: str, record: str) -> str:
    """Name of a record of a branch in the results."""
    return f"network/{record}" if branch == MAIN else f"network/{branch}/{record}"


def lesions_before(time_s: Any, lesions_s: tuple[float, ...]) -> NDArray[np.int64]:
    """Lesions before each test; the test just after a lesion has the next larger number as time."""
    time = np.asarray(time_s, float)
    found = np.zeros(time.size, np.int64)
    for lesion_s in lesions_s:
        found += time > lesion_s
    return found


def collect_recall(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Decode all tests, branch after branch."""
    branches = [branch for branch in BRANCHES if record_of(branch, "test") in results]
    parts, decoders = [], []
    for branch in branches:
        data = results[record_of(branch, "test")].load()
        time = data.time.values
        lesions = np.full(time.size, BRANCHES[branch])
        blocks = _blocks(data.counts, data.word)
        recall = np.stack([cv_accuracy(*each) for each in blocks])
        by_fixed = np.full(recall.shape, np.nan)
        first = 0
        if branch == MAIN:
            lesions = lesions_before(time, schedule.lesions_s)
            first = int(np.flatnonzero(lesions == 0)[-1])
            decoders = fit_decoders(*blocks[first])
        by_fixed[first:] = [fixed_decoder_accuracy(decoders, *each) for each in blocks[first:]]
        both = ("test", "block")
        variables = {
            "recall": (both, recall, {"description": "from z_V, sound alone"}),
            "recall_fixed": (both, by_fixed, {"description": "decoders trained before lesion 1"}),
            "heard": ("test", _heard(data, data.word), {"description": "from z_A, sound alone"}),
            "heard_shuffled": ("test", _heard(data, data.shuffled_word)),
            **{name: _along_tests(data[name]) for name in COPIED},
        }
        coords = {"time": time, "branch": np.full(time.size, branch), "lesions": lesions}
        parts.append(xr.Dataset(variables, {k: ("test", v) for k, v in coords.items()}))
    whole = xr.concat(parts, "test")
    whole.time.attrs["units"] = "s"
    return whole


def _blocks(counts: xr.DataArray, words: xr.DataArray) -> list[tuple[list[Any], list[Any]]]:
    return [blocks_of(*row) for row in zip(counts.values, words.values, strict=True)]


def _heard(data: xr.Dataset, words: xr.DataArray) -> list[float]:
    """Accuracy of decoding the word from spike counts of z_A, in each test."""
    return [float(cv_accuracy(*each).mean()) for each in _blocks(data.heard_counts, words)]


def _along_tests(data: xr.DataArray) -> xr.DataArray:
    return data.drop_vars("time").rename(time="test")


class RecallTests:
    """Recall of one network: levels averaged over tests.

    ``which`` is ``recall``, with decoders trained in each test, or ``recall_fixed``.
    """

    def __init__(self, schedule: ScheduleSection, tests: xr.Dataset, which: str = "recall") -> None:
        self.data = tests
        self.time_s = tests.time.values
        self.recall: Floats = tests[which].mean("block").values
        self.at_1 = schedule.lesions_s[0]
        self.end_1 = self.at_1 + schedule.after_lesion_1_s
        self.at_2 = schedule.lesions_s[1] if len(schedule.lesions_s) > 1 else None
        self.end_s = schedule.end_s

    def rows(
        self, branch: str, lesions: int, start_s: float = 0.0, stop_s: float = np.inf
    ) -> NDArray[np.int64]:
        """Indices of the tests of a branch in a window of time, ends included."""
        chosen = (self.data.branch.values == branch) & (self.data.lesions.values == lesions)
        chosen &= (self.time_s >= start_s - 1.0) & (self.time_s <= stop_s + 1.0)
        return np.flatnonzero(chosen)

    def level(self, branch: str, lesions: int, start_s: float, stop_s: float) -> float:
        """Mean recall in a window; NaN without a test."""
        rows = self.rows(branch, lesions, start_s, stop_s)
        return float(self.recall[rows].mean()) if rows.size else float("nan")

    def last(self, branch: str, lesions: int, n: int = 3) -> float:
        """Mean recall over the last tests of a branch after so many lesions."""
        return float(self.recall[self.rows(branch, lesions)[-n:]].mean())

    def after_lesion(self, lesion: int) -> float:
        """Recall just after a lesion."""
        return float(self.recall[self.rows(MAIN, lesion)[0]])

    @property
    def learned_rows(self) -> NDArray[np.int64]:
        """Tests in the half hour before lesion 1, or in the second half of a shorter phase."""
        return self.rows(MAIN, 0, self.at_1 - min(HOUR_S, self.at_1) / 2, self.at_1)

    @property
    def learned(self) -> float:
        """Recall before lesion 1."""
        return float(self.recall[self.learned_rows].mean())

    @property
    def recovered(self) -> float:
        """Recall from one hour after lesion 1, or at the end of a shorter phase."""
        return self.level(MAIN, 1, min(self.at_1 + HOUR_S, self.end_1), self.end_1)

    @property
    def late_window(self) -> tuple[float, float]:
        """A quarter of an hour to either side of two hours after lesion 2, within the phase."""
        assert self.at_2 is not None
        centre = min(self.at_2 + 2 * HOUR_S, self.end_s - HOUR_S / 4)
        return centre - HOUR_S / 4, centre + HOUR_S / 4
