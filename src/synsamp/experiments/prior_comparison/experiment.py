"""Beyond Fig. 2: which prior generalises best, and does more noise hurt?

The machine and the images of ``generalization``, under every prior of a list at every
temperature of a list. The one-humped priors are centred at 0. All but one have the standard
deviation of the bimodal prior, so that they differ in shape and not in width; the narrow Gaussian
is the bimodal prior's mode at 0 alone, and shows what its second mode adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from synsamp.experiments.base import Experiment, Results, RunContext
from synsamp.experiments.prior_comparison.claims import CLAIMS
from synsamp.experiments.prior_comparison.measures import measures
from synsamp.experiments.shared.boltzmann_learning import learn
from synsamp.experiments.shared.boltzmann_trial import Learning, TrialParameters, Variant
from synsamp.priors import Flat, Gaussian, GaussianMixture, Laplace, Prior, StudentT

Name = Literal["uniform", "gaussian", "laplace", "student_t", "narrow_gaussian", "bimodal"]
BIMODAL = GaussianMixture((1.0, 0.0), (0.15, 0.15))
STUDENT_DF = 3.0


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
        """Ways to learn."""
        return len(self.priors) * len(self.temperatures)


def prior_named(name: Name, std: float) -> Prior:
    """The prior called ``name``; Gaussian, Laplace and Student-t have this standard deviation."""
    priors: dict[str, Prior] = {
        "uniform": Flat(),
        "bimodal": BIMODAL,
        "gaussian": Gaussian(0.0, std),
        "narrow_gaussian": Gaussian(0.0, BIMODAL.stds[1]),
        "laplace": Laplace(0.0, std / np.sqrt(2.0)),
        "student_t": StudentT(STUDENT_DF, 0.0, std * np.sqrt(1.0 - 2.0 / STUDENT_DF)),
    }
    return priors[name]


def run(p: ComparisonParameters, seed: int, context: RunContext) -> Results:
    """One trial: learn under every prior at every temperature."""
    pairs = [(name, T) for name in p.priors for T in p.temperatures]
    variants = [Variant(f"{name} T={T:g}", prior_named(name, p.prior_std), T) for name, T in pairs]
    prior = ("variant", np.array([name for name, _ in pairs]))
    temperature = ("variant", np.array([T for _, T in pairs]))
    return {
        key: dataset.assign_coords(prior=prior, temperature=temperature)
        for key, dataset in learn(p, variants, seed, context).items()
    }


def draw(parameters: ComparisonParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.prior_comparison import figures

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
    trials={"quick": 4, "paper": 20},
    run=run,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "Log-likelihood of test images at the end of learning by prior and temperature; "
        "mean and standard deviation over trials.",
        "B": "The same during learning at temperature 1 (or the one nearest to it).",
        "C": "Digits that the machines of the first trial make up at the end, at the same "
        "temperature; gray values are probabilities.",
    },
    assumptions=(
        "Not in the paper: it asks what its Fig. 2 leaves open.",
        "Gaussian, Laplace and Student-t (3 degrees of freedom) priors have mean 0 and the "
        "standard deviation of the bimodal prior, 0.52; the narrow Gaussian has 0.15.",
        "All variants of a trial share images, initial values and random numbers.",
    ),
    deviations=("Trials of the quick preset have 4,000 updates, too few to part the priors.",),
)
