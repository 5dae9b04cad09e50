"""What a paper says, as something that can fail: claims, and how they are judged over seeds."""

from synsamp.claims.claim import Band, Claim, Ratio, Value
from synsamp.claims.judge import Judged, judge, judge_all

__all__ = ["Band", "Claim", "Judged", "Ratio", "Value", "judge", "judge_all"]
