"""Fig. S1: which connections became functional, and how codes drift without lesions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from synsamp.experiments import Results
from synsamp.figures.style import BLUE, DENSITY, GRAY, GREEN, INK, SKY
from synsamp.paper.fig5_compensation.decoding import MAIN, NO_LESION, record_of
from synsamp.paper.fig5_compensation.figures_band import with_band
from synsamp.paper.fig5_compensation.parameters import CompensationParameters


def draw_connectivity(runs: Sequence[Results]) -> Figure:
    """The lateral connections of the first network at t1, and shares over all networks."""
    figure: Any = Figure(figsize=(7.0, 3.1))
    matrix, shares = figure.subplots(1, 2, width_ratios=[1.0, 1.25])
    lateral = runs[0][record_of(MAIN, "marks")].lateral.values[0].astype(bool)
    n = len(lateral)
    matrix.imshow(
        lateral, cmap=ListedColormap(["white", BLUE]), interpolation="nearest",
        extent=(0, n, n, 0), rasterized=True,
    )  # fmt: skip
    for line in range(0, n + 1, n // 8):
        strong = line in (0, n // 2, n)
        for draw in (matrix.axhline, matrix.axvline):
            draw(line, color=INK if strong else "#c9ced6", lw=0.9 if strong else 0.4)
    matrix.set(
        xticks=[n / 4, 3 * n / 4], yticks=[n / 4, 3 * n / 4], xlabel="from", ylabel="to",
        xticklabels=["$z_A$", "$z_V$"], yticklabels=["$z_A$", "$z_V$"],
    )  # fmt: skip
    matrix.tick_params(length=0)
    matrix.set_title("S1A   functional lateral connections")
    values = np.stack([run["shares"].functional_share.values[0] for run in runs])
    place = np.arange(values.shape[1])
    shares.bar(place, values.mean(axis=0), color=[GRAY, GRAY, *[BLUE] * 4], width=0.65, alpha=0.55)
    shares.plot(place, values.T, "o", color=INK, ms=2.5, alpha=0.7)
    labels = [_math(kind) for kind in runs[0]["shares"].kind.values]
    shares.set(xticks=place, ylim=(0, 1), ylabel="share that is functional")
    shares.set_xticklabels(labels, rotation=30, ha="right", rotation_mode="anchor")
    shares.set_title("of all possible ones, " + _count(len(values)))
    return figure


def _count(n: int) -> str:
    return "one network" if n == 1 else f"{n} networks"


def _math(kind: str) -> str:
    source, target = str(kind).split("→")
    return f"${source}$→${target}$"


def draw_drift(parameters: CompensationParameters, runs: Sequence[Results]) -> Figure:
    """Histograms hour by hour in the order of the first, and their likeness to it."""
    codes = runs[0]["codes"]
    used = np.flatnonzero(codes.no_lesion.values)
    hours = (codes.code_time.values[used] - codes.code_time.values[used[0]]) / 3600
    digit = parameters.input.digits[0]
    figure: Any = Figure(figsize=(7.0, 4.6))
    left, right = figure.subfigures(1, 2, width_ratios=[1.9, 1.0])
    grid = left.subplots(2, len(used), sharex=True, sharey=True, squeeze=False)
    n_each, width = codes.sizes["neuron"] // 2, float(codes.bin[1])
    for row, population in enumerate(("z_A", "z_V")):
        here = slice(row * n_each, (row + 1) * n_each)
        histogram = codes.histogram.values[used].mean(axis=1)[:, 0, here]
        last = int(np.isfinite(histogram[0, 0]).sum())
        order = codes.order.values[row, 0]
        peak = float(np.nanpercentile(histogram, 99))
        for column, axes in enumerate(grid[row]):
            axes.imshow(
                histogram[column][order, :last], aspect="auto", cmap=DENSITY, vmin=0, vmax=peak,
                extent=(0.0, last * width, n_each + 0.5, 0.5), interpolation="nearest",
            )  # fmt: skip
            if row == 0:
                start = "S1B   " if column == 0 else ""
                axes.set_title(
                    f"{start}{hours[column]:.0f} h later" if column else f"{start}“{digit}”"
                )
        grid[row, 0].set_ylabel(f"neurons of ${population}$")
    for axes in grid[1]:
        axes.set_xlabel("time / s")
    _likeness(right, used, hours, runs)
    return figure


def _likeness(figure: Any, used: Any, hours: Any, runs: Sequence[Results]) -> None:
    top, bottom = figure.subplots(2, 1, sharex=True)
    for number, (name, colour) in enumerate((("z_A", SKY), ("z_V", GREEN))):
        values = np.stack([run["codes"].likeness.values[number, used[0], used] for run in runs])
        with_band(top, hours, values, colour, label=f"${name}$", ms=4)
    top.set(ylabel="likeness to the first code", ylim=(None, 1.02))
    top.legend(loc="lower left")
    tests = runs[0]["recall"]
    rows = np.flatnonzero(tests.branch.values == NO_LESION)
    recall = np.stack([run["recall"].recall.mean("block").values[rows] for run in runs])
    with_band(bottom, (tests.time.values[rows] - tests.time.values[rows[0]]) / 3600, recall, BLUE)
    bottom.axhline(0.5, color=GRAY, lw=0.8, ls=":")
    bottom.set(xlabel="hours without lesions", ylabel="recall", ylim=(0.45, 1.02))
