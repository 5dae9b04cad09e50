"""The claims of Fig. 5 and its supplement, judged over networks (seeds)."""

from __future__ import annotations

from functools import partial

from synsamp.claims import Claim
from synsamp.paper.fig5_compensation.parameters import (
    codes_without_lesions,
    frozen_1,
    frozen_2,
    lesions_twice,
    noise_off_1,
    noise_off_2,
    window_1,
    window_2,
    without_lesions,
)
from synsamp.paper.shared.sequences import sequence_claims

_stated = partial(Claim, kind="statement")

NO_GAIN = 0.035
"""Two standard errors of one test of about 800 trials: a smaller gain counts as none."""
SMALLEST_LOSS = 0.05
"""Share of trials: the smallest loss that lesion 1 must cause."""
FURTHER = 1.1
"""Times the drift without a lesion: at least a tenth more."""

BEFORE_LEARNING = "the same network before learning"
SHUFFLED = "words shuffled"
FROZEN = "plasticity off (b = 0) after the lesion"
BY_PRIOR = "regrowth expected under prior and noise alone (calculated)"
NOISE_ALONE = "a path of prior and noise alone (Ornstein–Uhlenbeck)"

LEARNING = (
    _stated(
        "recall",
        "After learning, sound alone evokes the visual code: the digit can be decoded from z_V",
        "Fig. 5B,D",
        "recall",
        (0.75, None),
        unit="of trials",
        reason="halfway from chance, 0.5, to certainty; random weights carry some information too",
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
        reason="the sound itself is presented",
        null_measure="heard_shuffled",
        null_description=SHUFFLED,
        kind="implication",
    ),
    _stated(
        "assemblies",
        "Different assemblies of z_V respond to the two digits when only the sound is presented",
        "Fig. 5B",
        "assemblies",
        (0.5, None),
        unit="correlation",
        reason="0: as similar as for one digit; unrelated assemblies would lose all of a "
        "similarity near 1, half of it is required",
        detail="similarity of histograms of one digit minus that of different digits",
        null_measure="assemblies_shuffled",
        null_description=SHUFFLED,
    ),
    _stated(
        "reconstruction",
        "Reconstructed images resemble the digit that is heard more than the other",
        "Fig. 5B",
        "reconstruction",
        (0.02, None),
        unit="correlation",
        reason="0: as much like either digit",
        detail="own mean image minus the other, mean of both digits",
        null_measure="reconstruction_shuffled",
        null_description=SHUFFLED,
    ),
    _stated(
        "reconstruction-both",
        "... for both digits",
        "Fig. 5B",
        "reconstruction_both",
        (0.6, 1.0),
        unit="of networks",
        reason="most networks; the interval of eight of eight begins at 0.68",
        null_measure="reconstruction_both_shuffled",
        null_description=SHUFFLED,
    ),
    _stated(
        "sparse",
        "Only a fraction of the potential lateral connections became functional",
        "Fig. S1A",
        "functional_relative_to_prior",
        (None, 1.1),
        unit="× prior alone",
        reason="the paper's own count before lesion 2, 2936 of 4032, is 1.05 times what its prior "
        "alone leaves, 0.69 of those possible; a tenth more than the prior at most",
        detail="just before lesion 1, relative to the same network before learning, whose "
        "connections are drawn from the prior",
        null_measure="all_relative_to_prior",
        null_description="every possible connection is functional",
    ),
    _stated(
        "tuned",
        "16 of the 40 visual neurons became tuned to the second digit",
        "text to Fig. 5D",
        "tuned",
        (13.0, 19.0),
        unit="neurons",
        reason="matches the paper's number, of one network; if 40 neurons chose independently with "
        "its share, 16/40, networks would scatter by 3.1",
        paper=16.0,
        null_measure="tuned_shuffled",
        null_description=SHUFFLED,
    ),
)

FIRST_LESION = (
    _stated(
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
    _stated(
        "recovery-1",
        "The word can be decoded from visual neurons again after about one hour",
        "Fig. 5D",
        "recovery_1",
        (0.5, None),
        unit="of the loss",
        reason="at least half of what was lost",
        detail="decoder trained in each test; from one hour after lesion 1",
        branch="network",
        null_branch="network/plasticity_off_1",
        null_description=FROZEN,
        needs=frozen_1,
    ),
    Claim(
        "recovery-1-kept",
        "... also by a decoder that was trained before lesion 1 and then fixed",
        "Fig. 5D",
        "recovery_1_fixed",
        (0.5, None),
        unit="of the loss",
        reason="at least half of what this decoder lost",
        detail="the paper does not say whether its decoder was fixed",
        branch="network",
        null_branch="network/plasticity_off_1",
        null_description=FROZEN,
        needs=frozen_1,
        kind="question",
    ),
    _stated(
        "reconstruction-1",
        "The image recalled for the second digit resembles the first after the lesion, and later "
        "the second again",
        "Fig. 5D",
        "reconstruction_1",
        (0.05, None),
        unit="correlation",
        reason="0: no change",
        detail="own minus other image, last test before lesion 2 against the first after lesion 1",
        branch="network",
        null_branch="network/plasticity_off_1",
        null_description=FROZEN,
        needs=frozen_1,
    ),
)

SECOND_LESION = (
    _stated(
        "removed",
        "Lesion 2 removes every functional lateral connection: 2936, which are 73 % of the "
        "64 × 63 between the neurons that are left",
        "text to Fig. 5D",
        "removed_share",
        (0.70, 0.76),
        unit="of possible",
        reason="matches the paper's share within 0.03; prior and noise alone leave 0.69",
        paper=0.728,
        null_measure="functional_share_of_prior",
        null_description="before learning: drawn from the prior",
        needs=lesions_twice,
    ),
    _stated(
        "lesion-2",
        "Recall falls to chance",
        "Fig. 5D",
        "after_lesion_2",
        (0.45, 0.55),
        unit="of trials",
        reason="0.5 and three standard errors of a single test",
        null_measure="before_lesion_2",
        null_description="the test just before the lesion",
        needs=lesions_twice,
    ),
    _stated(
        "regrown",
        "After about two hours 294 new connections have emerged",
        "text to Fig. 5D",
        "regrown",
        (220.0, 370.0),
        unit="connections",
        reason="matches the paper's number; 'about two hours' may be 1.5 to 2.5, in which steady "
        "growth differs by a quarter to either side",
        paper=294.0,
        branch="network",
        null_measure="regrown_of_prior",
        null_description=BY_PRIOR,
        needs=lesions_twice,
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
        branch="network",
        null_measure="regrown_share_of_prior",
        null_description=BY_PRIOR,
        needs=lesions_twice,
        kind="implication",
    ),
    _stated(
        "recovery-2-raw",
        "Two hours after lesion 2 recall is at about 75 % of the level before",
        "text to Fig. 5D",
        "recovery_2_raw",
        (0.65, 0.85),
        unit="of the level before",
        reason="matches the paper's 'about 75 %' within a tenth; chance alone is 0.5 of trials, "
        "about 0.6 of a level of 0.8",
        paper=0.75,
        branch="network",
        null_branch="network/plasticity_off_2",
        null_description=FROZEN,
        needs=frozen_2,
    ),
    Claim(
        "recovery-2-2h",
        "Two hours later, continuing plasticity has restored a good part of recall above chance",
        "Fig. 5D",
        "recovery_2",
        (0.3, None),
        unit="of recall above chance",
        reason="0: chance, 1: as before; 75 % of a level near 0.87 is 0.4 of recall above chance",
        branch="network",
        null_branch="network/plasticity_off_2",
        null_description=FROZEN,
        needs=frozen_2,
        kind="implication",
    ),
    Claim(
        "recovery-2-end",
        "At the end, continuing plasticity has restored a good part of recall above chance",
        "Fig. 5D",
        "recovery_2_end",
        (0.3, None),
        unit="of recall above chance",
        reason="as after two hours",
        null_measure="recovery_2",
        null_branch="network/plasticity_off_2",
        null_description=FROZEN,
        needs=frozen_2,
        kind="implication",
    ),
    Claim(
        "recovery-2-kept",
        "... also by a decoder that was trained before lesion 1 and then fixed",
        "Fig. 5D",
        "recovery_2_fixed",
        (0.3, None),
        unit="of recall above chance",
        reason="as with a newly trained decoder; relative to this decoder before lesion 1",
        detail="two hours after lesion 2",
        branch="network",
        null_branch="network/plasticity_off_2",
        null_description=FROZEN,
        needs=frozen_2,
        kind="question",
    ),
)

NOISE = tuple(
    Claim(
        f"noise-off-{lesion}",
        f"There is no recovery from lesion {lesion} without noise (T = 0)",
        "Results: noise is a driving force (no control)",
        "gain",
        (None, NO_GAIN),
        unit="of trials gained",
        reason="two standard errors of one test",
        detail="last half hour of the control against just after the lesion",
        branch=f"network/noise_off_{lesion}",
        null_measure="gain_meanwhile",
        null_branch=f"network/noise_off_{lesion}",
        null_description="the network itself, with noise, at the same time",
        needs=needs,
        kind="question",
    )
    for lesion, needs in ((1, noise_off_1), (2, noise_off_2))
)

PATH = (
    _stated(
        "parameters",
        "θ′ of a neuron of z_V, the lateral parameters that lesion 2 leaves it, has 35 parameters",
        "text to Fig. 5C",
        "parameters_of_z_V",
        (30.0, 38.0),
        unit="parameters",
        reason="matches the paper's number: what is left of 126 if lesion 2 removes 0.70 to 0.76 "
        "of them, the band of `removed`",
        detail="mean over surviving neurons of z_V; the paper's number is that of one neuron",
        paper=35.0,
        null_measure="parameters_of_prior",
        null_description="lesion 2 before learning: connections drawn from the prior",
        needs=lesions_twice,
    ),
    *(
        _stated(
            f"switch-{lesion}",
            f"Lesion {lesion} moves θ′ further than drift without a lesion",
            "Fig. 5C",
            f"moved_{lesion}",
            (FURTHER, None),
            unit="times the path without lesions",
            reason="1: no further; at least a tenth more is required",
            detail="from the half hour before to the second half hour after",
            null_measure=f"moved_{lesion}_by_noise",
            null_description=NOISE_ALONE,
            needs=needs,
        )
        for lesion, needs in ((1, window_1), (2, window_2))
    ),
)

DRIFT = (
    *(
        _stated(
            f"drift-{name}",
            f"Without lesions the code of z_{name} for the digits drifts over hours",
            "Fig. S1B",
            f"drift_{name}",
            (0.02, None),
            unit="correlation",
            reason="0: as similar as two tests at one time",
            detail="similarity of two independent tests at one time minus that over all hours",
            null_measure=f"drift_{name}_without_plasticity",
            null_description="plasticity off (b = 0): no drift at all",
            needs=codes_without_lesions,
        )
        for name in ("A", "V")
    ),
    _stated(
        "stable",
        "... while performance remains stable",
        "Fig. S1B",
        "stable",
        (-SMALLEST_LOSS, None),
        unit="of trials",
        reason="less than the smallest loss that lesion 1 must cause; a gain is no failure",
        detail="recall at the end without lesions minus that after learning",
        null_measure="stable_with_lesions",
        null_description="the network with its lesions at the same time",
        needs=without_lesions,
    ),
)

CLAIMS = (
    *LEARNING,
    *FIRST_LESION,
    *SECOND_LESION,
    *NOISE,
    *PATH,
    *DRIFT,
    *sequence_claims(codes_without_lesions),
)
