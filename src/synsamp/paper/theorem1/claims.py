"""Claims of Theorem 1 and the sections that follow it in the Methods.

Each null is a rule that violates the theorem.
"""

from __future__ import annotations

from synsamp.claims import Claim, Kind
from synsamp.paper.theorem1.models import SURE

UNIT = "× limit of chance"
REASON = f"independent draws from the distribution stay below 1 in {100 * SURE:g} % of cases"
DETAIL = "Kolmogorov–Smirnov distance between states and distribution, times √n"


def _follows(
    id: str,
    statement: str,
    source: str,
    branch: str,
    null_branch: str,
    null_description: str,
    kind: Kind = "statement",
) -> Claim:
    """A claim that states follow a distribution."""
    return Claim(
        id,
        statement,
        source,
        "distance",
        (None, 1.0),
        unit=UNIT,
        reason=REASON,
        detail=DETAIL,
        branch=branch,
        null_branch=null_branch,
        null_description=null_description,
        kind=kind,
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
        "At a low temperature the rule samples p*^(1/T)",
        "Theorem 1, temperature",
        "cold",
        "cold_against_p",
        "the same states, compared with p*",
    ),
    _follows(
        "hot",
        "At a high temperature the rule samples p*^(1/T)",
        "Theorem 1, temperature",
        "hot",
        "hot_against_p",
        "the same states, compared with p*",
    ),
    Claim(
        "zero",
        "Without noise (T = 0) every path ends in the maximum of the posterior",
        "Text after Fig. 1",
        "gap_to_maximum",
        (None, 0.01),
        unit="posterior std",
        reason="a hundredth of the width of the posterior; the rest is the resolution of the grid",
        detail="largest distance of 13 paths",
        branch="no_noise",
        null_branch="noise",
        null_description="the same paths at T = 1",
        exact=True,
        kind="statement",
    ),
    _follows(
        "speed",
        "A speed b(θ) does not change the stationary distribution",
        SPEED,
        "speed_against_p",
        "uncorrected_against_p",
        "the rule without its term T b′(θ)",
    ),
    _follows(
        "uncorrected",
        "Without the term T b′(θ) the rule would sample p*/b",
        SPEED,
        "uncorrected_over_b",
        "speed_over_b",
        "the rule with that term",
        "implication",
    ),
    _follows(
        "hidden",
        "With hidden states drawn by the network, the rule samples the marginal posterior",
        "Methods, hidden states",
        "hidden",
        "hidden_alike",
        "a constant response",
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
        "A few inputs at a time sample the posterior of all inputs as well",
        ONLINE,
        "minibatch",
        "minibatch_without_N",
        "without the factor N",
        "implication",
    ),
    Claim(
        "slow-sampling",
        "For slow sampling one pass online equals one pass of the batch rule",
        ONLINE,
        "pass_order",
        (1.8, 2.2),
        unit="order in N τ b",
        reason="the difference after one pass is of second order; first order would be a bias",
        detail="slope of the log difference over log N τ b, inputs in turn, T = 0",
        branch="with_N",
        null_branch="without_N",
        null_description="without the factor N",
        exact=True,
        kind="statement",
    ),
)
