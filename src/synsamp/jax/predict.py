"""What a posterior predicts: the average over its samples, not what one of them says."""

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
    """The mean of ``predict(parameters, *inputs)`` over all draws, e.g. of class probabilities.

    One draw of all chains is in memory at a time. Any function may be averaged: of the entropy of
    each draw's probabilities this is the expected entropy, whose distance to the entropy of the
    mean tells what the samples disagree on (`synsamp.analysis.out_of_distribution`).
    """
    function("predict", predict, "pass a function (parameters, *inputs) -> array")
    instance("draws", draws, Draws, "give what synsamp.jax.run returned")
    if len(draws) == 0:
        raise refuse("draws", "must hold at least one draw", 0)
    of_chains = jax.jit(lambda trees, *x: jax.vmap(lambda tree: predict(tree, *x))(trees))
    total: Any = 0.0
    for trees in draws.by_draw():
        with np.errstate(invalid="ignore"):  # told below
            total = total + np.asarray(of_chains(trees, *inputs), float).sum(axis=0)
    mean = np.asarray(total / len(draws))
    if not np.all(np.isfinite(mean)):
        raise refuse("predictions", "must be finite", float("nan"), "look at predict and the draws")
    return mean
