"""What the caption of Fig. 2 and its text say."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.experiments.generalization.measures import MARGIN_NATS

NEARLY_EVERY = "nineteen of twenty; an interval over finitely many trials cannot reach all"

CLAIMS = (
    Claim(
        "early-peak",
        "Under a uniform prior the likelihood of test images peaks early in learning",
        "Fig. 2D",
        "uniform_peak",
        (0.001, 0.25),
        unit="of the run",
        reason="a quarter of the run is early; a peak at the very start would be no learning",
        detail="the update at which test images are most likely",
    ),
    Claim(
        "overfitting",
        "... and then falls for prolonged learning",
        "Fig. 2D",
        "uniform_fall",
        (MARGIN_NATS, None),
        unit="nats",
        reason="the same margin within which the bimodal prior stays",
        detail="from the best evaluation to the last",
    ),
    Claim(
        "overfitting-share",
        f"It falls by more than {MARGIN_NATS:g} nats in nearly every trial",
        "Fig. 2D",
        "uniform_falls",
        (0.95, 1.0),
        unit="of trials",
        reason=NEARLY_EVERY,
    ),
    Claim(
        "constant-high",
        "Under the bimodal prior the likelihood of test images stays near its best to the end",
        "Fig. 2F",
        "bimodal_fall",
        (None, MARGIN_NATS),
        unit="nats",
        reason="the best of sixty noisy evaluations is a few nats above a typical one",
        detail="from the best evaluation to the last",
    ),
    Claim(
        "ahead-share",
        "At the end the bimodal prior is ahead on test images in every trial",
        "Fig. 2D,F",
        "bimodal_leads",
        (0.95, 1.0),
        unit="of trials",
        reason=NEARLY_EVERY,
    ),
    Claim(
        "ahead",
        "... and by a wide margin",
        "Fig. 2D,F",
        "bimodal_lead",
        (MARGIN_NATS, None),
        unit="nats",
        reason="the margin that counts as overfitting",
    ),
    Claim(
        "mode-at-0",
        "Most weights settle in the prior's mode at 0",
        "Fig. 2E",
        "weights_at_0",
        (0.5, None),
        unit="of weights",
        reason="most are more than half",
        detail="between −0.5 and 0.5; the valley between the modes is at 0.5",
    ),
    Claim(
        "mode-at-1",
        "A few larger weights emerge and stay in the mode at 1",
        "Fig. 2E",
        "at_1_where_ink",
        (1.5, None),
        unit="× blank pixels",
        reason="1 if only noise carries weights there, as it does without any image",
        detail="share of weights between 0.5 and 1.5 at pixels with ink in the training images "
        "(mean gray above 0.5), relative to blank ones",
    ),
    Claim(
        "averaging",
        "The posterior's average over samples predicts test images better than the last sample",
        "beyond Fig. 2F",
        "averaging_gain",
        (1.0, None),
        unit="nats",
        reason="Jensen's inequality grants 0; one nat makes an image e times as likely",
        detail="p(x|θ) averaged over the evaluations of the second half of learning",
    ),
)
