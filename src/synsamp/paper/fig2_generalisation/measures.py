"""Measures of Fig. 2, of one trial: the likelihood of test images, and the weights.

Branches are the variants of a trial.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Amount, Multiple, Ratio, Share, measures_in
from synsamp.experiments.base import Results
from synsamp.paper.fig2_generalisation.parameters import GeneralisationParameters
from synsamp.paper.fig2_generalisation.protocol import BIMODAL, OTHER_NOISE, UNIFORM

MARGIN_NATS = 15.0
"""Smaller falls from the best value do not count; see docs/reference/fig2-methods.md."""
REFERENCE = {BIMODAL: UNIFORM, OTHER_NOISE: BIMODAL}
"""Over which variant the lead of another is measured."""


def _curve(results: Results, branch: str) -> xr.DataArray:
    """Mean log-likelihood of test images during learning."""
    return results["learning"].test_log_likelihood.sel(branch=branch).load()


def _end(results: Results, branch: str) -> float:
    return float(_curve(results, branch)[-1])


def peak(p: GeneralisationParameters, results: Results, branch: str) -> Share:
    """Update at which test images are most likely, as a share of the run."""
    return float(_curve(results, branch).idxmax("update")) / p.learning.updates


def fall(p: Any, results: Results, branch: str) -> Amount:
    """Fall of the likelihood of test images from the best evaluation to the last, in nats."""
    curve = _curve(results, branch)
    return float(curve.max() - curve[-1])


def falls(p: Any, results: Results, branch: str) -> bool:
    """Whether the likelihood of test images falls by more than the margin."""
    return fall(p, results, branch) > MARGIN_NATS


def below_best(p: Any, results: Results, branch: str) -> float:
    """How far the last evaluation is below the best one under either prior, in nats."""
    best = max(float(_curve(results, each).max()) for each in (UNIFORM, BIMODAL))
    return best - _end(results, branch)


def lead(p: Any, results: Results, branch: str) -> float:
    """Lead at the end of the bimodal prior over the uniform one, or of one prior over itself."""
    return _end(results, branch) - _end(results, REFERENCE[branch])


def leads(p: Any, results: Results, branch: str) -> bool:
    """Whether there is a lead at the end."""
    return lead(p, results, branch) > 0


def averaging_gain(p: Any, results: Results) -> float:
    """Gain of averaging p(x|θ) over samples, relative to the last sample, in nats."""
    averaged = results["learning"].averaged_test_log_likelihood.sel(branch=BIMODAL)
    return float(averaged) - _end(results, BIMODAL)


def typical_gain(p: Any, results: Results) -> float:
    """Mean gain of single samples relative to the last sample, in nats."""
    single = results["learning"].single_test_log_likelihood.sel(branch=BIMODAL)
    return float(single) - _end(results, BIMODAL)


def _weights(results: Results, branch: str) -> NDArray[np.float32]:
    """Weights at the end [hidden, row, column]."""
    return np.asarray(results["example"].end_weight.sel(branch=branch).values)


def _at_1(results: Results, branch: str) -> NDArray[np.bool_]:
    weights = _weights(results, branch)
    return (weights > 0.5) & (weights < 1.5)


def weights_at_0(p: Any, results: Results, branch: str) -> Share:
    """Share of weights in the mode at 0; the minimum between the modes is at 0.5."""
    return float(np.mean(np.abs(_weights(results, branch)) < 0.5))


def weights_at_1(p: Any, results: Results, branch: str) -> Share:
    """Share of weights in the mode at 1."""
    return float(np.mean(_at_1(results, branch)))


def weights_at_1_with_ink(p: Any, results: Results, branch: str) -> Multiple:
    """Share of weights in the mode at 1 at pixels with ink, and at blank pixels."""
    grey = results["example"].train_image.values.mean(axis=0)
    ink, blank, there = grey > 0.5, grey == 0.0, _at_1(results, branch)
    if not (ink.any() and blank.any()):
        return Ratio(np.nan, np.nan)
    return Ratio(there[:, ink].mean(), there[:, blank].mean())


MEASURES = measures_in(__name__)
ALSO_MEASURED = (
    "fall@uniform_no_images",
    "weights_at_0@bimodal_no_images",
    "weights_at_1@bimodal",
)
"""Shown in docs/reference/fig2-methods.md."""
