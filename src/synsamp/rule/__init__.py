"""The synaptic sampling rule: prior + likelihood + noise, its sampler and its theory."""

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
