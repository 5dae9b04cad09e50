"""What Fig. 2 is judged by, of one trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results

if TYPE_CHECKING:
    from synsamp.experiments.generalization.experiment import GeneralizationParameters

MARGIN_NATS = 15.0
"""A fall from the best value by less than this counts as none; see docs/generalization.md."""


def measures(p: GeneralizationParameters, results: Results) -> dict[str, Value]:
    """Falls and leads of the likelihood of test images, and where the weights are at the end."""
    learning = results["learning"]
    test = learning.test_log_likelihood.load()
    fall = test.max("update") - test.isel(update=-1)
    best = test.sel(variant="uniform").idxmax("update")
    end = test.isel(update=-1)
    lead = float(end.sel(variant="bimodal") - end.sel(variant="uniform"))
    uniform_fall = float(fall.sel(variant="uniform"))
    averaged = float(learning.averaged_test_log_likelihood.sel(variant="bimodal"))
    return {
        "uniform_peak": float(best) / p.learning.updates,
        "uniform_fall": uniform_fall,
        "uniform_falls": uniform_fall > MARGIN_NATS,
        "bimodal_fall": float(fall.sel(variant="bimodal")),
        "bimodal_leads": lead > 0,
        "bimodal_lead": lead,
        "averaging_gain": averaged - float(end.sel(variant="bimodal")),
        **_of_weights(results["example"]),
    }


def _of_weights(example: xr.Dataset) -> dict[str, Value]:
    """How the weights divide between the modes; the valley between 0 and 1 lies at 0.5."""
    weights = example.end_weight.sel(variant="bimodal").values
    at_1 = (weights > 0.5) & (weights < 1.5)
    found: dict[str, Value] = {
        "weights_at_0": float(np.mean(np.abs(weights) < 0.5)),
        "weights_at_1": float(np.mean(at_1)),
    }
    gray = example.train_image.values.mean(axis=0)
    ink, blank = gray > 0.5, gray == 0.0
    if ink.any() and blank.any():
        found["at_1_where_ink"] = Ratio(at_1[:, ink].mean(), at_1[:, blank].mean())
    return found
