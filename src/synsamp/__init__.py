"""Synaptic sampling: network plasticity as Bayesian inference.

Public names; everything else is in the subpackages. Names are imported on first use, so that the
command line starts quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synsamp import spines
    from synsamp.errors import SynsampError
    from synsamp.interchange import export
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
    from synsamp.rule import (
        MALA,
        Batch,
        Chains,
        ConvergenceWarning,
        FokkerPlanck,
        HiddenStates,
        Online,
        Overdamped,
        Rule,
        Speed,
        StepSizeWarning,
        Underdamped,
        fokker_planck,
        sample,
        to_arviz,
    )
    from synsamp.runs import open

__version__ = "0.3.0"

__all__ = [
    "MALA",
    "Batch",
    "Chains",
    "ConvergenceWarning",
    "CustomMapping",
    "CustomPrior",
    "Exponential",
    "Flat",
    "FokkerPlanck",
    "Gaussian",
    "GaussianMixture",
    "HiddenStates",
    "Identity",
    "Laplace",
    "LogNormalWeight",
    "Mapping",
    "Online",
    "Overdamped",
    "Prior",
    "PriorByGroup",
    "Rule",
    "Softplus",
    "Speed",
    "StepSizeWarning",
    "StudentT",
    "SynsampError",
    "Underdamped",
    "export",
    "fokker_planck",
    "open",
    "sample",
    "spines",
    "to_arviz",
]


def __getattr__(name: str) -> Any:
    if name in ("spines", "jax"):  # subpackages
        return import_module(f"synsamp.{name}")
    if name in __all__:
        for folder in ("errors", "mappings", "priors", "rule", "runs", "interchange"):
            module = import_module(f"synsamp.{folder}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
