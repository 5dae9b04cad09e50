"""Different priors for different parameters: a label per parameter says which prior it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import instance, numbers, wholes
from synsamp.errors import refuse
from synsamp.priors.base import Part, Prior


@dataclass(frozen=True, eq=False)
class PriorByGroup:
    """``priors[group[i]]`` is the prior of parameter i.

    Example: weights with a bimodal prior, biases with none::

        PriorByGroup((GaussianMixture(), Flat()), group=np.repeat([0, 1], [7056, 793]))

    The labels have the shape of θ, [parameters] or [post, pre]. A prior in a group may itself have
    arrays: of the labels' shape, or with one value per member of its group.
    """

    priors: tuple[Prior, ...]
    group: Any

    def __post_init__(self) -> None:
        one_each = "give one prior per label"
        instance("priors", self.priors, (tuple, list), one_each)
        for k, prior in enumerate(self.priors):
            instance(f"priors[{k}]", prior, Prior, "e.g. synsamp.Gaussian(0, 1)")
        labels = wholes("group", self.group, shape=None, remedy=one_each)
        if labels.ndim == 0 or labels.size == 0:
            raise refuse("group", "must have a label per parameter", labels.shape, one_each)
        low, high = int(labels.min()), int(labels.max())
        if not 0 <= low <= high < len(self.priors):
            rule = f"must lie in 0..{len(self.priors) - 1}"
            raise refuse("group", rule, (low, high), one_each)
        own = [p.subset(labels == k) for k, p in enumerate(self.priors)]
        for k, prior in enumerate(own):
            prior.for_kernel(int((labels == k).sum()))  # refuses arrays that do not fit
        object.__setattr__(self, "group", labels)
        object.__setattr__(self, "priors", tuple(own))

    @property
    def size(self) -> int:
        """How many parameters the labels cover."""
        return int(self.group.size)

    def gradient(self, theta: ArrayLike) -> NDArray[np.float64]:
        """∂ log p_S(θ)/∂θ along the last axes, those of the labels."""
        return self._by_group("gradient", theta)

    def log_density(self, theta: ArrayLike) -> NDArray[np.float64]:
        """log p_S(θ) along the last axes, those of the labels."""
        return self._by_group("log_density", theta)

    def draw(self, rng: np.random.Generator, size: Any = None) -> NDArray[np.float64]:
        """Draws of shape ``size`` (default: one per parameter), whose last axes are the labels'."""
        out = np.empty(self.group.shape if size is None else size)
        self._require_last_axes("size", out.shape)
        first = out.shape[: out.ndim - self.group.ndim]
        for label, prior in enumerate(self.priors):
            mask = self.group == label
            out[..., mask] = prior.draw(rng, (*first, int(mask.sum())))
        return out

    def ranges(self, label: int) -> NDArray[np.int64]:
        """Where the parameters with ``label`` lie in the flattened θ: rows (start, stop)."""
        found = (self.group.reshape(-1) == label).astype(np.int8)
        edges = np.diff(np.concatenate([[0], found, [0]]))
        return np.stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)], axis=1)

    def parts(self, shape: int | tuple[int, ...]) -> tuple[Part, ...]:
        """One part per label: its prior, the numbers at its members' places, its ranges."""
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
        places = np.ones((len(values), self.size))  # where others lie, a number nobody reads
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
