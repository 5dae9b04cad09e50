"""What Fig. 2 is judged by, of one trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synsamp.claims import Value
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
    bimodal = learning.sel(variant="bimodal").load()
    averaged = float(bimodal.averaged_test_log_likelihood)
    n_weights = results["example"].end_weight.sel(variant="bimodal").size
    share_at = {
        mode: float(bimodal.weight_count.sel(bin=slice(mode - 0.5, mode + 0.5)).sum()) / n_weights
        for mode in (0.0, 1.0)
    }
    return {
        "uniform_peak": float(best) / p.learning.updates,
        "uniform_fall": uniform_fall,
        "uniform_falls": uniform_fall > MARGIN_NATS,
        "bimodal_fall": float(fall.sel(variant="bimodal")),
        "bimodal_leads": lead > 0,
        "bimodal_lead": lead,
        "weights_at_0": share_at[0.0],
        "weights_at_1": share_at[1.0],
        "averaging_gain": averaged - float(end.sel(variant="bimodal")),
    }
