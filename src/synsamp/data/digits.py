"""Handwritten digits: embedded ones and twos, the full MNIST, or custom images."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.data.embedded_files import read_embedded
from synsamp.data.encoding import unit_interval
from synsamp.data.idx import read_idx_pair
from synsamp.data.png import read_png
from synsamp.data.sources import data_folder
from synsamp.errors import refuse

EMBEDDED_DIGITS_FILE = "mnist_training_ones_and_twos.npz"
MOST_PIXELS = 100_000_000
"""Limit for all images of a folder: twice those of MNIST."""


@dataclass(frozen=True, eq=False)
class Digits:
    """Labelled images: ``images[n, height, width]`` in [0, 1] (float32) and ``labels[n]``.

    Parameters
    ----------
    images : ndarray of float32, shape (n, height, width)
        Grey values in [0, 1].
    labels : ndarray of int, shape (n,)
        The digits.
    """

    images: NDArray[np.float32]
    labels: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.images.ndim != 3:
            raise refuse(
                "images", "must have shape [n, height, width]", self.images.shape, "reshape them"
            )
        if self.labels.shape != (len(self.images),):
            raise refuse(
                "labels",
                f"must be one for each of {len(self.images)} images",
                self.labels.shape,
                "give a label to every image",
            )

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def pixels(self) -> NDArray[np.float32]:
        """The images as rows, ``[n, height * width]``."""
        return self.images.reshape(len(self), -1)

    @property
    def counts(self) -> dict[int, int]:
        """Number of images of each digit."""
        present, numbers = np.unique(self.labels, return_counts=True)
        return {int(digit): int(number) for digit, number in zip(present, numbers, strict=True)}

    def by_digit(self, digit: int) -> NDArray[np.float32]:
        """Images of one digit, in their order in the source."""
        found = self.images[self.labels == digit]
        if len(found) == 0:
            raise refuse(
                "digit",
                f"must be one of {sorted(self.counts)} here",
                digit,
                "all ten come with `synsamp data fetch mnist` and load_digits(MNIST())",
            )
        return found

    def only(self, digits: Iterable[int]) -> Digits:
        """The subset of these digits."""
        chosen = np.isin(self.labels, list(digits))
        return Digits(self.images[chosen], self.labels[chosen])

    def inverted(self) -> Digits:
        """Invert grey values, for dark ink on white paper (bright pixels drive the inputs)."""
        return Digits(1 - self.images, self.labels)


class DigitSets(NamedTuple):
    """A training set and a test set.

    Parameters
    ----------
    train, test : Digits
        Images and labels.
    """

    train: Digits
    test: Digits


class DigitSource(Protocol):
    """A source of a training set and a test set."""

    def load(self) -> DigitSets:
        """Read and check the data."""
        ...


class EmbeddedDigits:
    """All 6,742 ones and 5,958 twos of the MNIST training set; the test set is empty."""

    def load(self) -> DigitSets:
        """Read the file inside the package."""
        stored = read_embedded(EMBEDDED_DIGITS_FILE, "the embedded digits", ("images", "labels"))
        images, labels = stored["images"], stored["labels"]
        nothing = np.zeros((0, *images.shape[1:]), dtype=np.uint8)
        return DigitSets(_from_bytes(images, labels), _from_bytes(nothing, labels[:0]))


@dataclass(frozen=True)
class MNIST:
    """The full MNIST, 60,000 + 10,000, from the four original files in ``folder``.

    Default folder: where ``synsamp data fetch mnist`` stores them.

    Parameters
    ----------
    folder : str or Path, optional
        Folder of the four files.
    """

    folder: str | Path | None = None

    def load(self) -> DigitSets:
        """Read and check the four files."""
        folder = Path(self.folder) if self.folder else data_folder() / "mnist"
        sets = (
            _from_bytes(
                *read_idx_pair(
                    folder / f"{part}-images-idx3-ubyte.gz", folder / f"{part}-labels-idx1-ubyte.gz"
                )
            )
            for part in ("train", "t10k")
        )
        return DigitSets(*sets)


def load_digits(source: DigitSource | None = None) -> DigitSets:
    """Load training and test digits.

    Parameters
    ----------
    source
        `EmbeddedDigits` (default), `MNIST` or a custom source.

    Returns
    -------
    DigitSets
        Training set and test set.
    """
    return (source or EmbeddedDigits()).load()


class DigitSplit(NamedTuple):
    """Disjoint images of one digit, and their positions among all images of that digit.

    Parameters
    ----------
    train, test : ndarray of float32, shape (n, height, width)
        Images in [0, 1].
    train_positions, test_positions : ndarray of int, shape (n,)
        Position of each image among all images of the digit.
    """

    train: NDArray[np.float32]
    test: NDArray[np.float32]
    train_positions: NDArray[np.int64]
    test_positions: NDArray[np.int64]


def split_digit(images: NDArray[np.float32], n_train: int, n_test: int, seed: int) -> DigitSplit:
    """Draw disjoint training and test images without replacement.

    The first ``n_train`` of ``numpy.random.default_rng(seed).permutation(n)`` are for training, the
    next ``n_test`` for testing, so a seed determines the split.

    Parameters
    ----------
    images
        Shape (n, height, width).
    n_train, n_test
        Numbers of images.
    seed
        Seed of the permutation.

    Returns
    -------
    DigitSplit
        Images and their positions.
    """
    if min(n_train, n_test) < 1 or n_train + n_test > len(images):
        raise refuse(
            "n_train and n_test",
            f"must be >= 1 and together at most the {len(images)} images",
            (n_train, n_test),
            "use fewer images",
        )
    order = np.random.default_rng(seed).permutation(len(images))
    chosen_train, chosen_test = order[:n_train], order[n_train : n_train + n_test]
    return DigitSplit(images[chosen_train], images[chosen_test], chosen_train, chosen_test)


def rbm_split(seed: int, source: DigitSource | None = None) -> DigitSplit:
    """Five training ones and 100 test ones for the RBM (Fig. 2), disjoint, drawn by ``seed``.

    Both come from the ones of the MNIST training set, which the embedded data holds whole and in
    the original order: a seed gives the same images with ``EmbeddedDigits`` and with ``MNIST``.

    Parameters
    ----------
    seed : int
        Seed of the split.
    source : DigitSource, optional
        Where the ones come from; default: embedded.

    Returns
    -------
    DigitSplit
        Images and their positions.
    """
    return split_digit(load_digits(source).train.by_digit(1), n_train=5, n_test=100, seed=seed)


def digits_from_array(images: ArrayLike, labels: ArrayLike) -> Digits:
    """Labelled images from arrays.

    Parameters
    ----------
    images
        Shape (n, height, width), in [0, 1] or uint8 from 0 to 255.
    labels
        Whole numbers, shape (n,).

    Returns
    -------
    Digits
        Images in [0, 1] and labels.
    """
    array = arguments.array("images", images)
    if array.dtype == np.uint8:
        array = array / np.float32(255)
    values = unit_interval("images", array).astype(np.float32)
    label_array = arguments.array("labels", labels, "whole numbers")
    if label_array.dtype.kind not in "iu":
        raise refuse(
            "labels", "must be whole numbers", label_array.dtype, "give the digits as integers"
        )
    return Digits(values, label_array.astype(np.int64))


def digits_from_folder(folder: str | Path) -> Digits:
    """Read PNG files ``folder/<digit>/<any name>.png``, all of one size.

    Colour becomes grey (ITU-R BT.601 weights), and transparent counts as dark.

    Parameters
    ----------
    folder : str or Path
        Folder with one sub-folder per digit.

    Returns
    -------
    Digits
        Images in [0, 1] and labels.
    """
    root = Path(folder)
    paths = sorted(path for path in root.glob("*/*") if path.suffix.lower() == ".png")
    if not paths:
        raise refuse(
            "folder",
            "must hold PNG files as <digit>/<name>.png",
            str(root),
            "see docs/howto/data.md",
        )
    labels = []
    for path in paths:
        if not path.parent.name.isdecimal():
            raise refuse(
                "folder name",
                "must be the digit it holds",
                str(path.parent),
                "rename it to the digit",
            )
        labels.append(int(path.parent.name))
    images: list[NDArray[np.float32]] = []
    for path in paths:
        picture = read_png(path)
        images.append(picture)
        if picture.size * len(paths) > MOST_PIXELS:
            raise refuse(
                f"pixels of all {len(paths)} images in {root}",
                f"must be at most {MOST_PIXELS:,}",
                picture.size * len(paths),
                "scale them down or use fewer",
            )
        if picture.shape != images[0].shape:
            raise refuse(
                f"size of {path}",
                f"must be {images[0].shape} as in {paths[0]}",
                picture.shape,
                "scale all images to one size first",
            )
    return digits_from_array(np.stack(images), np.array(labels))


def _from_bytes(images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Digits:
    return Digits(images.astype(np.float32) / np.float32(255), labels.astype(np.int64))
