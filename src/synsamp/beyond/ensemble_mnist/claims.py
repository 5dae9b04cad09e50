"""What averaging over samples of a posterior is said to give."""

from __future__ import annotations

from synsamp.claims import Claim

WHERE = "beyond the paper"
HALF_A_POINT = (
    "half a point: 50 of 10,000 images, more than twice the error of a difference that hangs on "
    "the images on which the two disagree, some hundreds"
)
SAME = "the average over as many states of the plain SGD run: the same network again and again"

CLAIMS = (
    Claim(
        "over-last",
        "The average over samples is right more often than the last sample",
        WHERE,
        "accuracy_mean_over_last",
        (0.005, None),
        unit="of test images",
        reason=HALF_A_POINT,
        null_measure="accuracy_path_over_sgd",
        null_description=SAME,
    ),
    Claim(
        "over-sgd",
        "... and than a network trained by plain SGD",
        WHERE,
        "accuracy_mean_over_sgd",
        (0.005, None),
        unit="of test images",
        reason=HALF_A_POINT,
        null_measure="accuracy_path_over_sgd",
        null_description=SAME,
    ),
    Claim(
        "log-score",
        "It gives the right class a higher probability than plain SGD does",
        WHERE,
        "log_score_mean_by_sgd",
        (None, 0.8),
        unit="× log score of SGD",
        reason="a fifth less; 1 is no better",
        detail="mean −log of the probability given to the right class, a ratio of means over seeds",
        null_measure="log_score_path_by_sgd",
        null_description=SAME,
    ),
    Claim(
        "calibration",
        "Its probabilities are better calibrated than those of plain SGD",
        WHERE,
        "calibration_mean_by_sgd",
        (None, 0.67),
        unit="× calibration error of SGD",
        reason="a third less; 1 is no better",
        detail="expected calibration error in 15 bins, a ratio of means over seeds",
        null_measure="calibration_path_by_sgd",
        null_description=SAME,
    ),
    Claim(
        "rotated",
        "It notices digits that lie on their side better than plain SGD does",
        WHERE,
        "rotated_mean_over_sgd",
        (0.01, None),
        unit="of the area under the ROC curve",
        reason="one pair in a hundred more in the right order, about the error of an area from "
        "1,000 images",
        detail="by the entropy of class probabilities",
        null_measure="rotated_path_over_sgd",
        null_description=SAME,
    ),
    Claim(
        "letters",
        "... and letters too",
        WHERE,
        "letters_mean_over_sgd",
        (0.01, None),
        unit="of the area under the ROC curve",
        reason="as for digits on their side",
        null_measure="letters_path_over_sgd",
        null_description=SAME,
    ),
    Claim(
        "notices-letters",
        "By how unsure the average is, letters are told from digits",
        WHERE,
        "letters_mean",
        (0.8, None),
        unit="area under the ROC curve",
        reason="four pairs in five in the right order; half of them are so by chance",
        null_measure="letters_shuffled",
        null_description="samples of a network whose training labels were shuffled",
    ),
)
