"""Claims of theory about the bandit."""

from __future__ import annotations

from synsamp.claims import Claim

SOURCE = "Kappel et al. 2018, stationary distribution; derived in docs/howto/reward.md"
SHIFT = (-0.2, 0.2)
SHIFT_REASON = (
    "theory is of first order in b τ_g/σ², in Δ over the time constant of the running mean and in "
    "the scatter of that mean, about 0.1 in all, which moves the mean by less than 0.1"
)
SPREAD = (0.8, 1.35)
SPREAD_REASON = "the noise of g adds up to 0.2 T at this speed, and seeds scatter by as much"

CLAIMS = (
    Claim(
        "mean",
        "The mean of the visited states is that of (prior × reward^κ)^(1/T)",
        SOURCE,
        "shift",
        SHIFT,
        unit="σ of theory",
        reason=SHIFT_REASON,
        branch="slow",
        null_branch="shuffled",
        null_description="reward shuffled in time",
    ),
    Claim(
        "mean-expectation",
        "The mean depends on the expectation term of the eligibility trace",
        SOURCE,
        "shift",
        SHIFT,
        unit="σ of theory",
        reason=SHIFT_REASON,
        branch="slow",
        null_branch="no_expectation",
        null_description="eligibility trace without the expectation term",
    ),
    Claim(
        "spread",
        "Their variance is that of the stationary distribution",
        SOURCE,
        "spread",
        SPREAD,
        unit="× variance of theory",
        reason=SPREAD_REASON,
        branch="slow",
        null_measure="spread_against_2T",
        null_branch="slow",
        null_description="theory at twice the temperature",
    ),
    Claim(
        "spread-cold",
        "Their variance agrees with theory at half the temperature",
        SOURCE,
        "spread",
        SPREAD,
        unit="× variance of theory",
        reason=SPREAD_REASON,
        branch="cold",
        null_measure="spread_against_T",
        null_branch="cold",
        null_description="theory at T instead of T/2",
    ),
    Claim(
        "spread-hot",
        "Their variance agrees with theory at twice the temperature",
        SOURCE,
        "spread",
        SPREAD,
        unit="× variance of theory",
        reason=SPREAD_REASON,
        branch="hot",
        null_measure="spread_against_T",
        null_branch="hot",
        null_description="theory at T instead of 2 T",
    ),
    Claim(
        "noise",
        "The noise of the gradient estimate becomes small relative to T as b → 0",
        SOURCE,
        "noise",
        (None, 0.2),
        unit="of T",
        reason="a fifth of T; proportional to b",
        branch="slow",
        null_branch="fast",
        null_description="ten times the speed",
    ),
)
