"""Figures of the rewiring experiment, drawn from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters
from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, DENSITY, GRAY, GREEN, INK, ORANGE, PURPLE, SKY

STYLES = {
    "dense": ("all connections", INK),
    "soft": ("soft rewiring", BLUE),
    "hard": ("hard rewiring", ORANGE),
    "set": ("SET", PURPLE),
    "fixed": ("fixed wiring", GREEN),
    "fixed_again": ("another fixed", GRAY),
    "fixed_soft": ("fixed (soft)", SKY),
    "hard_fresh": ("hard, fresh", GRAY),
}
CURVES = ("dense", "soft", "hard", "set", "fixed")


def draw(parameters: RewiringParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw learning and wiring, and the second task if there is one."""
    first = _over_seeds(runs, "first")
    figures = {"ABCD": _first_task(parameters, first, runs[0]["wiring"].load())}
    if "second" in runs[0]:
        figures["E"] = _second_task(parameters, first, _over_seeds(runs, "second"))
    return figures


def _over_seeds(runs: Sequence[Results], name: str) -> xr.Dataset:
    return xr.concat([run[name].load() for run in runs], "seed")


def _first_task(p: RewiringParameters, first: xr.Dataset, wiring: xr.Dataset) -> Figure:
    figure = Figure(figsize=(7.0, 7.2))
    parts: Any = figure.subfigures(3, 1, height_ratios=[1.4, 1.0, 0.8])
    learning, end = parts[0].subplots(1, 2, width_ratios=[1.5, 1.0])
    _accuracy(learning, p, first, CURVES)
    learning.set_title("A   while learning")
    # Outside of the panels, because curves fill them differently in each preset; also for B and C.
    parts[0].legend(loc="outside upper center", ncols=len(CURVES), columnspacing=1.4)
    _at_end(end, first)
    active, new = parts[1].subplots(1, 2)
    _active(active, p, first)
    _new(new, p, first)
    _pixels(parts[2], wiring)
    return figure


def _epochs(p: RewiringParameters, task: xr.Dataset) -> Any:
    return task.step.values / p.steps_per_epoch


def _accuracy(axes: Any, p: RewiringParameters, task: xr.Dataset, branches: Sequence[str]) -> None:
    for branch in branches:
        label, colour = STYLES[branch]
        values = task.accuracy.sel(branch=branch).isel(step=slice(1, None))
        _curve(axes, _epochs(p, task)[1:], values, label, colour)
    axes.set(xscale="log", xlabel="epochs", ylabel="accuracy on test images")


def _curve(axes: Any, x: Any, values: xr.DataArray, label: str, colour: str) -> None:
    low, high = values.min("seed"), values.max("seed")
    axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
    axes.plot(x, values.mean("seed"), color=colour, label=label)


def _at_end(axes: Any, first: xr.Dataset) -> None:
    branches = ["dense", "soft", "fixed_soft", "hard", "set", "fixed", "fixed_again"]
    for k, branch in enumerate(branches):
        values = first.accuracy.sel(branch=branch).isel(step=-1).values
        axes.plot(k, values.mean(), "_", color=INK, ms=16, mew=1.2)
        axes.plot(np.full(values.size, k), values, "o", color=STYLES[branch][1], ms=4, mew=0)
    axes.set(xticks=range(len(branches)), xlim=(-0.6, len(branches) - 0.4))
    axes.set_xticklabels(
        [STYLES[branch][0] for branch in branches], rotation=40, ha="right", rotation_mode="anchor"
    )
    axes.set(ylabel="accuracy on test images", title="B   at the end")


def _active(axes: Any, p: RewiringParameters, first: xr.Dataset) -> None:
    share = 100 * first.active.sum("layer") / p.possible.sum()
    for branch in ("soft", "hard"):
        label, colour = STYLES[branch]
        _curve(axes, _epochs(p, first), share.sel(branch=branch), label, colour)
    axes.set(xlabel="epochs", ylabel="active, % of all", ylim=(0, None), xlim=(0, p.epochs))
    axes.set_title("C   connections")


def _new(axes: Any, p: RewiringParameters, first: xr.Dataset) -> None:
    new = 100 * first.new.dropna("step", how="all")
    for branch in ("soft", "hard", "set", "fixed"):
        label, colour = STYLES[branch]
        _curve(axes, _epochs(p, new), new.sel(branch=branch), label, colour)
    axes.set(xlabel="epochs", ylabel="new, % per epoch", ylim=(0, None), xlim=(0, p.epochs))
    axes.set_title("turnover", fontweight="normal")


def _pixels(figure: Any, wiring: xr.Dataset) -> None:
    branches = ["fixed", "hard", "soft", "set"]
    # Relative to the mean, because networks differ in their number of connections.
    share = wiring.from_pixel.sel(branch=branches)
    share = share / share.mean(("row", "column"))
    top = float(share.quantile(0.995))
    all_axes = figure.subplots(1, 5, width_ratios=[1, 1, 1, 1, 1])
    all_axes[0].imshow(wiring.mean_image, cmap="gray_r", vmin=0.0)
    all_axes[0].set_title("D   mean image", fontsize=9)
    for axes, branch in zip(all_axes[1:], branches, strict=True):
        image = axes.imshow(share.sel(branch=branch), cmap=DENSITY, vmin=0.0, vmax=top)
        axes.set_title(STYLES[branch][0], fontsize=9, fontweight="normal")
    for axes in all_axes:
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
    figure.colorbar(
        image, ax=list(all_axes[1:]), shrink=0.7, label="× mean", extend="max", aspect=12
    )


def _second_task(p: RewiringParameters, first: xr.Dataset, second: xr.Dataset) -> Figure:
    figure = Figure(figsize=(7.0, 3.0))
    both: Any = figure.subplots(1, 2, sharey=True)
    _accuracy(both[0], p, first.isel(step=first.step <= second.step[-1].item()), ("hard", "fixed"))
    both[0].set_title("E   first task")
    _accuracy(both[1], p, second, ("hard", "hard_fresh", "fixed"))
    both[1].set_title("permuted labels", fontweight="normal")
    both[1].set_ylabel("")
    for axes in both:
        axes.axhline(p.target, color=INK, lw=0.8, ls=":")
    lines, names = both[1].get_legend_handles_labels()  # those of the first panel, and one more
    figure.legend(lines, names, loc="outside upper center", ncols=len(names))
    return figure
