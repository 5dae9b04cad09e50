"""Drawing of Figure 3, A to D: one parameter for a connection, with an example circuit."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY, YELLOW

RETRACTED = "#e9ebef"
THETA = (-2.6, 4.4)
LONGEST_TRACE_S = 86400.0


def draw_parameter(p: Any, results: Results) -> Figure:
    """The cartoon, the mapping, the prior and traces in θ and in w."""
    figure = Figure(figsize=(7, 5.6))
    grid = figure.add_gridspec(2, 3, width_ratios=[2.35, 0.8, 2.7], wspace=0.02)
    _cartoon(figure.add_subplot(grid[0, 0]))
    traces = figure.add_subplot(grid[0, 2])
    prior = figure.add_subplot(grid[0, 1], sharey=traces)
    _mapping(figure.add_subplot(grid[1, 0]), p)
    weights = figure.add_subplot(grid[1, 2])
    density = figure.add_subplot(grid[1, 1], sharey=weights)
    _prior_of_theta(prior, p)
    _prior_of_weight(density, p)
    _traces(traces, weights, p, results["traces"])
    return figure


def _cartoon(axes: Axes) -> None:
    """A dendrite with spines of different size along the axis of θ."""
    axes.set_title("A  one parameter θ")
    axes.set(xlim=(-3.1, 4.1), ylim=(-3.0, 3.2), aspect="equal", anchor="NW")
    axes.axis("off")
    axes.add_patch(Rectangle((-3.1, -2.6), 3.1, 5.6, color=RETRACTED, zorder=0))
    axes.add_patch(Rectangle((-3.1, -0.35), 7.2, 0.5, color=YELLOW, alpha=0.35, zorder=1))
    axes.plot([0, 0], [-2.6, 3.0], color=ORANGE, linewidth=0.9, linestyle="--", zorder=2)
    for x, length, radius in ((0.55, 0.45, 0.17), (1.75, 0.75, 0.32), (3.2, 1.0, 0.52)):
        axes.plot([x, x], [0.15, 0.15 + length], color=YELLOW, linewidth=2 + 5 * radius, zorder=2)
        axes.add_patch(
            Circle((x, 0.2 + length + radius), radius, facecolor=GREEN, alpha=0.8, zorder=3)
        )
    for x, length in ((-0.6, 0.3), (-1.5, 0.16)):
        axes.plot([x, x], [0.15, 0.15 + length], color=GRAY, linewidth=2.5, zorder=2)
    axes.text(-1.55, 2.45, "retracted", ha="center", fontsize=8.5)
    axes.text(1.5, 2.45, "functional", ha="center", fontsize=8.5)
    for (start, end), text, y in (
        ((-1.9, -0.2), "may grow\nback soon", -1.0),
        ((3.6, 0.25), "may withdraw soon", -1.0),
    ):
        axes.add_patch(
            FancyArrowPatch(
                (start, y), (end, y), arrowstyle="-|>", mutation_scale=9, color=INK, linewidth=0.9
            )
        )
        axes.text((start + end) / 2, y - 0.2, text, ha="center", va="top", fontsize=7.5)
    axes.text(0, -2.95, "θ = 0", ha="center", fontsize=8.5, color=ORANGE)


def _prior_of_theta(axes: Axes, p: Any) -> None:
    theta = np.linspace(*THETA, 300)
    density = np.exp(-0.5 * ((theta - p.rule.prior.mean) / p.rule.prior.std) ** 2)
    axes.fill_betweenx(theta, 0, density, color=SKY, alpha=0.5, linewidth=0)
    axes.plot(density, theta, color=BLUE, linewidth=1.2)
    axes.axhspan(THETA[0], 0, color=RETRACTED, zorder=0)
    axes.invert_xaxis()
    axes.set(xticks=[], xlabel="prior", ylabel="θ", ylim=THETA)
    axes.set_title("B")


def _prior_of_weight(axes: Axes, p: Any) -> None:
    weight = np.geomspace(1e-3, 3, 600)
    theta = np.log(weight) + p.rule.theta_0
    density = np.exp(-0.5 * ((theta - p.rule.prior.mean) / p.rule.prior.std) ** 2) / weight
    axes.fill_betweenx(weight, 0, density / density.max(), color=SKY, alpha=0.5, linewidth=0)
    axes.plot(density / density.max(), weight, color=BLUE, linewidth=1.2)
    axes.invert_xaxis()
    axes.set(xticks=[], xlabel="prior", ylabel="w")
    axes.set_title("D")


def _mapping(axes: Axes, p: Any) -> None:
    axes.set_title("C  w = exp(θ − θ₀)")
    theta = np.linspace(*THETA, 300)
    axes.axvspan(THETA[0], 0, color=RETRACTED, zorder=0)
    axes.plot(theta, np.exp(theta - p.rule.theta_0), color=INK)
    axes.axvline(0, color=ORANGE, linewidth=0.9, linestyle="--")
    axes.text(THETA[0] + 0.2, 0.35, "retracted", fontsize=8.5)
    axes.set(xlabel="θ", ylabel="w", xlim=THETA, ylim=(0, 3))


def _traces(upper: Axes, lower: Axes, p: Any, traces: Any) -> None:
    shown = traces.time.values <= LONGEST_TRACE_S
    hours = traces.time.values[shown] / 3600
    lasting, passing = (BLUE, GREEN, PURPLE, INK), (ORANGE, YELLOW, SKY, GRAY)
    upper.axhspan(THETA[0], 0, color=RETRACTED, zorder=0)
    upper.axhline(0, color=ORANGE, linewidth=0.9, linestyle="--", zorder=1)
    counts = [0, 0]
    for k in range(traces.sizes["trace"]):
        persistent = bool(traces.persistent[k])
        palette = lasting if persistent else passing
        colour = palette[counts[persistent] % len(palette)]
        counts[persistent] += 1
        theta = traces.theta.values[shown, k].astype(float)
        upper.plot(hours, theta, color=colour, linewidth=0.7)
        lower.plot(hours, np.exp(theta - p.rule.theta_0), color=colour, linewidth=0.7)
    for axes in (upper, lower):
        axes.set(xlim=(0, hours[-1]), xlabel="time / h")
        axes.tick_params(labelleft=False)
    upper.set_title("θ of single synapses", weight="normal")
    lower.set_title("the same as w", weight="normal")
    lower.set(ylim=(0, 3))
