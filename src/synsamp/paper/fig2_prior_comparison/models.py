"""Priors to compare, and controls.

Unimodal priors are centred at 0. All but one have the standard deviation of the bimodal prior, so
that they differ in shape and not in width. The narrow Gaussian is the mode at 0 of the bimodal
prior alone, and shows what the second mode adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from synsamp.paper.shared.boltzmann_trial import Variant
from synsamp.priors import Flat, Gaussian, GaussianMixture, Laplace, Prior, StudentT

Name = Literal["uniform", "gaussian", "laplace", "student_t", "narrow_gaussian", "bimodal"]
BIMODAL = GaussianMixture((1.0, 0.0), (0.15, 0.15))
STUDENT_DF = 3.0

WIDE = "wide_gaussian"
WIDER = 100.0
"""A prior this many times as wide as the others has no effect within a run."""
AGAIN: tuple[Name, ...] = ("gaussian", "narrow_gaussian", "bimodal")
"""Priors that learn a second time with other random numbers."""


class ComparedPrior(NamedTuple):
    """A prior at a temperature; ``control`` is empty, "other noise" or "no effect"."""

    prior: str
    temperature: float
    control: str
    variant: Variant


def prior_named(name: Name, std: float) -> Prior:
    """Return a prior by name; Gaussian, Laplace and Student-t have this standard deviation."""
    priors: dict[str, Prior] = {
        "uniform": Flat(),
        "bimodal": BIMODAL,
        "gaussian": Gaussian(0.0, std),
        "narrow_gaussian": Gaussian(0.0, BIMODAL.stds[1]),
        "laplace": Laplace(0.0, std / np.sqrt(2.0)),
        "student_t": StudentT(STUDENT_DF, 0.0, std * np.sqrt(1.0 - 2.0 / STUDENT_DF)),
    }
    return priors[name]


def compared_priors(
    names: Sequence[Name], temperatures: Sequence[float], std: float
) -> tuple[ComparedPrior, ...]:
    """Return every prior at every temperature, then the controls that apply to these lists."""
    main = [
        ComparedPrior(name, T, "", Variant(f"{name} T={T:g}", prior_named(name, std), T))
        for name in names
        for T in temperatures
    ]
    again = [
        ComparedPrior(
            name,
            1.0,
            "other noise",
            Variant(f"{name} again", prior_named(name, std), other_noise=True),
        )
        for name in AGAIN
        if name in names and 1.0 in temperatures
    ]
    wide = [
        ComparedPrior(
            WIDE, T, "no effect", Variant(f"{WIDE} T={T:g}", Gaussian(0.0, WIDER * std), T)
        )
        for T in (0.0, 1.0)
        if "uniform" in names and T in temperatures
    ]
    return (*main, *again, *wide)
