"""Figures of Fig. 2: images, weights under both priors, likelihood, generated digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from synsamp.experiments.base import Results
from synsamp.figures.montage import montage, show
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, SKY
from synsamp.paper.fig2_generalisation.parameters import GeneralisationParameters
from synsamp.paper.fig2_generalisation.protocol import (
    BIMODAL,
    BIMODAL_NO_IMAGES,
    NO_NOISE,
    UNIFORM,
    UNIFORM_NO_IMAGES,
)

WORDS = {"train": "training images", "test": "test images"}
TITLES = {UNIFORM: "uniform prior", BIMODAL: "bimodal prior"}
WITHOUT_IMAGES = {UNIFORM: UNIFORM_NO_IMAGES, BIMODAL: BIMODAL_NO_IMAGES}


def draw(parameters: GeneralisationParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A to F as in the paper, and G and H beyond it; pictures show the first trial."""
    trials = xr.concat([run["learning"].load() for run in runs], "trial")
    return {"ABCDEF": _figure_two(runs[0], trials), "GH": _beyond(runs[0]["example"], trials)}


def _figure_two(first: Results, trials: xr.Dataset) -> Figure:
    example = first["example"]
    figure = Figure(figsize=(7.0, 7.2))
    parts: Any = figure.subfigures(3, 1, height_ratios=[0.95, 1.3, 1.3])
    top, *rows = parts
    _images(top, example)
    test = trials.test_log_likelihood.sel(branch=list(TITLES))
    low = float((test.mean("trial") - test.std("trial")).min())
    for row, letters, variant in zip(rows, ("CD", "EF"), TITLES, strict=True):
        traces, histogram, likelihood = row.subplots(1, 3, width_ratios=[2.4, 1.0, 3.0])
        _weights(traces, histogram, first, trials.weight_count, variant, letters[0])
        _likelihood(likelihood, trials, variant, letters[1], low)
    return figure


def _images(figure: Any, example: Any) -> None:
    left, right = figure.subfigures(1, 2, width_ratios=[1.0, 1.25])
    training, network = left.subplots(2, 1, height_ratios=[1.0, 1.1])
    show(training, montage(example.train_image.values[:5], 5))
    training.set_title("A   training set")
    _network(network, int(example.sizes["hidden"]))
    test = right.subplots()
    show(test, montage(example.test_image.values[:40], 10))
    test.set_title(f"B   from the test set ({example.sizes['test']} images)")


def _network(axes: Any, n_hidden: int) -> None:
    """Sketch of two layers with all connections between them and none within."""
    axes.set(xlim=(-1.0, 11.6), ylim=(-0.9, 2.3), aspect="equal")
    axes.axis("off")
    visible, hidden = np.linspace(0, 8.5, 8), np.linspace(1.6, 6.9, 5)
    for x in visible:
        for z in hidden:
            axes.plot([x, z], [0.0, 1.6], color=GRAY, lw=0.35, alpha=0.6, zorder=1)
    for places, height, colour in ((visible, 0.0, SKY), (hidden, 1.6, GREEN)):
        for place in places:
            axes.add_patch(Circle((place, height), 0.33, fc=colour, ec=INK, lw=0.6, zorder=2))
    axes.text(9.1, 0.0, "784 visible $x$", va="center", fontsize=8)
    axes.text(7.5, 1.6, f"{n_hidden} hidden $z$", va="center", fontsize=8)


def _weights(
    traces: Any, histogram: Any, first: Results, counted: Any, variant: str, letter: str
) -> None:
    example = first["example"].sel(branch=variant)
    counts = counted.sel(branch=variant).sum("trial")
    thousands = example.time.values / 1000
    traces.plot(thousands, example.trace.values, color=GRAY, lw=0.4, alpha=0.65)
    traces.plot(thousands, example.trace.values[:, :3], color=GREEN, lw=0.9)
    traces.set(xlabel="updates / 1000", ylabel="weight $w$", ylim=(-4, 4))
    traces.set(xlim=(0, thousands[-1]))
    traces.set_title(f"{letter}   {TITLES[variant]}")

    width = float(counts.bin[1] - counts.bin[0])
    all_weights = counted.sizes["trial"] * example.end_weight.size
    density = counts.values / all_weights / width
    histogram.barh(counts.bin.values, density, height=width, color=GREEN)
    histogram.set(xlabel="density", ylim=(-4, 4), yticklabels=[])
    if variant == "bimodal":
        prior = first["prior"]
        histogram.plot(prior.density, prior.weight, color=BLUE, lw=1.1)
        histogram.text(
            0.97, 0.985, "prior $p_S$", color=BLUE, ha="right", va="top", fontsize=8,
            transform=histogram.transAxes,
        )  # fmt: skip
    beyond = 1.0 - float(counts.sum()) / all_weights
    if beyond > 0.001:
        histogram.set_title(f"{beyond:.0%} beyond", fontsize=8, fontweight="normal", color=GRAY)


def _likelihood(axes: Any, trials: Any, variant: str, letter: str, low: float) -> None:
    after_start = trials.isel(update=slice(1, None))
    updates = after_start["update"]
    for name, colour in (("train", BLUE), ("test", ORANGE)):
        values = after_start[f"{name}_log_likelihood"].sel(branch=variant)
        mean, std = values.mean("trial"), values.std("trial")
        axes.fill_between(updates, mean - std, mean + std, color=colour, alpha=0.25, lw=0)
        axes.plot(updates, mean, color=colour, label=WORDS[name])
    test = after_start.test_log_likelihood.mean("trial")
    if variant == UNIFORM:
        axes.plot(
            updates, test.sel(branch=NO_NOISE), ":", color=ORANGE, lw=1.2, label="test, no noise"
        )
    alone = test.sel(branch=WITHOUT_IMAGES[variant])
    axes.plot(updates, alone, color=GRAY, lw=1.1, label="test, no images")
    axes.set(xscale="log", xlabel="updates", ylabel="log-likelihood / nats")
    axes.set(ylim=(1.05 * low, -0.2 * low), xlim=(10, float(updates[-1])))
    axes.set_yticks([tick for tick in axes.get_yticks() if 1.05 * low <= tick <= 0.0])
    axes.set_title(f"{letter}   {TITLES[variant]}, trials: {trials.sizes['trial']}")
    axes.legend(loc="upper left", ncols=2, columnspacing=1.0, fontsize=8)


def _beyond(example: xr.Dataset, trials: xr.Dataset) -> Figure:
    figure = Figure(figsize=(7.0, 2.6))
    parts: Any = figure.subfigures(1, 2, width_ratios=[1.35, 1.0])
    left, right = parts
    digits = left.subplots(2, 1)
    for axes, letter, variant in zip(digits, ("G   ", "     "), TITLES, strict=True):
        show(axes, montage(example.generated_probability.sel(branch=variant), 10))
        axes.set_title(f"{letter}generated under the {TITLES[variant]}")
    _averages(right.subplots(1, 2), trials)
    return figure


def _averages(both: Any, trials: Any) -> None:
    for axes, variant in zip(both, TITLES, strict=True):
        one = trials.sel(branch=variant)
        values = {
            "last": one.test_log_likelihood.isel(update=-1).values,
            "typical": one.single_test_log_likelihood.values,
            "average": one.averaged_test_log_likelihood.values,
        }
        rows = np.array(list(values.values()))
        axes.plot(rows, color=GRAY, lw=0.4, alpha=0.4)
        axes.plot(rows, "o", color=ORANGE, ms=2.5, alpha=0.5, mew=0)
        axes.plot(rows.mean(axis=1), "_", color=INK, ms=18, mew=1.8)
        axes.set(xticks=range(len(values)), xlim=(-0.5, 2.5))
        axes.set_xticklabels(list(values), rotation=30, ha="right", rotation_mode="anchor")
        axes.set_title(("H   " if variant == "uniform" else "") + variant)
    both[0].set_ylabel("test log-likelihood / nats")
