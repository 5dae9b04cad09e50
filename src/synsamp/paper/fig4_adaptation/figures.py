"""Drawing of Figure 4 from its saved results: one circuit as example, curves over all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.fig4_adaptation.figures_mechanism import draw_mechanism
from synsamp.paper.fig4_adaptation.figures_setting import draw_setting
from synsamp.paper.fig4_adaptation.figures_snapshots import draw_snapshots
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import FREE, LEARNING

PHASE_SHADE = "#f1f3f6"
LOWEST, HIGHEST = -3.0, 4.5
"""Of the θ axis."""


def draw(p: AdaptationParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Panels A–D (circuit, timing curves, data), E and F (snapshots), G and H (time courses).

    Where it was asked, I and J (what drives it).
    """
    figures = {
        "ABCD": draw_setting(p, runs),
        "EF": draw_snapshots(p.course, runs[0]),
        "GH": _courses(p, runs),
    }
    if "mechanism" in runs[0]:
        figures["IJ"] = draw_mechanism(p, runs)
    return figures


def _courses(p: AdaptationParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 4.6))
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 7.5], height_ratios=[1.15, 1])
    trace = figure.add_subplot(grid[0, 1])
    prior = figure.add_subplot(grid[0, 0], sharey=trace)
    count = figure.add_subplot(grid[1, 1], sharex=trace)
    _prior(prior, p.rule.prior.mean, p.rule.prior.std)
    _synapse(trace, runs[0])
    _active(count, runs)
    _shade_phases((trace, count), p.course)
    return figure


def _prior(axes: Axes, mean: float, std: float) -> None:
    theta = np.linspace(LOWEST, HIGHEST, 200)
    density = np.exp(-0.5 * ((theta - mean) / std) ** 2)
    axes.fill_betweenx(theta, 0, density, color=SKY, alpha=0.5, linewidth=0)
    axes.plot(density, theta, color=BLUE, linewidth=1.2)
    axes.axhline(0, color=ORANGE, linewidth=0.8, linestyle="--")
    axes.invert_xaxis()
    axes.set(xticks=[], ylabel="θ", xlabel="prior")
    axes.set_title("G")


def _synapse(axes: Axes, results: Results) -> None:
    shown = results["shown"]
    post, pre = int(shown.synapse_post), int(shown.synapse_pre)
    theta = results[f"{LEARNING}/candidates"].candidates.isel(post=post).sel(pre=pre)
    values = theta.values
    axes.plot(theta.time, values, color=INK, linewidth=0.8)
    axes.axhline(0, color=ORANGE, linewidth=0.8, linestyle="--")
    axes.fill_between(theta.time, 0, values, where=values > 0, color=GREEN, alpha=0.25, linewidth=0)
    axes.set_title(f"synapse of neuron z{post + 1} and input {pre}", weight="normal")
    axes.tick_params(labelbottom=False, labelleft=False)
    axes.set(ylim=(LOWEST, HIGHEST))


def _active(axes: Axes, runs: Sequence[Results]) -> None:
    active = runs[0][f"{LEARNING}/active"].active
    size = active.sizes["post"] * runs[0]["images"].sizes["pre"]
    counts, free = (
        np.stack([run[f"{arm}/active"].active.sum("post").values for run in runs])
        for arm in (LEARNING, FREE)
    )
    if len(runs) > 1:
        low, high = counts.min(axis=0), counts.max(axis=0)
        label = f"range of {len(runs)} circuits"
        axes.fill_between(active.time, low, high, color=SKY, linewidth=0, label=label)
    colour, width = (INK, 0.6) if len(runs) > 1 else (BLUE, 1.0)  # the range is narrow
    axes.plot(active.time, counts.mean(axis=0), color=colour, linewidth=width, label="learning")
    label = "prior and noise alone"
    axes.plot(active.time, free.mean(axis=0), color=PURPLE, linewidth=0.8, label=label)
    axes.legend(loc="center right")
    axes.axhline(0.25 * size, color=GRAY, linewidth=0.8, linestyle=":")
    axes.text(active.time[-1], 0.26 * size, "25 %", ha="right", fontsize=7.5, color=GRAY)
    axes.set(xlabel="time / s", ylabel="active synapses", ylim=(0, None))
    axes.set_title(f"H  of {size:,} potential synapses")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")


def _shade_phases(row: tuple[Axes, ...], course: Course) -> None:
    for phase, digits in enumerate(course.digits):
        start, end = course.start_s(phase), course.ends_s[phase]
        for axes in row:
            if phase % 2:
                axes.axvspan(start, end, color=PHASE_SHADE, zorder=0)
        text = f"shown: {', '.join(map(str, digits))}"
        row[0].text((start + end) / 2, LOWEST + 0.25, text, ha="center", fontsize=8)
    row[0].set_xlim(0, course.ends_s[-1])
