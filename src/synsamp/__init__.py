"""Synaptic sampling: network plasticity as Bayesian inference.

The public names; everything else is found by the folder that holds it.
"""

from synsamp.errors import SynsampError
from synsamp.mappings import CustomMapping, Exponential, Identity, Mapping, Softplus
from synsamp.priors import (
    CustomPrior,
    Flat,
    Gaussian,
    GaussianMixture,
    Laplace,
    LogNormalWeight,
    Prior,
    PriorByGroup,
    StudentT,
)
from synsamp.rule import Batch, Chains, HiddenStates, Online, Rule, Speed, sample, to_arviz

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "Chains",
    "CustomMapping",
    "CustomPrior",
    "Exponential",
    "Flat",
    "Gaussian",
    "GaussianMixture",
    "HiddenStates",
    "Identity",
    "Laplace",
    "LogNormalWeight",
    "Mapping",
    "Online",
    "Prior",
    "PriorByGroup",
    "Rule",
    "Softplus",
    "Speed",
    "StudentT",
    "SynsampError",
    "sample",
    "to_arviz",
]
