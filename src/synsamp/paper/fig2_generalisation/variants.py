"""The two ways to learn of Fig. 2, and the controls that its claims are held against.

All share initial values; all but one share the random numbers, so that a control differs from what
it is held against in one thing only.
"""

from __future__ import annotations

from synsamp.paper.shared.boltzmann_trial import Variant
from synsamp.priors import Flat, Prior

UNIFORM = "uniform"
BIMODAL = "bimodal"
BIMODAL_AGAIN = "bimodal, other noise"
UNIFORM_ALONE = "uniform, no images"
BIMODAL_ALONE = "bimodal, no images"
NO_NOISE = "uniform, no noise"
NO_NOISE_MANY = "uniform, no noise, many images"
LABELS = (
    UNIFORM,
    BIMODAL,
    BIMODAL_AGAIN,
    UNIFORM_ALONE,
    BIMODAL_ALONE,
    NO_NOISE,
    NO_NOISE_MANY,
)


def variants(bimodal: Prior, temperature: float) -> tuple[Variant, ...]:
    """What learns in a trial, in the order of ``LABELS``."""
    return (
        Variant(UNIFORM, Flat(), temperature),
        Variant(BIMODAL, bimodal, temperature),
        Variant(BIMODAL_AGAIN, bimodal, temperature, other_noise=True),
        Variant(UNIFORM_ALONE, Flat(), temperature, images="none"),
        Variant(BIMODAL_ALONE, bimodal, temperature, images="none"),
        Variant(NO_NOISE, Flat(), 0.0),
        Variant(NO_NOISE_MANY, Flat(), 0.0, images="many"),
    )
