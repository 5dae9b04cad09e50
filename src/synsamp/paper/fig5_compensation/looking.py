"""What is recorded: the recall test, the path of lateral θ, and weights at marks.

A test asks copies of the network, with plasticity off: several blocks of words with sound alone,
each after a burn-in of its own, and one with sound and image. Spike counts of every presentation
are kept, so that decoders can be fitted afterwards (`course`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.peth import BIN_S, SpikeTrials, joined, mean_rates, peth
from synsamp.analysis.reconstruction import likeness, reconstruct
from synsamp.paper.fig5_compensation.decoding import (
    counts_in_windows,
    padded_blocks,
    shuffled,
    told,
)
from synsamp.paper.fig5_compensation.network import (
    Hidden,
    auditory_theta,
    lateral_theta,
    visual_efficacies,
)
from synsamp.paper.fig5_compensation.probes import (
    Stimuli,
    TestSection,
    recall_from_rest,
    trials,
    tuned_to_second,
    tuning_trials,
)
from synsamp.protocol import View

HALVES = 2
QUARTERS = 4


@dataclass(frozen=True, eq=False)
class RecallTest:
    """A function of a view: one test of recall, and what else is looked at then."""

    hidden: Hidden
    stimuli: Stimuli
    section: TestSection
    word_s: tuple[float, float]  # shortest and longest of any network: sizes of tables

    def __call__(self, view: View) -> dict[str, xr.DataArray]:
        """All numbers of one test."""
        hidden, shown, section = self.hidden, self.stimuli, self.section
        blocks = [
            trials(view, shown.test_alone, section.block_s, "alone", n, burn_in_s=section.burn_in_s)
            for n in range(section.blocks)
        ]
        together = trials(view, shown.test_together, section.block_s, "together")
        words = [block.classes for block in blocks]
        any_words = shuffled(words, np.random.default_rng(view.seed_for("shuffle")))
        counts = [counts_in_windows(b, section.windows, shown.shortest_s) for b in blocks]
        most = int(np.ceil(section.block_s / self.word_s[0])) + 1
        table, names = padded_blocks([c[..., hidden.visual] for c in counts], words, most)
        heard = [c.sum(1)[:, hidden.auditory] for c in counts]
        image = in_mind(view, hidden, blocks, words)
        any_image = in_mind(view, hidden, blocks, any_words)
        lateral = lateral_theta(view)
        dims = ("block", "presentation")
        return {
            "counts": _array(table, *dims, "window", "seeing", of="spikes of z_V, sound alone"),
            "word": _array(names, *dims, of="0: first digit, 1: second, -1: none"),
            "heard": _number(told(heard, words).mean(), "told from z_A, sound alone"),
            "heard_by_chance": _number(told(heard, any_words).mean(), "words shuffled"),
            "seen": _number(self._seen(together), "told from z_V, sound and image"),
            "reconstruction": _array(image.astype(np.float32), "class", "pixel", of="in mind"),
            "likeness": _array(
                likeness(image, shown.mean_images),
                "class",
                "mean_image",
                of="correlation of what is in mind with the mean image of either digit",
            ),
            "likeness_by_chance": _array(
                likeness(any_image, shown.mean_images), "class", "mean_image", of="words shuffled"
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
            "allowed": _number(int(np.isfinite(lateral).sum()), "lateral connections that may be"),
            "alive": _array(view.alive, "neuron", of="not removed"),
        }

    def _seen(self, together: SpikeTrials) -> float:
        """Told from four stretches of one long test, each by a decoder of the others."""
        counts = counts_in_windows(together, 1, self.stimuli.shortest_s)[..., self.hidden.visual]
        parts = np.array_split(np.arange(len(together)), QUARTERS)
        return float(told([counts[p] for p in parts], [together.classes[p] for p in parts]).mean())

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


def in_mind(
    view: View, hidden: Hidden, blocks: list[SpikeTrials], words: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Images [class, pixel] while either word is heard: efficacies × mean rates of z_V."""
    rates = np.concatenate([mean_rates(b) for b in blocks])
    classes = np.concatenate(words)
    of_class = [rates[classes == c].mean(axis=0)[hidden.visual] for c in (0, 1)]
    return reconstruct(visual_efficacies(view), np.stack(of_class))


def lateral_path(view: View) -> xr.DataArray:
    """θ[post, pre] between hidden neurons, NaN: cannot exist."""
    return _array(lateral_theta(view).astype(np.float32), "post", "pre", of="lateral θ")


def tuning(hidden: Hidden, stimuli: Stimuli, section: TestSection) -> Callable[[View], Any]:
    """How many neurons the test of lesion 1 finds, and how many if the words are shuffled."""

    def look(view: View) -> dict[str, xr.DataArray]:
        shown = tuning_trials(view, stimuli, section)
        rng = np.random.default_rng(view.seed_for("shuffle"))
        (words,) = shuffled([shown.classes], rng)
        found = tuned_to_second(shown, hidden, section)
        by_chance = tuned_to_second(replace(shown, classes=words), hidden, section)
        return {
            "tuned": _number(found.size, "neurons of z_V tuned to the second digit"),
            "tuned_by_chance": _number(by_chance.size, "words shuffled"),
        }

    return look


def at_mark(hidden: Hidden, stimuli: Stimuli, section: TestSection) -> Callable[[View], Any]:
    """All weights, and recall from rest."""

    def look(view: View) -> dict[str, xr.DataArray]:
        return {
            "lateral": _array(lateral_theta(view) > 0, "post", "pre", of="functional"),
            "image_weight": _array(
                visual_efficacies(view).astype(np.float32), "seeing", "pixel", of="efficacy ŵ"
            ),
            "heard_share": _number(
                float(np.nanmean(auditory_theta(view) > 0)), "functional synapses x_A to z_A"
            ),
            "recall_from_rest": _number(
                recall_from_rest(view, hidden, stimuli, section), "every trial from rest"
            ),
            "alive": _array(view.alive, "neuron", of="not removed"),
        }

    return look


def _array(values: Any, *dims: str, of: str) -> xr.DataArray:
    return xr.DataArray(values, dims=dims, attrs={"description": of})


def _number(value: Any, of: str) -> xr.DataArray:
    return xr.DataArray(value, attrs={"description": of})
