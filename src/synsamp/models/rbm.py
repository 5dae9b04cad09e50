"""Restricted Boltzmann machine: visible units x, hidden units z, connected only across layers.

    p(x, z | θ) ∝ exp( Σ_ij z_i w_ij x_j + Σ_i b_i^hid z_i + Σ_j b_j^vis x_j )

so that each unit is 1 with probability σ(input + bias), given the other layer. The gradient of
log p(x|θ) is estimated by contrastive divergence (Hinton 2002; Eq. onlinediscrete-cd-w): a wake
sample (x, z) with x drawn from the gray values of an image, and a reconstruction (x̂, ẑ) after a
few cycles of the machine's own activity. The parameters move by the one rule:

    machine = RBM(784, 9)
    rule = Rule(machine.likelihood(images, data_size=100), machine.prior(GaussianMixture()))
    chains = Chains(rule, machine.start(seed)[None], dt=1e-4, seed=seed)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.analysis.rbm_likelihood import as_pixels
from synsamp.arguments import flag, instance, number, numbers, whole
from synsamp.errors import refuse
from synsamp.models import rbm_kernel
from synsamp.noise.streams import new_stream
from synsamp.priors import Flat, Prior, PriorByGroup
from synsamp.rule import HiddenStates
from synsamp.rule.chains import as_seed
from synsamp.specialise import specialise


class RBMParts(NamedTuple):
    """Views of θ: weights (hidden, visible) and both layers' biases."""

    weights: NDArray[np.float64]
    hidden_bias: NDArray[np.float64]
    visible_bias: NDArray[np.float64]


@dataclass(frozen=True)
class RBM:
    """A restricted Boltzmann machine of any size (the paper's: 784 visible, 9 hidden units)."""

    n_visible: int = 784
    n_hidden: int = 9

    def __post_init__(self) -> None:
        whole("n_visible", self.n_visible, at_least=1, at_most=10**8)
        whole("n_hidden", self.n_hidden, at_least=1, at_most=10**8)

    @property
    def n_weights(self) -> int:
        """How many weights there are; they come first in θ."""
        return self.n_visible * self.n_hidden

    @property
    def size(self) -> int:
        """How many parameters θ has: weights, hidden biases, visible biases."""
        return self.n_weights + self.n_hidden + self.n_visible

    def parts(self, theta: ArrayLike) -> RBMParts:
        """Weights and biases as views of θ."""
        array = numbers("theta", theta)
        if array.shape != (self.size,):
            raise refuse(
                "theta",
                f"must have shape ({self.size},) for {self.n_visible} visible and "
                f"{self.n_hidden} hidden units",
                array.shape,
            )
        weights, hidden_bias, visible_bias = np.split(
            array, [self.n_weights, self.n_weights + self.n_hidden]
        )
        return RBMParts(weights.reshape(self.n_hidden, self.n_visible), hidden_bias, visible_bias)

    def start(
        self,
        seed: int | np.random.SeedSequence,
        std: float = 0.25,
        weight_mean: float = 0.0,
        bias_mean: float = -1.0,
    ) -> NDArray[np.float64]:
        """Random initial θ; the defaults are the paper's."""
        root = as_seed(seed)
        std = number("std", std, at_least=0, at_most=1e12)
        weight_mean = number("weight_mean", weight_mean, at_least=-1e12, at_most=1e12)
        bias_mean = number("bias_mean", bias_mean, at_least=-1e12, at_most=1e12)
        means = np.repeat([weight_mean, bias_mean], [self.n_weights, self.size - self.n_weights])
        return np.random.default_rng(root).normal(means, std)

    def prior(self, weight_prior: Prior) -> PriorByGroup:
        """Any prior for the weights, none for the biases (as in the paper)."""
        instance("weight_prior", weight_prior, Prior, "e.g. synsamp.GaussianMixture()")
        group = np.repeat([0, 1], [self.n_weights, self.size - self.n_weights])
        return PriorByGroup((weight_prior, Flat()), group)

    def likelihood(
        self,
        images: ArrayLike,
        cycles: int = 5,
        persistent: bool = False,
        data_size: float | None = None,
    ) -> HiddenStates:
        """The likelihood of gray images (n, visible) in [0, 1], by CD-``cycles``.

        With ``persistent`` the reconstruction goes on from where the last one ended (PCD) instead
        of from the wake sample. ``data_size`` is the rule's N (default: the number of images).
        """
        gray = numbers("images", as_pixels(images))
        if gray.ndim != 2 or gray.shape[1] != self.n_visible or len(gray) == 0:
            raise refuse("images", f"must have shape (n, {self.n_visible}), n >= 1", gray.shape)
        if not np.all((gray >= 0) & (gray <= 1)):
            lowest_highest = (float(gray.min()), float(gray.max()))
            raise refuse("images", "must lie in [0, 1]", lowest_highest, "divide by 255")
        cycles = whole("cycles", cycles, at_least=1, at_most=10**9, remedy="the paper has 5")
        flag("persistent", persistent)
        respond: Any = rbm_kernel.respond
        gradient: Any = rbm_kernel.gradient
        if persistent:
            respond = rbm_kernel.respond_persistently
            gradient = rbm_kernel.gradient_persistently
        return HiddenStates(
            gradient,
            gray,
            data=(self.n_hidden, int(cycles)),
            data_size=data_size,
            respond=respond,
            memory=self._memory(persistent),
        )

    def _memory(
        self, persistent: bool
    ) -> Callable[[np.random.SeedSequence], tuple[NDArray[Any], ...]]:
        """A chain keeps its random stream, and for PCD the hidden state of its dream."""

        def fresh(seed: np.random.SeedSequence) -> tuple[NDArray[Any], ...]:
            of_stream, of_state = seed.spawn(2)
            stream = new_stream(of_stream)
            if not persistent:
                return (stream,)
            return stream, self._random_hidden(of_state, 1)[0]

        return fresh

    def _random_hidden(self, seed: np.random.SeedSequence, n: int) -> NDArray[np.float64]:
        return np.random.default_rng(seed).integers(0, 2, (n, self.n_hidden)).astype(float)

    def generate(
        self, theta: ArrayLike, n: int, cycles: int, seed: int | np.random.SeedSequence
    ) -> NDArray[np.float64]:
        """``n`` images of the machine's own, each after ``cycles`` cycles from a random state.

        Gibbs sampling, at any size. With few hidden units
        ``synsamp.analysis.rbm_likelihood.exact_samples`` needs no cycles at all.
        """
        flat = np.concatenate([np.ravel(p) for p in self.parts(theta)])
        n = whole("n", n, at_least=0, at_most=10**8)
        cycles = whole("cycles", cycles, at_least=1, at_most=10**9)
        of_stream, of_states = as_seed(seed).spawn(2)
        images = np.empty((n, self.n_visible))
        states = self._random_hidden(of_states, n)
        _generate(flat, states, cycles, new_stream(of_stream), images)
        return images


def _generate_images(theta: Any, states: Any, cycles: int, stream: Any, images: Any) -> None:
    for k in range(len(states)):
        images[k], states[k] = rbm_kernel.dream(theta, states[k], cycles, stream)


_generate: Any = specialise(_generate_images, on_disk=True, options={"fastmath": False})
