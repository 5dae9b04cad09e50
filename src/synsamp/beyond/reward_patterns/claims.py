"""Claims about learning two patterns from reward."""

from __future__ import annotations

from synsamp.beyond.shared.reward_network import SOURCE
from synsamp.claims import Claim

AT_RANDOM = "the same amount of reward, given at random"

CLAIMS = (
    Claim(
        "reward",
        "A network that learns from reward alone earns several times the reward of chance",
        SOURCE,
        "reward_at_end",
        (0.2, None),
        unit="reward while a pattern is shown",
        reason="three times the 0.06 that two populations firing at random at 50 Hz earn",
        detail="last fifth of the run",
        branch="rewarded",
        null_branch="random",
        null_description=AT_RANDOM,
    ),
    Claim(
        "rises",
        "Its reward rises",
        SOURCE,
        "rise",
        (0.06, None),
        unit="reward while a pattern is shown",
        reason="by more than the 0.06 of chance",
        detail="last fifth minus first fifth of the run",
        branch="rewarded",
        null_branch="random",
        null_description=AT_RANDOM,
    ),
    Claim(
        "leads",
        "The correct population leads most of the time",
        SOURCE,
        "leading_at_end",
        (0.75, None),
        unit="of the time a pattern is shown",
        reason="halfway from chance, 0.5, to certainty",
        branch="rewarded",
        null_branch="random",
        null_description=AT_RANDOM,
    ),
    Claim(
        "selective",
        "Inputs excite the correct population for their pattern",
        SOURCE,
        "selectivity",
        (0.4, None),
        unit="correlation over inputs",
        reason="three times the scatter of chance, 1/√50 = 0.14",
        detail="difference of rates between the patterns, correlated with that of summed ŵ",
        branch="rewarded",
        null_branch="random",
        null_description=AT_RANDOM,
    ),
)
