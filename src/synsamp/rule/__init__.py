"""The synaptic sampling rule: prior + likelihood + noise, its sampler and its theory.

Names are imported on first use: spiking networks need the equation alone, and the sampler loads
xarray and SciPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synsamp.rule.arviz import to_arviz
    from synsamp.rule.chains import Chains
    from synsamp.rule.likelihood import Batch, HiddenStates, Online
    from synsamp.rule.mala import MALA
    from synsamp.rule.method import Method
    from synsamp.rule.order import at_random, in_turn
    from synsamp.rule.overdamped import Overdamped
    from synsamp.rule.rule import Rule
    from synsamp.rule.sampler import ConvergenceWarning, sample
    from synsamp.rule.speed import Speed
    from synsamp.rule.step import StepSizeWarning
    from synsamp.rule.theory import FokkerPlanck, fokker_planck
    from synsamp.rule.underdamped import Underdamped

__all__ = [
    "MALA",
    "Batch",
    "Chains",
    "ConvergenceWarning",
    "FokkerPlanck",
    "HiddenStates",
    "Method",
    "Online",
    "Overdamped",
    "Rule",
    "Speed",
    "StepSizeWarning",
    "Underdamped",
    "at_random",
    "fokker_planck",
    "in_turn",
    "sample",
    "to_arviz",
]

_MODULES = (
    *("likelihood", "speed", "order", "method", "rule", "overdamped", "underdamped", "mala"),
    *("step", "chains", "sampler", "theory", "arviz"),
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module_name in _MODULES:
            module = import_module(f"synsamp.rule.{module_name}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
