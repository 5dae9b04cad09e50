"""Spoken and written digits as presentations of two input groups, for learning and for tests.

The Methods of the paper: every utterance is shown together with a random image of the same digit
for as long as it lasts, with noise before and after. In a test with sound alone the visual inputs
receive noise only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.data.encoding import RateSegments, noise_gap, rates_from_unit, unit_interval
from synsamp.errors import refuse

HEARING, SEEING = "x_A", "x_V"
"""The two input groups, with the paper's names."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sounds and images of two digits; class 0 is the first digit, class 1 the second.

    Any source will do: a user's own arrays go in here, and the protocol of Fig. 5 takes it from
    there.
    """

    train_sounds: tuple[RateSegments, ...]
    train_classes: NDArray[np.int64]
    test_sounds: tuple[RateSegments, ...]
    test_classes: NDArray[np.int64]
    images: tuple[NDArray[np.float32], NDArray[np.float32]]  # [n, height, width] of either class
    lengths_s: tuple[float, ...] = ()  # of all words that could have been drawn; empty: these
    speaker: str = ""

    def __post_init__(self) -> None:
        for name in ("train", "test"):
            sounds, classes = getattr(self, f"{name}_sounds"), getattr(self, f"{name}_classes")
            if len(sounds) != len(classes) or set(classes.tolist()) != {0, 1}:
                raise refuse(
                    f"{name} sounds",
                    "must hold both classes, one label each",
                    classes,
                    f"give one {name}_classes entry, 0 or 1, per sound",
                )
        if len({sound.n_inputs for sound in (*self.train_sounds, *self.test_sounds)}) != 1:
            raise refuse(
                "sounds",
                "must all have the same number of inputs",
                "several",
                "encode all of them with the same channels",
            )
        if len({images.shape[1:] for images in self.images}) != 1 or not all(map(len, self.images)):
            raise refuse(
                "images",
                "must exist for both classes and have one size",
                [images.shape for images in self.images],
                "crop or pad them to one height and width",
            )
        for images in self.images:
            unit_interval("images", images)

    @property
    def word_s(self) -> tuple[float, float]:
        """Shortest and longest word of any split, which set the sizes of tables."""
        drawn = [sound.duration_s for sound in (*self.train_sounds, *self.test_sounds)]
        return min(*drawn, *self.lengths_s), max(*drawn, *self.lengths_s)

    @property
    def n_heard(self) -> int:
        """Auditory inputs."""
        return self.train_sounds[0].n_inputs

    @property
    def n_seen(self) -> int:
        """Visual inputs: pixels."""
        return int(np.prod(self.images[0].shape[1:]))

    @functools.cached_property
    def pixels(self) -> NDArray[np.float32]:
        """All images as rows, those of the first class first."""
        return np.concatenate([i.reshape(len(i), -1) for i in self.images])

    @property
    def mean_images(self) -> NDArray[np.float64]:
        """Mean image of either class, [class, pixel]."""
        return np.stack([i.reshape(len(i), -1).mean(axis=0, dtype=float) for i in self.images])


class _Made:
    """Presentations built on access; all at once would take gigabytes."""

    def __init__(self, length: int, make: Callable[[int], RateSegments]) -> None:
        self._length, self._make = length, make

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> RateSegments:
        return self._make(index)


class Together:
    """Sound and image of the same digit; both digits are equally likely."""

    def __init__(self, pairs: Pairs, peak_hz: float, noise_hz: float, padding_s: float) -> None:
        self.classes, sounds = pairs.train_classes, pairs.train_sounds
        self._images, self._sounds = pairs.pixels, sounds
        self._first = np.array([0, len(pairs.images[0])])
        self._count = np.array([len(i) for i in pairs.images])
        self._peak_hz, self._noise_hz, self._padding_s = peak_hz, noise_hz, padding_s
        self.library: dict[str, Any] = {
            HEARING: sounds,
            SEEING: _Made(len(sounds) * len(self._images), self._shown),
        }

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """Draw a class, an utterance of it and an image of it, independently each time."""
        wanted = rng.integers(2, size=count)
        share, which = rng.random(count), rng.random(count)
        sound = _of_class(self.classes, wanted, share)
        image = self._first[wanted] + (which * self._count[wanted]).astype(np.int64)
        return {HEARING: sound, SEEING: sound * len(self._images) + image}

    def _shown(self, index: int) -> RateSegments:
        # The same as padded(encode_image(...)), with one check instead of five: this is called for
        # nearly every presentation of a long run.
        sound, image = divmod(index, len(self._images))
        rates_hz = np.full((3, self._images.shape[1]), self._noise_hz)
        pixels = self._images[image].astype(np.float64)
        rates_hz[1] = rates_from_unit(pixels, self._peak_hz, self._noise_hz)
        length_s = self._sounds[sound].duration_s - 2 * self._padding_s
        return RateSegments(np.array([self._padding_s, length_s, self._padding_s]), rates_hz)


class SoundAlone:
    """Utterances in random order, with only noise on the visual inputs.

    Each pair of trials has one of either class, so blocks of trials are balanced.
    """

    def __init__(self, pairs: Pairs, noise_hz: float) -> None:
        self.classes, sounds = pairs.test_classes, pairs.test_sounds
        self.library: dict[str, Any] = {
            HEARING: sounds,
            SEEING: [noise_gap(pairs.n_seen, sound.duration_s, noise_hz) for sound in sounds],
        }

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """One trial of either class per pair, in random order; utterances at random."""
        swap = rng.integers(2, size=(count + 1) // 2)
        wanted = np.stack([swap, 1 - swap], axis=1).ravel()[:count]
        chosen = _of_class(self.classes, wanted, rng.random(count))
        return {HEARING: chosen, SEEING: chosen}


@dataclass(frozen=True, eq=False)
class Stimuli:
    """Stimuli for learning and for tests."""

    learning: Together
    test_alone: SoundAlone
    mean_images: NDArray[np.float64]
    shortest_s: float  # of the test words, padding included
    longest_s: float


def build_stimuli(pairs: Pairs, image_peak_hz: float, noise_hz: float, padding_s: float) -> Stimuli:
    """Make the stimuli of an experiment from its data; ``padding_s`` is part of the sounds."""
    return Stimuli(
        Together(pairs, image_peak_hz, noise_hz, padding_s),
        SoundAlone(pairs, noise_hz),
        pairs.mean_images,
        min(sound.duration_s for sound in pairs.test_sounds),
        max(sound.duration_s for sound in pairs.test_sounds),
    )


def _of_class(
    classes: NDArray[np.int64], wanted: NDArray[np.int64], share: NDArray[np.float64]
) -> NDArray[np.int64]:
    """An index of each wanted class; ``share`` in [0, 1) says which of them."""
    chosen = np.zeros(wanted.size, np.int64)
    for value in (0, 1):
        of_class, here = np.flatnonzero(classes == value), wanted == value
        chosen[here] = of_class[(share[here] * of_class.size).astype(np.int64)]
    return chosen
