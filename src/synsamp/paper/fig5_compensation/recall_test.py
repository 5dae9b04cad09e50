"""The recall test and other records, on copies of the network with plasticity off (b = 0).

The test of the paper is recall: a word is heard, the visual inputs stay silent, and a linear
decoder reads out from z_V which word it was. Counts cover only the length of the shortest test
word: the total rate of a circuit is fixed, so spike counts of whole words would reveal their
length, and a network without lateral connections would seem to recall. Spike counts of every
presentation are stored and decoded later (`decoding`).

The adaptation current that audio-visual learning leaves behind is far larger than the effect of
lateral connections (its spread within a circuit is about 90, compared with a drive of about 10), so
each copy first hears words alone for a while.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.peth import BIN_S, SpikeTrials, joined, mean_rates, peth, sort_into_trials
from synsamp.analysis.reconstruction import class_correlation, reconstruct_images
from synsamp.paper.fig5_compensation.decoding import counts_in_windows, padded_blocks, shuffled
from synsamp.paper.fig5_compensation.network import (
    Hidden,
    auditory_theta,
    lateral_theta,
    visual_efficacies,
)
from synsamp.paper.fig5_compensation.parameters import TestSection
from synsamp.paper.fig5_compensation.stimuli import (
    AudiovisualInputSection,
    Pairs,
    SoundAlone,
    Together,
)
from synsamp.protocol import View

HALVES = 2


@dataclass(frozen=True, eq=False)
class Stimuli:
    """Stimuli for learning and for tests."""

    learning: Together
    test_alone: SoundAlone
    mean_images: NDArray[np.float64]
    shortest_s: float  # of the test words, padding included
    longest_s: float


def build_stimuli(pairs: Pairs, section: AudiovisualInputSection) -> Stimuli:
    """Make the stimuli of an experiment from its data."""
    return Stimuli(
        Together(pairs, section, pairs.train_sounds, pairs.train_classes),
        SoundAlone(pairs.test_sounds, pairs.test_classes, pairs.n_seen, section.noise_hz),
        pairs.mean_images,
        min(sound.duration_s for sound in pairs.test_sounds),
        max(sound.duration_s for sound in pairs.test_sounds),
    )


def trials(
    view: View, stimulus: Any, length_s: float, *key: str | int, **options: Any
) -> SpikeTrials:
    """Show a stimulus to a copy and sort its spikes by presentation."""
    probe = view.probe(stimulus, length_s, *key, **options)
    classes = stimulus.classes[probe.shown[:, 0]]
    n = view.network.n_neurons
    return sort_into_trials(
        probe.time_s, probe.neuron, probe.shown_at_s, classes, probe.duration_s, n
    )


def tuning_trials(view: View, stimuli: Stimuli, section: TestSection) -> SpikeTrials:
    """Audio-visual presentations as in learning, from the running state."""
    return trials(view, stimuli.learning, section.tuning_s, "tuning")


def tuned_to_second(shown: SpikeTrials, hidden: Hidden, section: TestSection) -> NDArray[np.int64]:
    """Neurons of z_V that fire significantly more for the second digit (lesion 1 removes them).

    Welch's t-test on rates per presentation, corrected for the number of neurons.
    """
    rates = mean_rates(shown)[:, hidden.visual]
    second, first = rates[shown.classes == 1], rates[shown.classes == 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # a silent neuron has no variance
        t, p = stats.ttest_ind(second, first, axis=0, equal_var=False)
    return hidden.visual[(t > 0) & (p < section.significance / hidden.visual.size)]


# -- records --------------------


@dataclass(frozen=True, eq=False)
class RecallTest:
    """A function of a view: one test of recall."""

    hidden: Hidden
    stimuli: Stimuli
    section: TestSection
    word_s: tuple[float, float]  # shortest and longest of any network: sizes of tables

    def __call__(self, view: View) -> dict[str, xr.DataArray]:
        """Run one test."""
        hidden, shown, section = self.hidden, self.stimuli, self.section
        blocks = [
            trials(view, shown.test_alone, section.block_s, "alone", n, burn_in_s=section.burn_in_s)
            for n in range(section.blocks)
        ]
        words = [block.classes for block in blocks]
        any_words = shuffled(words, np.random.default_rng(view.seed_for("shuffle")))
        counts = [counts_in_windows(b, section.windows, shown.shortest_s) for b in blocks]
        most = int(np.ceil(section.block_s / self.word_s[0])) + 1
        table, names = padded_blocks([c[..., hidden.visual] for c in counts], words, most)
        heard, _ = padded_blocks([c.sum(1)[:, hidden.auditory] for c in counts], words, most)
        _, any_names = padded_blocks(counts, any_words, most)
        image = reconstruct_image(view, hidden, blocks, words)
        any_image = reconstruct_image(view, hidden, blocks, any_words)
        lateral = lateral_theta(view)
        dims = ("block", "presentation")
        return {
            "counts": _array(table, *dims, "window", "seeing", of="spikes of z_V, sound alone"),
            "word": _array(names, *dims, of="0: first digit, 1: second, -1: none"),
            "heard_counts": _array(heard, *dims, "hearing", of="spikes of z_A, sound alone"),
            "shuffled_word": _array(any_names, *dims, of="words shuffled within blocks"),
            "reconstruction": _array(image.astype(np.float32), "class", "pixel", of="image"),
            "likeness": _array(
                class_correlation(image, shown.mean_images),
                "class",
                "mean_image",
                of="correlation of the reconstructed image with the mean image of either digit",
            ),
            "likeness_shuffled": _array(
                class_correlation(any_image, shown.mean_images),
                "class",
                "mean_image",
                of="words shuffled",
            ),
            "code": _array(
                self._histograms(blocks),
                "half",
                "class",
                "neuron",
                "bin",
                of="rate / Hz, 100 trials of a word, sound alone",
            ),
            "connections": _number(int((lateral > 0).sum()), "functional lateral connections"),
            "allowed": _number(int(np.isfinite(lateral).sum()), "possible lateral connections"),
            "alive": _array(view.alive, "neuron", of="not removed"),
        }

    def _histograms(self, blocks: list[SpikeTrials]) -> NDArray[np.float32]:
        """PETHs [half, class, neuron, bin] of 100 trials; the halves share none.

        They reach as far as the longest test word; beyond that NaN.
        """
        middle = len(blocks) // HALVES
        found = np.stack(
            [
                [peth(joined(half), c, self.stimuli.longest_s) for c in (0, 1)]
                for half in (blocks[:middle], blocks[middle:])
            ]
        )
        bins = int(np.ceil(self.word_s[1] / BIN_S)) + 1
        padded = np.full((*found.shape[:-1], bins), np.nan, np.float32)
        padded[..., : found.shape[-1]] = found
        return padded


def reconstruct_image(
    view: View, hidden: Hidden, blocks: list[SpikeTrials], words: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Reconstruct images [class, pixel] from z_V while a word is heard: efficacies × mean rates."""
    rates = np.concatenate([mean_rates(b) for b in blocks])
    classes = np.concatenate(words)
    of_class = [rates[classes == c].mean(axis=0)[hidden.visual] for c in (0, 1)]
    return reconstruct_images(visual_efficacies(view), np.stack(of_class))


def lateral_path(view: View) -> xr.DataArray:
    """θ [post, pre] between hidden neurons; NaN where no synapse can exist."""
    return _array(lateral_theta(view).astype(np.float32), "post", "pre", of="lateral θ")


def tuning(hidden: Hidden, stimuli: Stimuli, section: TestSection) -> Callable[[View], Any]:
    """Count the neurons that lesion 1 removes, and those found with shuffled words."""

    def record(view: View) -> dict[str, xr.DataArray]:
        shown = tuning_trials(view, stimuli, section)
        rng = np.random.default_rng(view.seed_for("shuffle"))
        (words,) = shuffled([shown.classes], rng)
        found = tuned_to_second(shown, hidden, section)
        by_chance = tuned_to_second(replace(shown, classes=words), hidden, section)
        return {
            "tuned": _number(found.size, "neurons of z_V tuned to the second digit"),
            "tuned_shuffled": _number(by_chance.size, "words shuffled"),
        }

    return record


def weights_at_mark(view: View) -> dict[str, xr.DataArray]:
    """All weights."""
    return {
        "lateral": _array(lateral_theta(view) > 0, "post", "pre", of="functional"),
        "image_weight": _array(
            visual_efficacies(view).astype(np.float32), "seeing", "pixel", of="efficacy ŵ"
        ),
        "heard_share": _number(
            float(np.nanmean(auditory_theta(view) > 0)), "functional synapses x_A to z_A"
        ),
        "alive": _array(view.alive, "neuron", of="not removed"),
    }


def _array(values: Any, *dims: str, of: str) -> xr.DataArray:
    return xr.DataArray(values, dims=dims, attrs={"description": of})


def _number(value: Any, of: str) -> xr.DataArray:
    return xr.DataArray(value, attrs={"description": of})
