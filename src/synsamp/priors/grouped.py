"""Different priors for different groups of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, numbers, wholes
from synsamp.errors import refuse
from synsamp.priors.base import Part, Prior, Size


@dataclass(frozen=True, eq=False, init=False)
class PriorByGroup:
    """Different priors for groups of parameters: parameter i has the prior ``priors[group[i]]``.

    Parameters
    ----------
    priors : sequence of Prior
        One prior per label. Its parameters may be arrays, of the labels' shape or with one value
        per member of the group.
    group : array_like of int, shape (parameters,) or (post, pre)
        Label of each parameter, in the shape of θ.

    Examples
    --------
    A bimodal prior for the weights of a Boltzmann machine, and none for its biases:

    >>> PriorByGroup((GaussianMixture(), Flat()), group=np.repeat([0, 1], [7056, 793]))
    """

    priors: tuple[Prior, ...]
    group: NDArray[np.int64]

    def __init__(self, priors: Sequence[Prior], group: ArrayLike) -> None:
        one_each = "give one prior per label"
        instance("priors", priors, (tuple, list), one_each)
        for k, prior in enumerate(priors):
            instance(f"priors[{k}]", prior, Prior, "e.g. synsamp.Gaussian(0, 1)")
        labels = wholes("group", group, shape=None, remedy=one_each)
        if labels.ndim == 0 or labels.size == 0:
            raise refuse("group", "must have a label per parameter", labels.shape, one_each)
        low, high = int(labels.min()), int(labels.max())
        if not 0 <= low <= high < len(priors):
            rule = f"must lie in 0..{len(priors) - 1}"
            raise refuse("group", rule, (low, high), one_each)
        own = tuple(p.subset(labels == k) for k, p in enumerate(priors))
        for k, prior in enumerate(own):
            prior.for_kernel(int((labels == k).sum()))  # raises an error if arrays do not fit
        object.__setattr__(self, "group", labels)
        object.__setattr__(self, "priors", own)

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.group.size)

    def gradient(self, theta: ArrayLike) -> NDArray[np.float64]:
        """∂ log p_S(θ)/∂θ, in the shape of θ, whose last axes are those of the labels."""
        return self._by_group("gradient", theta)

    def log_density(self, theta: ArrayLike) -> NDArray[np.float64]:
        """log p_S(θ) per element, in the shape of θ, whose last axes are those of the labels."""
        return self._by_group("log_density", theta)

    def draw(self, rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
        """Draws of shape ``size`` (default: one per parameter); its last axes are the labels'."""
        out = np.empty(self.group.shape if size is None else size)
        self._require_last_axes("size", out.shape)
        first = out.shape[: out.ndim - self.group.ndim]
        for label, prior in enumerate(self.priors):
            mask = self.group == label
            out[..., mask] = prior.draw(rng, (*first, int(mask.sum())))
        return out

    def ranges(self, label: int) -> NDArray[np.int64]:
        """Ranges of the flattened θ with this label: rows (start, stop)."""
        found = (self.group.reshape(-1) == label).astype(np.int8)
        edges = np.diff(np.concatenate([[0], found, [0]]))
        return np.stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)], axis=1)

    def parts(self, shape: int | tuple[int, ...]) -> tuple[Part, ...]:
        """One part per label: prior, parameters and ranges."""
        self._require_last_axes("theta", (shape,) if isinstance(shape, int) else shape)
        return tuple(
            Part(prior, self._parameters(prior, label), self.ranges(label))
            for label, prior in enumerate(self.priors)
        )

    @property
    def compiled(self) -> bool:
        """Whether every prior can run inside a compiled loop."""
        return all(prior.compiled for prior in self.priors)

    def _parameters(self, prior: Prior, label: int) -> tuple[Any, ...]:
        members = self.group.reshape(-1) == label
        values = prior.for_kernel(int(members.sum()))
        if not values or np.ndim(values[0]) == 0:
            return values
        places = np.ones((len(values), self.size))  # other groups: placeholders, never read
        places[:, members] = values
        return tuple(places)

    def _by_group(self, method: str, theta: ArrayLike) -> NDArray[np.float64]:
        values = numbers("theta", theta)
        self._require_last_axes("theta", values.shape)
        out = np.empty_like(values)
        for label, prior in enumerate(self.priors):
            mask = self.group == label
            out[..., mask] = getattr(prior, method)(values[..., mask])
        return out

    def _require_last_axes(self, name: str, shape: tuple[int, ...]) -> None:
        own = self.group.shape
        if shape[len(shape) - len(own) :] != own:
            raise refuse(name, f"must end with the labels' shape {own}", shape)
