"""Priors p_S(θ): structural constraints and preferences, one file each."""

from synsamp.priors.base import CustomPrior, Part, Prior, Values
from synsamp.priors.flat import Flat
from synsamp.priors.gaussian import Gaussian
from synsamp.priors.grouped import PriorByGroup
from synsamp.priors.laplace import Laplace
from synsamp.priors.log_normal import LogNormalWeight
from synsamp.priors.mixture import GaussianMixture
from synsamp.priors.student_t import StudentT

__all__ = [
    "CustomPrior",
    "Flat",
    "Gaussian",
    "GaussianMixture",
    "Laplace",
    "LogNormalWeight",
    "Part",
    "Prior",
    "PriorByGroup",
    "StudentT",
    "Values",
]
