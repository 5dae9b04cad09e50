"""What Fig. 2 is judged by, in one trial: the likelihood of test images, and the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.paper.fig2_generalisation.variants import (
    BIMODAL,
    BIMODAL_AGAIN,
    BIMODAL_ALONE,
    NO_NOISE,
    NO_NOISE_MANY,
    UNIFORM,
    UNIFORM_ALONE,
)

if TYPE_CHECKING:
    from synsamp.paper.fig2_generalisation.experiment import GeneralisationParameters

MARGIN_NATS = 15.0
"""A fall from the best value by less than this counts as none; see docs/generalisation.md."""


def measures(p: GeneralisationParameters, results: Results) -> dict[str, Value]:
    """Of what is claimed and of its nulls; names of nulls say what was taken away."""
    return {
        **_of_likelihood(p, results["learning"]),
        **_of_weights(results["example"]),
    }


def _of_likelihood(p: GeneralisationParameters, learning: xr.Dataset) -> dict[str, Value]:
    """Peaks, falls and leads of the likelihood of test images."""
    test = learning.test_log_likelihood.load()

    def peak(variant: str) -> float:
        return float(test.sel(variant=variant).idxmax("update")) / p.learning.updates

    def fall(variant: str) -> float:
        course = test.sel(variant=variant)
        return float(course.max() - course[-1])

    def end(variant: str) -> float:
        return float(test.sel(variant=variant)[-1])

    best = float(test.sel(variant=[UNIFORM, BIMODAL]).max())
    lead, lead_again = end(BIMODAL) - end(UNIFORM), end(BIMODAL_AGAIN) - end(BIMODAL)
    averaged = float(learning.averaged_test_log_likelihood.sel(variant=BIMODAL))
    typical = float(learning.single_test_log_likelihood.sel(variant=BIMODAL))
    return {
        "uniform_peak": peak(UNIFORM),
        "peak_without_images": peak(UNIFORM_ALONE),
        "uniform_fall": fall(UNIFORM),
        "uniform_falls": fall(UNIFORM) > MARGIN_NATS,
        "bimodal_fall": fall(BIMODAL),
        "bimodal_falls": fall(BIMODAL) > MARGIN_NATS,
        "fall_without_images": fall(UNIFORM_ALONE),
        "fall_without_noise": fall(NO_NOISE),
        "fall_with_many_images": fall(NO_NOISE_MANY),
        "bimodal_below_best": best - end(BIMODAL),
        "below_best_without_images": best - end(BIMODAL_ALONE),
        "bimodal_leads": lead > 0,
        "bimodal_lead": lead,
        "same_prior_leads": lead_again > 0,
        "same_prior_lead": lead_again,
        "averaging_gain": averaged - end(BIMODAL),
        "typical_gain": typical - end(BIMODAL),
    }


def _of_weights(example: xr.Dataset) -> dict[str, Value]:
    """How the weights divide between the modes; the valley between 0 and 1 lies at 0.5."""

    def weights(variant: str) -> NDArray[np.float32]:
        return np.asarray(example.end_weight.sel(variant=variant).values)

    def at_0(variant: str) -> float:
        return float(np.mean(np.abs(weights(variant)) < 0.5))

    def at_1(variant: str) -> NDArray[np.bool_]:
        return (weights(variant) > 0.5) & (weights(variant) < 1.5)

    found: dict[str, Value] = {
        "weights_at_0": at_0(BIMODAL),
        "at_0_under_uniform_prior": at_0(UNIFORM),
        "at_0_without_images": at_0(BIMODAL_ALONE),
        "weights_at_1": float(np.mean(at_1(BIMODAL))),
    }
    gray = example.train_image.values.mean(axis=0)
    ink, blank = gray > 0.5, gray == 0.0
    if ink.any() and blank.any():
        for name, variant in (("at_1_where_ink", BIMODAL), ("at_1_without_images", BIMODAL_ALONE)):
            there = at_1(variant)
            found[name] = Ratio(there[:, ink].mean(), there[:, blank].mean())
    return found
