"""What deep rewiring is said to do (Bellec, Kappel, Maass & Legenstein 2018), on digits."""

from __future__ import annotations

from synsamp.claims import Claim

WHERE = "Bellec et al. 2018"
ONE_POINT = (
    "one point of a hundred: three times the error of a difference of two accuracies near 95 % on "
    "10,000 test images"
)
OTHER_MASK = "another fixed random wiring in place of the rewired one"

CLAIMS = (
    Claim(
        "hard-over-fixed",
        "Hard rewiring tells digits apart better than a fixed random wiring of as many connections",
        WHERE,
        "hard_over_fixed",
        (0.01, None),
        unit="of test images",
        reason=ONE_POINT,
        null_measure="fixed_over_fixed",
        null_description=OTHER_MASK,
    ),
    Claim(
        "soft-over-fixed",
        "So does soft rewiring, against a fixed wiring of as many connections as it ends with",
        WHERE,
        "soft_over_fixed",
        (0.01, None),
        unit="of test images",
        reason=ONE_POINT,
        null_measure="fixed_over_fixed",
        null_description=OTHER_MASK,
    ),
    Claim(
        "loss",
        "Hard rewiring wins back more than half of what a sparse wiring costs in accuracy",
        WHERE,
        "hard_loss",
        (None, 0.5),
        unit="of the fixed wiring's loss",
        reason="half of it; 0 is the accuracy of all connections, 1 that of the fixed wiring",
        null_measure="fixed_loss",
        null_description=OTHER_MASK,
    ),
    Claim(
        "beside-set",
        "It is not behind sparse evolutionary training",
        "Mocanu et al. 2018",
        "hard_over_set",
        (-0.01, None),
        unit="of test images",
        reason=ONE_POINT,
        null_measure="fixed_over_set",
        null_description="a fixed random wiring in place of the rewired one",
    ),
    Claim(
        "sparse",
        "Soft rewiring keeps under 2 % of all connections active",
        WHERE,
        "soft_connectivity",
        (None, 0.02),
        unit="of connections",
        reason="the number that the published scripts aim at",
        null_measure="dense_connectivity",
        null_description="without cost, noise and floor",
    ),
    Claim(
        "constant",
        "Hard rewiring keeps the number of connections exactly",
        WHERE,
        "hard_strays",
        (0.0, 0.0),
        unit="connections",
        reason="as the rule is made",
        detail="greatest distance from K at any look",
        null_measure="soft_strays",
        null_description="soft rewiring, which does not",
        exact=True,
    ),
    Claim(
        "turnover",
        "The wiring goes on changing to the end of learning",
        WHERE,
        "hard_new_at_end",
        (0.01, None),
        unit="of connections in the last epoch",
        reason="one of a hundred; what rewires by noise and cost does not stop",
        null_measure="fixed_new_at_end",
        null_description="a fixed wiring",
    ),
    Claim(
        "ink",
        "Connections move to the pixels that carry information",
        "follows from the rule",
        "hard_on_ink",
        (1.2, None),
        unit="× what a random wiring has",
        reason="a fifth more than by chance; chance itself scatters by a few per cent at K = 2,352",
        detail="connections per pixel whose mean over training images is above 0.1",
        null_measure="fixed_on_ink",
        null_description="a fixed wiring",
    ),
    Claim(
        "second-task",
        "After a change of task (labels change places) a rewired network is sooner at the target "
        "than from the start",
        WHERE,
        "change_over_fresh",
        (None, 0.8),
        unit="× steps from the start",
        reason="a fifth of the steps saved; 1 is no gain",
        detail="steps until the target accuracy; one that is never reached counts as the horizon",
        null_measure="fresh_over_fresh",
        null_description="a network that starts the second task fresh",
    ),
    Claim(
        "second-task-fixed",
        "... and sooner than a fixed wiring after the same change",
        "beyond Bellec et al. 2018",
        "change_over_fixed",
        (None, 0.8),
        unit="× steps of the fixed wiring",
        reason="a fifth of the steps saved; 1 is no gain",
        null_measure="fixed_change_over_fixed",
        null_description=OTHER_MASK,
    ),
)
