"""Fig. 5 as a protocol: learning, two lesions, and controls that continue from the same state.

learning        lesion 1        lesion 2
|---------------|---------------|-------------------------|      the network
                |---------------------                           no lesion: codes drift
                |- - - - - - - -|                                noise off after lesion 1
                |- - -                                           plasticity off
                                |- - - - - - - -                 noise off after lesion 2
                                |- - - -                         likelihood alone
                                |- - -                           plasticity off
"""

from __future__ import annotations

from typing import Any

from synsamp.paper.fig5_compensation.network import (
    Hidden,
    build_network,
    connections_removed,
    lateral_theta,
    neurons_removed,
)
from synsamp.paper.fig5_compensation.parameters import STEP_S, CompensationParameters
from synsamp.paper.fig5_compensation.recall_test import (
    RecallTest,
    build_stimuli,
    lateral_path,
    tuned_to_second,
    tuning,
    tuning_trials,
    weights_at_mark,
)
from synsamp.paper.fig5_compensation.stimuli import Pairs
from synsamp.paper.shared.digit_circuit import build_synapses
from synsamp.priors import Gaussian
from synsamp.protocol import Branch, Change, Lesion, Mark, Protocol, Show, View, at_marks, every

LATER_S = 7200.0
"""t4 lies two hours after lesion 2."""
NO_PRIOR_STD = 1e6
"""A prior so wide that it has no effect."""


def compensation_protocol(p: CompensationParameters, pairs: Pairs) -> Protocol:
    """One network through learning, lesions and controls."""
    s, hidden, stimuli = p.schedule, Hidden(p.circuit.neurons), build_stimuli(pairs, p.input)
    network = build_network(
        pairs.n_heard, pairs.n_seen, p.circuit, build_synapses(p.rule), p.lateral
    )
    every_synapse = [projection.name for projection in network.projections]
    learning = stimuli.learning

    test = {"test": every(p.test.every_s, RecallTest(hidden, stimuli, p.test, pairs.word_s))}
    path = {"theta": every(STEP_S, lateral_path)}
    marks = {
        "marks": at_marks(weights_at_mark),
        "tuning": at_marks(tuning(hidden, stimuli, p.test), "t1"),
    }

    def tuned(view: View) -> Any:
        shown = tuning_trials(view, stimuli, p.test)
        return neurons_removed(hidden, tuned_to_second(shown, hidden, p.test))

    def functional(view: View) -> Any:
        return connections_removed(hidden, lateral_theta(view) > 0)

    def shown(seconds: float) -> list[Show]:
        return [Show(learning, seconds)] if seconds else []

    def control(name: str, seconds: float, *changes: Change) -> list[Branch]:
        return [Branch(name, [*changes, *shown(seconds)], test)] if seconds else []

    frozen = Change(every_synapse, speed=0.0)
    noiseless = Change(every_synapse, temperature=0.0)
    wide = Gaussian(p.rule.prior.mean, NO_PRIOR_STD)
    likelihood_alone = Change(every_synapse, temperature=0.0, prior=wide)
    no_lesion = Branch("no_lesion", shown(s.no_lesion_s), {**test, **path})

    steps = [
        Show(learning, s.learning_s),
        Mark("t1"),
        *([no_lesion] if s.no_lesion_s else []),
        Lesion(tuned, "1: neurons of z_V tuned to the second digit"),
        *control("plasticity_off_1", s.frozen_1_s, frozen),
        *control("noise_off_1", s.noise_off_1_s, noiseless),
    ]
    if s.after_lesion_2_s:
        tests = max(LATER_S // p.test.every_s, 1)  # t4 falls on a test
        later_s = min(tests * p.test.every_s, s.after_lesion_2_s)
        steps += [
            Show(learning, s.after_lesion_1_s),
            Mark("t2"),
            Lesion(functional, "2: all functional lateral connections, permanently"),
            Mark("t3"),
            *control("plasticity_off_2", s.frozen_2_s, frozen),
            *control("noise_off_2", s.noise_off_2_s, noiseless),
            *control("likelihood_alone_2", s.likelihood_2_s, likelihood_alone),
            *shown(later_s),
            Mark("t4"),
            *shown(s.after_lesion_2_s - later_s),
        ]
    else:
        steps += [Mark("t2"), Show(learning, s.after_lesion_1_s), Mark("t3")]
    return Protocol(network, steps, {**test, **path, **marks})
