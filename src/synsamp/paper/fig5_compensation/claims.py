"""What the paper says about Fig. 5 and its supplement; judged over networks, each with its null."""

from __future__ import annotations

from synsamp.claims import Claim

NO_GAIN = 0.035
"""Two standard errors of one test of some 800 trials: a smaller gain is none."""
SMALLEST_LOSS = 0.05
"""Of trials; the least loss that lesion 1 must cause."""
FURTHER = 1.1
"""Times what drift does without a lesion: a tenth more is the least that counts."""

BEFORE_LEARNING = "the same network before learning"
SHUFFLED = "words shuffled"
FROZEN = "plasticity off (b = 0) after the lesion"
BY_PRIOR = "what prior and noise alone would bring back of it (calculated)"
NOISE_ALONE = "a path of prior and noise alone (Ornstein–Uhlenbeck)"

LEARNING = (
    Claim(
        "recall",
        "After learning, sound alone calls up the visual code: the digit is read from z_V",
        "Fig. 5B,D",
        "recall",
        (0.75, None),
        unit="of trials",
        reason="half of the way from chance, 0.5, to certainty; random weights tell something too",
        detail="tests of the half hour before lesion 1",
        null_measure="recall_before_learning",
        null_description=BEFORE_LEARNING,
    ),
    Claim(
        "heard",
        "The digit that is heard can be decoded from z_A",
        "Fig. 5B",
        "heard",
        (0.9, None),
        unit="of trials",
        reason="the sound itself is there",
        null_measure="heard_by_chance",
        null_description=SHUFFLED,
    ),
    Claim(
        "assemblies",
        "Different assemblies of z_V answer to the two digits when only the sound is there",
        "Fig. 5B",
        "assemblies",
        (0.5, None),
        unit="correlation",
        reason="0: as alike as for one digit; unrelated assemblies would lose all of a likeness "
        "near 1, half of it is asked for",
        detail="likeness of histograms of one digit minus that of different digits",
        null_measure="assemblies_by_chance",
        null_description=SHUFFLED,
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
        null_measure="reconstruction_by_chance",
        null_description=SHUFFLED,
    ),
    Claim(
        "reconstruction-both",
        "... for both digits",
        "Fig. 5B",
        "reconstruction_both",
        (0.6, 1.0),
        unit="of networks",
        reason="most networks; the interval of eight of eight begins at 0.68",
        null_measure="reconstruction_both_by_chance",
        null_description=SHUFFLED,
    ),
    Claim(
        "sparse",
        "Only a fraction of the potential lateral connections became functional",
        "Fig. S1A",
        "functional_share",
        (None, 0.62),
        unit="of possible",
        reason="prior and noise alone leave 0.69 functional; learning must take away a tenth of "
        "these at least",
        detail="just before lesion 1",
        null_measure="functional_share_of_prior",
        null_description="before learning: drawn from the prior",
    ),
    Claim(
        "tuned",
        "16 of the 40 visual neurons became tuned to the second digit",
        "text to Fig. 5D",
        "tuned",
        (13.0, 19.0),
        unit="neurons",
        reason="the paper's number of one network is to be matched; if 40 neurons chose by "
        "themselves with its share, 16/40, networks would scatter by 3.1",
        paper=16.0,
        null_measure="tuned_by_chance",
        null_description=SHUFFLED,
    ),
)

FIRST_LESION = (
    Claim(
        "lesion-1",
        "Removing them lowers recall",
        "Fig. 5D",
        "loss_1",
        (SMALLEST_LOSS, None),
        unit="of trials",
        reason="three standard errors of a test",
        null_measure="loss_1_without_lesion",
        null_description="the test just before the lesion",
    ),
    Claim(
        "recovery-1",
        "What the visual neurons tell of the word comes back after about one hour",
        "Fig. 5D",
        "recovery_1",
        (0.5, None),
        unit="of the loss",
        reason="at least half of what was lost",
        detail="decoder fitted anew in each test; from one hour after lesion 1 on",
        null_measure="recovery_1_without_plasticity",
        null_description=FROZEN,
    ),
    Claim(
        "recovery-1-kept",
        "... also for a reader that was fitted before lesion 1 and learns no more",
        "Fig. 5D",
        "recovery_1_kept",
        (0.5, None),
        unit="of the loss",
        reason="at least half of what this reader lost",
        detail="the paper does not say whether its decoder was kept",
        null_measure="recovery_1_kept_without_plasticity",
        null_description=FROZEN,
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
        null_measure="reconstruction_1_without_plasticity",
        null_description=FROZEN,
    ),
)

SECOND_LESION = (
    Claim(
        "removed",
        "Lesion 2 removes every functional lateral connection: 2936, which are 73 % of the "
        "64 × 63 between the neurons that are left",
        "text to Fig. 5D",
        "removed_share",
        (0.70, 0.76),
        unit="of possible",
        reason="the paper's share is to be matched within 0.03; prior and noise alone leave 0.69",
        paper=0.728,
        null_measure="functional_share_of_prior",
        null_description="before learning: drawn from the prior",
    ),
    Claim(
        "lesion-2",
        "Recall falls to chance",
        "Fig. 5D",
        "hit_2",
        (0.45, 0.55),
        unit="of trials",
        reason="0.5 and three standard errors of a single test",
        null_measure="hit_2_without_lesion",
        null_description="the test just before the lesion",
    ),
    Claim(
        "regrown",
        "After about two hours 294 new connections have emerged",
        "text to Fig. 5D",
        "regrown",
        (220.0, 370.0),
        unit="connections",
        reason="the paper's number is to be matched; 'about two hours' may be 1.5 to 2.5, in which "
        "steady growth differs by a quarter to either side",
        paper=294.0,
        null_measure="regrown_of_prior",
        null_description=BY_PRIOR,
    ),
    Claim(
        "regrown-share",
        "... which are 27 % of the 4032 − 2936 that are allowed",
        "text to Fig. 5D",
        "regrown_share",
        (0.20, 0.34),
        unit="of allowed",
        reason="the paper's share and a quarter to either side, as for the number",
        paper=0.268,
        null_measure="regrown_share_of_prior",
        null_description=BY_PRIOR,
    ),
    Claim(
        "recovery-2-raw",
        "Two hours after lesion 2 recall is at about 75 % of the level before",
        "text to Fig. 5D",
        "recovery_2_raw",
        (0.65, 0.85),
        unit="of the level before",
        reason="the paper's 'about 75 %' is to be matched within a tenth; chance alone is 0.5 of "
        "trials, about 0.6 of a level of 0.8",
        paper=0.75,
        null_measure="recovery_2_raw_without_plasticity",
        null_description=FROZEN,
    ),
    Claim(
        "recovery-2-2h",
        "Two hours later, continuing plasticity has brought back a good part of what is above "
        "chance",
        "Fig. 5D",
        "recovery_2_2h",
        (0.3, None),
        unit="of recall above chance",
        reason="0: chance, 1: as before; 75 % of a level near 0.87 are 0.4 of what is above chance",
        null_measure="recovery_2_without_plasticity",
        null_description=FROZEN,
    ),
    Claim(
        "recovery-2-end",
        "At the end, continuing plasticity has brought back a good part of what is above chance",
        "Fig. 5D",
        "recovery_2_end",
        (0.3, None),
        unit="of recall above chance",
        reason="as after two hours",
        null_measure="recovery_2_without_plasticity",
        null_description=FROZEN,
    ),
    Claim(
        "recovery-2-kept",
        "... also for a reader that was fitted before lesion 1 and learns no more",
        "Fig. 5D",
        "recovery_2_kept",
        (0.3, None),
        unit="of recall above chance",
        reason="as with a decoder fitted anew; relative to what this reader told before lesion 1",
        detail="two hours after lesion 2",
        null_measure="recovery_2_kept_without_plasticity",
        null_description=FROZEN,
    ),
)

NOISE = tuple(
    Claim(
        f"noise-off-{lesion}",
        f"There is no recovery from lesion {lesion} without noise (T = 0)",
        "Results: noise is a driving force (no control)",
        f"noise_off_{lesion}_gain",
        (None, NO_GAIN),
        unit="of trials gained",
        reason="two standard errors of one test",
        detail="last half hour of the control against just after the lesion",
        null_measure=f"noise_off_{lesion}_gain_with_all",
        null_description="the network itself, with noise, at the same time",
    )
    for lesion in (1, 2)
)

PATH = (
    Claim(
        "parameters",
        "θ′ of a neuron, the lateral parameters that lesion 2 leaves it, has 35 parameters",
        "text to Fig. 5C",
        "parameters",
        (30.0, 38.0),
        unit="parameters",
        reason="the paper's number is to be matched; what is left of 126 if lesion 2 removes 0.70 "
        "to 0.76 of them, the band on what it removes",
        detail="mean over surviving neurons",
        paper=35.0,
        null_measure="parameters_of_prior",
        null_description="lesion 2 before learning: connections drawn from the prior",
    ),
    Claim(
        "regions",
        "θ′ of a neuron occupies another region after each lesion",
        "Fig. 5C",
        "regions",
        (FURTHER, None),
        unit="times the path without lesions",
        reason="1: epochs lie no further apart than those of a path without lesions, a tenth more "
        "is the least that counts",
        detail="distance between epochs over distance within, mean over surviving neurons; same "
        "epochs, parameters chosen alike",
        null_measure="regions_of_noise",
        null_description=NOISE_ALONE,
    ),
    *(
        Claim(
            f"switch-{lesion}",
            f"Lesion {lesion} moves θ′ further than drift does without a lesion",
            "Fig. 5C",
            f"moved_{lesion}",
            (FURTHER, None),
            unit="times the path without lesions",
            reason="1: no further; a tenth more is the least that counts",
            detail="from the half hour before to the second half hour after",
            null_measure=f"moved_{lesion}_by_noise",
            null_description=NOISE_ALONE,
        )
        for lesion in (1, 2)
    ),
)

DRIFT = (
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
            null_measure=f"drift_{name}_without_plasticity",
            null_description="plasticity off (b = 0): nothing can drift, however long",
        )
        for name in ("A", "V")
    ),
    Claim(
        "stable",
        "... while performance holds",
        "Fig. S1B",
        "stable",
        (-SMALLEST_LOSS, None),
        unit="of trials",
        reason="loses less than the least loss that lesion 1 must cause; more recall is no failure",
        detail="recall at the end without lesions minus that after learning",
        null_measure="stable_with_lesions",
        null_description="the network with its lesions at the same time",
    ),
)

CLAIMS = (*LEARNING, *FIRST_LESION, *SECOND_LESION, *NOISE, *PATH, *DRIFT)
