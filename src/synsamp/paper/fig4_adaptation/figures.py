"""Figures of Fig. 4, drawn from stored results: one circuit as example, curves over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from synsamp.experiments import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters, Timeline
from synsamp.paper.fig4_adaptation.protocol import (
    LEARNING,
    NO_ACTIVITY,
    NO_PRIOR,
    NOISE_OFF,
    READINGS,
    REPLICATE,
)

PHASE_SHADE = "#f1f3f6"
LOWEST, HIGHEST = -3.0, 4.5
"""Limits of the θ axis."""
TITLES = ("as printed", "no likelihood for θ ≤ 0")
COLOURS = (BLUE, ORANGE)
MOST_COLUMNS = 13
LEFT, RIGHT, TOP, BOTTOM = 0.085, 0.985, 0.88, 0.03
CONDITIONS = {"": "unchanged", REPLICATE: "replicate", NOISE_OFF: "T = 0", NO_PRIOR: "no prior"}


def draw(p: AdaptationParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Panels A–D (circuit, timing curves, data), E and F (snapshots), G and H (time courses).

    With controls, also I and J (what drives regrowth).
    """
    figures = {
        "ABCD": _setting(p, runs),
        "EF": draw_snapshots(p.timeline, runs[0]),
        "GH": _time_courses(p, runs),
    }
    if p.with_controls:
        figures["IJ"] = _controls(p, runs)
    return figures


def _time_courses(p: AdaptationParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 4.6))
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 7.5], height_ratios=[1.15, 1])
    trace = figure.add_subplot(grid[0, 1])
    prior = figure.add_subplot(grid[0, 0], sharey=trace)
    count = figure.add_subplot(grid[1, 1], sharex=trace)
    _prior(prior, p.rule.prior.mean, p.rule.prior.std)
    _synapse(trace, runs[0])
    _active(count, runs)
    _shade_phases((trace, count), p.timeline)
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
    shown = results[f"{LEARNING}/selected"]
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
    counts, silent = (
        np.stack([run[f"{branch}/active"].active.sum("post").values for run in runs])
        for branch in (LEARNING, NO_ACTIVITY)
    )
    if len(runs) > 1:
        low, high = counts.min(axis=0), counts.max(axis=0)
        label = f"range of {len(runs)} circuits"
        axes.fill_between(active.time, low, high, color=SKY, linewidth=0, label=label)
    colour, width = (INK, 0.6) if len(runs) > 1 else (BLUE, 1.0)  # the range is narrow
    axes.plot(active.time, counts.mean(axis=0), color=colour, linewidth=width, label="learning")
    label = "prior and noise alone"
    axes.plot(active.time, silent.mean(axis=0), color=PURPLE, linewidth=0.8, label=label)
    axes.legend(loc="center right")
    axes.axhline(0.25 * size, color=GRAY, linewidth=0.8, linestyle=":")
    axes.text(active.time[-1], 0.26 * size, "25 %", ha="right", fontsize=7.5, color=GRAY)
    axes.set(xlabel="time / s", ylabel="active synapses", ylim=(0, None))
    axes.set_title(f"H  of {size:,} potential synapses")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")


def _shade_phases(row: tuple[Axes, ...], timeline: Timeline) -> None:
    for phase, digits in enumerate(timeline.digits):
        start, end = timeline.start_s(phase), timeline.ends_s[phase]
        for axes in row:
            if phase % 2:
                axes.axvspan(start, end, color=PHASE_SHADE, zorder=0)
        text = f"shown: {', '.join(map(str, digits))}"
        row[0].text((start + end) / 2, LOWEST + 0.25, text, ha="center", fontsize=8)
    row[0].set_xlim(0, timeline.ends_s[-1])


# -- panels A to D: circuit, STDP curves, data --------------------


def _setting(p: AdaptationParameters, runs: Sequence[Results]) -> Figure:
    """The circuit, its input, and the STDP curves of the rule in the simulator."""
    images = runs[0]["images"]
    figure = Figure(figsize=(7, 5.2))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.0, 1.05], width_ratios=[1.15, 1])
    _circuit(figure.add_subplot(grid[0, 0]), images, p.circuit.neurons)
    _data(figure, grid[0, 1], images, p.timeline.digits)
    _single(figure.add_subplot(grid[1, 0]), runs[0]["stdp"])
    _paired(figure.add_subplot(grid[1, 1]), runs)
    return figure


def _single(axes: Axes, stdp: xr.Dataset) -> None:
    """Panel B: deterministic, so one run suffices."""
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
    axes.plot(1e3 * stdp.bin, stdp.poisson_theory, color=GRAY, linewidth=0.9, zorder=1)
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
    """Panel A: pixels, input neurons, the circuit and its inhibition."""
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
    """Examples of the digits of each phase, at most three kinds of phases."""
    digits = [int(d) for d in images.digit.values]
    groups = list(dict.fromkeys(phases))[:3]
    inner = place.subgridspec(len(groups), 1, hspace=0.05)
    for k, group in enumerate(groups):
        axes = figure.add_subplot(inner[k])
        rows = [digits.index(d) for d in group]
        shown = [images.examples.values[rows[i % len(rows)], i // len(rows)] for i in range(16)]
        tile = np.concatenate([np.concatenate(shown[i : i + 8], axis=1) for i in (0, 8)])
        axes.imshow(tile, cmap="gray_r", interpolation="nearest")
        numbers = [str(i + 1) for i, phase in enumerate(phases) if phase == group]
        if len(numbers) > 6:
            numbers = [*numbers[:5], "…"]
        label = f"phase{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
        axes.set_xlabel(label, fontsize=8.5)
        if k == 0:
            axes.set_title("D  data sets")
        _frame_picture(axes, 0.6)


# -- panels E and F: weights and active connections at each snapshot --------------------


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
                _frame_picture(axes, 0.4)
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


def _active_dots(axes: Axes, active: Any) -> None:
    rows, columns = np.nonzero(active)
    axes.plot(columns, rows, "s", color=GREEN, markersize=0.75, markeredgewidth=0)
    height, width = active.shape
    axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), aspect="equal")


def _frame(axes: Axes, x: float, y: float) -> None:
    corner = (x - 1.6, y - 1.6)
    axes.add_patch(Rectangle(corner, 3.2, 3.2, fill=False, edgecolor=ORANGE, linewidth=0.9))


def _frame_picture(axes: Axes, width: float) -> None:
    """No ticks, and a thin line on all four sides."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, linewidth=width)


def _phase_bar(figure: Figure, timeline: Timeline, times: Any) -> None:
    """Coloured strips above the snapshots: the digits shown before each."""
    width = (RIGHT - LEFT) / len(times)
    before = None
    for c, time in enumerate(times):
        phase = timeline.phase_at(float(time)) if time else None
        colour = GRAY if phase is None else (BLUE, ORANGE)[phase % 2]
        left = LEFT + c * width
        place: dict[str, Any] = {"transform": figure.transFigure, "edgecolor": "none"}
        strip = Rectangle((left + 0.002, 0.914), width - 0.004, 0.008, facecolor=colour, **place)
        figure.add_artist(strip)
        if c == 0 or phase != before:
            digits = "" if phase is None else ", ".join(map(str, timeline.digits[phase]))
            text = "start" if phase is None else f"phase {phase + 1}: {digits}"
            figure.text(left + 0.002, 0.93, text, fontsize=7.5, color=colour)
        before = phase


# -- panels I and J, not in the paper: what drives regrowth --------------------


def _controls(p: AdaptationParameters, runs: Sequence[Results]) -> Figure:
    """Both readings of a retracted synapse side by side, with controls of the same circuits."""
    figure = Figure(figsize=(7, 3.5))
    grid = figure.add_gridspec(1, 3, width_ratios=[1.35, 1, 1])
    found = xr.concat([_by_reading(run) for run in runs], "trial")
    switch_s = p.timeline.new_start_s
    _regrowth(figure.add_subplot(grid[0]), found, runs[0]["one_synapse"])
    first = None
    for k in range(len(READINGS)):
        axes = figure.add_subplot(grid[1 + k], sharey=first)
        _active_by_control(axes, found.isel(reading=k), COLOURS[k], TITLES[k], switch_s)
        if first is None:
            first = axes
            axes.set(ylabel="active share of all synapses", ylim=(0, None))
        else:
            axes.tick_params(labelleft=False)
    return figure


def _by_reading(results: Results) -> xr.Dataset:
    """Summaries of one run along reading and condition."""
    rows = [
        xr.concat(
            [results["/".join(filter(None, (reading, name, "summary")))] for name in CONDITIONS],
            "condition",
        )
        for reading in READINGS
    ]
    return xr.concat(rows, "reading").assign_coords(condition=list(CONDITIONS))


def _regrowth(axes: Axes, found: xr.Dataset, predicted: xr.Dataset) -> None:
    """Useful eliminated connections that regrow; each point is a circuit, a bar the theory."""
    rng = np.random.default_rng(1)  # spreads points sideways
    for k, (colour, title) in enumerate(zip(COLOURS, TITLES, strict=True)):
        for place, condition in enumerate(CONDITIONS):
            values = found.useful_regrowth.isel(reading=k).sel(condition=condition).values
            x = place + 0.36 * k - 0.18
            spread = rng.uniform(-0.07, 0.07, values.size) if values.size > 1 else 0.0
            axes.plot(x + spread, values, ".", color=colour, markersize=4, alpha=0.5)
            label = title if place == 0 else ""
            axes.plot(x, values.mean(), "o", color=colour, markersize=6, label=label)
        for condition, noise in (("", True), (NOISE_OFF, False)):
            theory = float(predicted.useful_regrowth.isel(reading=k).sel(noise=noise))
            x = list(CONDITIONS).index(condition) + 0.36 * k - 0.18
            label = "theory of one synapse" if (condition, k) == ("", len(COLOURS) - 1) else ""
            axes.hlines(theory, x - 0.15, x + 0.15, color=INK, linewidth=1.4, label=label, zorder=3)
    axes.set(ylim=(-0.03, 1.55), yticks=np.linspace(0, 1, 6), xticks=range(len(CONDITIONS)))
    axes.set_xticklabels(list(CONDITIONS.values()))
    axes.set_ylabel("share regrown after the new digit's phase")
    axes.set_title("I  useful eliminated synapses")
    axes.legend(loc="upper left", handletextpad=0.4)


def _active_by_control(
    axes: Axes, found: xr.Dataset, colour: str, title: str, switch_s: float
) -> None:
    active = found.active.mean("trial")
    kilo_s = active.time / 1e3
    axes.plot(kilo_s, active.sel(condition=""), color=colour, linewidth=1.4, label="with prior")
    axes.plot(kilo_s, active.sel(condition=NO_PRIOR), color=GRAY, linewidth=1.4, label="no prior")
    after = active.sel(condition=NOISE_OFF).where(active.time >= switch_s)
    axes.plot(kilo_s, after, color=INK, linewidth=0.5, label="T = 0")
    axes.axvline(switch_s / 1e3, color=GRAY, linewidth=0.6, linestyle=":")
    axes.set(xlabel="time / 1,000 s", xlim=(0, float(kilo_s[-1])))
    axes.set_title(f"J  {title}" if colour == COLOURS[0] else title, fontsize=9)
    axes.legend(loc="upper right")
