"""What the comparison says, as far as its lists hold what is compared."""

from __future__ import annotations

from synsamp.claims import Claim

AHEAD = "any lead"

CLAIMS = (
    Claim(
        "any-prior-helps",
        "Any of the priors ends ahead of the uniform one on test images (T = 1)",
        "beyond Fig. 2F",
        "worst_lead",
        (0.0, None),
        unit="nats",
        reason=AHEAD,
        detail="of the prior that does worst in the trial",
    ),
    Claim(
        "two-modes-beat-one",
        "A prior with two modes, as black and white pixels have, generalises better than "
        "one hump of the same spread",
        "Results, on the choice of the prior",
        "lead_over_one_hump",
        (0.0, None),
        unit="nats",
        reason=AHEAD,
        detail="over the Gaussian, Laplace or Student-t prior that does best in the trial (T = 1)",
    ),
    Claim(
        "second-mode-helps",
        "The mode at 1 adds to what the mode at 0 alone does for generalization",
        "Results, on the choice of the prior",
        "lead_over_mode_at_0",
        (0.0, None),
        unit="nats",
        reason=AHEAD,
        detail="over a Gaussian at 0 with std 0.15 (T = 1)",
    ),
    Claim(
        "noise-hurts",
        "More noise than T = 1 costs likelihood on test images (bimodal, highest T of the list)",
        "beyond Fig. 2F",
        "loss_when_hot",
        (0.0, None),
        unit="nats",
        reason="any loss",
    ),
)
