"""Priors p_S(θ): structural constraints and preferences, one file each."""

from synsamp.priors.base import CustomPrior as CustomPrior
from synsamp.priors.base import Part as Part
from synsamp.priors.base import Prior as Prior
from synsamp.priors.base import Values as Values
from synsamp.priors.flat import Flat as Flat
from synsamp.priors.gaussian import Gaussian as Gaussian
from synsamp.priors.grouped import PriorByGroup as PriorByGroup
from synsamp.priors.laplace import Laplace as Laplace
from synsamp.priors.log_normal import LogNormalWeight as LogNormalWeight
from synsamp.priors.mixture import GaussianMixture as GaussianMixture
from synsamp.priors.student_t import StudentT as StudentT
