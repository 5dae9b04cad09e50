"""Restricted Boltzmann machine: visible units x, hidden units z, connected only across layers.

    p(x, z | θ) ∝ exp( Σ_ij z_i w_ij x_j + Σ_i b_i^hid z_i + Σ_j b_j^vis x_j )

so that each unit is 1 with probability σ(input + bias), given the other layer. The gradient of
log p(x|θ) is estimated by contrastive divergence (Hinton 2002; Eq. 8): a wake sample (x, z) with x
drawn from the grey values of an image, and a reconstruction (x̂, ẑ) after a few Gibbs cycles. The
parameters follow the synaptic sampling rule (Eqs. 24 to 26):

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
from synsamp.rule.backends import as_seed
from synsamp.specialise import specialise


class RBMParts(NamedTuple):
    """Views of θ: weights (hidden, visible) and both layers' biases."""

    weights: NDArray[np.float64]
    hidden_bias: NDArray[np.float64]
    visible_bias: NDArray[np.float64]


@dataclass(frozen=True)
class RBM:
    """Restricted Boltzmann machine (Eqs. 24 to 26).

    Parameters
    ----------
    n_visible, n_hidden : int
        Numbers of units; the defaults are the paper's.

    Examples
    --------
    >>> machine = RBM(784, 9)
    >>> rule = Rule(machine.likelihood(images, data_size=100), machine.prior(GaussianMixture()))
    """

    n_visible: int = 784
    n_hidden: int = 9

    def __post_init__(self) -> None:
        whole("n_visible", self.n_visible, at_least=1, at_most=10**8)
        whole("n_hidden", self.n_hidden, at_least=1, at_most=10**8)

    @property
    def n_weights(self) -> int:
        """Number of weights, which come first in θ."""
        return self.n_visible * self.n_hidden

    @property
    def size(self) -> int:
        """Length of θ: weights, hidden biases, visible biases."""
        return self.n_weights + self.n_hidden + self.n_visible

    def parts(self, theta: ArrayLike) -> RBMParts:
        """Weights and biases as views of θ of shape (size,)."""
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
        """Normal initial θ of shape (size,); the defaults are the paper's."""
        root = as_seed(seed)
        std = number("std", std, at_least=0, at_most=1e12)
        weight_mean = number("weight_mean", weight_mean, at_least=-1e12, at_most=1e12)
        bias_mean = number("bias_mean", bias_mean, at_least=-1e12, at_most=1e12)
        means = np.repeat([weight_mean, bias_mean], [self.n_weights, self.size - self.n_weights])
        return np.random.default_rng(root).normal(means, std)

    def prior(self, weight_prior: Prior) -> PriorByGroup:
        """``weight_prior`` for the weights and a flat prior for the biases, as in the paper."""
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
        """Likelihood of images by contrastive divergence (Eq. 8, CD-``cycles``).

        Parameters
        ----------
        images : array_like, shape (n, n_visible)
            Grey values in [0, 1].
        cycles : int
            Gibbs cycles of the reconstruction.
        persistent : bool
            Start from the last reconstruction (PCD) instead of the wake sample.
        data_size : float, optional
            Factor N of the rule; default: the number of images.
        """
        grey = numbers("images", as_pixels(images))
        if grey.ndim != 2 or grey.shape[1] != self.n_visible or len(grey) == 0:
            raise refuse("images", f"must have shape (n, {self.n_visible}), n >= 1", grey.shape)
        if not np.all((grey >= 0) & (grey <= 1)):
            lowest_highest = (float(grey.min()), float(grey.max()))
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
            grey,
            data=(self.n_hidden, int(cycles)),
            data_size=data_size,
            respond=respond,
            memory=self._memory(persistent),
        )

    def _memory(
        self, persistent: bool
    ) -> Callable[[np.random.SeedSequence], tuple[NDArray[Any], ...]]:
        """Memory of a chain: its random stream, and for PCD the last hidden state."""

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
        """Gibbs samples of shape (n, n_visible), each after ``cycles`` cycles from a random state.

        With few hidden units ``synsamp.analysis.rbm_likelihood.exact_samples`` is exact.
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
        images[k], states[k] = rbm_kernel.reconstruct(theta, states[k], cycles, stream)


_generate: Any = specialise(_generate_images, on_disk=True, options={"fastmath": False})
