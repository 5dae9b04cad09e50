"""One trial of the comparison: the machine and images of Fig. 2 under many priors."""

from __future__ import annotations

import numpy as np

from synsamp.experiments.base import Results, RunContext
from synsamp.paper.fig2_prior_comparison.models import compared_priors
from synsamp.paper.fig2_prior_comparison.parameters import ComparisonParameters
from synsamp.paper.shared.boltzmann_learning import train_variants


def run(p: ComparisonParameters, seed: int, context: RunContext) -> Results:
    """Learn under every prior at every temperature, and run the controls."""
    ways = compared_priors(p.priors, p.temperatures, p.rule.prior.std)
    coordinates = {
        "prior": ("branch", np.array([way.prior for way in ways])),
        "temperature": ("branch", np.array([way.temperature for way in ways])),
        "control": ("branch", np.array([way.control for way in ways])),
    }
    learned = train_variants(p, [way.variant for way in ways], seed, context)
    return {key: dataset.assign_coords(coordinates) for key, dataset in learned.items()}
