"""Drawing of the rewiring experiment from its saved results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters
from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, DENSITY, GRAY, GREEN, INK, ORANGE, PURPLE, SKY

LOOKS = {
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
    """Learning and wiring; the second task where there was one."""
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
    # Curves fill the panel differently in each preset: outside, the legend touches none of them.
    # It serves B and C too.
    parts[0].legend(loc="outside upper center", ncols=len(CURVES), columnspacing=1.4)
    _at_end(end, first)
    active, new = parts[1].subplots(1, 2)
    _active(active, p, first)
    _new(new, p, first)
    _pixels(parts[2], wiring)
    return figure


def _epochs(p: RewiringParameters, task: xr.Dataset) -> Any:
    return task.step.values / p.steps_per_epoch


def _accuracy(axes: Any, p: RewiringParameters, task: xr.Dataset, arms: Sequence[str]) -> None:
    for arm in arms:
        label, colour = LOOKS[arm]
        _curve(axes, _epochs(p, task)[1:], task.accuracy.sel(arm=arm).isel(step=slice(1, None)),
               label, colour)  # fmt: skip
    axes.set(xscale="log", xlabel="epochs", ylabel="accuracy on test images")


def _curve(axes: Any, x: Any, values: xr.DataArray, label: str, colour: str) -> None:
    low, high = values.min("seed"), values.max("seed")
    axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
    axes.plot(x, values.mean("seed"), color=colour, label=label)


def _at_end(axes: Any, first: xr.Dataset) -> None:
    arms = ["dense", "soft", "fixed_soft", "hard", "set", "fixed", "fixed_again"]
    for k, arm in enumerate(arms):
        values = first.accuracy.sel(arm=arm).isel(step=-1).values
        axes.plot(k, values.mean(), "_", color=INK, ms=16, mew=1.2)
        axes.plot(np.full(values.size, k), values, "o", color=LOOKS[arm][1], ms=4, mew=0)
    axes.set(xticks=range(len(arms)), xlim=(-0.6, len(arms) - 0.4))
    axes.set_xticklabels(
        [LOOKS[arm][0] for arm in arms], rotation=40, ha="right", rotation_mode="anchor"
    )
    axes.set(ylabel="accuracy on test images", title="B   at the end")


def _active(axes: Any, p: RewiringParameters, first: xr.Dataset) -> None:
    share = 100 * first.active.sum("layer") / p.possible.sum()
    for arm in ("soft", "hard"):
        label, colour = LOOKS[arm]
        _curve(axes, _epochs(p, first), share.sel(arm=arm), label, colour)
    axes.set(xlabel="epochs", ylabel="active, % of all", ylim=(0, None), xlim=(0, p.epochs))
    axes.set_title("C   connections")


def _new(axes: Any, p: RewiringParameters, first: xr.Dataset) -> None:
    new = 100 * first.new.dropna("step", how="all")
    for arm in ("soft", "hard", "set", "fixed"):
        label, colour = LOOKS[arm]
        _curve(axes, _epochs(p, new), new.sel(arm=arm), label, colour)
    axes.set(xlabel="epochs", ylabel="new, % per epoch", ylim=(0, None), xlim=(0, p.epochs))
    axes.set_title("turnover", fontweight="normal")


def _pixels(figure: Any, wiring: xr.Dataset) -> None:
    arms = ["fixed", "hard", "soft", "set"]
    # Each by its own mean: networks differ in how many connections they have.
    share = wiring.from_pixel.sel(arm=arms)
    share = share / share.mean(("row", "column"))
    top = float(share.quantile(0.995))
    all_axes = figure.subplots(1, 5, width_ratios=[1, 1, 1, 1, 1])
    all_axes[0].imshow(wiring.mean_image, cmap="gray_r", vmin=0.0)
    all_axes[0].set_title("D   mean image", fontsize=9)
    for axes, arm in zip(all_axes[1:], arms, strict=True):
        image = axes.imshow(share.sel(arm=arm), cmap=DENSITY, vmin=0.0, vmax=top)
        axes.set_title(LOOKS[arm][0], fontsize=9, fontweight="normal")
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
    both[1].set_title("the labels have changed places", fontweight="normal")
    both[1].set_ylabel("")
    for axes in both:
        axes.axhline(p.target, color=INK, lw=0.8, ls=":")
    lines, names = both[1].get_legend_handles_labels()  # all of the first panel's, and one more
    figure.legend(lines, names, loc="outside upper center", ncols=len(names))
    return figure
