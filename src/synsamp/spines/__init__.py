"""Fit stochastic processes to tables of dendritic spines.

table = synsamp.spines.read("spines.csv")
fitted = synsamp.spines.fit(table)            # fitted.frame: estimates with 95 % intervals
survival = synsamp.spines.survival(table)     # survival.frame: the Kaplan–Meier curve
"""

from synsamp.spines.analysis import Analysis, analyse, fit, survival, turnover
from synsamp.spines.held_out import held_out
from synsamp.spines.plan import plan
from synsamp.spines.process import OneTimeScale, RandomWalk, TwoTimeScales
from synsamp.spines.reading import read
from synsamp.spines.rule_parameters import to_rule_parameters
from synsamp.spines.simulate import simulated_table
from synsamp.spines.table import SpineTable

__all__ = [
    "Analysis",
    "OneTimeScale",
    "RandomWalk",
    "SpineTable",
    "TwoTimeScales",
    "analyse",
    "fit",
    "held_out",
    "plan",
    "read",
    "simulated_table",
    "survival",
    "to_rule_parameters",
    "turnover",
]
