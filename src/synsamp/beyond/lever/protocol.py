"""One run: learning, reversed order, lesion; and controls that continue from the same state.

learning        reversed        lesion
|---------------|---------------|---------------|     the network
                |---------------|                     same: the task continues unchanged
                |---------------|---------------|     plasticity off from that moment
|---------------|                                     reward at random
|---------------|                                     noise off (T = 0)
|---------------|                                     plasticity off from the start
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from synsamp.beyond.lever.network import (
    AMONG,
    FROM_INPUT,
    LEARNING,
    build_network,
    lesion,
    start_of,
)
from synsamp.beyond.lever.parameters import LeverParameters
from synsamp.beyond.lever.task import Lever
from synsamp.beyond.shared.reward_network import draw_cues
from synsamp.environments import Dopamine
from synsamp.protocol import (
    Act,
    Branch,
    Change,
    Lesion,
    Protocol,
    View,
    every,
    theta,
)
from synsamp.seeds import named_seed

MAIN, SAME = "network", "network/same"
REVERSED_FROZEN, LESION_FROZEN = "network/frozen_changed", "network/frozen_lesion"
FROZEN, AT_RANDOM, NOISELESS = "frozen", "random", "noiseless"
COUNTED = ("tried", "finished", "cued", "seed")


def progress(view: View) -> dict[str, float]:
    """Trials, movements and cued periods so far; ``seed`` identifies the environment."""
    state = view.environment or dict.fromkeys(COUNTED, 0)
    return {name: float(state[name]) for name in COUNTED}


def run(p: LeverParameters, seed: int) -> Mapping[str, Any]:
    """Return the network with its branches, and controls that differ from the start."""
    s = p.schedule
    cue = draw_cues(p.cues, 1, named_seed(seed, "cue"))[0]
    background = np.full(p.cues.inputs, p.cues.background_hz)
    dopamine = Dopamine(mean_s=p.rule.mean_s)

    def act(seconds: float, **options: bool) -> Act:
        lever = Lever(p.task, p.wiring.motor, cue, background, **options)
        return Act(lever, seconds, dopamine)

    course = {"course": every(s.record_every_s, progress)}
    synapses = {
        "among": every(s.record_every_s, theta(AMONG)),
        "inputs": every(s.record_every_s, theta(FROM_INPUT)),
    }
    frozen = Change(LEARNING, speed=0.0)
    network, start = build_network(p, seed), start_of(p, seed)

    def protocol(steps: Sequence[Any], record: Mapping[str, Any]) -> Protocol:
        return Protocol(
            network, steps, record, theta=start, drift_interval_s=p.rule.drift_interval_s
        )

    found = {
        MAIN: protocol(
            [
                act(s.learning_s),
                Branch("same", [act(s.same_s)], {**course, **synapses}),
                Branch(
                    "frozen_changed",
                    [frozen, act(s.changed_s, upside_down=True)],
                    {**course, **synapses},
                ),
                act(s.changed_s, upside_down=True),
                Lesion(
                    lambda view: lesion(p, view.seed_for("lesion")), "of neurons for up and down"
                ),
                Branch("frozen_lesion", [frozen, act(s.lesion_s, upside_down=True)], course),
                act(s.lesion_s, upside_down=True),
            ],
            {**course, **synapses},
        ),
        FROZEN: protocol([frozen, act(s.learning_s)], course),
    }
    if s.random_s:
        found[AT_RANDOM] = protocol([act(s.random_s, at_random=True)], course)
    if s.noiseless_s:
        noiseless = Change(LEARNING, temperature=0.0)
        found[NOISELESS] = protocol([noiseless, act(s.noiseless_s)], course)
    return found
