"""Experiments: what one consists of (`base`), and the list of all of them (`registry`).

Names are imported on first use: ``synsamp --help`` and ``synsamp list`` need only the registry.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synsamp.experiments.base import (
        Experiment,
        GaussianSection,
        Parameters,
        Results,
        RunContext,
    )

__all__ = ["Experiment", "GaussianSection", "Parameters", "Results", "RunContext"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("synsamp.experiments.base"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
