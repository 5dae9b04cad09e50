"""Leads of one prior over others at the end of learning, in one trial."""

from __future__ import annotations

from typing import Any

import xarray as xr

from synsamp.claims import Value
from synsamp.experiments.base import Results

AS_WIDE = ("gaussian", "laplace", "student_t")
"""One-humped priors with the spread of the bimodal one."""


def end_table(learning: xr.Dataset) -> xr.DataArray:
    """Test log-likelihood at the end, with dimensions (prior, temperature, ...)."""
    end = learning.test_log_likelihood.isel(update=-1).load()
    order = list(dict.fromkeys(end.prior.values.tolist()))
    table = end.set_index(variant=["prior", "temperature"]).unstack("variant")
    return table.sel(prior=order).transpose("prior", "temperature", ...)


def measures(parameters: Any, results: Results) -> dict[str, Value]:
    """Whatever the lists of priors and temperatures allow to compare."""
    table = end_table(results["learning"])
    if 1.0 not in table.temperature:
        return {}
    at_one = {
        str(prior): float(table.sel(prior=prior, temperature=1.0)) for prior in table.prior.values
    }
    found: dict[str, Value] = {}
    informed = [end for prior, end in at_one.items() if prior != "uniform"]
    if informed and "uniform" in at_one:
        found["worst_lead"] = min(informed) - at_one["uniform"]
    if "bimodal" not in at_one:
        return found
    as_wide = [at_one[prior] for prior in AS_WIDE if prior in at_one]
    if as_wide:
        found["lead_over_one_hump"] = at_one["bimodal"] - max(as_wide)
    if "narrow_gaussian" in at_one:
        found["lead_over_mode_at_0"] = at_one["bimodal"] - at_one["narrow_gaussian"]
    hottest = table.temperature.max()
    if hottest > 1.0:
        hot = table.sel(prior="bimodal", temperature=hottest)
        found["loss_when_hot"] = at_one["bimodal"] - float(hot)
    return found
