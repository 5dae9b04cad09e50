"""Labelled digits for training and test: images as rows, with class labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from synsamp.data import MNIST, load_digits
from synsamp.experiments.base import Parameters

N_PIXELS = 28 * 28
MOST_IMAGES = {"embedded": (12_700, 12_700), "mnist": (60_000, 10_000)}
"""Training and test images; the embedded ones are one set, which is divided."""


class DigitsToLearn(Parameters):
    """Which images, and how many."""

    source: Literal["embedded", "mnist"] = Field(
        "mnist", description="embedded: ones and twos; mnist: all ten, see `synsamp data fetch`"
    )
    training: int = Field(60_000, ge=10, le=60_000, description="training images")
    test: int = Field(10_000, ge=10, le=10_000, description="test images")

    @model_validator(mode="after")
    def _are_there(self) -> Self:
        together = self.training + self.test
        most = MOST_IMAGES["embedded"][0]
        if self.source == "embedded" and together > most:
            raise ValueError(f"training and test must together be at most {most} embedded images")
        return self

    @property
    def classes(self) -> int:
        """Number of classes."""
        return 2 if self.source == "embedded" else 10


@dataclass(frozen=True, eq=False)
class LabelledDigits:
    """Images as rows of 784 pixels in [0, 1], labels from 0 on."""

    train: NDArray[np.float32]
    train_labels: NDArray[np.int32]
    test: NDArray[np.float32]
    test_labels: NDArray[np.int32]


def sample_digits(wanted: DigitsToLearn, seed: np.random.SeedSequence) -> LabelledDigits:
    """Draw images without replacement; selection and order depend on the seed."""
    rng = np.random.default_rng(seed)
    embedded = wanted.source == "embedded"
    sets = load_digits(None if embedded else MNIST())
    order = rng.permutation(len(sets.train))
    train = order[: wanted.training]
    if embedded:
        test, of_test = order[wanted.training :][: wanted.test], sets.train
    else:
        test, of_test = rng.permutation(len(sets.test))[: wanted.test], sets.test
    first = 1 if embedded else 0

    def labels(digits: Any, chosen: Any) -> NDArray[np.int32]:
        return np.asarray(digits.labels[chosen] - first, np.int32)

    return LabelledDigits(
        sets.train.pixels[train],
        labels(sets.train, train),
        of_test.pixels[test],
        labels(of_test, test),
    )
