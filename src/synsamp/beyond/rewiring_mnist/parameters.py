"""Parameters of the rewiring experiment; values of the rule are those of DEEP R's scripts."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from synsamp.beyond.shared.labelled_digits import N_PIXELS, DigitsToLearn
from synsamp.experiments.base import Parameters
from synsamp.paper.shared.limits import MOST_PRODUCTS, require_at_most

Fraction = Annotated[float, Field(ge=1e-4, le=0.9)]
N_LAYERS = 3
N_NETWORKS = 12
"""Networks that learn in one seed, including those of the second task."""


class Hard(Parameters):
    """Hard rewiring: K connections per layer."""

    share: tuple[Fraction, Fraction, Fraction] = Field(
        (0.01, 0.03, 0.3), description="active connections per layer"
    )
    learning_rate: float = Field(0.5, ge=1e-6, le=10.0, description="b at the start")
    cost: float = Field(1e-5, ge=0.0, le=1.0, description="l1 of an active connection")
    noise: float = Field(1e-5, ge=0.0, le=1.0, description="T = b·noise²/2")


class Soft(Parameters):
    """Soft rewiring: the rule determines the number of active connections."""

    share: tuple[Fraction, Fraction, Fraction] = Field(
        (0.005, 0.005, 0.1), description="p0, active connections per layer without data"
    )
    active_at_start: float = Field(
        0.5,
        ge=0.0,
        le=1.0,
        description="share of p0 active at the start: the scripts draw both signs",
    )
    at_floor: Literal["clips", "reflects"] = Field(
        "clips", description="treatment of steps below the lower bound; the scripts clip"
    )
    learning_rate: float = Field(0.05, ge=1e-6, le=10.0, description="b, constant")
    cost: float = Field(1e-5, ge=1e-12, le=1.0, description="l1 of an active connection")
    noise: float = Field(1e-5, ge=1e-12, le=1.0, description="T = b·noise²/2")


class Others(Parameters):
    """Networks for comparison, which learn by plain SGD."""

    dense_rate: float = Field(0.2, ge=1e-6, le=10.0, description="learning rate, all connections")
    sparse_rate: float = Field(0.5, ge=1e-6, le=10.0, description="learning rate, fixed and SET")
    set_share: float = Field(0.3, ge=0.0, le=0.9, description="ζ of SET, replaced per epoch")


class RewiringParameters(Parameters):
    """Parameters of one seed."""

    digits: DigitsToLearn = DigitsToLearn()
    hidden: tuple[Annotated[int, Field(ge=2, le=2000)], Annotated[int, Field(ge=2, le=2000)]] = (
        Field((300, 100), description="neurons of the two hidden layers")
    )
    batch: int = Field(10, ge=1, le=10_000, description="images per step")
    epochs: int = Field(10, ge=1, le=1000, description="passes through the training images")
    falls_to: float = Field(
        0.107,
        ge=1e-6,
        le=1.0,
        description="final learning rate relative to the initial one (0.8 ** 10)",
    )
    second_task_epochs: int = Field(
        2, ge=0, le=1000, description="epochs with permuted labels; 0 omits the second task"
    )
    target: float = Field(0.8, ge=0.01, le=1.0, description="target accuracy of the second task")
    hard: Hard = Hard()
    soft: Soft = Soft()
    others: Others = Others()

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """(inputs, outputs) of each layer."""
        return list(pairwise((N_PIXELS, *self.hidden, self.digits.classes)))

    @property
    def possible(self) -> NDArray[np.int64]:
        """Possible connections of each layer."""
        return np.prod(self.shapes, axis=1)

    @property
    def steps_per_epoch(self) -> int:
        """Minibatches with as many images as the training set."""
        return max(1, self.digits.training // self.batch)

    @property
    def kept(self) -> list[int]:
        """K of each layer."""
        return counts_of(self.shapes, self.hard.share)

    @model_validator(mode="after")
    def _ends(self) -> Self:
        epochs = self.epochs + self.second_task_epochs
        products = epochs * self.steps_per_epoch * self.batch * float(self.possible.sum())
        require_at_most("products of weights", N_NETWORKS * products, MOST_PRODUCTS)
        return self


def counts_of(shapes: list[tuple[int, int]], share: tuple[float, ...]) -> list[int]:
    """Connections per layer, at least one."""
    return [max(1, round(s * n_in * n_out)) for s, (n_in, n_out) in zip(share, shapes, strict=True)]
