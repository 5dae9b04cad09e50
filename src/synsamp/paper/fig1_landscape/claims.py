"""Claims of Fig. 1 and the text after it."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.fig1_landscape.measures import NEAR, SURE

BY_CHANCE = "× limit of chance"
ALLOWED = f"the scatter of chains stays below 1 in {100 * SURE:g} % of cases"
MOST = "most paths; the interval of eight of eight begins at 0.68"

CLAIMS = (
    Claim(
        "ml-ends",
        "Every maximum likelihood path ends in a local maximum of the likelihood",
        "Fig. 1C",
        "ends_at_maximum",
        (1.0, 1.0),
        unit="share of paths",
        reason="every path, because gradient ascent has no noise",
        detail="random starts; ends within 0.01 of a maximum, slope below 0.01",
        branch="no_noise",
        null_branch="noise",
        null_description="the same starts, with the noise of sampling",
        exact=True,
        kind="statement",
    ),
    Claim(
        "posterior",
        "The states visited by synaptic sampling follow the posterior",
        "Fig. 1F, Theorem 1",
        "distance_to_posterior",
        (None, 1.0),
        unit=BY_CHANCE,
        reason=ALLOWED,
        detail="total variation between visited states and posterior, in bins of the plane",
        branch="at_T",
        null_branch="hot",
        null_description="states visited at the high temperature",
        kind="statement",
    ),
    Claim(
        "all-modes",
        "One sampling path fluctuates between the different solutions: it visits every mode",
        "Fig. 1F",
        "visits_all_modes",
        (0.6, 1.0),
        unit="of paths",
        reason=MOST,
        detail=f"paths that come within {NEAR} of every mode",
        branch="at_T",
        null_branch="cold",
        null_description="a path of the same length at the low temperature",
        kind="statement",
    ),
    Claim(
        "hot",
        "At high temperature the modes flatten: the share of states near a mode follows p*^(1/T)",
        "Text after Fig. 1",
        "near_modes",
        (None, 1.0),
        unit=BY_CHANCE,
        reason=ALLOWED,
        detail=f"share of states within {NEAR} of a mode, compared with its exact value on a grid",
        branch="hot",
        null_branch="at_T",
        null_description="states visited at T, compared with the same value",
        kind="statement",
    ),
    Claim(
        "cold",
        "As T → 0 the path stays at one mode",
        "Text after Fig. 1",
        "stays_at_one_mode",
        (0.6, 1.0),
        unit="of paths",
        reason=MOST,
        detail=f"paths that come within {NEAR} of one mode only",
        branch="cold",
        null_branch="at_T",
        null_description="a path of the same length at T",
        kind="statement",
    ),
)
