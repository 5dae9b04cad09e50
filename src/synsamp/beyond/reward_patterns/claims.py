"""What is said of learning two patterns from reward."""

from __future__ import annotations

from synsamp.beyond.shared.reward_network import WHERE
from synsamp.claims import Claim

AT_RANDOM = "as much reward, given at random"

CLAIMS = (
    Claim(
        "reward",
        "A network that learns from reward alone earns several times what chance gives",
        WHERE,
        "reward_end",
        (0.2, None),
        unit="reward while a pattern is shown",
        reason="two populations of 50 Hz that fire by chance earn 0.06; three times that",
        detail="last fifth of the run",
        null_measure="reward_end_random",
        null_description=AT_RANDOM,
    ),
    Claim(
        "rises",
        "Its reward rises",
        WHERE,
        "rise",
        (0.06, None),
        unit="reward while a pattern is shown",
        reason="by more than chance gives, 0.06",
        detail="last fifth minus first fifth of the run",
        null_measure="rise_random",
        null_description=AT_RANDOM,
    ),
    Claim(
        "leads",
        "The population that is to answer leads most of the time",
        WHERE,
        "leads_end",
        (0.75, None),
        unit="of the time a pattern is shown",
        reason="half of the way from chance, 0.5, to certainty",
        null_measure="leads_end_random",
        null_description=AT_RANDOM,
    ),
    Claim(
        "selective",
        "Inputs excite the population that is to answer to their pattern",
        WHERE,
        "selectivity",
        (0.4, None),
        unit="correlation over inputs",
        reason="by chance it scatters by 1/√50 = 0.14 around 0; three times that",
        detail="rate in one pattern minus that in the other, against the same of summed ŵ",
        null_measure="selectivity_random",
        null_description=AT_RANDOM,
    ),
)
