"""What the paper says about Fig. 5 and its supplement; judged over networks."""

from __future__ import annotations

from synsamp.claims import Claim

NO_GAIN = 0.035
"""Two standard errors of one test of some 800 trials: a smaller gain is none."""
SMALLEST_LOSS = 0.05
"""Of trials; the least loss that lesion 1 must cause."""

CLAIMS = (
    Claim(
        "recall",
        "After learning, sound alone calls up the visual code: the digit is read from z_V",
        "Fig. 5B,D",
        "recall",
        (0.65, None),
        unit="of trials",
        reason="clearly above chance, 0.5",
        detail="tests of the half hour before lesion 1",
    ),
    Claim(
        "heard",
        "z_A tells what is heard",
        "Fig. 5B",
        "heard",
        (0.9, None),
        unit="of trials",
        reason="the sound itself is there",
    ),
    Claim(
        "reconstruction",
        "Reconstructed images look more like the digit that is heard than like the other",
        "Fig. 5B",
        "reconstruction",
        (0.02, None),
        unit="correlation",
        reason="0: as much like either digit",
        detail="own mean image minus the other, mean of both digits",
    ),
    Claim(
        "reconstruction-both",
        "... for both digits",
        "Fig. 5B",
        "reconstruction_both",
        (0.8, 1.0),
        unit="of networks",
        reason="nearly all networks",
    ),
    Claim(
        "sparse",
        "Only a fraction of the potential lateral connections became functional",
        "Fig. S1A",
        "functional_share",
        (0.3, 0.85),
        unit="of possible",
        reason="neither few nor nearly all; 2936 were left to remove in the paper",
    ),
    Claim(
        "tuned",
        "About 16 of the 40 visual neurons became tuned to the second digit",
        "text to Fig. 5D",
        "tuned",
        (8.0, 20.0),
        unit="neurons",
        reason="20 would be an even share, 8 half of the paper's",
        paper=16.0,
    ),
    Claim(
        "lesion-1",
        "Removing them lowers recall",
        "Fig. 5D",
        "loss_1",
        (SMALLEST_LOSS, None),
        unit="of trials",
        reason="more than three standard errors of a test",
    ),
    Claim(
        "recovery-1",
        "It recovers after about one hour",
        "Fig. 5D",
        "recovery_1",
        (0.5, None),
        unit="of the loss",
        reason="at least half of what was lost",
        detail="tests from one hour after lesion 1 on; the null has plasticity off",
        null="recovery_1_without_plasticity",
    ),
    Claim(
        "reconstruction-1",
        "What is heard as the second digit looks like the first after the lesion, and later again "
        "more like the second",
        "Fig. 5D",
        "reconstruction_1",
        (0.05, None),
        unit="correlation",
        reason="0: no change",
        detail="own minus other image, last test before lesion 2 against the first after lesion 1",
    ),
    Claim(
        "removed",
        "Lesion 2 removes every functional lateral connection, 2936 in the paper",
        "text to Fig. 5D",
        "removed",
        (2000.0, 3600.0),
        unit="connections",
        reason="about a third to either side of the paper's",
        paper=2936.0,
    ),
    Claim(
        "lesion-2",
        "Recall falls to chance",
        "Fig. 5D",
        "hit_2",
        (0.42, 0.58),
        unit="of trials",
        reason="0.5 and the scatter of a single test",
    ),
    Claim(
        "regrown",
        "After two hours 294 new connections have emerged, 27 % of those allowed",
        "text to Fig. 5D",
        "regrown_share",
        (0.1, 0.45),
        unit="of allowed",
        reason="within a factor of two or so",
        paper=0.27,
    ),
    Claim(
        "recovery-2-raw",
        "Two hours after lesion 2 recall is at about 75 % of the level before",
        "text to Fig. 5D",
        "recovery_2_raw",
        (0.65, 1.0),
        unit="of the level before",
        reason="chance alone would be about 0.55",
        paper=0.75,
        null="recovery_2_raw_without_plasticity",
    ),
    Claim(
        "recovery-2-2h",
        "Two hours later, continuing plasticity has brought back a good part of what is above "
        "chance",
        "Fig. 5D",
        "recovery_2_2h",
        (0.3, 1.2),
        unit="of recall above chance",
        reason="0: chance, 1: as before",
        null="recovery_2_without_plasticity",
    ),
    Claim(
        "recovery-2-end",
        "At the end, continuing plasticity has brought back a good part of what is above chance",
        "Fig. 5D",
        "recovery_2_end",
        (0.3, 1.2),
        unit="of recall above chance",
        reason="0: chance, 1: as before",
        null="recovery_2_without_plasticity",
    ),
    *(
        Claim(
            f"{arm.replace('_', '-')}-{lesion}",
            f"There is no recovery from lesion {lesion} {words}",
            where,
            f"{arm}_{lesion}_gain",
            (None, NO_GAIN),
            unit="of trials gained",
            reason="two standard errors of one test",
            detail="last half hour of the control against just after the lesion",
        )
        for lesion in (1, 2)
        for arm, words, where in (
            (
                "plasticity_off",
                "without plasticity (b = 0)",
                "control to Fig. 5D, not in the paper",
            ),
            (
                "noise_off",
                "without noise (T = 0)",
                "Results: noise is a driving force (no control)",
            ),
        )
    ),
    Claim(
        "regions",
        "θ′ of a neuron occupies another region after each lesion",
        "Fig. 5C",
        "separation",
        (1.1, None),
        unit="between/within",
        reason="1: no regions",
        detail="distance between epochs over distance within, mean over surviving neurons",
    ),
    Claim(
        "regions-test",
        "... more than by chance",
        "Fig. 5C",
        "separate",
        (0.75, 1.0),
        unit="of networks",
        reason="most networks",
        detail="tracked neuron, p < 0.05 by permuting stretches",
    ),
    *(
        Claim(
            f"switch-{lesion}",
            f"Lesion {lesion} moves θ′ further than drift does without a lesion",
            "Fig. 5C",
            f"moved_{lesion}",
            (1.0, None),
            unit="times the drift",
            reason="1: no further",
            detail="from the half hour before to the second half hour after",
        )
        for lesion in (1, 2)
    ),
    *(
        Claim(
            f"drift-{name}",
            f"Without lesions the code of z_{name} for the digits drifts over hours",
            "Fig. S1B",
            f"drift_{name}",
            (0.02, None),
            unit="correlation",
            reason="0: as alike as two tests at one time",
            detail="likeness of two independent tests at one time minus that over all hours",
        )
        for name in ("A", "V")
    ),
    Claim(
        "stable",
        "... while performance holds",
        "Fig. S1B",
        "stable",
        (-0.1, 0.1),
        unit="of trials",
        reason="less than lesion 1 costs",
        detail="recall at the end without lesions minus that after learning",
    ),
)
