"""Claims: statements of a paper that can fail, and how they are judged over seeds."""

from synsamp.claims.claim import Band, Claim, Kind, Ratio, Value, measure_key
from synsamp.claims.declared import Measure, measures_in, variants
from synsamp.claims.judge import Judged, judge, judge_all

__all__ = [
    "Band",
    "Claim",
    "Judged",
    "Kind",
    "Measure",
    "Ratio",
    "Value",
    "judge",
    "judge_all",
    "measure_key",
    "measures_in",
    "variants",
]
