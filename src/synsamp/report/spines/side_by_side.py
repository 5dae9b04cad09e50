"""The figure that compares conditions: survival of new spines and turnover of each animal."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from synsamp.figures.style import CYCLE, INK
from synsamp.report.spines.axes import shown
from synsamp.spines.analysis import Analysis


def draw_conditions(found: Analysis) -> Figure:
    """One colour per condition in both panels."""
    assert found.turnover_by_condition is not None
    figure = Figure(figsize=(7, 3.2))
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
    names = found.table.conditions
    colour = {name: CYCLE[k % len(CYCLE)] for k, name in enumerate(names)}
    for name, curve in found.survival_by_condition.items():
        left.fill_between(
            curve.time, curve.low, curve.high, step="post", color=colour[name], alpha=0.15, lw=0
        )
        left.step(
            curve.time, curve.survival, where="post", color=colour[name], lw=1.5, label=shown(name)
        )
    unit = f" ({found.table.time_unit}s)" if found.table.time_unit else ""
    left.set(xlabel=f"time since first seen{unit}", ylabel="proportion surviving", ylim=(0, 1.03))
    left.set_xlim(left=0)
    left.xaxis.set_major_locator(MaxNLocator(6))
    left.legend()
    ratios = found.turnover_by_condition
    for k, name in enumerate(names):
        own = ratios.loc[ratios["condition"] == name, "ratio"].to_numpy()
        if own.size:
            aside = np.linspace(-0.12, 0.12, own.size) if own.size > 1 else np.zeros(1)
            right.plot(k + aside, own, "o", ms=5, color=colour[name], alpha=0.7)
            right.plot([k - 0.25, k + 0.25], 2 * [own.mean()], color=INK, lw=1.5)
    longest = max(4, int(30 / max(len(names), 1)))
    right.set_xticks(range(len(names)), [shown(name, longest) for name in names])
    right.set(xlim=(-0.5, len(names) - 0.5), ylabel="turnover ratio of an animal")
    right.set_ylim(bottom=0)
    return figure
