"""The synaptic sampling rule: prior + likelihood + noise, its sampler and its theory."""

from synsamp.rule.arviz import to_arviz
from synsamp.rule.chains import Chains
from synsamp.rule.likelihood import Batch, HiddenStates, Online, at_random, in_turn
from synsamp.rule.rule import Rule
from synsamp.rule.sampler import sample
from synsamp.rule.speed import Speed
from synsamp.rule.step import StepSizeWarning
from synsamp.rule.theory import FokkerPlanck, fokker_planck

__all__ = [
    "Batch",
    "Chains",
    "FokkerPlanck",
    "HiddenStates",
    "Online",
    "Rule",
    "Speed",
    "StepSizeWarning",
    "at_random",
    "fokker_planck",
    "in_turn",
    "sample",
    "to_arviz",
]
