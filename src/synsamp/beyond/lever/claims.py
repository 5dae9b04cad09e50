"""What is said of the lever: it is learned, kept, learned anew, and connections go on changing."""

from __future__ import annotations

from synsamp.beyond.shared.reward_network import WHERE
from synsamp.claims import Claim

OFF = "plasticity off (b = 0) from then on"

LEARNING = (
    Claim(
        "learns",
        "From reward alone the network learns the movement: it finishes more of them per minute "
        "than it did untrained",
        WHERE,
        "rise",
        (1.5, None),
        unit="times the untrained network",
        reason="1: nothing learned; half as many again is the least that counts",
        detail="last fifth of learning; per minute of cued time",
        null_measure="rise_random",
        null_description="one reward for each that was earned, at a random time",
    ),
    Claim(
        "learns-by-plasticity",
        "Homeostasis alone does not bring it about",
        WHERE,
        "rise",
        (1.5, None),
        unit="times the untrained network",
        reason="as above",
        null_measure="rise_frozen",
        null_description="plasticity off (b = 0): last fifth of as long a stretch, against all of it",
    ),
    Claim(
        "noise-off",
        "Without noise (T = 0) the movement is not learned",
        WHERE + ": noise as a driving force of search",
        "rise_noiseless",
        (None, 1.25),
        unit="times the untrained network",
        reason="half of what counts as learned above 1; reported whichever way it comes out",
        null_measure="rise",
        null_description="the network itself, with noise",
    ),
)

STABLE = (
    Claim(
        "stays",
        "What was learned stays while the task goes on",
        WHERE,
        "stays",
        (0.8, None),
        unit="times the level learned",
        reason="a fifth may be lost; going on to learn is no failure",
        detail="last fifth of the stretch in which nothing was changed",
        null_measure="stays_untrained",
        null_description="the network before learning",
    ),
    Claim(
        "changes",
        "... while connections keep coming and going",
        WHERE,
        "gone",
        (0.1, None),
        unit="of functional connections between neurons",
        reason="0: nothing changes; a tenth is the least that counts",
        detail="gone at the end of that stretch of those that were there at its beginning",
        null_measure="gone_frozen",
        null_description="plasticity off (b = 0): nothing can change, however long",
    ),
    Claim(
        "irrelevant",
        "Drift goes on in directions that do not matter: what moves the lever is kept better than "
        "single synapses",
        WHERE,
        "kept_function",
        (0.1, None),
        unit="correlation",
        reason="0: drift is the same in all directions; a tenth of a correlation at least",
        detail="weights onto motor neurons, then and now, over the neurons that they come from: "
        "sum for up minus sum for down, beyond that of single synapses",
        null_measure="kept_mixed",
        null_description="the same difference between groups mixed from both populations",
    ),
)

CHANGED = (
    Claim(
        "change-hits",
        "When the order is exchanged (up, then down), what was learned does not serve any more",
        WHERE,
        "change_hits",
        (None, 0.8),
        unit="times the level learned",
        reason="at least a fifth is lost",
        detail="with plasticity off, all of that stretch",
        null_measure="stays",
        null_description="the task as it was",
    ),
    Claim(
        "adapts",
        "The network adapts to the changed task",
        WHERE,
        "adapts",
        (1.25, None),
        unit="times the level with plasticity off",
        reason="1: no gain; a quarter more is the least that counts",
        detail="last fifth, against the branch with plasticity off; null: its last fifth",
        null_measure="adapts_frozen",
        null_description=OFF,
    ),
    Claim(
        "recovers",
        "It compensates for the loss of motor neurons",
        WHERE,
        "recovers",
        (1.25, None),
        unit="times the level with plasticity off",
        reason="1: no gain; a quarter more is the least that counts",
        detail="last fifth, against the branch with plasticity off; null: its last fifth",
        null_measure="recovers_frozen",
        null_description=OFF,
    ),
)

CLAIMS = (*LEARNING, *STABLE, *CHANGED)
