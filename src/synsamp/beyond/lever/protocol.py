"""One run: learning, reversed order, lesion; and controls that continue from the same state.

learning        reversed        lesion
|---------------|---------------|---------------|     the network
                |---------------|                     same: the task continues unchanged
                |---------------|---------------|     plasticity off from that moment
|---------------|                                     reward at random
|---------------|                                     noise off (T = 0)
|---------------|                                     plasticity off from the start

The network has 60 excitatory neurons, of which 20 move the lever, and 20 inhibitory ones. Inputs
reach 30 of the 40 hidden neurons, and any two excitatory neurons may connect; these synapses learn
from reward. Connections to and from inhibitory neurons are random and fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from synsamp.beyond.lever.parameters import LeverParameters
from synsamp.beyond.lever.task import Lever
from synsamp.beyond.shared.reward_network import (
    Floats,
    draw_cues,
    learning_synapses,
    start_theta,
    stochastic_neurons,
)
from synsamp.environments import Dopamine
from synsamp.mappings import Exponential
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
from synsamp.spiking import (
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    StochasticNeurons,
    SynapseModel,
)

FROM_INPUT, AMONG = "x->e", "e->e"
LEARNING = [FROM_INPUT, AMONG]
"""The projections that learn."""
FIXED = Exponential(0.0)
"""Mapping of fixed synapses: ŵ = e^θ − 1."""
SCATTER = 0.2
"""Standard deviation of fixed weights, relative to their mean."""
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


# -- the network --------------------


def build_network(p: LeverParameters, seed: int) -> Network:
    """Inputs ``x``, excitatory neurons ``e`` (hidden, up, down), inhibitory neurons ``i``."""
    w = p.wiring
    rng = np.random.default_rng(named_seed(seed, "wiring"))
    learns, stays = learning_synapses(p.rule), SynapseModel(mapping=FIXED)
    sees = np.zeros((w.excitatory, p.cues.inputs), bool)
    sees[: w.seeing] = True

    def fixed(source: str, target: str, sizes: tuple[int, int], share: float) -> Projection:
        mask = rng.random(sizes) < share
        sign = 1 if source == "e" else -1
        return Projection(source, target, stays, w.delay_s, mask, plastic=False, sign=sign)

    return Network(
        [InputGroup("x", p.cues.inputs)],
        [
            stochastic_neurons("e", w.excitatory, p.neurons),
            StochasticNeurons(
                "i",
                w.inhibitory,
                w.inhibitory_hz,
                w.inhibitory_refractory_s,
                max_rate_hz=p.neurons.max_rate_hz,
            ),
        ],
        [
            Projection("x", "e", learns, mask=sees),
            Projection("e", "e", learns, w.delay_s),
            fixed("e", "i", (w.inhibitory, w.excitatory), w.excites_share),
            fixed("i", "e", (w.excitatory, w.inhibitory), w.inhibits_share),
            fixed("i", "i", (w.inhibitory, w.inhibitory), w.among_share),
        ],
    )


def start_of(p: LeverParameters, seed: int) -> dict[str, Floats]:
    """Initial θ of all projections."""
    w = p.wiring
    rng = np.random.default_rng(named_seed(seed, "fixed weights"))

    def fixed(size: float, sizes: tuple[int, int]) -> Floats:
        drawn = rng.normal(size, SCATTER * size, sizes)
        return np.asarray(FIXED.theta(1.0 + np.maximum(drawn, 0.0)))

    return {
        FROM_INPUT: start_theta(p.rule, (w.excitatory, p.cues.inputs), named_seed(seed, "inputs")),
        AMONG: start_theta(p.rule, (w.excitatory, w.excitatory), named_seed(seed, "among")),
        "e->i": fixed(w.excites, (w.inhibitory, w.excitatory)),
        "i->e": fixed(w.inhibits, (w.excitatory, w.inhibitory)),
        "i->i": fixed(w.inhibits, (w.inhibitory, w.inhibitory)),
    }


def motor_neurons(p: LeverParameters) -> tuple[slice, slice]:
    """Indices of the neurons for up and for down among the excitatory ones."""
    first, m = p.wiring.hidden, p.wiring.motor
    return slice(first, first + m), slice(first + m, first + 2 * m)


def lesion(p: LeverParameters, seed: np.random.SeedSequence) -> RemoveNeurons:
    """Remove the same share of the neurons for up and for down."""
    rng = np.random.default_rng(seed)
    count = round(p.lesion_share * p.wiring.motor)
    gone = [
        np.sort(rng.permutation(np.arange(place.start, place.stop))[:count])
        for place in motor_neurons(p)
    ]
    return RemoveNeurons("e", np.concatenate(gone).tolist())
