"""Spoken and written digits as presentations of two input groups, for learning and for tests.

The Methods: ten utterances of each digit by one speaker, seven to learn from and three for tests;
every utterance is shown together with a random image of the same digit for as long as it lasts,
25 ms of noise before and after. In a test with sound alone the visual inputs stay at 1 Hz.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from pydantic import Field, model_validator

from synsamp.data import (
    MNIST,
    Cochleagram,
    Digits,
    RateSegments,
    SpeechSplit,
    Utterance,
    digits_from_folder,
    encode_cochleagram,
    load_digits,
    lyon_cochleagram,
    noise_gap,
    normalise,
    padded,
    split_speech,
)
from synsamp.data.encoding import rates_from_unit, unit_interval
from synsamp.data.normalisation import Normalisation
from synsamp.errors import refuse
from synsamp.experiments.base import Parameters
from synsamp.paper.fig5_compensation.voices import speaker_for, words_of
from synsamp.seeds import named_seed

HEARING, SEEING = "x_A", "x_V"
"""The two input groups, with the paper's names."""


Digit = Annotated[int, Field(ge=0, le=9)]


class AudiovisualInputSection(Parameters):
    """Sounds and images, and how they are encoded as spikes."""

    digits: tuple[Digit, Digit] = Field(
        (1, 2), description="the two digits; lesion 1 hits the second"
    )
    speech: Literal["embedded", "voices", "fsdd", "ti46", "folder"] = Field(
        "embedded",
        description="embedded (synthetic), voices (embedded, three speakers), fsdd, ti46 or folder",
    )
    speaker: str = Field(
        "",
        max_length=100,
        description="one speaker; empty: the only one, with voices or fsdd one drawn",
    )
    images: Literal["embedded", "mnist", "folder"] = Field(
        "embedded", description="embedded (ones and twos), mnist or folder of PNG files"
    )
    speech_folder: str = Field("", max_length=1000, description="for speech=ti46 or folder")
    images_folder: str = Field("", max_length=1000, description="for images=folder")
    train_utterances: int = Field(7, ge=1, le=1000, description="utterances per digit, learning")
    test_utterances: int = Field(3, ge=1, le=1000, description="utterances per digit, tests")
    sound_peak_hz: float = Field(80.0, ge=0.01, le=1e4, description="rate at the loudest place")
    normalisation: Normalisation = Field(
        "utterance",
        description="sound_peak_hz is reached by each utterance, by each channel of it, or by each "
        "channel over the training words (utterance, channel, training)",
    )
    image_peak_hz: float = Field(50.0, ge=0.01, le=1e4, description="rate of a white pixel")
    noise_hz: float = Field(1.0, ge=0.0, le=1e3, description="rate added to every input")
    afferents: int = Field(10, ge=1, le=100, description="input neurons per channel of the ear")
    padding_s: float = Field(0.025, ge=1e-3, le=10.0, description="noise before and after")

    @model_validator(mode="after")
    def _fits(self) -> AudiovisualInputSection:
        if self.digits[0] == self.digits[1]:
            raise ValueError("digits must be two different digits from 0 to 9")
        for name, needs in (("speech", ("ti46", "folder")), ("images", ("folder",))):
            if getattr(self, name) in needs and not getattr(self, f"{name}_folder"):
                raise ValueError(f"{name}={getattr(self, name)} needs {name}_folder")
            if getattr(self, name) in ("embedded", "voices") and set(self.digits) != {1, 2}:
                raise ValueError(
                    f"{name}={getattr(self, name)} holds digits 1 and 2 only; use "
                    + ("speech=fsdd" if name == "speech" else "images=mnist")
                )
        return self


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sounds and images of two digits; class 0 is the first digit, class 1 the second.

    Any source will do: a user's own arrays go in here, and `compensation_protocol` takes it from
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
                raise refuse(f"{name} sounds", "must hold both classes, one label each", classes)
        if len({sound.n_inputs for sound in (*self.train_sounds, *self.test_sounds)}) != 1:
            raise refuse("sounds", "must all have the same number of inputs", "several")
        if len({images.shape[1:] for images in self.images}) != 1 or not all(map(len, self.images)):
            raise refuse("images", "must exist for both classes and have one size", "others")
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


def words(section: AudiovisualInputSection) -> tuple[Utterance, ...]:
    """All words that some network may hear under these settings."""
    return words_of(section.speech, section.speech_folder, section.digits, section.speaker)


def require_data(section: AudiovisualInputSection) -> None:
    """Raise an error if recordings or images are missing on this machine."""
    words(section)
    if section.images != "embedded":
        _images(section)


def load_pairs(section: AudiovisualInputSection, seed: int) -> Pairs:
    """Read the data; the seed determines the speaker and the split into learning and test words."""
    known = words(section)
    speaker = speaker_for(known, seed)
    spoken = [one for one in known if one.speaker == speaker]
    split = int(named_seed(seed, "utterances").generate_state(1)[0])
    parts = split_speech(spoken, split, section.train_utterances, section.test_utterances)
    written = _images(section)
    train, test = _sounds(section, parts)
    return Pairs(
        train,
        np.array([section.digits.index(one.digit) for one in parts.train]),
        test,
        np.array([section.digits.index(one.digit) for one in parts.test]),
        (written.by_digit(section.digits[0]), written.by_digit(section.digits[1])),
        # whole frames of the ear make a word up to one frame longer than its waveform
        tuple(one.duration_s + 2 * section.padding_s + more for one in known for more in (0, 0.01)),
        speaker,
    )


def example_of(pairs: Pairs, section: AudiovisualInputSection) -> xr.Dataset:
    """Data of panel A: a word and an image of the second digit, and the mean images."""
    sound = pairs.train_sounds[int(np.flatnonzero(pairs.train_classes == 1)[0])]
    starts = np.concatenate([[0.0], np.cumsum(sound.durations_s)])
    return xr.Dataset(
        {
            "sound_rate_hz": (("frame", "channel"), sound.rates_hz[:, :: section.afferents]),
            "frame_start_s": ("edge", starts),
            "image": (("row", "column"), pairs.images[1][0]),
            "mean_image": (("class", "pixel"), pairs.mean_images),
        },
        attrs={
            "height": pairs.images[0].shape[1],
            "width": pairs.images[0].shape[2],
            "speaker": pairs.speaker,
        },
    )


@functools.lru_cache(maxsize=2)
def _images(section: AudiovisualInputSection) -> Digits:
    if section.images == "folder":
        return digits_from_folder(section.images_folder)
    return load_digits(MNIST() if section.images == "mnist" else None).train


def _sounds(
    section: AudiovisualInputSection, parts: SpeechSplit
) -> tuple[tuple[RateSegments, ...], tuple[RateSegments, ...]]:
    """Words to learn from and words for tests, as rates."""
    train, test = (
        [lyon_cochleagram(spoken.waveform, spoken.rate_hz) for spoken in part] for part in parts
    )
    s = section

    def encoded(words: list[Cochleagram]) -> tuple[RateSegments, ...]:
        scaled = normalise(words, s.normalisation, train)
        rates = (
            encode_cochleagram(values, word.frame_s, s.sound_peak_hz, s.noise_hz, s.afferents)
            for values, word in zip(scaled, words, strict=True)
        )
        return tuple(padded(each, s.padding_s, s.padding_s, s.noise_hz) for each in rates)

    return encoded(train), encoded(test)


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

    def __init__(
        self,
        pairs: Pairs,
        section: AudiovisualInputSection,
        sounds: Sequence[RateSegments],
        classes: NDArray[np.int64],
    ) -> None:
        self.classes = classes
        self._images = pairs.pixels
        self._first = np.array([0, len(pairs.images[0])])
        self._count = np.array([len(i) for i in pairs.images])
        self._section, self._sounds = section, sounds
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
        sound = np.zeros(count, np.int64)
        for value in (0, 1):
            of_class = np.flatnonzero(self.classes == value)
            here = wanted == value
            sound[here] = of_class[(share[here] * of_class.size).astype(np.int64)]
        image = self._first[wanted] + (which * self._count[wanted]).astype(np.int64)
        return {HEARING: sound, SEEING: sound * len(self._images) + image}

    def _shown(self, index: int) -> RateSegments:
        # The same as padded(encode_image(...)), with one check instead of five: this is called for
        # nearly every presentation of a long run.
        sound, image = divmod(index, len(self._images))
        s = self._section
        rates_hz = np.full((3, self._images.shape[1]), s.noise_hz)
        pixels = self._images[image].astype(np.float64)
        rates_hz[1] = rates_from_unit(pixels, s.image_peak_hz, s.noise_hz)
        length_s = self._sounds[sound].duration_s - 2 * s.padding_s
        return RateSegments(np.array([s.padding_s, length_s, s.padding_s]), rates_hz)


class SoundAlone:
    """Utterances in random order, with only noise on the visual inputs.

    Each pair of trials has one of either class, so blocks of trials are balanced.
    """

    def __init__(
        self,
        sounds: Sequence[RateSegments],
        classes: NDArray[np.int64],
        n_seen: int,
        noise_hz: float,
    ) -> None:
        self.classes = classes
        self.library: dict[str, Any] = {
            HEARING: sounds,
            SEEING: [noise_gap(n_seen, sound.duration_s, noise_hz) for sound in sounds],
        }

    def choose(
        self, rng: np.random.Generator, first: int, count: int
    ) -> dict[str, NDArray[np.int64]]:
        """One trial of either class per pair, in random order; utterances at random."""
        swap = rng.integers(2, size=(count + 1) // 2)
        wanted = np.stack([swap, 1 - swap], axis=1).ravel()[:count]
        share = rng.random(count)
        chosen = np.zeros(count, np.int64)
        for value in (0, 1):
            of_class = np.flatnonzero(self.classes == value)
            here = wanted == value
            chosen[here] = of_class[(share[here] * of_class.size).astype(np.int64)]
        return {HEARING: chosen, SEEING: chosen}
