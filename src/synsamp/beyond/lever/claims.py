"""Claims about the lever: learning, retention, drift, adaptation and recovery."""

from __future__ import annotations

from synsamp.beyond.shared.reward_network import SOURCE
from synsamp.claims import Claim

OFF = "plasticity off (b = 0) from then on"

LEARNING = (
    Claim(
        "learns",
        "The network learns the movement from reward alone: it completes more movements per "
        "minute than before training",
        SOURCE,
        "rise",
        (1.5, None),
        unit="times the untrained network",
        reason="1: nothing learned; at least 50 % more",
        detail="last fifth of learning; per minute of cued time",
        branch="network",
        null_branch="random",
        null_description="each reward given at a random time",
        needs=lambda p: p.schedule.random_s > 0,
    ),
    Claim(
        "learns-by-plasticity",
        "Homeostasis alone does not suffice",
        SOURCE,
        "rise",
        (1.5, None),
        unit="times the untrained network",
        reason="as above",
        branch="network",
        null_branch="frozen",
        null_description="plasticity off (b = 0): last fifth, relative to the whole duration",
    ),
    Claim(
        "noise-off",
        "Without noise (T = 0) the movement is not learned",
        SOURCE + ": noise as a driving force of search",
        "rise",
        (None, 1.25),
        unit="times the untrained network",
        reason="half of the gain that counts as learned",
        branch="noiseless",
        null_branch="network",
        null_description="the network itself, with noise",
        needs=lambda p: p.schedule.noiseless_s > 0,
    ),
)

STABLE = (
    Claim(
        "stays",
        "The movement is retained while the task continues",
        SOURCE,
        "retained",
        (0.8, None),
        unit="times the level learned",
        reason="a fifth may be lost; further learning is allowed",
        detail="last fifth of the period in which the task is unchanged",
        branch="network/same",
        null_measure="retained_untrained",
        null_description="the network before learning",
    ),
    Claim(
        "changes",
        "... while connections keep turning over",
        SOURCE,
        "lost_connections",
        (0.1, None),
        unit="of functional connections between neurons",
        reason="0: nothing changes; at least a tenth",
        detail="lost at the end of that period, of those functional at its start",
        branch="network/same",
        null_branch="network/frozen_changed",
        null_description="plasticity off (b = 0): nothing can change",
    ),
    Claim(
        "irrelevant",
        "Connections drift in directions that do not affect behaviour: the input that moves the "
        "lever is preserved better than single synapses",
        SOURCE,
        "preserved_function",
        (0.1, None),
        unit="correlation",
        reason="0: drift is the same in all directions; at least 0.1",
        detail="correlation of weights onto motor neurons at start and end, over sources: "
        "sum for up minus sum for down, minus the correlation of single synapses",
        null_measure="preserved_mixed_groups",
        null_description="the same difference between groups mixed from both populations",
    ),
)

CHANGED = (
    Claim(
        "change-hits",
        "When the order is reversed (up, then down), the learned movement no longer suffices",
        SOURCE,
        "loss_by_change",
        (None, 0.8),
        unit="times the level learned",
        reason="at least a fifth is lost",
        detail="with plasticity off, over that whole period",
        null_measure="retained",
        null_branch="network/same",
        null_description="the task unchanged",
    ),
    Claim(
        "adapts",
        "The network adapts to the changed task",
        SOURCE,
        "adaptation",
        (1.25, None),
        unit="times the level with plasticity off",
        reason="1: no gain; at least a quarter more",
        detail="last fifth, relative to the branch with plasticity off; null: its last fifth",
        branch="network",
        null_branch="network/frozen_changed",
        null_description=OFF,
    ),
    Claim(
        "recovers",
        "It compensates for the loss of motor neurons",
        SOURCE,
        "recovery",
        (1.25, None),
        unit="times the level with plasticity off",
        reason="1: no gain; at least a quarter more",
        detail="last fifth, relative to the branch with plasticity off; null: its last fifth",
        branch="network",
        null_branch="network/frozen_lesion",
        null_description=OFF,
    ),
)

CLAIMS = (*LEARNING, *STABLE, *CHANGED)
