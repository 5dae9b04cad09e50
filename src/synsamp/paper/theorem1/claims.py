"""Theorem 1 and the sections that follow it in the Methods, each against a rule that breaks it."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.theorem1.law import SURE

UNIT = "of what chance allows"
REASON = f"1 is what states of the very law stay below in {100 * SURE:g} % of cases"
DETAIL = "largest gap between the cumulative distributions of states and law, times √n"


def _follows(
    id: str, statement: str, where: str, arm: str, null: str, null_description: str
) -> Claim:
    """A claim that states follow a law."""
    return Claim(
        id,
        statement,
        where,
        f"{arm}_distance",
        (None, 1.0),
        unit=UNIT,
        reason=REASON,
        detail=DETAIL,
        null_measure=f"{null}_distance",
        null_description=null_description,
    )


THEOREM, SPEED, ONLINE = "Theorem 1", "Theorem 1, speed b(θ)", "Methods, online approximation"
NO_ROOT = "noise √b dW instead of √(2b) dW"

CLAIMS = (
    _follows(
        "skewed",
        "The rule samples the posterior, here a skewed one (log-rate of a spiking neuron)",
        THEOREM,
        "skewed",
        "skewed_half_noise",
        NO_ROOT,
    ),
    _follows(
        "two-modes",
        "... one with two modes",
        THEOREM,
        "two_modes",
        "two_modes_half_noise",
        NO_ROOT,
    ),
    _follows(
        "correlated",
        "... one of two correlated parameters",
        THEOREM,
        "pair",
        "pair_without_prior",
        "the rule without its prior term",
    ),
    _follows(
        "cold",
        "At a low temperature the law is p*^(1/T)",
        "Theorem 1, temperature",
        "cold",
        "cold_against_p",
        "the same states against p* itself",
    ),
    _follows(
        "hot",
        "At a high temperature too",
        "Theorem 1, temperature",
        "hot",
        "hot_against_p",
        "the same states against p* itself",
    ),
    Claim(
        "zero",
        "Without noise (T = 0) every path ends in the maximum of the posterior",
        "Text after Fig. 1",
        "gap_without_noise",
        (None, 0.01),
        unit="posterior std",
        reason="a hundredth of the posterior's width; what is left is the grid's",
        detail="largest gap of 13 paths",
        null_measure="gap_with_noise",
        null_description="the same paths at T = 1",
        exact=True,
    ),
    _follows(
        "speed",
        "A speed b(θ) leaves the law as it is",
        SPEED,
        "speed_against_p",
        "uncorrected_against_p",
        "the rule without its term T b′(θ)",
    ),
    _follows(
        "uncorrected",
        "Without the term T b′(θ) the law would be p*/b",
        SPEED,
        "uncorrected_over_b",
        "speed_over_b",
        "the rule with that term",
    ),
    _follows(
        "hidden",
        "With hidden states that the network draws, the marginal posterior is sampled",
        "Methods, hidden states",
        "hidden",
        "hidden_alike",
        "responses that are always the same",
    ),
    _follows(
        "online",
        "One input at a time, with the factor N, samples the posterior of all inputs",
        ONLINE,
        "online",
        "online_without_N",
        "without the factor N",
    ),
    _follows(
        "minibatch",
        "So do a few inputs at a time",
        ONLINE,
        "minibatch",
        "minibatch_without_N",
        "without the factor N",
    ),
    Claim(
        "slow-sampling",
        "For slow sampling one pass online is one pass of the batch rule",
        ONLINE,
        "pass_order",
        (1.8, 2.2),
        unit="order in N τ b",
        reason="what is left after one pass is of second order; first order would be a bias",
        detail="slope of log gap against log N τ b, inputs in turn, T = 0",
        null_measure="pass_order_without_N",
        null_description="without the factor N",
        exact=True,
    ),
)
