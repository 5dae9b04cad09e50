"""Leads of one prior over others in one trial, and the same leads between priors that are alike."""

from __future__ import annotations

from typing import Any

import xarray as xr

from synsamp.claims import Value
from synsamp.experiments.base import Results
from synsamp.paper.fig2_prior_comparison.variants import WIDE

AS_WIDE = ("gaussian", "laplace", "student_t")
"""One-humped priors with the spread of the bimodal one."""


def typical_table(learning: xr.Dataset) -> xr.DataArray:
    """Test log-likelihood of a typical sample, with dimensions (prior, temperature, ...).

    The mean over the second half of learning: a single sample fluctuates by more than some priors
    differ.
    """
    typical = learning.single_test_log_likelihood.load()
    typical = typical.isel(variant=learning.control.values == "").drop_vars("control")
    order = list(dict.fromkeys(typical.prior.values.tolist()))
    table = typical.set_index(variant=["prior", "temperature"]).unstack("variant")
    return table.sel(prior=order).transpose("prior", "temperature", ...)


def measures(parameters: Any, results: Results) -> dict[str, Value]:
    """Whatever the lists of priors and temperatures allow to compare."""
    learning = results["learning"]
    typical = {
        (str(one.prior.values), float(one.temperature), str(one.control.values)): float(one)
        for one in learning.single_test_log_likelihood.load()
    }
    found: dict[str, Value] = {}

    def lead(name: str, of: Any, over: Any) -> None:
        if of in typical and over in typical:
            found[name] = typical[of] - typical[over]

    def at_one(prior: str, control: str = "") -> tuple[str, float, str]:
        return prior, 1.0, control

    informed = [key for key in typical if key[1:] == (1.0, "") and key[0] != "uniform"]
    as_wide = [at_one(prior) for prior in AS_WIDE if at_one(prior) in typical]
    hottest = max((key[1] for key in typical), default=1.0)
    if informed:
        lead("worst_lead", min(informed, key=typical.__getitem__), at_one("uniform"))
        lead("wide_lead", at_one(WIDE, "holds nothing"), at_one("uniform"))
    lead("lead_without_noise", ("bimodal", 0.0, ""), ("uniform", 0.0, ""))
    lead("wide_lead_without_noise", (WIDE, 0.0, "holds nothing"), ("uniform", 0.0, ""))
    if as_wide:
        best = max(as_wide, key=typical.__getitem__)
        lead("lead_over_one_hump", at_one("bimodal"), best)
        lead("one_hump_lead", at_one("gaussian", "other noise"), best)
    lead("lead_over_mode_at_0", at_one("bimodal"), at_one("narrow_gaussian"))
    lead("mode_at_0_lead", at_one("narrow_gaussian", "other noise"), at_one("narrow_gaussian"))
    if hottest > 1.0:
        lead("loss_when_hot", at_one("bimodal"), ("bimodal", hottest, ""))
        lead("loss_when_alike", at_one("bimodal"), at_one("bimodal", "other noise"))
    return found
