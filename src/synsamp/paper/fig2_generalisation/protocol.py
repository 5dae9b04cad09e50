"""One trial of Fig. 2: learning under both priors, and five controls.

All variants share initial values, and all but one share random numbers, so each control differs
from its reference in one respect only.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from synsamp.experiments.base import Results, RunContext
from synsamp.paper.fig2_generalisation.parameters import GeneralisationParameters
from synsamp.paper.shared.boltzmann_learning import train_variants
from synsamp.paper.shared.boltzmann_trial import Variant
from synsamp.priors import Flat, GaussianMixture, Prior

UNIFORM = "uniform"
BIMODAL = "bimodal"
OTHER_NOISE = "bimodal_other_noise"
UNIFORM_NO_IMAGES = "uniform_no_images"
BIMODAL_NO_IMAGES = "bimodal_no_images"
NO_NOISE = "no_noise"
MANY_IMAGES = "no_noise_many_images"


def variants(bimodal: Prior, temperature: float) -> tuple[Variant, ...]:
    """Return the variants of a trial."""
    return (
        Variant(UNIFORM, Flat(), temperature),
        Variant(BIMODAL, bimodal, temperature),
        Variant(OTHER_NOISE, bimodal, temperature, other_noise=True),
        Variant(UNIFORM_NO_IMAGES, Flat(), temperature, images="none"),
        Variant(BIMODAL_NO_IMAGES, bimodal, temperature, images="none"),
        Variant(NO_NOISE, Flat(), 0.0),
        Variant(MANY_IMAGES, Flat(), 0.0, images="many"),
    )


def run(p: GeneralisationParameters, seed: int, context: RunContext) -> Results:
    """Run one trial."""
    prior = p.rule.prior
    bimodal = GaussianMixture(prior.means, prior.stds)
    weight = np.linspace(-4.0, 4.0, 801)
    density = xr.Dataset(
        {"density": ("weight", np.exp(bimodal.log_density(weight)))}, coords={"weight": weight}
    )
    return {
        **train_variants(p, variants(bimodal, p.rule.temperature), seed, context),
        "prior": density,
    }
