"""Claims of the comparison; each applies if the lists contain what it compares."""

from __future__ import annotations

from collections.abc import Callable

from synsamp.claims import Claim
from synsamp.paper.fig2_prior_comparison.models import WIDER
from synsamp.paper.fig2_prior_comparison.parameters import ComparisonParameters

MARGIN_NATS = 15.0
"""A prior helps if it prevents what counts as overfitting in Fig. 2."""
MARGIN = "the margin that counts as overfitting in Fig. 2"
ONE_NAT = "one nat makes an image e times as likely"
THREE_NATS = "an image becomes 20 times as likely; 16 trials can resolve this difference"
NO_EFFECT = f"a Gaussian prior {WIDER:g} times as wide, which has no effect, with the same noise"
TYPICAL = "mean log p over the samples of the second half of learning"


def _needs(
    *priors: str, at: float = 1.0, more: Callable[[ComparisonParameters], bool] = bool
) -> Callable[[ComparisonParameters], bool]:
    """A claim applies if these priors are compared, at this temperature."""
    return lambda p: {*priors} <= {*p.priors} and at in p.temperatures and more(p)


CLAIMS = (
    Claim(
        "any-prior-helps",
        "Every prior is ahead of the uniform one on test images (T = 1)",
        "beyond Fig. 2F",
        "lead_of_worst_prior",
        (MARGIN_NATS, None),
        unit="nats",
        reason=MARGIN,
        detail=f"of the prior that performs worst in the trial; {TYPICAL}",
        null_measure="lead_of_wide_prior",
        null_description=NO_EFFECT,
        needs=_needs("uniform", more=lambda p: len(p.priors) > 1),
        kind="question",
    ),
    Claim(
        "helps-without-noise",
        "The bimodal prior is ahead of the uniform one without noise as well (T = 0)",
        "beyond Fig. 2F",
        "lead_without_noise",
        (MARGIN_NATS, None),
        unit="nats",
        reason=MARGIN,
        detail=f"so the prior does more than limit the effect of noise; {TYPICAL}",
        null_measure="lead_of_wide_prior_without_noise",
        null_description=NO_EFFECT,
        needs=_needs("uniform", "bimodal", at=0.0),
        kind="question",
    ),
    Claim(
        "two-modes-beat-one",
        "A prior with two modes, like black and white pixels, generalises better than a "
        "unimodal one of the same spread",
        "Results, on the choice of the prior",
        "lead_over_one_mode",
        (3.0, None),
        unit="nats",
        reason=THREE_NATS,
        detail="over the best Gaussian, Laplace or Student-t prior of the trial (T = 1); "
        + TYPICAL,
        null_measure="replicate_lead_over_one_mode",
        null_description="the Gaussian prior with other noise in place of the bimodal one",
        needs=_needs("bimodal", "gaussian"),
        kind="implication",
    ),
    Claim(
        "second-mode-helps",
        "The mode at 1 improves generalisation beyond the mode at 0 alone",
        "Results, on the choice of the prior",
        "lead_over_mode_at_0",
        (1.0, None),
        unit="nats",
        reason=ONE_NAT,
        detail=f"over a Gaussian at 0 with std 0.15 (T = 1); {TYPICAL}",
        null_measure="replicate_lead_over_mode_at_0",
        null_description="the same Gaussian with other noise",
        needs=_needs("bimodal", "narrow_gaussian"),
        kind="implication",
    ),
    Claim(
        "noise-hurts",
        "More noise than T = 1 lowers the likelihood of test images (bimodal prior, highest T)",
        "beyond Fig. 2F",
        "loss_when_hot",
        (3.0, None),
        unit="nats",
        reason=THREE_NATS,
        detail=TYPICAL,
        null_measure="replicate_loss",
        null_description="T = 1 with other noise",
        needs=_needs("bimodal", more=lambda p: max(p.temperatures) > 1),
        kind="question",
    ),
)
