"""Different priors for different parameters: a label per parameter says which prior it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import refuse
from synsamp.priors.base import Prior


@dataclass(frozen=True, eq=False)
class PriorByGroup:
    """``priors[group[i]]`` is the prior of parameter i.

    Example: weights with a bimodal prior, biases with none::

        PriorByGroup((GaussianMixture(), Flat()), group=np.repeat([0, 1], [7056, 793]))
    """

    priors: tuple[Prior, ...]
    group: Any

    def __post_init__(self) -> None:
        labels = np.asarray(self.group)
        if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
            raise refuse("group", "must be a 1-D array of whole numbers", labels.dtype.name)
        if labels.size and not 0 <= labels.min() <= labels.max() < len(self.priors):
            raise refuse(
                "group",
                f"must lie in 0..{len(self.priors) - 1}",
                (int(labels.min()), int(labels.max())),
                "give one prior per label",
            )
        object.__setattr__(self, "group", labels)

    @property
    def size(self) -> int:
        """How many parameters the labels cover."""
        return int(self.group.size)

    def gradient(self, theta: ArrayLike) -> NDArray[np.float64]:
        """∂ log p_S(θ)/∂θ along the last axis."""
        return self._by_group("gradient", theta)

    def log_density(self, theta: ArrayLike) -> NDArray[np.float64]:
        """log p_S(θ) along the last axis."""
        return self._by_group("log_density", theta)

    def draw(self, rng: np.random.Generator, size: Any = None) -> NDArray[np.float64]:
        """Draws of shape ``size`` (default: one per parameter); last axis runs over parameters."""
        shape = (self.size,) if size is None else tuple(np.atleast_1d(size))
        out = np.empty(shape)
        for label, prior in enumerate(self.priors):
            mask = self.group == label
            out[..., mask] = prior.draw(rng, (*shape[:-1], int(mask.sum())))
        return out

    def runs(self, label: int) -> NDArray[np.int64]:
        """Where the parameters with ``label`` lie: rows (start, stop) of contiguous stretches."""
        edges = np.diff(np.concatenate([[0], (self.group == label).astype(np.int8), [0]]))
        return np.stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)], axis=1)

    @property
    def compiled(self) -> bool:
        """Whether every prior can run inside a compiled loop."""
        return all(prior.compiled for prior in self.priors)

    def _by_group(self, method: str, theta: ArrayLike) -> NDArray[np.float64]:
        theta = np.asarray(theta, float)
        if theta.shape[-1:] != (self.size,):
            raise refuse("theta", f"must have {self.size} parameters last", theta.shape)
        out = np.empty_like(theta)
        for label, prior in enumerate(self.priors):
            mask = self.group == label
            out[..., mask] = getattr(prior, method)(theta[..., mask])
        return out
