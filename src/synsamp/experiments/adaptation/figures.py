"""Drawing of Figure 4 from its saved results."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, CYCLE, GRAY, GREEN, INK, ORANGE, SKY

MOST_COLUMNS = 13
PHASE_SHADE = "#f1f3f6"


def draw(parameters: Any, results: Results) -> dict[str, Figure]:
    """Panels A–D (circuit, timing curves, data), E and F (snapshots), G and H (time courses)."""
    return {
        "ABCD": _setting(parameters, results),
        "EF": _snapshots(parameters, results),
        "GH": _courses(parameters, results),
    }


# -- A to D ---------------------------------------------------------------------------------------


def _setting(p: Any, results: Results) -> Figure:
    figure = Figure(figsize=(7, 5.2))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.0, 1.05], width_ratios=[1.15, 1])
    _circuit(figure.add_subplot(grid[0, 0]), p, results)
    _data(figure, grid[0, 1], p, results)
    stdp = results["stdp"]
    axes = figure.add_subplot(grid[1, 0])
    axes.set_title("B  likelihood term, single pairs")
    for k, colour in enumerate((SKY, BLUE, INK)[: stdp.sizes["weight"]]):
        axes.plot(1e3 * stdp.fine_lag, stdp.sparse_law[k], color=colour, linewidth=1.1)
        axes.plot(
            1e3 * stdp.lag,
            stdp.sparse[k],
            ".",
            color=colour,
            markersize=4.5,
            label=f"w = {float(stdp.weight[k]):g}",
        )
    _lag_axes(axes)
    axes.legend(loc="upper left", handletextpad=0.1)
    axes.set_ylabel("Δw / (b N w²)")
    axes = figure.add_subplot(grid[1, 1])
    axes.set_title("C  both neurons at 20 Hz")
    axes.plot(1e3 * stdp.fine_lag, stdp.pairing_law, color=ORANGE, linewidth=1.1)
    axes.errorbar(
        1e3 * stdp.lag,
        stdp.pairing,
        2 * stdp.pairing_error,
        fmt=".",
        color=ORANGE,
        markersize=4.5,
        elinewidth=0.8,
        label=f"w = {float(stdp.weight[-1]):g}",
    )
    _lag_axes(axes)
    axes.legend(loc="upper left", handletextpad=0.1)
    return figure


def _lag_axes(axes: Axes) -> None:
    axes.axhline(0, color=GRAY, linewidth=0.6)
    axes.axvline(0, color=GRAY, linewidth=0.6)
    axes.set(xlabel=r"$t_{post} - t_{pre}$ / ms", xlim=(-100, 100))


def _circuit(axes: Axes, p: Any, results: Results) -> None:
    """The cartoon of panel A: pixels, input neurons, the circuit and its inhibition."""
    axes.set_title("A  circuit")
    axes.set(xlim=(-0.2, 10.4), ylim=(-0.9, 6.1), aspect="equal")
    axes.axis("off")
    picture = results["images"].example.values[-1, 0]
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
    n_inputs = results["circuits"].sizes["input"]
    for x, text in ((1.4, "digit"), (4.6, f"x: {n_inputs}"), (8.1, f"z: {p.circuit.neurons}")):
        axes.text(x, 5.35, text, ha="center", fontsize=8.5)
    axes.text(9.75, 2.2, "inhibition", rotation=90, va="center", fontsize=8, color=ORANGE)


def _data(figure: Figure, place: Any, p: Any, results: Results) -> None:
    images = results["images"]
    digits = [int(d) for d in images.digit.values]
    phases = [sorted(set(phase.digits)) for phase in p.phases]
    groups: list[list[int]] = []
    for phase in phases:
        if phase not in groups:
            groups.append(phase)
    groups = groups[:3]
    inner = place.subgridspec(len(groups), 1, hspace=0.05)
    for k, group in enumerate(groups):
        axes = figure.add_subplot(inner[k])
        rows = [digits.index(d) for d in group]
        shown = [images.example.values[rows[i % len(rows)], i // len(rows)] for i in range(16)]
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


# -- E and F --------------------------------------------------------------------------------------


def _snapshots(p: Any, results: Results) -> Figure:
    circuits, images = results["circuits"], results["images"]
    neurons = results["shown"].neuron.values
    shape = (images.attrs["height"], images.attrs["width"])
    total = circuits.sizes["snapshot"]
    columns = np.arange(0, total, -(-(total - 1) // (MOST_COLUMNS - 1)) or 1)
    theta = circuits.theta.isel(seed=0).values.astype(float)
    weight = np.maximum(np.exp(theta - p.rule.theta_0) - np.exp(-p.rule.theta_0), 0.0)
    top = float(np.quantile(weight[1:], 0.999)) or 1.0
    figure = Figure(figsize=(7, 0.5 * 2 * len(neurons) + 1.25))
    figure.set_layout_engine("none")
    rows = 2 * len(neurons)
    grid = figure.add_gridspec(
        rows + 1,
        len(columns),
        height_ratios=[1] * len(neurons) + [0.55] + [1] * len(neurons),
        left=0.085,
        right=0.985,
        top=0.88,
        bottom=0.03,
        hspace=0.06,
        wspace=0.06,
    )
    target = results["measures"]
    marked = int(target.neuron.values[0]) if target.attrs["new_phase"] >= 0 else -1
    place = np.unravel_index(_marked_input(results), shape)
    for r, neuron in enumerate(neurons):
        for c, snapshot in enumerate(columns):
            upper = figure.add_subplot(grid[r, c])
            upper.imshow(weight[snapshot, neuron].reshape(shape), cmap="gray_r", vmin=0, vmax=top)
            lower = figure.add_subplot(grid[len(neurons) + 1 + r, c])
            dots = np.argwhere(theta[snapshot, neuron].reshape(shape) > 0)
            lower.plot(dots[:, 1], dots[:, 0], "s", color=GREEN, markersize=0.75, markeredgewidth=0)
            lower.set(xlim=(-0.5, shape[1] - 0.5), ylim=(shape[0] - 0.5, -0.5), aspect="equal")
            if neuron == marked:
                lower.add_patch(
                    Rectangle(
                        (place[1] - 1.6, place[0] - 1.6),
                        3.2,
                        3.2,
                        fill=False,
                        edgecolor=ORANGE,
                        linewidth=0.9,
                    )
                )
            for axes in (upper, lower):
                axes.set(xticks=[], yticks=[])
                for side in axes.spines.values():
                    side.set_visible(True)
                    side.set_linewidth(0.4)
            if c == 0:
                for axes in (upper, lower):
                    axes.set_ylabel(f"z{neuron + 1}", rotation=0, ha="right", va="center")
            if r == 0:
                seconds = float(circuits.snapshot_time[snapshot])
                upper.set_title(f"{seconds:,.0f}", fontsize=7, loc="center", weight="normal", pad=2)
    _phase_bar(figure, p, columns, circuits.snapshot_time.values)
    figure.text(0.012, 0.965, "E  weights ŵ", weight="bold", fontsize=10, va="center")
    figure.text(0.985, 0.965, "time of the snapshot / s", fontsize=8, va="center", ha="right")
    middle = 0.03 + 0.85 * (len(neurons) + 0.12) / (rows + 0.55)
    figure.text(0.012, middle, "F  active connections (θ > 0)", weight="bold", fontsize=10)
    return figure


def _phase_bar(figure: Figure, p: Any, columns: Any, times: Any) -> None:
    """Coloured strips above the snapshots: which digits were shown before each."""
    ends = np.cumsum([p.length_of(phase) for phase in p.phases])
    width = 0.9 / len(columns)
    for c, snapshot in enumerate(columns):
        phase = min(int(np.searchsorted(ends, times[snapshot])), len(ends) - 1)
        colour = CYCLE[phase % 2]
        figure.add_artist(
            Rectangle(
                (0.085 + c * width + 0.002, 0.914),
                width - 0.004,
                0.008,
                facecolor=colour if snapshot else GRAY,
                edgecolor="none",
                transform=figure.transFigure,
            )
        )
        first = snapshot and (c == 1 or _phase(ends, times[columns[c - 1]]) != phase)
        if first:
            digits = ", ".join(str(d) for d in sorted(set(p.phases[phase].digits)))
            figure.text(
                0.087 + c * width, 0.93, f"phase {phase + 1}: {digits}", fontsize=7.5, color=colour
            )
        elif not snapshot:
            figure.text(0.087, 0.93, "start", fontsize=7.5, color=GRAY)


def _phase(ends: Any, time: float) -> int:
    return min(int(np.searchsorted(ends, time)), len(ends) - 1)


# -- G and H --------------------------------------------------------------------------------------


def _courses(p: Any, results: Results) -> Figure:
    circuits, measures = results["circuits"], results["measures"]
    figure = Figure(figsize=(7, 4.6))
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 7.5], height_ratios=[1.15, 1])
    trace = figure.add_subplot(grid[0, 1])
    prior = figure.add_subplot(grid[0, 0], sharey=trace)
    count = figure.add_subplot(grid[1, 1], sharex=trace)

    theta = np.linspace(-3, 4.5, 200)
    density = np.exp(-0.5 * ((theta - p.rule.prior_mean) / p.rule.prior_std) ** 2)
    prior.fill_betweenx(theta, 0, density, color=SKY, alpha=0.5, linewidth=0)
    prior.plot(density, theta, color=BLUE, linewidth=1.2)
    prior.axhline(0, color=ORANGE, linewidth=0.8, linestyle="--")
    prior.invert_xaxis()
    prior.set(xticks=[], ylabel="θ", xlabel="prior")
    prior.set_title("G")

    neuron = int(measures.neuron.values[0])
    candidate = int(measures.candidate.values[0])
    values = circuits.trace.isel(seed=0, neuron=neuron, candidate=candidate).values
    trace.plot(circuits.time, values, color=INK, linewidth=0.8)
    trace.axhline(0, color=ORANGE, linewidth=0.8, linestyle="--")
    trace.fill_between(circuits.time, 0, values, where=values > 0, color=GREEN, alpha=0.25)
    trace.set_title(
        f"synapse of neuron z{neuron + 1} and input {_marked_input(results)}", weight="normal"
    )
    trace.tick_params(labelbottom=False, labelleft=False)
    trace.set(ylim=(-3, 4.5))

    size = circuits.sizes["neuron"] * circuits.sizes["input"]
    active = circuits.active.sum("neuron").values
    for k, row in enumerate(active):
        count.plot(circuits.time, row, color=SKY if k else BLUE, linewidth=0.8, zorder=2 - (k > 0))
    if len(active) > 1:
        count.plot(circuits.time, active.mean(axis=0), color=INK, linewidth=1.3, label="mean")
        count.plot([], [], color=SKY, label="each circuit")
        count.legend(loc="upper right")
    count.axhline(0.25 * size, color=GRAY, linewidth=0.8, linestyle=":")
    count.text(circuits.time[-1], 0.26 * size, "25 %", ha="right", fontsize=7.5, color=GRAY)
    count.set(xlabel="time / s", ylabel="active synapses", ylim=(0, None))
    count.set_title(f"H  of {size:,} potential synapses")
    _shade_phases((trace, count), p)
    return figure


def _marked_input(results: Results) -> int:
    which = int(results["measures"].candidate.values[0])
    return int(results["images"].candidate.values[which])


def _shade_phases(row: tuple[Axes, ...], p: Any) -> None:
    start = 0.0
    for k, phase in enumerate(p.phases):
        end = start + p.length_of(phase)
        for axes in row:
            if k % 2:
                axes.axvspan(start, end, color=PHASE_SHADE, zorder=0)
        digits = ", ".join(str(d) for d in sorted(set(phase.digits)))
        row[0].text((start + end) / 2, -2.75, f"shown: {digits}", ha="center", fontsize=8)
        start = end
    row[0].set_xlim(0, start)
