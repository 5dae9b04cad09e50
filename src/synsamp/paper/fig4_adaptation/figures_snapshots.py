"""Panels E and F of Fig. 4: weights and active connections at each snapshot."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from synsamp.experiments import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, ORANGE
from synsamp.paper.fig4_adaptation.parameters import Timeline
from synsamp.paper.fig4_adaptation.protocol import (
    LEARNING,
)

MOST_COLUMNS = 13
LEFT, RIGHT, TOP, BOTTOM = 0.085, 0.985, 0.88, 0.03


def draw_snapshots(timeline: Timeline, results: Results) -> Figure:
    """Rows of neurons, columns of snapshots; the synapse of panel G is framed."""
    images, shown = results["images"], results[f"{LEARNING}/selected"]
    weight, theta = results[f"{LEARNING}/weight"].weight, results[f"{LEARNING}/theta"].theta
    shape = (images.attrs["height"], images.attrs["width"])
    total = theta.sizes["time"]
    columns = np.arange(0, total, -(-(total - 1) // (MOST_COLUMNS - 1)) or 1)
    times = theta.time.values[columns]
    neurons = shown.post.values
    top = float(np.quantile(weight.values[1:], 0.999)) or 1.0
    figure = Figure(figsize=(7, len(neurons) + 1.25))
    figure.set_layout_engine("none")
    grid = figure.add_gridspec(
        2 * len(neurons) + 1,
        len(columns),
        height_ratios=[1] * len(neurons) + [0.55] + [1] * len(neurons),
        left=LEFT,
        right=RIGHT,
        top=TOP,
        bottom=BOTTOM,
        hspace=0.06,
        wspace=0.06,
    )
    marked = int(shown.synapse_post) if timeline.new_phase is not None else -1
    row, column = np.unravel_index(int(shown.synapse_pre), shape)
    for r, neuron in enumerate(neurons):
        for c, snapshot in enumerate(columns):
            upper = figure.add_subplot(grid[r, c])
            picture = weight.values[snapshot, neuron].reshape(shape)
            upper.imshow(picture, cmap="gray_r", vmin=0, vmax=top)
            lower = figure.add_subplot(grid[len(neurons) + 1 + r, c])
            _active_dots(lower, theta.values[snapshot, neuron].reshape(shape) > 0)
            if neuron == marked:
                _frame(lower, float(column), float(row))
            for axes in (upper, lower):
                _bare(axes)
                if c == 0:
                    axes.set_ylabel(f"z{neuron + 1}", rotation=0, ha="right", va="center")
            if r == 0:
                seconds = f"{times[c]:,.0f}"
                upper.set_title(seconds, fontsize=7, loc="center", weight="normal", pad=2)
    _phase_bar(figure, timeline, times)
    figure.text(0.012, 0.965, "E  weights ŵ", weight="bold", fontsize=10, va="center")
    figure.text(RIGHT, 0.965, "time of the snapshot / s", fontsize=8, va="center", ha="right")
    middle = BOTTOM + (TOP - BOTTOM) * (len(neurons) + 0.12) / (2 * len(neurons) + 0.55)
    figure.text(0.012, middle, "F  active connections (θ > 0)", weight="bold", fontsize=10)
    return figure


def _active_dots(axes: Axes, active: NDArray[np.bool_]) -> None:
    rows, columns = np.nonzero(active)
    axes.plot(columns, rows, "s", color=GREEN, markersize=0.75, markeredgewidth=0)
    height, width = active.shape
    axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), aspect="equal")


def _frame(axes: Axes, x: float, y: float) -> None:
    corner = (x - 1.6, y - 1.6)
    axes.add_patch(Rectangle(corner, 3.2, 3.2, fill=False, edgecolor=ORANGE, linewidth=0.9))


def _bare(axes: Axes) -> None:
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(True)
        side.set_linewidth(0.4)


def _phase_bar(figure: Figure, timeline: Timeline, times: Any) -> None:
    """Coloured strips above the snapshots: the digits shown before each."""
    width = (RIGHT - LEFT) / len(times)
    before = None
    for c, time in enumerate(times):
        phase = timeline.phase_at(float(time)) if time else None
        colour = GRAY if phase is None else (BLUE, ORANGE)[phase % 2]
        left = LEFT + c * width
        strip = Rectangle(
            (left + 0.002, 0.914),
            width - 0.004,
            0.008,
            facecolor=colour,
            edgecolor="none",
            transform=figure.transFigure,
        )
        figure.add_artist(strip)
        if c == 0 or phase != before:
            digits = "" if phase is None else ", ".join(map(str, timeline.digits[phase]))
            text = "start" if phase is None else f"phase {phase + 1}: {digits}"
            figure.text(left + 0.002, 0.93, text, fontsize=7.5, color=colour)
        before = phase
