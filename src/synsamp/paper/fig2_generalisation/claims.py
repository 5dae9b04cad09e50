"""Claims of the caption and the text of Fig. 2."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.fig2_generalisation.measures import MARGIN_NATS
from synsamp.paper.shared.boltzmann_trial import MANY_IMAGES

NEARLY_EVERY = "nineteen of twenty; an interval over finitely many trials cannot reach all"
NO_IMAGES = "prior and noise alone, no images"
BIMODAL_PRIOR = "the same images and noise under the bimodal prior"
SAME_PRIOR = "the bimodal prior twice, with other noise"

CLAIMS = (
    Claim(
        "early-peak",
        "Under a uniform prior the likelihood of test images rises and peaks early in learning",
        "Fig. 2D",
        "peak",
        (0.001, 0.25),
        unit="of the run",
        reason="a quarter of the run is early; a peak at the very start would be no rise",
        detail="update at which test images are most likely",
        branch="uniform",
        null_branch="uniform_no_images",
        null_description=NO_IMAGES,
    ),
    Claim(
        "overfitting",
        "... and then falls with prolonged learning, which a prior prevents",
        "Fig. 2D",
        "fall",
        (MARGIN_NATS, None),
        unit="nats",
        reason="the same margin within which the bimodal prior stays",
        detail="from the best evaluation to the last",
        branch="uniform",
        null_branch="bimodal",
        null_description=BIMODAL_PRIOR,
    ),
    Claim(
        "overfitting-share",
        f"It falls by more than {MARGIN_NATS:g} nats in nearly every trial",
        "Fig. 2D",
        "falls",
        (0.95, 1.0),
        unit="of trials",
        reason=NEARLY_EVERY,
        branch="uniform",
        null_branch="bimodal",
        null_description=BIMODAL_PRIOR,
    ),
    Claim(
        "memorisation",
        "It falls without noise as well: the network memorises the few images",
        "Results, on overfitting",
        "fall",
        (MARGIN_NATS, None),
        unit="nats",
        reason="the margin that counts as overfitting",
        detail="uniform prior at T = 0, from the best evaluation to the last; at T = 1 noise alone "
        "also lowers the likelihood",
        branch="no_noise",
        null_branch="no_noise_many_images",
        null_description=f"learning from {MANY_IMAGES} images instead",
    ),
    Claim(
        "constant-high",
        "Under the bimodal prior the likelihood of test images stays near its best to the end",
        "Fig. 2F",
        "below_best",
        (None, MARGIN_NATS),
        unit="nats",
        reason="the best of sixty noisy evaluations is a few nats above a typical one",
        detail="from the best evaluation under either prior to the last under the bimodal one",
        branch="bimodal",
        null_branch="bimodal_no_images",
        null_description=NO_IMAGES,
    ),
    Claim(
        "ahead-share",
        "At the end the bimodal prior is ahead of the uniform one on test images in nearly every "
        "trial",
        "Fig. 2D,F",
        "leads",
        (0.95, 1.0),
        unit="of trials",
        reason=NEARLY_EVERY,
        branch="bimodal",
        null_branch="bimodal_other_noise",
        null_description=SAME_PRIOR,
    ),
    Claim(
        "ahead",
        "... and by a wide margin",
        "Fig. 2D,F",
        "lead",
        (MARGIN_NATS, None),
        unit="nats",
        reason="the margin that counts as overfitting",
        branch="bimodal",
        null_branch="bimodal_other_noise",
        null_description=SAME_PRIOR,
    ),
    Claim(
        "mode-at-0",
        "The prior makes most weights settle in its mode at 0",
        "Fig. 2E",
        "weights_at_0",
        (0.5, None),
        unit="of weights",
        reason="most are more than half",
        detail="between −0.5 and 0.5; the minimum between the modes is at 0.5",
        branch="bimodal",
        null_branch="uniform",
        null_description="the same images and noise under the uniform prior",
    ),
    Claim(
        "mode-at-1",
        "A few larger weights emerge in the mode at 1, where the images have ink",
        "Fig. 2E",
        "weights_at_1_with_ink",
        (1.5, None),
        unit="× blank pixels",
        reason="1 if only noise moves weights there; 50 % more exceeds the scatter",
        detail="share of weights between 0.5 and 1.5 at pixels with ink in the training images "
        "(mean grey value above 0.5), relative to blank ones",
        branch="bimodal",
        null_branch="bimodal_no_images",
        null_description=NO_IMAGES,
    ),
    Claim(
        "averaging",
        "The posterior's average over samples predicts test images better than the last sample",
        "beyond Fig. 2F",
        "averaging_gain",
        (3.0, None),
        unit="nats",
        reason="an image becomes 20 times as likely; a typical sample is ahead of the last by "
        "about a nat, because test images still become a little less likely",
        detail="p(x|θ) averaged over the evaluations of the second half of learning",
        null_measure="typical_gain",
        null_description="one of these samples at a time instead of their average",
    ),
)
