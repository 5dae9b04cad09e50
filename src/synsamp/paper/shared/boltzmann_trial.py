"""Boltzmann machines that learn the same few images, each under another prior and temperature.

A trial draws training and test images, binarises the test images once, and draws initial
parameters. Every variant (a prior and a temperature) then learns from the same images, initial
values and random numbers. One seed is one trial. Controls differ in one more respect: they learn
from many images or from none, or have other random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from synsamp.data import split_digit
from synsamp.experiments.base import Parameters
from synsamp.models.rbm import RBM
from synsamp.paper.shared.limits import (
    MOST_CYCLES,
    MOST_NUMBERS,
    MOST_STATES,
    require_at_most,
)
from synsamp.priors import Prior
from synsamp.rule import Chains, Rule

N_VISIBLE = 28 * 28
N_TRACES = 50
HISTOGRAM_EDGES = np.linspace(-4.0, 4.0, 81)
"""Fig. 2C shows 50 weights, and 80 bins between −4 and 4."""
MANY_IMAGES = 500
"""Training images of the control for overfitting: a hundred times the five of the paper."""


class Machine(Parameters):
    """The network and its estimate of the likelihood gradient."""

    hidden_units: int = Field(9, ge=1, le=20, description="hidden neurons")
    cycles: int = Field(5, ge=1, le=1000, description="cycles of the reconstruction (k of CD-k)")
    persistent: bool = Field(False, description="never restart the reconstruction (PCD)")


class Learning(Parameters):
    """Duration and step of learning, and initial values."""

    updates: int = Field(50_000, ge=100, le=10**8, description="parameter updates")
    learning_rate: float = Field(1e-4, ge=1e-12, le=0.1, description="η = b Δt")
    start_std: float = Field(0.25, ge=0.0, le=10.0, description="std of initial parameters")
    start_weight: float = Field(0.0, ge=-10.0, le=10.0, description="mean of initial weights")
    start_bias: float = Field(-1.0, ge=-10.0, le=10.0, description="mean of initial biases")


class BoltzmannRule(Parameters):
    """Parameters of the synaptic sampling rule (Eq. 26)."""

    data_size: float = Field(100.0, ge=1e-6, le=1e6, description="N, weight of the likelihood")


class TrialParameters(Parameters):
    """Parameters that all experiments on the Boltzmann machine share."""

    training_images: int = Field(5, ge=1, le=1000, description="images of a 1 to learn from")
    test_images: int = Field(100, ge=1, le=5000, description="held-out images of a 1")
    evaluations: int = Field(50, ge=4, le=1000, description="regular evaluations in a trial")
    machine: Machine = Machine()
    learning: Learning = Learning()
    rule: BoltzmannRule = BoltzmannRule()

    @property
    def n_variants(self) -> int:
        """Number of variants; experiments compare several."""
        return 1

    @model_validator(mode="after")
    def _ends(self) -> Self:
        learned = self.n_variants
        cycles = self.learning.updates * self.machine.cycles * self.training_images
        require_at_most("cycles", learned * cycles * self.machine.hidden_units, MOST_CYCLES)
        states = learned * self.evaluations * 2.0**self.machine.hidden_units
        require_at_most("hidden states", states, MOST_STATES)
        kept = learned * self.evaluations * (100 + self.test_images)
        require_at_most("numbers in memory", kept, MOST_NUMBERS)
        return self


@dataclass(frozen=True)
class Variant:
    """A prior of the weights and a temperature; controls change one thing more.

    Parameters
    ----------
    label
        Name in the results.
    prior, temperature
        Prior of the weights, and T.
    images
        The few images of the trial, many others, or none (prior and noise only).
    other_noise
        Whether the variant has other random numbers; all others share theirs.
    """

    label: str
    prior: Prior
    temperature: float = 1.0
    images: Literal["few", "many", "none"] = "few"
    other_noise: bool = False


@dataclass(frozen=True)
class LearningTrial:
    """Images (rows of 784 pixels), initial values and seeds that all variants of a trial share."""

    gray_train: NDArray[np.float64]
    gray_test: NDArray[np.float64]
    gray_many: NDArray[np.float64]
    train: NDArray[np.float64]
    test: NDArray[np.float64]
    start: NDArray[np.float64]
    traced_weights: NDArray[np.int64]
    seed: np.random.SeedSequence
    other_seed: np.random.SeedSequence


def draw_trial(
    p: TrialParameters, seed: np.random.SeedSequence, ones: NDArray[Any]
) -> LearningTrial:
    """Draw images from ``ones`` [n, 28, 28] and initial values; only ``seed`` decides."""
    of_split, of_binary, of_start, of_traces, of_chain, of_many, of_other = seed.spawn(7)
    split_seed = int(of_split.generate_state(1)[0])
    split = split_digit(ones, p.training_images, p.test_images, split_seed)
    left = np.setdiff1d(np.arange(len(ones)), np.concatenate(split[2:]))
    chosen = np.random.default_rng(of_many).choice(left, min(MANY_IMAGES, left.size), False)
    train, test, many = (
        images.reshape(-1, N_VISIBLE).astype(float) for images in (*split[:2], ones[chosen])
    )
    binary = np.random.default_rng(of_binary)
    machine, learning = machine_of(p), p.learning
    return LearningTrial(
        gray_train=train,
        gray_test=test,
        gray_many=many,
        train=(binary.random(train.shape) < train).astype(float),
        test=(binary.random(test.shape) < test).astype(float),
        start=machine.start(
            of_start, learning.start_std, learning.start_weight, learning.start_bias
        ),
        traced_weights=np.random.default_rng(of_traces).choice(
            machine.n_weights, N_TRACES, replace=False
        ),
        seed=of_chain,
        other_seed=of_other,
    )


def evaluation_updates(p: TrialParameters) -> NDArray[np.int64]:
    """Regular points from 0 to the end, and more of them early, where the peak is."""
    points = np.linspace(0, p.learning.updates, p.evaluations + 1)
    early = np.geomspace(min(10.0, points[1]), points[1], 12)
    return np.unique(np.round(np.concatenate([points, early])).astype(np.int64))


def trace_updates(p: TrialParameters) -> NDArray[np.int64]:
    """Updates at which single weights are recorded: 201 regular points."""
    return np.linspace(0, p.learning.updates, 201).round().astype(np.int64)


def learner(p: TrialParameters, variant: Variant, trial: LearningTrial) -> Chains:
    """The machine at its initial values, ready to learn."""
    machine = machine_of(p)
    likelihood = None
    if variant.images != "none":
        images = trial.gray_train if variant.images == "few" else trial.gray_many
        likelihood = machine.likelihood(
            images, p.machine.cycles, p.machine.persistent, p.rule.data_size
        )
    rule = Rule(likelihood, machine.prior(variant.prior), temperature=variant.temperature)
    own = trial.other_seed if variant.other_noise else trial.seed
    # A copy, because spawning changes a SeedSequence and variants share its children.
    seed = np.random.SeedSequence(own.entropy, spawn_key=own.spawn_key)
    return Chains(rule, trial.start[None], p.learning.learning_rate, seed)


def machine_of(p: TrialParameters) -> RBM:
    """The network, without parameter values."""
    return RBM(N_VISIBLE, p.machine.hidden_units)
