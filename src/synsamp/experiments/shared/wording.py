"""How the details of claims word a value of many circuits."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.analysis.intervals import mean_interval


def over_seeds(values: Any, digits: int = 3) -> str:
    """Mean, 95 % interval and all values, in words."""
    row = np.atleast_1d(np.asarray(values, float))
    listed = ", ".join(f"{v:.{digits}g}" for v in row)
    if row.size < 2:
        return f"one circuit: {listed}"
    _, low, high = mean_interval(row)
    return (
        f"mean {row.mean():.{digits}g}, 95 % interval {low:.{digits}g} to {high:.{digits}g}, "
        f"{row.size} circuits: {listed}"
    )
