"""Panels A to D: circuit, timing curves, data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, SKY
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters


def draw_setting(p: AdaptationParameters, runs: Sequence[Results]) -> Figure:
    """What is shown to what, and the rule's timing curves as the engine runs them."""
    images = runs[0]["images"]
    figure = Figure(figsize=(7, 5.2))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.0, 1.05], width_ratios=[1.15, 1])
    _circuit(figure.add_subplot(grid[0, 0]), images, p.circuit.neurons)
    _data(figure, grid[0, 1], images, p.course.digits)
    _single(figure.add_subplot(grid[1, 0]), runs[0]["stdp"])
    _paired(figure.add_subplot(grid[1, 1]), runs)
    return figure


def _single(axes: Axes, stdp: xr.Dataset) -> None:
    """Panel B: nothing is random here, so one run has it all."""
    axes.set_title("B  likelihood term, single pairs")
    for k, colour in enumerate((SKY, BLUE, INK)[: stdp.sizes["weight"]]):
        axes.plot(1e3 * stdp.fine_lag, stdp.single_line[k], color=colour, linewidth=1.1)
        label = f"w = {float(stdp.weight[k]):g}"
        axes.plot(1e3 * stdp.lag, stdp.single[k], ".", color=colour, markersize=4.5, label=label)
    _lag_axes(axes)
    axes.set_ylabel("Δw / (b N w²)")


def _paired(axes: Axes, runs: Sequence[Results]) -> None:
    """Panel C: regular pairs, and Poisson trains as means over runs with two standard errors."""
    curves = [run["stdp"] for run in runs]
    stdp = curves[0]
    error = np.sqrt(np.sum([one.poisson_error**2 for one in curves], axis=0)) / len(curves)
    axes.set_title("C  both neurons at 20 Hz, w = 1")
    axes.errorbar(
        1e3 * stdp.bin,
        np.mean([one.poisson for one in curves], axis=0),
        2 * error,
        fmt=".",
        color=GRAY,
        markersize=3,
        elinewidth=0.7,
        label="Poisson",
        zorder=1,
    )
    axes.plot(1e3 * stdp.bin, stdp.poisson_law, color=GRAY, linewidth=0.9, zorder=1)
    axes.plot(1e3 * stdp.fine_paired_lag, stdp.regular_line, color=ORANGE, linewidth=1.2)
    axes.plot(
        1e3 * stdp.paired_lag, stdp.regular, ".", color=ORANGE, markersize=5, label="regular pairs"
    )
    _lag_axes(axes)


def _lag_axes(axes: Axes) -> None:
    axes.axhline(0, color=GRAY, linewidth=0.6)
    axes.axvline(0, color=GRAY, linewidth=0.6)
    axes.set(xlabel=r"$t_{post} - t_{pre}$ / ms", xlim=(-100, 100))
    axes.legend(loc="upper left", handletextpad=0.1)


def _circuit(axes: Axes, images: xr.Dataset, neurons: int) -> None:
    """The cartoon of panel A: pixels, input neurons, the circuit and its inhibition."""
    axes.set_title("A  circuit")
    axes.set(xlim=(-0.2, 10.4), ylim=(-0.9, 6.1), aspect="equal")
    axes.axis("off")
    picture = images.examples.values[-1, 0]
    axes.imshow(picture, cmap="gray_r", extent=(0, 2.8, 0.7, 3.5), zorder=2)
    axes.add_patch(Rectangle((0, 0.7), 2.8, 2.8, fill=False, edgecolor=GRAY, linewidth=0.8))
    inputs = np.linspace(0.0, 4.4, 7)
    for y in inputs:
        axes.add_patch(Circle((4.6, y), 0.2, facecolor="white", edgecolor=INK, linewidth=0.9))
    outer = np.linspace(-0.1, 4.5, 5)
    for k, y in enumerate(outer):
        chosen = k == 1
        colour = GREEN if chosen else INK
        axes.add_patch(
            Circle((8.1, y), 0.36, facecolor="white", edgecolor=colour, linewidth=1.2, zorder=3)
        )
        if chosen:
            for i, start in enumerate(inputs):
                style = "-" if i in (1, 3, 4) else (0, (1, 2))
                axes.plot(
                    [4.82, 7.72], [start, y], color=GREEN, linewidth=0.9, linestyle=style, zorder=1
                )
    for y in inputs[1:6]:
        axes.plot([2.95, 4.35], [2.1 + 0.5 * (y - 2.2), y], color=GRAY, linewidth=0.5, zorder=1)
    axes.plot([9.5, 9.5], [outer[0], outer[-1]], color=ORANGE, linewidth=1.4)
    for y in outer:
        axes.plot([8.55, 9.5], [y, y], color=ORANGE, linewidth=0.9)
        axes.plot([8.55], [y], "o", color=ORANGE, markersize=3)
    inputs_and_neurons = (4.6, f"x: {images.sizes['pre']}"), (8.1, f"z: {neurons}")
    for x, text in ((1.4, "digit"), *inputs_and_neurons):
        axes.text(x, 5.35, text, ha="center", fontsize=8.5)
    axes.text(9.75, 2.2, "inhibition", rotation=90, va="center", fontsize=8, color=ORANGE)


def _data(
    figure: Figure, place: Any, images: xr.Dataset, phases: Sequence[tuple[int, ...]]
) -> None:
    """Examples of what each phase shows; of many different ones, the first three."""
    digits = [int(d) for d in images.digit.values]
    groups = list(dict.fromkeys(phases))[:3]
    inner = place.subgridspec(len(groups), 1, hspace=0.05)
    for k, group in enumerate(groups):
        axes = figure.add_subplot(inner[k])
        rows = [digits.index(d) for d in group]
        shown = [images.examples.values[rows[i % len(rows)], i // len(rows)] for i in range(16)]
        tile = np.concatenate([np.concatenate(shown[i : i + 8], axis=1) for i in (0, 8)])
        axes.imshow(tile, cmap="gray_r", interpolation="nearest")
        axes.set(xticks=[], yticks=[])
        numbers = [str(i + 1) for i, phase in enumerate(phases) if phase == group]
        if len(numbers) > 6:
            numbers = [*numbers[:5], "…"]
        label = f"phase{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
        axes.set_xlabel(label, fontsize=8.5)
        if k == 0:
            axes.set_title("D  data sets")
        for side in axes.spines.values():
            side.set_visible(True)
            side.set_linewidth(0.6)
