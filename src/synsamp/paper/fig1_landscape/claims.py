"""What Fig. 1 and the text after it state."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.fig1_landscape.measures import NEAR, SURE

BY_CHANCE = "of what chance allows"
ALLOWED = f"1 is what the chains' own scatter stays below in {100 * SURE:g} % of cases"

MOST = "most paths; the interval of eight of eight begins at 0.68"

CLAIMS = (
    Claim(
        "ml-ends",
        "Every maximum likelihood path ends in a local maximum of the likelihood",
        "Fig. 1C",
        "ends_at_maximum",
        (1.0, 1.0),
        unit="share of paths",
        reason="every path: climbing has no noise",
        detail="random starts; ends within 0.01 of a maximum, slope below 0.01",
        null_measure="noisy_ends_at_maximum",
        null_description="the same starts, with the noise of sampling",
        exact=True,
    ),
    Claim(
        "law",
        "The states visited by synaptic sampling follow the posterior",
        "Fig. 1F, Theorem 1",
        "distance_to_posterior",
        (None, 1.0),
        unit=BY_CHANCE,
        reason=ALLOWED,
        detail="total variation between visits and posterior in bins of the plane",
        null_measure="distance_when_hot",
        null_description="what is visited at the high temperature",
    ),
    Claim(
        "all-modes",
        "One sampling path fluctuates between the different solutions: it visits every mode",
        "Fig. 1F",
        "visits_all",
        (0.6, 1.0),
        unit="of paths",
        reason=MOST,
        detail=f"paths that come within {NEAR} of every mode",
        null_measure="visits_all_when_cold",
        null_description="a path of the same length at the low temperature",
    ),
    Claim(
        "hot",
        "At high temperature the modes flatten: near a mode are as many states as p*^(1/T) says",
        "Text after Fig. 1",
        "near_when_hot",
        (None, 1.0),
        unit=BY_CHANCE,
        reason=ALLOWED,
        detail=f"share of states within {NEAR} of a mode, against its exact value on a grid",
        null_measure="near_at_T",
        null_description="what is visited at T itself, against the same value",
    ),
    Claim(
        "cold",
        "As T → 0 the path stays at one mode",
        "Text after Fig. 1",
        "stays_when_cold",
        (0.6, 1.0),
        unit="of paths",
        reason=MOST,
        detail=f"paths that come within {NEAR} of one mode only",
        null_measure="stays_at_T",
        null_description="a path of the same length at T",
    ),
)
