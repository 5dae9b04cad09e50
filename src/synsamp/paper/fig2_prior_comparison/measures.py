"""Measures of the comparison, of one trial: leads of one prior over others, in nats.

A lead is the difference of the log-likelihood of test images of a typical sample: its mean over the
second half of learning, because a single sample fluctuates by more than some priors differ.
"""

from __future__ import annotations

from typing import Any

import xarray as xr

from synsamp.claims import measures_in
from synsamp.experiments.base import Results
from synsamp.paper.fig2_prior_comparison.models import WIDE

AS_WIDE = ("gaussian", "laplace", "student_t")
"""Unimodal priors with the spread of the bimodal one."""


def typical_table(learning: xr.Dataset) -> xr.DataArray:
    """Return the log-likelihood of test images, with dimensions (prior, temperature, ...)."""
    typical = learning.single_test_log_likelihood.load()
    typical = typical.isel(branch=learning.control.values == "").drop_vars("control")
    order = list(dict.fromkeys(typical.prior.values.tolist()))
    table = typical.set_index(branch=["prior", "temperature"]).unstack("branch")
    return table.sel(prior=order).transpose("prior", "temperature", ...)


def _typical(results: Results) -> dict[tuple[str, float, str], float]:
    """Log-likelihood by prior, temperature and control."""
    return {
        (str(one.prior.values), float(one.temperature), str(one.control.values)): float(one)
        for one in results["learning"].single_test_log_likelihood.load()
    }


def _lead(results: Results, prior: str, over: str, T: float = 1.0, control: str = "") -> float:
    typical = _typical(results)
    return typical[prior, T, control] - typical[over, T, ""]


def _best_with_one_mode(results: Results) -> str:
    typical = _typical(results)
    there = [prior for prior in AS_WIDE if (prior, 1.0, "") in typical]
    return max(there, key=lambda prior: typical[prior, 1.0, ""])


def lead_of_worst_prior(p: Any, results: Results) -> float:
    """Lead over the uniform prior of the prior that performs worst in the trial."""
    typical = _typical(results)
    informed = [key for key in typical if key[1:] == (1.0, "") and key[0] != "uniform"]
    return _lead(results, min(informed, key=typical.__getitem__)[0], "uniform")


def lead_of_wide_prior(p: Any, results: Results) -> float:
    """Lead over the uniform prior of a prior so wide that it has no effect."""
    return _lead(results, WIDE, "uniform", control="no effect")


def lead_without_noise(p: Any, results: Results) -> float:
    """Lead of the bimodal prior over the uniform one at T = 0."""
    return _lead(results, "bimodal", "uniform", T=0.0)


def lead_of_wide_prior_without_noise(p: Any, results: Results) -> float:
    """Lead over the uniform prior at T = 0 of a prior so wide that it has no effect."""
    return _lead(results, WIDE, "uniform", T=0.0, control="no effect")


def lead_over_one_mode(p: Any, results: Results) -> float:
    """Lead of the bimodal prior over the best unimodal one of the same spread."""
    return _lead(results, "bimodal", _best_with_one_mode(results))


def replicate_lead_over_one_mode(p: Any, results: Results) -> float:
    """Lead over it of the Gaussian prior with other noise."""
    return _lead(results, "gaussian", _best_with_one_mode(results), control="other noise")


def lead_over_mode_at_0(p: Any, results: Results) -> float:
    """Lead of the bimodal prior over its mode at 0 alone."""
    return _lead(results, "bimodal", "narrow_gaussian")


def replicate_lead_over_mode_at_0(p: Any, results: Results) -> float:
    """Lead of this mode over itself, with other noise."""
    return _lead(results, "narrow_gaussian", "narrow_gaussian", control="other noise")


def loss_when_hot(p: Any, results: Results) -> float:
    """Loss of the bimodal prior at the highest temperature, relative to T = 1."""
    typical = _typical(results)
    hottest = max(key[1] for key in typical)
    return typical["bimodal", 1.0, ""] - typical["bimodal", hottest, ""]


def replicate_loss(p: Any, results: Results) -> float:
    """Loss of the bimodal prior at T = 1 with other noise."""
    return -_lead(results, "bimodal", "bimodal", control="other noise")


MEASURES = measures_in(__name__)
