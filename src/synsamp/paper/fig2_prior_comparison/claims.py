"""What the comparison says, as far as its lists hold what is compared."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.fig2_prior_comparison.variants import WIDER

MARGIN_NATS = 15.0
"""What counts as overfitting in Fig. 2 is what a prior must prevent to help."""
MARGIN = "the margin that counts as overfitting in Fig. 2"
ONE_NAT = "one nat makes an image e times as likely"
THREE_NATS = (
    "an image twenty times as likely; the mean of 16 trials can tell it from one prior twice"
)
HOLDS_NOTHING = f"a Gaussian prior {WIDER:g} times as wide, which holds nothing, on the same noise"
TYPICAL = "mean log p over the samples of the second half of learning"

CLAIMS = (
    Claim(
        "any-prior-helps",
        "Any of the priors is ahead of the uniform one on test images (T = 1)",
        "beyond Fig. 2F",
        "worst_lead",
        (MARGIN_NATS, None),
        unit="nats",
        reason=MARGIN,
        detail=f"of the prior that does worst in the trial; {TYPICAL}",
        null_measure="wide_lead",
        null_description=HOLDS_NOTHING,
    ),
    Claim(
        "helps-without-noise",
        "The bimodal prior is ahead of the uniform one without noise too (T = 0)",
        "beyond Fig. 2F",
        "lead_without_noise",
        (MARGIN_NATS, None),
        unit="nats",
        reason=MARGIN,
        detail=f"so it is not only noise that the prior holds back; {TYPICAL}",
        null_measure="wide_lead_without_noise",
        null_description=HOLDS_NOTHING,
    ),
    Claim(
        "two-modes-beat-one",
        "A prior with two modes, as black and white pixels have, generalises better than "
        "one hump of the same spread",
        "Results, on the choice of the prior",
        "lead_over_one_hump",
        (3.0, None),
        unit="nats",
        reason=THREE_NATS,
        detail="over the Gaussian, Laplace or Student-t prior that does best in the trial (T = 1); "
        + TYPICAL,
        null_measure="one_hump_lead",
        null_description="the Gaussian prior with other noise in place of the bimodal one",
    ),
    Claim(
        "second-mode-helps",
        "The mode at 1 adds to what the mode at 0 alone does for generalisation",
        "Results, on the choice of the prior",
        "lead_over_mode_at_0",
        (1.0, None),
        unit="nats",
        reason=ONE_NAT,
        detail=f"over a Gaussian at 0 with std 0.15 (T = 1); {TYPICAL}",
        null_measure="mode_at_0_lead",
        null_description="that Gaussian twice, with other noise",
    ),
    Claim(
        "noise-hurts",
        "More noise than T = 1 costs likelihood on test images (bimodal, highest T of the list)",
        "beyond Fig. 2F",
        "loss_when_hot",
        (3.0, None),
        unit="nats",
        reason=THREE_NATS,
        detail=TYPICAL,
        null_measure="loss_when_alike",
        null_description="T = 1 twice, with other noise",
    ),
)
