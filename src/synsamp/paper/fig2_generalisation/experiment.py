"""Fig. 2: a prior of synaptic weights keeps a Boltzmann machine from overfitting.

A machine with 784 visible and 9 hidden neurons learns from five images of a handwritten 1, under a
uniform prior (the maximum likelihood rule, with noise) and under a bimodal prior of its weights.
Every seed is a trial with other images, initial values and noise.
"""

from __future__ import annotations

from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with
from synsamp.paper.fig2_generalisation.claims import CLAIMS
from synsamp.paper.fig2_generalisation.measures import ALSO_MEASURED, MARGIN_NATS, MEASURES
from synsamp.paper.fig2_generalisation.parameters import GeneralisationParameters
from synsamp.paper.fig2_generalisation.protocol import run
from synsamp.paper.shared.boltzmann_trial import MANY_IMAGES, Learning

EXPERIMENT = Experiment(
    name="generalisation",
    alias="fig2",
    title="Priors improve generalisation",
    summary="A Boltzmann machine learns five handwritten ones: under a uniform prior it overfits, "
    "under a bimodal prior for its weights it keeps explaining ones it has never seen.",
    parameters=GeneralisationParameters,
    presets={
        "quick": GeneralisationParameters(learning=Learning(updates=20_000)),
        "paper": GeneralisationParameters(),
    },
    trials={"quick": 4, "paper": 100},
    run=run,
    measures=MEASURES,
    also_measured=ALSO_MEASURED,
    claims=CLAIMS,
    draw=draw_with("synsamp.paper.fig2_generalisation.figures"),
    captions={
        "A": "The five training images of the first trial, and the network: 784 visible neurons, "
        "one per pixel, and 9 hidden ones.",
        "B": "Some of the held-out test images.",
        "C": "Uniform prior: 50 randomly chosen weights during learning in the first trial, and "
        "the histogram of all weights of all trials at the end (80 bins from −4 to 4).",
        "D": "Uniform prior: log-likelihood of training and test images, mean and standard "
        "deviation over trials. On test images it rises at first and then falls. Dotted: test "
        "images without noise (T = 0).",
        "E": "Bimodal prior (blue curve): most weights settle around 0, some around 1.",
        "F": "Bimodal prior: the log-likelihood of test images stays high throughout. Grey in D "
        "and F: prior and noise alone, without images.",
        "G": "Beyond the figure: digits that the machines of the first trial generate at the "
        "end (exact samples; grey values are probabilities).",
        "H": "Beyond the figure: log-likelihood of test images under the last sample of the "
        "parameters, under a typical sample of the second half of learning, and under "
        "the average of p(x|θ) over those samples. One dot is one trial.",
    },
    assumptions=(
        "50,000 updates; the paper does not report the number.",
        "Log-likelihood is exact (log Z by summing all hidden states), on images binarised once "
        "per trial; the paper does not report how it was computed.",
        "Each trial draws five training and 100 test images from the training set of MNIST; "
        "both priors learn from the same images, initial values and random numbers.",
        "Controls: the bimodal prior with other random numbers; both priors with noise and no "
        f"images; the uniform prior without noise, on five images and on {MANY_IMAGES} others.",
        f"Near the best means within {MARGIN_NATS:g} nats; the paper gives no number.",
    ),
    deviations=(
        "784 visible neurons; the Methods print 748, which is not 28 × 28.",
        "At T = 1 the likelihood also falls through noise alone, without images. A fall under "
        "the uniform prior therefore does not prove memorisation. The claim memorisation tests "
        "memorisation without noise.",
    ),
)
