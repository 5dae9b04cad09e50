"""A template for your experiment: change it as you like.

Try it unchanged:

    synsamp run new_experiment.py                  # eight seeds on all cores, one report
    synsamp list new_experiment.py                 # what --set takes
    synsamp run new_experiment.py --set rule.temperature=0
    synsamp sweep new_experiment.py --vary rule.temperature=0,0.5,1 --trials 4

Ten neurons learn two patterns; then the two neurons with the strongest synapses are removed. Do the
others still distinguish the patterns?
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from synsamp.claims import Claim, Share
from synsamp.experiments import Experiment, Parameters
from synsamp.priors import Gaussian
from synsamp.protocol import (
    Branch,
    Lesion,
    Protocol,
    Show,
    active_count,
    every,
    probe,
    theta,
)
from synsamp.seeds import named_seed
from synsamp.spiking import RemoveNeurons, SynapseModel, winner_take_all_network

N_INPUTS = 40
SYNAPSES = "x->z"  # the projection from the inputs x to the circuit z


# 1. What can be set: each with bounds, a unit in its name where it has one, and its meaning.


class MyRule(Parameters):
    temperature: float = Field(1.0, ge=0.0, le=100.0, description="T, temperature of the noise")
    speed: float = Field(1e-3, ge=1e-6, le=1e-2, description="b, speed of sampling, 1/s")
    prior_mean: float = Field(0.5, ge=-5.0, le=5.0, description="mean of the prior of θ")


class MyParameters(Parameters):
    neurons: int = Field(10, ge=3, le=100, description="neurons of the circuit")
    learning_s: float = Field(400.0, ge=10.0, le=1e6, description="before the lesion")
    after_s: float = Field(400.0, ge=10.0, le=1e6, description="after the lesion")
    rule: MyRule = MyRule()


# 2. One run of one seed, as a Methods section would tell it: network, steps, records.


def run(parameters, seed):
    p = parameters
    network = winner_take_all_network(
        N_INPUTS,
        p.neurons,
        SynapseModel(
            prior=Gaussian(p.rule.prior_mean, 1.0),
            speed=p.rule.speed,
            temperature=p.rule.temperature,
        ),
    )
    patterns = Patterns(np.random.default_rng(named_seed(seed, "patterns")))
    shuffle = named_seed(seed, "shuffled labels")
    return Protocol(
        network,
        steps=[
            Show(patterns, p.learning_s),
            # A copy continues without the lesion, with the same noise: the control.
            Branch("control", [Show(patterns, p.after_s)]),
            Lesion(strongest_two, "of the two strongest neurons"),
            Show(patterns, p.after_s),
        ],
        record={
            "active": every(10, active_count(SYNAPSES)),
            "theta": every(100, theta(SYNAPSES)),
            "accuracy": every(50, probe(patterns, 20.0, Accuracy(p.neurons))),
            "shuffled": every(50, probe(patterns, 20.0, Accuracy(p.neurons, shuffle))),
        },
    )


class Patterns:
    """Two random patterns in turn, 200 ms each: a stimulus is a library and an order."""

    def __init__(self, rng):
        rates_hz = np.where(rng.random((2, N_INPUTS)) < 0.3, 50.0, 1.0)
        self.library = {"x": [Pattern(row) for row in rates_hz]}

    def choose(self, rng, first, count):
        return {"x": rng.integers(2, size=count)}


class Pattern:
    """A presentation has durations and, for each of them, a rate per input."""

    def __init__(self, rates_hz):
        self.durations_s = np.array([0.2])
        self.rates_hz = rates_hz[None]


def strongest_two(view):
    """A step chosen from the state: a function of what can be seen of the network."""
    strength = view.weight(SYNAPSES).sum(axis=1)
    return RemoveNeurons("z", np.argsort(strength)[-2:].tolist())


class Accuracy:
    """Share of presentations in which the most active neuron identifies the pattern.

    Each neuron stands for the pattern for which it wins most often. That exceeds 0.5 even for
    neurons that ignore the patterns, so the same share with shuffled labels is the null.
    """

    def __init__(self, neurons, shuffle=None):
        self.neurons = neurons
        self.shuffle = shuffle

    def __call__(self, probe):
        winner = probe.counts(self.neurons).argmax(axis=1)
        shown = probe.shown[:, 0]
        if self.shuffle is not None:
            shown = np.random.default_rng(self.shuffle).permutation(shown)
        wins = np.zeros((self.neurons, 2))
        np.add.at(wins, (winner, shown), 1)
        return wins.max(axis=1).sum() / len(shown)


# 3. Measures: one value per seed, from what was stored. A branch is "" or "control".
# The interval of a Share stays between 0 and 1.


def final_accuracy(parameters, results, branch) -> Share:
    """Mean of the last four probes: one of 20 s alone scatters by 0.04."""
    return float(results[f"{branch}/accuracy" if branch else "accuracy"].accuracy[-4:].mean())


def shuffled_accuracy(parameters, results) -> Share:
    return float(results["shuffled"].shuffled[-4:].mean())


# 4. What you claim. Over seeds the 95 % interval of the measure must lie in the band.


EXPERIMENT = Experiment(
    name="new_experiment",
    title="Do the others take over?",
    summary="Ten neurons learn two patterns; then the two strongest are removed.",
    parameters=MyParameters,
    presets={"quick": MyParameters()},
    trials={"quick": 8},
    run=run,
    measures=[final_accuracy, shuffled_accuracy],
    also_measured=["final_accuracy@control"],
    claims=[
        Claim(
            id="taken-over",
            statement="After the lesion the other neurons distinguish the patterns",
            source="end of the run",
            measure="final_accuracy",
            band=(0.75, None),
            reason="one neuron that is always right and one that guesses give 0.75",
            null_measure="shuffled_accuracy",
            null_description="the same share with shuffled pattern labels",
        ),
    ],
)
