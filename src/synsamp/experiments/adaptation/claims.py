"""The claims of Fig. 4, judged over circuits (seeds)."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.experiments.adaptation.measures import SETTLED_S
from synsamp.experiments.adaptation.parameters import GRID_S, TURNOVER_S

CLAIMS = (
    Claim(
        "background-eliminated",
        "Most connections to inputs that code background are eliminated",
        "Fig. 4E, F",
        "background_left",
        (None, 0.25),
        reason="“most”: at least three of four",
        detail="active share at background inputs at the end of phase 1, relative to the start",
    ),
    Claim(
        "relevant-survive",
        "Connections to inputs that carry information survive",
        "Fig. 4E, F",
        "matters_active",
        (0.85, None),
        reason="well above what the paper's prior alone keeps active, 0.69",
        detail="active share at inputs bright in more than half of the images, end of phase 1",
    ),
    Claim(
        "few-active",
        "The number of active synapses stays low throughout learning",
        "Fig. 4H",
        "largest_active_share",
        (None, 0.25),
        reason="well below what the paper's prior alone keeps active, 0.69",
        detail=f"largest active share after {SETTLED_S:g} s, looked at every {GRID_S:g} s",
    ),
    Claim(
        "turnover-goes-on",
        "Functional synapses keep fluctuating: new ones are born all the time",
        "Fig. 4F",
        "fewest_births",
        (1.0, None),
        unit="births",
        reason="no window without a birth",
        detail=f"fewest births in any window of {TURNOVER_S:g} s after the first {SETTLED_S:g} s",
    ),
    Claim(
        "neurons-turn",
        "When a new digit appears (2 in the paper), at least two neurons specialise on it",
        "Fig. 4E",
        "two_turn",
        (0.5, 1.0),
        unit="of circuits",
        reason="the paper shows one circuit: more circuits do than do not",
        detail="circuits with two neurons or more that give over 80 % of their digit spikes to it "
        "and whose weights are most like its mean, at the end of its phase",
    ),
    Claim(
        "weights-turn",
        "Their weights come to look like the new digit",
        "Fig. 4E",
        "likeness_gain",
        (0.1, None),
        reason="a gain that can be seen in the pictures",
        detail="correlation of ŵ with its mean image, second best neuron, gain over its phase",
    ),
    Claim(
        "network-returns",
        "When the new digit is gone, the network returns",
        "Fig. 4E",
        "all_return",
        (0.5, 1.0),
        unit="of circuits",
        reason="the paper shows one circuit: more circuits do than do not",
        detail="circuits in which no neuron is turned to it at the end of the phase after",
    ),
    Claim(
        "eliminated-return",
        "When the input changes, some eliminated synapses are reactivated",
        "Fig. 4F",
        "back_over_control",
        (2.0, None),
        unit="×",
        reason="more are due to the new digit than to chance",
        detail="connections at new inputs that were eliminated and are back at the end of the "
        "phase, relative to copies of the same circuits that went on with the old digits",
    ),
    Claim(
        "synapse-stable",
        "A synapse useful for the new digit becomes stable while it is shown",
        "Fig. 4G",
        "synapse_active_new",
        (0.95, None),
        reason="stable: nearly always active",
        detail="share of time active in the second half of the phase; the synapse was chosen "
        "before",
    ),
    Claim(
        "synapse-probes",
        "In the phases before and after it probes the threshold now and then",
        "Fig. 4G",
        "synapse_regrowths",
        (1.0, None),
        unit="crossings",
        reason="at least once",
        detail=f"upward crossings of θ = 0 (every {GRID_S:g} s) in both phases together",
    ),
    Claim(
        "synapse-inactive",
        "and is inactive there most of the time",
        "Fig. 4G",
        "synapse_active_around",
        (None, 0.5),
        reason="“most of the time”: more than half",
        detail="share of time active in the second halves of both phases",
    ),
)
