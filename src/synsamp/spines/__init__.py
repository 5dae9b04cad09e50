"""Tables of dendritic spines from real laboratories: what process is behind them.

table = synsamp.spines.read("spines.csv")
fitted = synsamp.spines.fit(table)            # fitted.frame: estimates with intervals
lives = synsamp.spines.survival(table)        # lives.frame: the Kaplan–Meier curve
"""

from synsamp.spines.analysis import Analysis, analyse, fit, survival, turnover
from synsamp.spines.process import OneTimeScale, RandomWalk, TwoTimeScales
from synsamp.spines.reading import read
from synsamp.spines.simulate import simulated_table
from synsamp.spines.table import SpineTable
from synsamp.spines.words import in_model_words

__all__ = [
    "Analysis",
    "OneTimeScale",
    "RandomWalk",
    "SpineTable",
    "TwoTimeScales",
    "analyse",
    "fit",
    "in_model_words",
    "read",
    "simulated_table",
    "survival",
    "turnover",
]
