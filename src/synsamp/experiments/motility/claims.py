"""The claims of Fig. 3, each judged over all circuits (seeds) of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from synsamp.experiments.base import Claim
from synsamp.experiments.shared.wording import over_seeds


def judge(p: Any, results: Any) -> Sequence[Claim]:
    """All claims."""
    return [
        *_free(p, results["free"]),
        *_changes(results["changes"]),
        *_power_law("E", results["survival_fast"], p.fast.b),
        *_power_law("F", results["survival_slow"], p.slow.b),
        *_scaling(p, results["scaling"]),
        *_populations(p, results["populations"]),
    ]


def _free(p: Any, free: xr.Dataset) -> list[Claim]:
    spread = p.rule.prior_std * np.sqrt(p.rule.T)
    truth = (p.rule.prior_mean, spread, p.rule.b * p.rule.T)
    names = ("mean", "spread", "noise")
    z = [
        (float(free[n]) - t) / float(free[f"{n}_error"]) for n, t in zip(names, truth, strict=True)
    ]
    found = ", ".join(
        f"{label} = {float(free[n]):.4g} ± {float(free[f'{n}_error']):.2g} (true {t:.4g})"
        for label, n, t in zip(("μ", "σ√T", "b·T"), names, truth, strict=True)
    )
    return [
        Claim(
            "free-law",
            "Without activity θ follows the prior",
            "Fig. 3B",
            float(free.law_p),
            (0.001, None),
            "p",
            f"Kolmogorov–Smirnov test of θ of {free.sizes['synapse']} synapses against the prior, "
            "after 50 relaxation times in the engine without spikes",
        ),
        Claim(
            "free-process",
            "Without activity θ is an Ornstein–Uhlenbeck process",
            "Sec. Spine motility",
            float(np.max(np.abs(z))),
            (None, 4.0),
            "σ",
            f"largest deviation of the maximum-likelihood estimates from the truth: {found}",
        ),
        Claim(
            "log-normal",
            "so the efficacies w are log-normal",
            "Fig. 3D",
            float(free.log_normal_p),
            (0.001, None),
            "p",
            "D'Agostino–Pearson test of log w for normality",
        ),
    ]


def _changes(changes: xr.Dataset) -> list[Claim]:
    fast, slow = changes.slope.values
    windows = changes.window_s.values

    def others(slopes: Any, row: int) -> str:
        return "; ".join(
            f"over {windows[row, k]:g} s: {over_seeds(slopes[:, k])}"
            for k in range(slopes.shape[1])
        )

    return [
        Claim(
            "multiplicative",
            "Spine sizes change in proportion to their size (prior and noise alone)",
            "Sec. Spine motility, requirement 2",
            float(changes.free_slope),
            (0.9, 1.1),
            "",
            "slope of log |Δw| against log w, connections active at first, "
            f"{changes.attrs['free_window_s']:g} s, without activity",
        ),
        Claim(
            "multiplicative-learning",
            "and do so in the learning circuit",
            "Sec. Spine motility, requirement 2",
            float(slow[:, 0].mean()),
            (0.75, 1.25),
            "",
            f"the same slope, smaller b, {others(slow, 1)}; larger b, {others(fast, 0)}; slope of "
            "the standard deviation over the shorter window for w < 0.5 alone: "
            f"{float(changes.smaller_slope[1]):.3g} and {float(changes.smaller_slope[0]):.3g}",
        ),
    ]


def _power_law(panel: str, survival: xr.Dataset, b: float) -> list[Claim]:
    gain = survival.aic_gain.values
    return [
        Claim(
            f"power-law-{panel}",
            f"New connections survive by a power law rather than exponentially (b = {b:g})",
            f"Fig. 3{panel}",
            float(gain.min()),
            (2.0, None),
            "AIC",
            "AIC of the exponential minus AIC of the power law, smallest of all circuits; "
            f"{over_seeds(gain)}; pooled: {float(survival.pooled_aic_gain):.4g} with "
            f"γ = {float(survival.pooled_gamma):.3g} ± {float(survival.pooled_gamma_error):.2g}, "
            f"τ = {float(survival.pooled_tau):.3g} ± {float(survival.pooled_tau_error):.2g} s; "
            f"{int(survival.new.sum())} connections, {int(survival.censored.sum())} of them still "
            "there at the end",
        )
    ]


def _scaling(p: Any, scaling: xr.Dataset) -> list[Claim]:
    expected = p.fast.b / p.slow.b
    ratio = scaling.ratio.values / expected
    return [
        Claim(
            "time-scale",
            "The time scale of survival goes as 1/b",
            "Fig. 3E, F",
            float(scaling.pooled_ratio) / expected,
            (0.8, 1.25),
            f"× {expected:g}",
            "median life in the power-law fits, slow over fast, both watched alike in units of "
            f"1/b, all circuits pooled, relative to the ratio of b; per circuit: "
            f"{over_seeds(ratio)}; γ {float(scaling.gamma[0]):.3g} and "
            f"{float(scaling.gamma[1]):.3g}; {int(scaling.new[0])} and {int(scaling.new[1])} "
            "connections",
        )
    ]


def _populations(p: Any, populations: xr.Dataset) -> list[Claim]:
    dips = populations.dip.values
    counts = populations["count"].values.sum(axis=0)
    relaxations = p.fast.tracked_s * p.fast.b / p.rule.prior_std**2
    return [
        Claim(
            "two-populations",
            "There are persistent and transient connections",
            "Fig. 3B; Discussion",
            float(dips.max()),
            (None, 0.5),
            "",
            "emptiest inner tenth of the time active, relative to the smaller outer tenth, largest "
            f"of all circuits; {over_seeds(dips)}; connections by tenth: "
            f"{', '.join(str(int(c)) for c in counts)}, watched for {relaxations:.3g} relaxation "
            f"times; without activity (40 relaxation times): {float(populations.free_dip):.3g}; "
            f"active at every grid point, of those at the first: "
            f"{over_seeds(populations.persistent.values)}",
        )
    ]
