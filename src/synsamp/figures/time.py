"""Axes of time."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

HOUR_S = 3600.0
STEPS_H = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def time_axis(axes: Axes, longest_s: float, ticks: int = 6) -> None:
    """Label an x axis of seconds: in hours where it is longer than two of them."""
    hours = longest_s / HOUR_S
    if hours <= 2:
        axes.set_xlabel("time / s")
        return
    step = next((step for step in STEPS_H if hours / step <= ticks), hours)
    axes.xaxis.set_major_locator(MultipleLocator(step * HOUR_S))
    axes.xaxis.set_major_formatter(lambda seconds, _: f"{seconds / HOUR_S:g}")
    axes.set_xlabel("time / h")
