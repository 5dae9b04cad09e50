"""Averaging over samples: is a posterior worth more than its last sample, or than plain SGD?

A small network learns few handwritten digits by the rule. The class probabilities of its samples
are averaged, and held against those of the last sample and of a network trained by plain SGD: how
often they are right, how well calibrated they are, and whether they notice images that are no
digits. What JAX has to do with is loaded when a run begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synsamp.beyond.ensemble_mnist.claims import CLAIMS
from synsamp.beyond.ensemble_mnist.measures import measures
from synsamp.beyond.ensemble_mnist.parameters import EnsembleParameters
from synsamp.beyond.shared.labelled_digits import DigitsToLearn
from synsamp.experiments.base import Experiment, Results, RunContext


def run(p: EnsembleParameters, seed: int, context: RunContext) -> Results:
    """One seed: images, starts, minibatches and noise of its own."""
    from synsamp.beyond.ensemble_mnist import course

    return course.run(p, seed, context)


def draw(parameters: EnsembleParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.beyond.ensemble_mnist import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="ensemble_mnist",
    alias="ensemble",
    title="Averaging over samples: accuracy, calibration, foreign images",
    summary="The average over samples of a network's weights against the last sample and against "
    "plain SGD, on digits and on images that are none.",
    parameters=EnsembleParameters,
    presets={
        "quick": EnsembleParameters(
            digits=DigitsToLearn(source="embedded", training=100, test=1000),
            foreign=300,
            settling=1000,
            samples=20,
            steps_between=50,
            batch=20,
        ),
        "paper": EnsembleParameters(),
    },
    trials={"quick": 3, "paper": 5},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Test images, the same ones lying on their side, and letters made of strokes.",
        "B": "Accuracy, log score (−log of the probability given to the right class; low is good) "
        "and expected calibration error against the number of samples averaged: mean and range "
        "over seeds. Single samples and plain SGD beside it.",
        "C": "Calibration over all seeds: how often an answer is right, against the probability "
        "that was given to it. On the dotted line the two are the same.",
        "D": "How well foreign images are told from test images by the entropy of class "
        "probabilities: area under the ROC curve, a dot for each seed; 0.5 is chance.",
    },
    assumptions=(
        "One hidden layer with ReLU. Priors are normal: of hidden weights such that their sums "
        "have a variance of about 2 (the mean square of a pixel is about 0.1), of output weights "
        "such that logits have a std of about 3; of biases N(0, 1).",
        "Few training images (1,000 of all ten digits), where there is something to be unsure of.",
        "One path per seed: samples are taken from it at regular steps after it has settled.",
        "Plain SGD has no prior and no noise but that of its minibatches, and as many steps.",
        "Letters are twelve capitals of straight strokes, jittered; digits are turned by 90°, "
        "those that look alike then (0, 8) included.",
    ),
    deviations=("The quick preset tells ones and twos apart from 100 images.",),
)
