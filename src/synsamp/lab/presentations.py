"""What the scenes show: presentations in whole levels from 0 to 255, which browsers store too.

    rate = level/255 · peak_hz + noise_hz

A `Shuffled` stimulus draws presentations with the lab's own random numbers (`synsamp.lab.draws`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.data.encoding import rates_from_unit
from synsamp.lab.draws import IMAGE, ORDER, SOUND, below, uniforms


@dataclass(frozen=True, eq=False)
class Levels:
    """Segments with levels of their channels; each channel drives ``repeat`` inputs."""

    durations_s: NDArray[np.float64]
    levels: NDArray[np.uint8]  # [segment, channel]
    peak_hz: float
    noise_hz: float
    repeat: int = 1

    @functools.cached_property
    def rates_hz(self) -> NDArray[np.float64]:
        """Rates of all inputs, [segment, input]."""
        rates = rates_from_unit(self.levels / 255.0, self.peak_hz, self.noise_hz)
        return np.repeat(rates, self.repeat, axis=1)


def shown_then_dark(
    pixels: NDArray[np.uint8], times_s: Sequence[float], peak_hz: float, noise_hz: float
) -> Levels:
    """An image for the first time, then noise alone for the second."""
    levels = np.stack([pixels, np.zeros_like(pixels)])
    return Levels(np.array(times_s, float), levels, peak_hz, noise_hz)


class _Fixed:
    """Never changed, so copies of a network share it."""

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Shuffled(_Fixed):
    """Presentations of one input group in random order, from presentation number ``start`` on."""

    def __init__(
        self, group: str, presentations: Sequence[Any], labels: NDArray[Any], seed: int, start: int
    ) -> None:
        self.library = {group: presentations}
        self.labels = labels
        self._group, self._seed, self._start = group, seed, start

    def choose(self, rng: Any, first: int, count: int) -> Mapping[str, NDArray[np.int64]]:
        """Draw presentations independently; NumPy's generator is not used."""
        n = len(self.library[self._group])
        return {self._group: below(n, self._seed, self._start + first, count, ORDER)}


class Paired(_Fixed):
    """A sound and an image of the same label, each drawn from those of the label.

    Parameters
    ----------
    sounds, images
        Per label, the sounds, and the levels of the images.
    """

    def __init__(
        self,
        groups: tuple[str, str],
        sounds: Mapping[Any, Sequence[Levels]],
        images: Mapping[Any, NDArray[np.uint8]],
        image_hz: tuple[float, float],
        seed: int,
        start: int,
    ) -> None:
        self._groups, self._seed, self._start = groups, seed, start
        self._n_sounds = np.array([len(sounds[label]) for label in sounds])
        self._n_images = np.array([len(images[label]) for label in sounds])
        pixels = np.concatenate([images[label] for label in sounds])
        heard = [one for label in sounds for one in sounds[label]]
        self.labels = np.repeat(np.array(list(sounds)), self._n_sounds)  # by sound
        self.library: dict[str, Any] = {
            groups[0]: heard,
            groups[1]: _Seen(heard, pixels, *image_hz),
        }
        self._n_pixels = len(pixels)

    def choose(self, rng: Any, first: int, count: int) -> Mapping[str, NDArray[np.int64]]:
        """Draw a label, a sound of it and an image of it."""
        at = self._seed, self._start + first, count
        label = below(self._n_sounds.size, *at, ORDER)
        sound, image = (
            _first(n)[label] + (n[label] * uniforms(*at, stream)).astype(np.int64)
            for n, stream in ((self._n_sounds, SOUND), (self._n_images, IMAGE))
        )
        return {self._groups[0]: sound, self._groups[1]: sound * self._n_pixels + image}


def _first(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.cumsum(counts) - counts


class _Seen:
    """Images for as long as a sound lasts, with noise before and after; made when asked for."""

    def __init__(
        self, heard: Sequence[Levels], pixels: NDArray[np.uint8], peak_hz: float, noise_hz: float
    ) -> None:
        self._heard, self._pixels, self._hz = heard, pixels, (peak_hz, noise_hz)

    def __len__(self) -> int:
        return len(self._heard) * len(self._pixels)

    def __getitem__(self, index: int) -> Levels:
        sound, image = divmod(index, len(self._pixels))
        durations_s = self._heard[sound].durations_s
        padding_s = durations_s[0]
        length_s = float(durations_s[1:-1].sum())
        levels = np.zeros((3, self._pixels.shape[1]), np.uint8)
        levels[1] = self._pixels[image]
        return Levels(np.array([padding_s, length_s, padding_s]), levels, *self._hz)
