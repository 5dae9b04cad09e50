"""Averaging over samples: is the posterior better than its last sample, or than plain SGD?

A small network learns few handwritten digits under the rule. The class probabilities of its samples
are averaged and compared with those of the last sample and of a network trained by plain SGD:
accuracy, calibration, and detection of out-of-distribution images. JAX is imported when a run
starts.
"""

from __future__ import annotations

from synsamp.beyond.ensemble_mnist.claims import CLAIMS
from synsamp.beyond.ensemble_mnist.measures import ALSO_MEASURED, MEASURES
from synsamp.beyond.ensemble_mnist.parameters import EnsembleParameters
from synsamp.beyond.shared.labelled_digits import DigitsToLearn
from synsamp.experiments.base import Experiment, Results, RunContext
from synsamp.figures.lazy import draw_with


def run(p: EnsembleParameters, seed: int, context: RunContext) -> Results:
    """Run one seed, with other images, initial values, minibatches and noise."""
    from synsamp.beyond.ensemble_mnist import protocol

    return protocol.run(p, seed, context)


EXPERIMENT = Experiment(
    name="ensemble_mnist",
    alias="ensemble",
    title="Averaging over samples: accuracy, calibration, out-of-distribution images",
    summary="Predictions averaged over samples of the weights, compared with the last sample and "
    "plain SGD, on digits and on out-of-distribution images.",
    parameters=EnsembleParameters,
    presets={
        "quick": EnsembleParameters(
            digits=DigitsToLearn(source="embedded", training=100, test=1000),
            out_of_distribution=300,
            settling=1000,
            samples=20,
            steps_between=50,
            batch=20,
        ),
        "paper": EnsembleParameters(),
    },
    trials={"quick": 3, "paper": 5},
    run=run,
    measures=MEASURES,
    also_measured=ALSO_MEASURED,
    claims=CLAIMS,
    draw=draw_with("synsamp.beyond.ensemble_mnist.figures"),
    captions={
        "A": "Test images, the same images rotated by 90°, and letters drawn with strokes.",
        "B": "Accuracy, log score (−log of the probability of the correct class; low is good) "
        "and expected calibration error against the number of samples averaged: mean and range "
        "over seeds. Also shown: single samples and plain SGD.",
        "C": "Calibration over all seeds: share of correct predictions against predicted "
        "probability. On the dotted line they are equal.",
        "D": "Detection of out-of-distribution images by the entropy of class probabilities: area "
        "under the ROC curve, one dot per seed; 0.5 is chance.",
    },
    assumptions=(
        "One hidden layer with ReLU. Priors are normal: of hidden weights such that their sums "
        "have a variance of about 2 (the mean square of a pixel is about 0.1), of output weights "
        "such that logits have a std of about 3; of biases N(0, 1).",
        "Few training images (1,000 of all ten digits), so that uncertainty matters.",
        "One path per seed, sampled at regular steps after it has settled.",
        "Plain SGD has no prior, no noise except that of minibatches, and as many steps.",
        "Letters are twelve capitals of straight strokes, jittered; all digits are rotated by "
        "90°, including 0 and 8, which hardly change.",
    ),
    deviations=("The quick preset classifies ones and twos from 100 images.",),
)
