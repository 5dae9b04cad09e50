"""A curve over networks: their mean, and how far they scatter."""

from __future__ import annotations

from typing import Any


def with_band(axes: Any, hours: Any, values: Any, colour: str, **options: Any) -> None:
    """Mean of values [network, time], and one standard deviation to either side."""
    mean = values.mean(axis=0)
    axes.plot(hours, mean, "o-", color=colour, **({"lw": 2.0, "ms": 3.5} | options))
    if len(values) > 1:
        spread = values.std(axis=0, ddof=1)
        axes.fill_between(hours, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)
