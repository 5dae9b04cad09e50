"""What Fig. 1 and the text after it state."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.experiments.landscape.measures import NEAR

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
        exact=True,
    ),
    Claim(
        "law",
        "The states visited by synaptic sampling follow the posterior",
        "Fig. 1F, Theorem 1",
        "distance_to_posterior",
        (None, 1.0),
        unit="of what chance allows",
        reason="1 is what the chains' own scatter stays below in 99.9 % of cases",
        detail="total variation between visits and posterior in bins of the plane",
    ),
    Claim(
        "all-modes",
        "One sampling path fluctuates between the different solutions: it visits every mode",
        "Fig. 1F",
        "modes_visited",
        (1.0, 1.0),
        unit="share of modes",
        reason="every mode",
        detail=f"comes within {NEAR} of it",
    ),
    Claim(
        "hot",
        "At high temperature the modes flatten: states near a mode become rarer",
        "Text after Fig. 1",
        "near_when_hot",
        (None, 0.7),
        unit="share near a mode, relative to that at T",
        reason="rarer by more than a shade",
        detail=f"within {NEAR} of a mode",
    ),
    Claim(
        "cold",
        "As T → 0 the path stays at one mode",
        "Text after Fig. 1",
        "modes_when_cold",
        (1.0, 1.0),
        unit="modes visited",
        reason="one mode",
    ),
)
