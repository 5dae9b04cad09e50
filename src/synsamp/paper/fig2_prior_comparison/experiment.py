"""Beyond Fig. 2: which prior generalises best, and does more noise hurt?

The machine and the images of ``generalisation``, under every prior and temperature of a list.
"""

from __future__ import annotations

from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with
from synsamp.paper.fig2_prior_comparison.claims import CLAIMS
from synsamp.paper.fig2_prior_comparison.measures import MEASURES
from synsamp.paper.fig2_prior_comparison.parameters import ComparisonParameters
from synsamp.paper.fig2_prior_comparison.protocol import run
from synsamp.paper.shared.boltzmann_trial import Learning

EXPERIMENT = Experiment(
    name="prior_comparison",
    alias="fig2x",
    title="Which prior generalises best?",
    summary="The Boltzmann machine of Fig. 2 under six priors and four temperatures.",
    parameters=ComparisonParameters,
    presets={
        "quick": ComparisonParameters(
            evaluations=12,
            temperatures=(0.0, 1.0, 4.0),
            learning=Learning(updates=4_000),
        ),
        "paper": ComparisonParameters(),
    },
    trials={"quick": 4, "paper": 16},
    run=run,
    measures=MEASURES,
    claims=CLAIMS,
    draw=draw_with("synsamp.paper.fig2_prior_comparison.figures"),
    captions={
        "A": "Log-likelihood of test images in the second half of learning by prior and "
        "temperature; mean and standard deviation over trials.",
        "B": "Log-likelihood of test images during learning at temperature 1 (or the nearest one).",
        "C": "Digits that the machines of the first trial generate at the end, at the same "
        "temperature; grey values are probabilities.",
    },
    assumptions=(
        "Not in the paper, whose Fig. 2 leaves the choice of the prior open.",
        "Gaussian, Laplace and Student-t (3 degrees of freedom) priors have mean 0 and the "
        "standard deviation of the bimodal prior, 0.52; the narrow Gaussian has 0.15.",
        "All variants of a trial share images, initial values and random numbers, except for "
        "three priors that learn again with other random numbers.",
        "Priors are compared by the mean log-likelihood over the second half of learning; the last "
        "sample fluctuates by more than some of them differ.",
    ),
    deviations=("Trials of the quick preset have 4,000 updates, too few to separate the priors.",),
)
