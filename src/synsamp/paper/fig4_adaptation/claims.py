"""The claims of Fig. 4, judged over circuits (seeds). Those on the mechanism stand apart."""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.fig4_adaptation.claims_mechanism import MECHANISM_CLAIMS
from synsamp.paper.fig4_adaptation.claims_stdp import STDP_CLAIMS
from synsamp.paper.fig4_adaptation.parameters import SYNC_INTERVAL_S

FREE = "prior and noise alone: the same synapses in a circuit that never spikes, for as long"
CONTROL = "a copy that goes on with the old digits"
STAYS = "a copy that goes on with the new digit"
WHILE_SHOWN = "the same synapse in the second half of the new digit's phase"

PHASE_CLAIMS = (
    Claim(
        "background-eliminated",
        "Most connections to inputs that code background are eliminated",
        "Fig. 4E, F",
        "background_left",
        (None, 0.25),
        reason="“most”: at least three of four",
        detail="active share at background inputs at the end of phase 1, relative to the start",
        null_measure="background_left_free",
        null_description=FREE,
    ),
    Claim(
        "relevant-survive",
        "Connections to inputs that carry information survive",
        "Fig. 4E, F",
        "matters_active",
        (0.85, None),
        reason="above what the paper's prior alone keeps active, 0.69, by half of what is missing",
        detail="active share at inputs bright in more than half of the images, end of phase 1",
        null_measure="matters_active_free",
        null_description=FREE,
    ),
    Claim(
        "few-active",
        "The number of active synapses stays low throughout learning",
        "Fig. 4H",
        "largest_active_share",
        (None, 0.25),
        reason="few: at most a quarter",
        detail=f"largest active share of the whole run, its start included, every {SYNC_INTERVAL_S:g} s",
        null_measure="largest_active_share_free",
        null_description=FREE,
    ),
    Claim(
        "stays-sparse",
        "Once learned, connections remain sparse while the input changes",
        "Sec. Fast adaptation; Fig. 4H",
        "largest_active_share_later",
        (None, 0.25),
        reason="few: at most a quarter",
        detail=f"largest active share from the end of phase 1 on, every {SYNC_INTERVAL_S:g} s",
        null_measure="largest_active_share_later_free",
        null_description=FREE,
    ),
    Claim(
        "turnover-goes-on",
        "Functional synapses keep fluctuating: the few at background inputs are ever new ones",
        "Fig. 4F",
        "new_dots_share",
        (0.5, None),
        reason="more than half of the dots of a snapshot were not in the one before",
        detail="active connections at inputs that are background in all phases, snapshots after "
        "phase 1: share that the snapshot before did not have",
        null_measure="new_dots_share_free",
        null_description=FREE,
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
        null_measure="two_turn_control",
        null_description=CONTROL,
    ),
    Claim(
        "weights-turn",
        "Their weights come to look like the new digit",
        "Fig. 4E",
        "likeness_gain",
        (0.1, None),
        reason="a gain that can be seen in the pictures",
        detail="correlation of ŵ with its mean image, second best neuron, gain over its phase",
        null_measure="likeness_gain_control",
        null_description=CONTROL,
    ),
    Claim(
        "eliminated-return",
        "When the input changes, some eliminated synapses are reactivated",
        "Fig. 4F",
        "back_at_new_share",
        (0.1, None),
        reason="one neuron in ten that learns the new digit brings back a tenth",
        detail="of the connections at new inputs that were eliminated in phase 1, those active at "
        "the end of the new digit's phase",
        null_measure="back_at_new_share_control",
        null_description=CONTROL,
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
        null_measure="all_return_stays",
        null_description=STAYS,
    ),
    Claim(
        "switch-eliminates",
        "When the new digit is gone, connections that were active for it are eliminated",
        "Fig. 4F",
        "gone_at_new_share",
        (0.5, None),
        reason="nothing shown needs them any more: most go",
        detail="of the connections at new inputs that were active at the end of its phase, those "
        "not active at the end of the phase after",
        null_measure="gone_at_new_share_stays",
        null_description=STAYS,
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
        null_measure="synapse_active_new_control",
        null_description=f"{CONTROL}, its synapse chosen in the same way",
    ),
    Claim(
        "synapse-probes",
        "In the phases before and after it probes the threshold now and then",
        "Fig. 4G",
        "synapse_regrowths",
        (0.5, None),
        unit="crossings",
        reason="at least once in the two halves together",
        detail=f"upward crossings of θ = 0 (every {SYNC_INTERVAL_S:g} s), mean of the second halves of both "
        "phases",
        null_measure="synapse_regrowths_new",
        null_description=WHILE_SHOWN,
    ),
    Claim(
        "synapse-inactive",
        "and is inactive there most of the time",
        "Fig. 4G",
        "synapse_active_around",
        (None, 0.5),
        reason="“most of the time”: more than half",
        detail="share of time active in the second halves of both phases",
        null_measure="synapse_active_new",
        null_description=WHILE_SHOWN,
    ),
)

CLAIMS = (*PHASE_CLAIMS, *MECHANISM_CLAIMS, *STDP_CLAIMS)
