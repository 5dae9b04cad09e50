"""Deep rewiring: can a network with 1 to 2 % of its connections learn digits by rewiring itself?

A network 784–300–100–10 learns handwritten digits with all connections, by soft and hard rewiring,
with fixed random wirings of the same size, and by sparse evolutionary training. Then the labels are
permuted, and trained networks are compared with new ones. JAX is imported when a run starts.
"""

from __future__ import annotations

from synsamp.beyond.rewiring_mnist.claims import CLAIMS
from synsamp.beyond.rewiring_mnist.measures import ALSO_MEASURED, INK, MEASURES
from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters, Soft
from synsamp.beyond.shared.labelled_digits import DigitsToLearn
from synsamp.experiments.base import Experiment, Results, RunContext
from synsamp.figures.lazy import draw_with


def run(p: RewiringParameters, seed: int, context: RunContext) -> Results:
    """Run one seed, with other images, initial values and minibatches."""
    from synsamp.beyond.rewiring_mnist import protocol

    return protocol.run(p, seed, context)


EXPERIMENT = Experiment(
    name="rewiring_mnist",
    alias="rewiring",
    title="Deep rewiring: learning digits with one connection in a hundred",
    summary="A network with under 2 % of its possible connections learns digits while it rewires "
    "itself, compared with all connections, fixed random wirings and sparse evolutionary training, "
    "and after a change of task.",
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
    measures=MEASURES,
    also_measured=ALSO_MEASURED,
    claims=CLAIMS,
    draw=draw_with("synsamp.beyond.rewiring_mnist.figures"),
    captions={
        "A": "Accuracy on test images while the networks learn: mean and range over seeds. Sparse "
        "ones have the same number of connections per layer, except for soft rewiring, which "
        "determines its own.",
        "B": "Accuracy at the end, a dot for each seed. fixed (soft): a fixed wiring with as many "
        "connections as soft rewiring has at the end.",
        "C": "Share of all connections that is active, and the share of active ones that is "
        "new since the last epoch.",
        "D": "Connections of each pixel at the end of the first task in the first seed, of a "
        "fixed wiring and of the rewired ones, each divided by its mean over pixels.",
        "E": "The labels are permuted: networks that have learned before, and a new one. The "
        "dotted line is the target accuracy.",
    },
    assumptions=(
        "No biases; ReLU; minibatches drawn with replacement, an epoch is as many as hold all "
        "training images once.",
        "Weights at the start are normal; of fixed wirings, SET and all connections with the "
        "variance that ReLU keeps, 2 over the inputs of a neuron. θ of rewired ones is |N(0, σ²)| "
        "with σ² = 1 over the possible inputs, smaller, so that connections of little use are soon "
        "replaced. Hard rewiring and fixed wirings were tried with both initial values for three "
        "epochs on validation images, and each uses the better one.",
        "Learning rates fall exponentially to 0.107 = 0.8 ** 10 over the first task, for any "
        "number of epochs; that of soft rewiring is constant, because its lower bound depends on "
        "the temperature. A second task restarts the schedule.",
        "Soft rewiring is that of DEEP R's scripts: its lower bound clips, and half of p0 is "
        "active at the start, because the scripts draw θ of a share p0 with both signs. There the "
        "other half starts at the lower bound, here it is spread like all dormant connections.",
        "Learning rates of the others were the best after one epoch on validation images: "
        "0.2 for all connections (of 0.05, 0.1, 0.2, 0.5), 0.5 for a fixed wiring (of 0.1, 0.2, "
        "0.5), also used for SET.",
        "Weights of fixed wirings and of SET may change sign. SET replaces the weakest 30 % of "
        "positive and of negative weights after each epoch but the last, by new ones drawn as at "
        "the start, as its authors' programs do. Each layer has as many connections as hard "
        "rewiring (ε = 2.17, 2.25 and 2.73 in SET's terms), and learning is plain SGD, without "
        "their momentum, weight decay and dropout.",
        f"A pixel has ink where the mean training image is above {INK:g}.",
    ),
    deviations=(
        "The quick preset classifies ones and twos from 400 images in 800 steps (the full one has "
        "60,000), with smaller hidden layers; cost and noise have little effect in so few. "
        "With its default values soft rewiring would hardly learn in that time: p0 (2, 3 and "
        "30 %) and learning rate (0.5) are larger there. "
        "There is no second task, because two labels can only be swapped.",
    ),
)
