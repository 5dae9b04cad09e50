"""What theory says of the bandit."""

from __future__ import annotations

from synsamp.claims import Claim

WHERE = "Kappel et al. 2018, stationary law; derived in docs/reward.md"
SHIFT = (-0.2, 0.2)
SHIFT_REASON = (
    "the exponent is known to first order in b τ_g/σ², in Δ over the time of the running mean and "
    "in that mean's own scatter, some 0.1 in all; a tenth of it moves the mean by less than 0.1"
)
SPREAD = (0.8, 1.35)
SPREAD_REASON = "the noise of g adds up to 0.2 T at this speed; seeds scatter by as much"

CLAIMS = (
    Claim(
        "mean",
        "The mean of the visited states is that of (prior × reward^κ)^(1/T)",
        WHERE,
        "shift_slow",
        SHIFT,
        unit="σ of the law",
        reason=SHIFT_REASON,
        null_measure="shift_shuffled",
        null_description="reward shuffled in time",
    ),
    Claim(
        "mean-expectation",
        "It takes the expectation term of the eligibility",
        WHERE,
        "shift_slow",
        SHIFT,
        unit="σ of the law",
        reason=SHIFT_REASON,
        null_measure="shift_no_expectation",
        null_description="eligibility from spikes alone",
    ),
    Claim(
        "spread",
        "Their variance is that of the law",
        WHERE,
        "spread_slow",
        SPREAD,
        unit="× variance of the law",
        reason=SPREAD_REASON,
        null_measure="spread_slow_against_2T",
        null_description="the law of twice the temperature",
    ),
    Claim(
        "spread-cold",
        "So it is at half the temperature",
        WHERE,
        "spread_cold",
        SPREAD,
        unit="× variance of the law",
        reason=SPREAD_REASON,
        null_measure="spread_cold_against_T",
        null_description="the law of T instead of T/2",
    ),
    Claim(
        "spread-hot",
        "and at twice the temperature",
        WHERE,
        "spread_hot",
        SPREAD,
        unit="× variance of the law",
        reason=SPREAD_REASON,
        null_measure="spread_hot_against_T",
        null_description="the law of T instead of 2 T",
    ),
    Claim(
        "noise",
        "The gradient's own noise becomes small against T as b → 0",
        WHERE,
        "noise_slow",
        (None, 0.2),
        unit="of T",
        reason="a fifth of T; it goes as b",
        null_measure="noise_fast",
        null_description="ten times the speed",
    ),
)
