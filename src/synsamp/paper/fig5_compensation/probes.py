"""What the network can do now: asked of copies of its state, with plasticity off (b = 0).

The test of the paper is recall: a word is heard, the visual inputs stay silent, and a linear
decoder tells from z_V which word it was. All words are read for as long as the shortest test word
lasts: the total rate of a circuit is fixed, so spike counts of whole words would betray their
length, and a network without any lateral connection would seem to recall.

The adaptation current that audio-visual learning leaves behind is far larger than what lateral
connections can move (its spread within a circuit is about 90 against a drive of about 10), so the
copy first hears words alone for a while. The other way, every trial from rest, is measured too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats

from synsamp.analysis.peth import SpikeTrials, joined, mean_rates, sort_into_trials
from synsamp.experiments.base import Parameters
from synsamp.paper.fig5_compensation.decoding import counts_in_windows, told
from synsamp.paper.fig5_compensation.network import Hidden
from synsamp.paper.fig5_compensation.stimuli import InputSection, Pairs, SoundAlone, Together
from synsamp.protocol import View


class TestSection(Parameters):
    """How recall is tested."""

    __test__ = False  # not for pytest

    every_s: float = Field(900.0, ge=100.0, le=1e6, description="between two tests")
    blocks: int = Field(4, ge=2, le=50, description="independent blocks of trials per test")
    block_s: float = Field(100.0, ge=10.0, le=1e5, description="length of a block")
    burn_in_s: float = Field(75.0, ge=0.0, le=1e4, description="sound alone before each block")
    windows: int = Field(5, ge=1, le=50, description="time windows of a word the decoder sees")
    rest_trials: int = Field(120, ge=0, le=10_000, description="trials from rest, at t1 to t4")
    tuning_s: float = Field(200.0, ge=20.0, le=1e5, description="audio-visual test before lesion 1")
    significance: float = Field(0.05, ge=1e-12, lt=1.0, description="tuned: p below this / neurons")


@dataclass(frozen=True, eq=False)
class Stimuli:
    """All that is shown, learning and testing."""

    learning: Together
    test_alone: SoundAlone
    test_together: Together
    mean_images: NDArray[np.float64]
    shortest_s: float  # of the test words, padding included
    longest_s: float


def build_stimuli(pairs: Pairs, section: InputSection) -> Stimuli:
    """Make the three stimuli of an experiment from its data."""
    return Stimuli(
        Together(pairs, section, pairs.train_sounds, pairs.train_classes),
        SoundAlone(pairs.test_sounds, pairs.test_classes, pairs.n_seen, section.noise_hz),
        Together(pairs, section, pairs.test_sounds, pairs.test_classes),
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


def recall_from_rest(view: View, hidden: Hidden, stimuli: Stimuli, section: TestSection) -> float:
    """Recall if every trial starts with all traces and adaptation currents at zero."""
    if section.rest_trials == 0:
        return float("nan")
    found = []
    for number in range(section.rest_trials):
        one = _OneOf(stimuli.test_alone, number)
        length_s = one.library[next(iter(one.library))][0].duration_s
        probe = view.probe(one, length_s, "rest", number, start="rest")
        found.append(
            SpikeTrials(
                probe.time_s,
                np.zeros(probe.time_s.size, np.int64),
                probe.neuron.astype(np.int64),
                np.array([length_s]),
                np.array([one.label]),
                hidden.n,
            )
        )
    # trials alternate between the classes: every block takes whole pairs
    blocks = [
        joined(found[start:stop])
        for start, stop in _even_cuts(section.rest_trials, min(4, section.rest_trials // 4))
    ]
    counts = [counts_in_windows(b, section.windows, stimuli.shortest_s) for b in blocks]
    return float(told([c[..., hidden.visual] for c in counts], [b.classes for b in blocks]).mean())


def _even_cuts(n: int, parts: int) -> list[tuple[int, int]]:
    cuts = 2 * np.linspace(0, n // 2, parts + 1).round().astype(int)
    return [(int(a), int(b)) for a, b in pairwise(cuts)]


class _OneOf:
    """One utterance of a stimulus, over and over; classes alternate with ``number``."""

    def __init__(self, stimulus: SoundAlone, number: int) -> None:
        self.label = number % 2
        of_class = np.flatnonzero(stimulus.classes == self.label)
        index = int(of_class[(number // 2) % of_class.size])
        self.library = {name: [row[index]] for name, row in stimulus.library.items()}

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        return dict.fromkeys(self.library, np.zeros(count, np.int64))


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
