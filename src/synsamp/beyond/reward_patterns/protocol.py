"""One run: a network that is rewarded, and one with reward at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from synsamp.beyond.reward_patterns.parameters import PatternParameters
from synsamp.beyond.reward_patterns.task import RewardedPatterns
from synsamp.beyond.shared.reward_network import (
    draw_cues,
    learning_synapses,
    start_theta,
    stochastic_neurons,
)
from synsamp.environments import Dopamine
from synsamp.protocol import Act, Protocol, View, every, spikes, theta
from synsamp.seeds import named_seed
from synsamp.spiking import InputGroup, Network, Projection

SYNAPSES = "x->z"
BRANCHES = {"rewarded": False, "random": True}
"""Whether reward is given at random."""
SEEN_S = 8.0
"""Duration of spike records at the start and at the end."""


def build_network(p: PatternParameters) -> Network:
    """Inputs and two populations, which are the halves of ``z``."""
    return Network(
        [InputGroup("x", p.cues.inputs)],
        [stochastic_neurons("z", 2 * p.population, p.neurons)],
        [Projection("x", "z", learning_synapses(p.rule))],
    )


def rewards(view: View) -> dict[str, float]:
    """Reward earned so far, periods with a pattern, and periods in which the correct one led."""
    state = view.environment or {"judged": 0, "earned": 0.0, "led": 0, "seed": 0}
    return {key: float(state[key]) for key in ("judged", "earned", "led", "seed")}


def run(p: PatternParameters, seed: int) -> Mapping[str, Any]:
    """Return a protocol per branch with the same start, and the patterns."""
    patterns = draw_cues(p.cues, 2, named_seed(seed, "patterns"))
    background = np.full(p.cues.inputs, p.cues.background_hz)
    shape = (2 * p.population, p.cues.inputs)
    rates = ("pattern", "input"), patterns, {"units": "Hz"}
    found: dict[str, Any] = {"patterns": xr.Dataset({"rate": rates})}
    for branch, at_random in BRANCHES.items():
        found[branch] = Protocol(
            build_network(p),
            steps=[
                Act(
                    RewardedPatterns(p.task, patterns, background, at_random),
                    p.learning_s,
                    Dopamine(mean_s=p.rule.mean_s),
                )
            ],
            record={
                "course": every(p.record_every_s, rewards),
                "theta": every(p.record_every_s, theta(SYNAPSES)),
                "early": spikes((0.0, SEEN_S)),
                "late": spikes((p.learning_s - SEEN_S, p.learning_s)),
            },
            theta={SYNAPSES: start_theta(p.rule, shape, named_seed(seed, "start"))},
            drift_interval_s=p.rule.drift_interval_s,
        )
    return found
