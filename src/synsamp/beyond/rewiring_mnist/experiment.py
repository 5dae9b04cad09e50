"""Deep rewiring: does a network that rewires itself at 1 to 2 % of its connections learn digits?

A network 784–300–100–10 learns handwritten digits in several ways: with all connections, by soft
and hard rewiring, with fixed random wirings of the same size, and by sparse evolutionary training.
Then the labels change places, and networks that have learned are held against fresh ones. What JAX
has to do with is loaded when a run begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synsamp.beyond.rewiring_mnist.claims import CLAIMS
from synsamp.beyond.rewiring_mnist.measures import INK, measures
from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters, Soft
from synsamp.beyond.shared.labelled_digits import DigitsToLearn
from synsamp.experiments.base import Experiment, Results, RunContext


def run(p: RewiringParameters, seed: int, context: RunContext) -> Results:
    """One seed: images, start and minibatches of its own."""
    from synsamp.beyond.rewiring_mnist import course

    return course.run(p, seed, context)


def draw(parameters: RewiringParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.beyond.rewiring_mnist import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="rewiring_mnist",
    alias="rewiring",
    title="Deep rewiring: learning digits with one connection in a hundred",
    summary="A network with under 2 % of its possible connections learns digits while it rewires "
    "itself: against all connections, fixed random wirings and sparse evolutionary training, and "
    "after a change of task.",
    parameters=RewiringParameters,
    presets={
        "quick": RewiringParameters(
            digits=DigitsToLearn(source="embedded", training=400, test=1000),
            hidden=(100, 50),
            epochs=20,
            second_task_epochs=0,
            soft=Soft(share=(0.02, 0.03, 0.3), learning_rate=0.5),
        ),
        "paper": RewiringParameters(),
    },
    trials={"quick": 3, "paper": 5},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Accuracy on test images while the networks learn: mean and range over seeds. Sparse "
        "ones have the same number of connections per layer, except that soft rewiring chooses its "
        "own.",
        "B": "Accuracy at the end, a dot for each seed. fixed (soft): a fixed wiring with as many "
        "connections as soft rewiring ended with.",
        "C": "Share of all connections that is active, and the share of active ones that was not "
        "there one epoch before.",
        "D": "Connections of each pixel at the end of the first task in the first seed, of a "
        "fixed wiring and of the rewired ones, each divided by its mean over pixels.",
        "E": "The labels change places: networks that have learned before, and one that begins "
        "fresh. The dotted line is the accuracy that is waited for.",
    },
    assumptions=(
        "No biases; ReLU; minibatches drawn with replacement, an epoch is as many as hold all "
        "training images once.",
        "Weights at the start are normal; of fixed wirings, SET and all connections with the "
        "variance that ReLU keeps, 2 over the inputs of a neuron. θ of rewired ones is |N(0, σ²)| "
        "with σ² = 1 over the possible inputs, smaller, so that connections of little use are soon "
        "replaced. Hard rewiring and fixed wirings were tried with both starts on training images "
        "set apart, for three epochs, and each has the one that was better for it.",
        "Learning rates fall exponentially to 0.107 = 0.8 ** 10 over the first task, also where "
        "it has another number of epochs than 10; that of soft rewiring is constant, since its "
        "floor hangs on the temperature. A second task begins the schedule anew.",
        "Soft rewiring is that of DEEP R's scripts: its floor clips, and half of p0 is active at "
        "the start, since the scripts draw θ of a share p0 with both signs. There the other half "
        "begins on the floor, here spread down to it like all dormant ones.",
        "Learning rates of the others were the best after one epoch on training images set apart: "
        "0.2 for all connections (of 0.05, 0.1, 0.2, 0.5), 0.5 for a fixed wiring (of 0.1, 0.2, "
        "0.5), which SET takes over.",
        "Weights of fixed wirings and of SET may change sign. SET replaces the weakest 30 % of "
        "positive and of negative weights after each epoch but the last, by new ones drawn as at "
        "the start, as its authors' programs do. Each layer has as many connections as hard "
        "rewiring (ε = 2.17, 2.25 and 2.73 in SET's terms), and learning is plain SGD, without "
        "their momentum, weight decay and dropout.",
        f"A pixel has ink where the mean training image is above {INK:g}.",
    ),
    deviations=(
        "The quick preset tells ones and twos apart from 400 images in 800 steps (the full one has "
        "60,000), with smaller hidden layers; cost and noise hardly add up to anything in so few. "
        "With its own values soft rewiring would hardly begin to learn in that time: p0 (2, 3 and "
        "30 %) and learning rate (0.5) are larger there. "
        "There is no second task, since two labels can only be swapped.",
    ),
)
