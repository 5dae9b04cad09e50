"""The claims of Fig. 4, judged over circuits (seeds)."""

from __future__ import annotations

from functools import partial

from synsamp.claims import Claim
from synsamp.paper.fig4_adaptation.parameters import (
    SYNC_INTERVAL_S,
    returns,
    returns_with_controls,
    several_phases,
    shows_new_digit,
    with_controls,
)
from synsamp.paper.fig4_adaptation.stdp import STDP_CLAIMS

_stated = partial(Claim, kind="statement")

NO_ACTIVITY = "prior and noise alone: the same synapses in a circuit that never spikes, for as long"
CONTROL = "a copy that continues with the old digits"
PERSISTS = "a copy that continues with the new digit"
WHILE_SHOWN = "the same synapse in the second half of the new digit's phase"
REPLICATE = "a copy with nothing changed but the noise"
USEFUL = (
    "share of useful eliminated connections (two neurons most tuned to the new digit, 20 inputs) "
    "that are active again at the end of its phase"
)
ESSENTIAL = "“essential”: without it at most half is left"

PHASE_CLAIMS = (
    _stated(
        "background-eliminated",
        "Most connections to inputs that code background are eliminated",
        "Fig. 4E, F",
        "background_left",
        (None, 0.25),
        reason="“most”: at least three of four",
        detail="active share at background inputs at the end of phase 1, relative to the start",
        branch="learning",
        null_branch="no_activity",
        null_description=NO_ACTIVITY,
    ),
    _stated(
        "relevant-survive",
        "Connections to inputs that carry information survive",
        "Fig. 4E, F",
        "informative_active",
        (0.85, None),
        reason="above what the paper's prior alone keeps active, 0.69, by half of what is missing",
        detail="active share at inputs bright in more than half of the images, end of phase 1",
        branch="learning",
        null_branch="no_activity",
        null_description=NO_ACTIVITY,
    ),
    Claim(
        "few-active",
        "The number of active synapses stays low throughout learning",
        "Fig. 4H",
        "largest_active_share",
        (None, 0.25),
        reason="“low”: at most a quarter",
        detail="largest active share of the whole run, including its start, every "
        f"{SYNC_INTERVAL_S:g} s",
        branch="learning",
        null_branch="no_activity",
        null_description=NO_ACTIVITY,
        kind="question",
    ),
    _stated(
        "stays-sparse",
        "Once learned, connections remain sparse while the input changes",
        "Sec. Fast adaptation; Fig. 4H",
        "largest_active_share_later",
        (None, 0.25),
        reason="“low”: at most a quarter",
        detail=f"largest active share from the end of phase 1, every {SYNC_INTERVAL_S:g} s",
        branch="learning",
        null_branch="no_activity",
        null_description=NO_ACTIVITY,
        needs=several_phases,
    ),
    _stated(
        "turnover-goes-on",
        "Functional synapses keep fluctuating: the few at background inputs keep changing",
        "Fig. 4F",
        "new_synapse_share",
        (0.5, None),
        reason="more than half of the dots in a snapshot are absent from the previous one",
        detail="active connections at inputs that are background in all phases, snapshots after "
        "phase 1: share absent from the previous snapshot",
        branch="learning",
        null_branch="no_activity",
        null_description=NO_ACTIVITY,
        needs=several_phases,
    ),
    _stated(
        "neurons-turn",
        "When a new digit appears (2 in the paper), at least two neurons specialise on it",
        "Fig. 4E",
        "two_retuned",
        (0.5, 1.0),
        unit="of circuits",
        reason="the paper shows one circuit: more than half of the circuits",
        detail="circuits with at least two neurons that fire over 80 % of their digit spikes "
        "during it and whose weights resemble its mean image most, at the end of its phase",
        branch="learning",
        null_branch="learning/control",
        null_description=CONTROL,
        needs=shows_new_digit,
    ),
    _stated(
        "weights-turn",
        "Their weights come to resemble the new digit",
        "Fig. 4E",
        "similarity_gain",
        (0.1, None),
        reason="a gain that is visible in the figure",
        detail="correlation of ŵ with its mean image, second best neuron, gain over its phase",
        branch="learning",
        null_branch="learning/control",
        null_description=CONTROL,
        needs=shows_new_digit,
    ),
    _stated(
        "eliminated-return",
        "When the input changes, some eliminated synapses are reactivated",
        "Fig. 4F",
        "regrowth",
        (0.1, None),
        reason="one neuron in ten that learns the new digit reactivates a tenth",
        detail="of the connections at new inputs that were eliminated in phase 1, the share active "
        "at the end of the new digit's phase",
        branch="learning",
        null_branch="learning/control",
        null_description=CONTROL,
        needs=shows_new_digit,
    ),
    _stated(
        "network-returns",
        "When the new digit disappears, the network returns to its previous tuning",
        "Fig. 4E",
        "all_return",
        (0.5, 1.0),
        unit="of circuits",
        reason="the paper shows one circuit: more than half of the circuits",
        detail="circuits in which no neuron is tuned to it at the end of the next phase",
        branch="learning",
        null_branch="learning/digit_persists",
        null_description=PERSISTS,
        needs=returns_with_controls,
    ),
    _stated(
        "switch-eliminates",
        "When the new digit disappears, connections that were active for it are eliminated",
        "Fig. 4F",
        "eliminated_after",
        (0.5, None),
        reason="no digit shown uses them any more: most disappear",
        detail="of the connections at new inputs active at the end of its phase, the share not "
        "active at the end of the next phase",
        branch="learning",
        null_branch="learning/digit_persists",
        null_description=PERSISTS,
        needs=returns_with_controls,
    ),
    _stated(
        "synapse-stable",
        "A synapse useful for the new digit becomes stable while it is shown",
        "Fig. 4G",
        "synapse_active",
        (0.95, None),
        reason="stable: nearly always active",
        detail="share of time active in the second half of the phase; the synapse was selected "
        "before",
        branch="learning",
        null_branch="learning/control",
        null_description=f"{CONTROL}, its synapse selected in the same way",
        needs=shows_new_digit,
    ),
    _stated(
        "synapse-probes",
        "In the phases before and after, it crosses the threshold now and then",
        "Fig. 4G",
        "synapse_regrowths_around",
        (0.5, None),
        unit="crossings",
        reason="at least once in both halves together",
        detail=f"upward crossings of θ = 0 (every {SYNC_INTERVAL_S:g} s), mean of the second "
        "halves of both phases",
        branch="learning",
        null_measure="synapse_regrowths",
        null_branch="learning",
        null_description=WHILE_SHOWN,
        needs=returns,
    ),
    _stated(
        "synapse-inactive",
        "... and is inactive most of the time",
        "Fig. 4G",
        "synapse_active_around",
        (None, 0.5),
        reason="“most of the time”: more than half",
        detail="share of time active in the second halves of both phases",
        branch="learning",
        null_measure="synapse_active",
        null_branch="learning",
        null_description=WHILE_SHOWN,
        needs=returns,
    ),
)


def _in_reading(reading: str, words: str) -> tuple[Claim, ...]:
    """Claims on the mechanism in one reading of a retracted synapse.

    As printed, the synaptic sampling rule acts at all θ with w = exp(θ − θ0); the text says that
    the likelihood does not act on a retracted synapse.
    """
    end, section = reading.replace("_", "-"), "Sec. Fast adaptation, last paragraph"
    return (
        _stated(
            f"noise-rewires-{end}",
            f"The network needs noise to rewire itself for the new digit ({words})",
            section,
            "relative_regrowth",
            (None, 0.5),
            unit="× with noise",
            reason=ESSENTIAL,
            detail=f"{USEFUL}, with T = 0 in that phase relative to T unchanged",
            branch=f"{reading}/noise_off",
            null_branch=f"{reading}/replicate",
            null_description=REPLICATE,
            needs=with_controls,
        ),
        Claim(
            f"noise-retunes-{end}",
            f"Neurons need noise to specialise on the new digit ({words})",
            section,
            "relative_retuning",
            (None, 0.5),
            unit="× with noise",
            reason=ESSENTIAL,
            detail="neurons tuned to the new digit at the end of its phase, with T = 0 in that "
            "phase relative to T unchanged",
            branch=f"{reading}/noise_off",
            null_branch=f"{reading}/replicate",
            null_description=REPLICATE,
            needs=with_controls,
            kind="implication",
        ),
        _stated(
            f"prior-sparse-{end}",
            f"The prior keeps connections sparse ({words})",
            f"{section}; Fig. 4H",
            "relative_active_share",
            (1.1, None),
            unit="× with prior",
            reason="“ensures”: without it there would be at least a tenth more",
            detail="active share at the end of the new digit's phase in a circuit without prior "
            "from the start, relative to the circuit with prior",
            branch=f"{reading}/no_prior",
            null_branch=f"{reading}/replicate",
            null_description=REPLICATE,
            needs=with_controls,
        ),
    )


MECHANISM_CLAIMS = (
    Claim(
        "maximum-likelihood-brittle",
        "Maximum likelihood learning is more brittle than sampling: once its learning rate has "
        "fallen, neurons no longer specialise on a new digit",
        "Discussion",
        "two_retuned",
        (0.0, 0.5),
        unit="of circuits",
        reason="more than half of the circuits fail to adapt",
        detail="circuits with at least two neurons retuned to the new digit at the end of its "
        "phase, without prior and noise and with b falling as 1/t from the start",
        branch="learning/maximum_likelihood",
        null_branch="learning",
        null_description="sampling: the circuit itself",
        kind="implication",
        needs=with_controls,
    ),
    _stated(
        "regrowth-undriven",
        "Regrowth is almost entirely driven by the prior and the noise",
        "Sec. Fast adaptation, on Fig. 4G",
        "regrowth_relative_to_printed",
        (0.9, None),
        unit="× printed",
        reason="“almost entirely”: nine of ten regrow without the likelihood",
        detail=f"{USEFUL}, if the likelihood does not act on retracted synapses, relative to the "
        "rule as printed",
        branch="no_likelihood",
        null_branch="no_likelihood/noise_off",
        null_description="no noise either: the prior alone",
        needs=with_controls,
    ),
    _stated(
        "dots-by-noise",
        "Tentative regrowth at background inputs is driven by the noise (printed)",
        "Sec. Fast adaptation, on Fig. 4F",
        "relative_new_synapses",
        (None, 0.1),
        unit="× with noise",
        reason="“almost entirely”: without noise at most one of ten is left",
        detail="connections at background inputs that appear from one snapshot to the next in the "
        "new digit's phase, with T = 0 relative to T unchanged",
        branch="printed/noise_off",
        null_branch="printed/replicate",
        null_description=REPLICATE,
        needs=with_controls,
    ),
    *_in_reading("printed", "printed"),
    *_in_reading("no_likelihood", "no likelihood for θ ≤ 0"),
)

CLAIMS = (*PHASE_CLAIMS, *MECHANISM_CLAIMS, *STDP_CLAIMS)
