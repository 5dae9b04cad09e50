"""Claims about averaging over samples of a posterior."""

from __future__ import annotations

from synsamp.claims import Claim

SOURCE = "beyond the paper"
HALF_A_POINT = (
    "half a percentage point: 50 of 10,000 images, more than twice the error of the difference, "
    "which depends on the few hundred images on which the two disagree"
)
SAME = "the average over as many states of the plain SGD run"

CLAIMS = (
    Claim(
        "over-last",
        "The average over samples is more accurate than the last sample",
        SOURCE,
        "accuracy_gain_over_last",
        (0.005, None),
        unit="of test images",
        reason=HALF_A_POINT,
        null_measure="accuracy_gain",
        null_branch="sgd",
        null_description=SAME,
    ),
    Claim(
        "over-sgd",
        "The average over samples is more accurate than plain SGD",
        SOURCE,
        "accuracy_gain",
        (0.005, None),
        unit="of test images",
        reason=HALF_A_POINT,
        branch="sampled",
        null_branch="sgd",
        null_description=SAME,
    ),
    Claim(
        "log-score",
        "It assigns a higher probability to the correct class than plain SGD",
        SOURCE,
        "log_score_ratio",
        (None, 0.8),
        unit="× log score of SGD",
        reason="a fifth less; 1 is no better",
        detail="mean −log of the probability of the correct class, a ratio of means over seeds",
        branch="sampled",
        null_branch="sgd",
        null_description=SAME,
    ),
    Claim(
        "calibration",
        "Its probabilities are better calibrated than those of plain SGD",
        SOURCE,
        "calibration_ratio",
        (None, 0.67),
        unit="× calibration error of SGD",
        reason="a third less; 1 is no better",
        detail="expected calibration error in 15 bins, a ratio of means over seeds",
        branch="sampled",
        null_branch="sgd",
        null_description=SAME,
    ),
    Claim(
        "rotated",
        "It detects rotated digits better than plain SGD",
        SOURCE,
        "rotated_gain",
        (0.01, None),
        unit="of the area under the ROC curve",
        reason="one in a hundred more pairs in the correct order, about the error of an area from "
        "1,000 images",
        detail="by the entropy of class probabilities",
        branch="sampled",
        null_branch="sgd",
        null_description=SAME,
    ),
    Claim(
        "letters",
        "It detects letters better than plain SGD",
        SOURCE,
        "letters_gain",
        (0.01, None),
        unit="of the area under the ROC curve",
        reason="as for rotated digits",
        branch="sampled",
        null_branch="sgd",
        null_description=SAME,
    ),
    Claim(
        "notices-letters",
        "The entropy of the average distinguishes letters from digits",
        SOURCE,
        "letters_detected",
        (0.8, None),
        unit="area under the ROC curve",
        reason="four in five pairs in the correct order; one half by chance",
        branch="sampled",
        null_branch="shuffled",
        null_description="samples of a network whose training labels were shuffled",
    ),
)
