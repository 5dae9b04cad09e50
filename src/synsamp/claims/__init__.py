"""Claims: statements of a paper that can fail, and how they are judged over seeds."""

from synsamp.claims.claim import (
    Amount,
    Band,
    Claim,
    Correlation,
    Kind,
    Multiple,
    Portion,
    Ratio,
    Share,
    Value,
    measure_key,
)
from synsamp.claims.declared import Measure, limits_of, measures_in, variants, with_limits
from synsamp.claims.judge import Judged, judge, judge_all

__all__ = [
    "Amount",
    "Band",
    "Claim",
    "Correlation",
    "Judged",
    "Kind",
    "Measure",
    "Multiple",
    "Portion",
    "Ratio",
    "Share",
    "Value",
    "judge",
    "judge_all",
    "limits_of",
    "measure_key",
    "measures_in",
    "variants",
    "with_limits",
]
