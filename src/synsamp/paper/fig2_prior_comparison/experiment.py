"""Beyond Fig. 2: which prior generalises best, and does more noise hurt?

The machine and the images of ``generalisation``, under every prior of a list at every
temperature of a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from synsamp.experiments.base import Experiment, Results, RunContext
from synsamp.paper.fig2_prior_comparison.claims import CLAIMS
from synsamp.paper.fig2_prior_comparison.measures import measures
from synsamp.paper.fig2_prior_comparison.variants import Name, compared
from synsamp.paper.shared.boltzmann_learning import learn
from synsamp.paper.shared.boltzmann_trial import Learning, TrialParameters


class ComparisonParameters(TrialParameters):
    """Which priors and temperatures are compared."""

    priors: tuple[Name, ...] = Field(
        ("uniform", "gaussian", "laplace", "student_t", "narrow_gaussian", "bimodal"),
        min_length=1,
        max_length=6,
        description="priors of the weights",
    )
    temperatures: tuple[Annotated[float, Field(ge=0.0, le=1000.0)], ...] = Field(
        (0.0, 0.25, 1.0, 4.0),
        min_length=1,
        max_length=50,
        description="temperatures T; 0 is no noise",
    )
    prior_std: float = Field(
        0.52, ge=1e-3, le=100.0, description="std of the Gaussian, Laplace and Student-t prior"
    )

    @model_validator(mode="after")
    def _each_once(self) -> ComparisonParameters:
        for values in (self.priors, self.temperatures):
            if len(set(values)) < len(values):
                raise ValueError("priors and temperatures must each be named once")
        return self

    @property
    def n_variants(self) -> int:
        """Ways to learn, controls included."""
        return len(compared(self.priors, self.temperatures, self.prior_std))


def run(p: ComparisonParameters, seed: int, context: RunContext) -> Results:
    """One trial: learn under every prior at every temperature."""
    ways = compared(p.priors, p.temperatures, p.prior_std)
    coordinates = {
        "prior": ("variant", np.array([way.prior for way in ways])),
        "temperature": ("variant", np.array([way.temperature for way in ways])),
        "control": ("variant", np.array([way.control for way in ways])),
    }
    learned = learn(p, [way.variant for way in ways], seed, context)
    return {key: dataset.assign_coords(coordinates) for key, dataset in learned.items()}


def draw(parameters: ComparisonParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.paper.fig2_prior_comparison import figures

    return figures.draw(parameters, runs)


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
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Log-likelihood of test images in the second half of learning by prior and "
        "temperature; mean and standard deviation over trials.",
        "B": "The same during learning at temperature 1 (or the one nearest to it).",
        "C": "Digits that the machines of the first trial make up at the end, at the same "
        "temperature; gray values are probabilities.",
    },
    assumptions=(
        "Not in the paper: it asks what its Fig. 2 leaves open.",
        "Gaussian, Laplace and Student-t (3 degrees of freedom) priors have mean 0 and the "
        "standard deviation of the bimodal prior, 0.52; the narrow Gaussian has 0.15.",
        "All variants of a trial share images, initial values and random numbers, but for the "
        "controls: three priors learn again with other random numbers.",
        "Priors are compared by the mean log-likelihood over the second half of learning; the last "
        "sample alone fluctuates by more than some of them differ.",
    ),
    deviations=("Trials of the quick preset have 4,000 updates, too few to part the priors.",),
)
