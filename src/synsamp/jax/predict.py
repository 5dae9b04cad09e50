"""Posterior predictive mean: the average of a prediction over all draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import function, instance
from synsamp.errors import refuse
from synsamp.jax.draws import Draws


def predictive_mean(
    predict: Callable[..., Any], draws: Draws, *inputs: Any
) -> NDArray[np.floating[Any]]:
    """Mean of a prediction over all draws, such as class probabilities.

    One draw of all chains is in memory at a time. The mean entropy of the draws, minus the entropy
    of the mean, measures their disagreement (`synsamp.analysis.out_of_distribution`).

    Parameters
    ----------
    predict : callable
        ``predict(parameters, *inputs)`` returns an array.
    draws : Draws
        Result of ``run``.
    *inputs : array
        Further arguments of ``predict``.

    Returns
    -------
    ndarray, in the shape of the prediction
    """
    function("predict", predict, "pass a function (parameters, *inputs) -> array")
    instance("draws", draws, Draws, "pass the result of synsamp.jax.run")
    if len(draws) == 0:
        raise refuse("draws", "must hold at least one draw", 0)
    of_chains = jax.jit(lambda trees, *x: jax.vmap(lambda tree: predict(tree, *x))(trees))
    total: Any = 0.0
    for trees in draws.by_draw():
        with np.errstate(invalid="ignore"):  # checked below
            total = total + np.asarray(of_chains(trees, *inputs), float).sum(axis=0)
    mean = np.asarray(total / len(draws))
    if not np.all(np.isfinite(mean)):
        raise refuse("predictions", "must be finite", float("nan"), "check predict and the draws")
    return mean
