"""Reconstruct images from firing rates and efficacies, and compare them with class means.

The paper: "multiplying the synaptic efficacies of synapses from x_V to z_V with the instantaneous
firing rates of the corresponding neurons".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.analysis.tuning import correlations
from synsamp.arguments import numbers
from synsamp.errors import refuse


def reconstruct_images(efficacies: ArrayLike, rates: ArrayLike) -> NDArray[np.float64]:
    """Image [..., pixel] from efficacies [neuron, pixel] and rates [..., neuron]."""
    w = numbers("efficacies", efficacies, shape=(None, None))
    r = numbers("rates", rates)
    if r.shape[-1:] != w.shape[:1]:
        raise refuse("rates", f"must end with the {w.shape[0]} neurons of the efficacies", r.shape)
    return r @ w


def class_correlation(images: ArrayLike, means: ArrayLike) -> NDArray[np.float64]:
    """Pearson correlation [image, class] of each image with the mean image of each class."""
    return correlations(images, means)
