"""The priors that are compared, and the controls that claims are held against.

The one-humped priors are centred at 0. All but one have the standard deviation of the bimodal
prior, so that they differ in shape and not in width; the narrow Gaussian is the bimodal prior's
mode at 0 alone, and shows what its second mode adds.
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
"""Times as wide as the others: within a run such a prior holds nothing."""
AGAIN: tuple[Name, ...] = ("gaussian", "narrow_gaussian", "bimodal")
"""Priors that learn a second time with random numbers of their own."""


class Compared(NamedTuple):
    """One way to learn; ``control`` is empty, "other noise" or "holds nothing"."""

    prior: str
    temperature: float
    control: str
    variant: Variant


def prior_named(name: Name, std: float) -> Prior:
    """The prior called ``name``; Gaussian, Laplace and Student-t have this standard deviation."""
    priors: dict[str, Prior] = {
        "uniform": Flat(),
        "bimodal": BIMODAL,
        "gaussian": Gaussian(0.0, std),
        "narrow_gaussian": Gaussian(0.0, BIMODAL.stds[1]),
        "laplace": Laplace(0.0, std / np.sqrt(2.0)),
        "student_t": StudentT(STUDENT_DF, 0.0, std * np.sqrt(1.0 - 2.0 / STUDENT_DF)),
    }
    return priors[name]


def compared(
    names: Sequence[Name], temperatures: Sequence[float], std: float
) -> tuple[Compared, ...]:
    """Every prior at every temperature, then the controls of what these lists allow to claim."""
    main = [
        Compared(name, T, "", Variant(f"{name} T={T:g}", prior_named(name, std), T))
        for name in names
        for T in temperatures
    ]
    again = [
        Compared(
            name,
            1.0,
            "other noise",
            Variant(f"{name} again", prior_named(name, std), other_noise=True),
        )
        for name in AGAIN
        if name in names and 1.0 in temperatures
    ]
    wide = [
        Compared(
            WIDE, T, "holds nothing", Variant(f"{WIDE} T={T:g}", Gaussian(0.0, WIDER * std), T)
        )
        for T in (0.0, 1.0)
        if "uniform" in names and T in temperatures
    ]
    return (*main, *again, *wide)
