"""Figures of the experiment on averages, drawn from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from synsamp.experiments.base import Results
from synsamp.figures.montage import montage, show
from synsamp.figures.style import BLUE, GRAY, INK, ORANGE, SKY

STYLES = {
    ("sampled", "mean"): ("average", BLUE),
    ("sampled", "one"): ("one sample", SKY),
    ("sgd", "one"): ("plain SGD", ORANGE),
}
SCORES = {
    "accuracy": "accuracy",
    "log_score": "log score / nats",
    "calibration_error": "calibration error",
}

_ROOM = 17
"""Points between a panel and its title, for the names of two groups in D."""


def draw(parameters: Any, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw images and scores; calibration and detection."""
    scores = xr.concat([run["scores"].load() for run in runs], "seed")
    bins = xr.concat([run["reliability"].load() for run in runs], "seed")
    return {"AB": _scores(runs[0]["images"].shown, scores), "CD": _use(bins, scores)}


def _scores(images: xr.DataArray, scores: xr.Dataset) -> Figure:
    figure = Figure(figsize=(7.0, 4.2))
    parts: Any = figure.subfigures(2, 1, height_ratios=[0.8, 2.0])
    titles = {"test": "A   test images", "rotated": "rotated", "letters": "letters"}
    for axes, (name, title) in zip(parts[0].subplots(1, 3), titles.items(), strict=True):
        show(axes, montage(images.sel(set=name).values, 6))
        axes.set_title(title, fontweight="bold" if name == "test" else "normal")
    for axes, (name, label) in zip(parts[1].subplots(1, 3), SCORES.items(), strict=True):
        for (branch, kind), (words, colour) in STYLES.items():
            values = scores[name].sel(branch=branch, kind=kind)
            axes.fill_between(
                values["sample"], values.min("seed"), values.max("seed"),
                color=colour, alpha=0.2, lw=0,
            )  # fmt: skip
            axes.plot(values["sample"], values.mean("seed"), color=colour, label=words)
        axes.set(xlabel="samples", ylabel=label, xlim=(1, values["sample"][-1].item()))
        if name != "accuracy":
            axes.set_ylim(0, None)
    parts[1].axes[0].set_title("B   scores")
    # Outside, because single samples scatter all over a panel.
    lines, names = parts[1].axes[0].get_legend_handles_labels()
    parts[1].legend(lines, names, loc="outside upper center", ncols=len(names))
    return figure


def _use(bins: xr.Dataset, scores: xr.Dataset) -> Figure:
    figure = Figure(figsize=(7.0, 3.4))
    calibration, detection = figure.subplots(1, 2, width_ratios=[1.0, 1.25])
    _calibration(calibration, bins)
    _detection(detection, scores.isel(sample=-1))
    lines, names = calibration.get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=len(names))
    return figure


def _calibration(axes: Any, bins: xr.Dataset) -> None:
    axes.plot([0, 1], [0, 1], ":", color=INK, lw=0.8)
    cases = bins.cases.sum("seed")
    for (branch, kind), (words, colour) in STYLES.items():
        own = {"branch": branch, "kind": kind}
        n = cases.sel(own)
        x, y = (
            (bins[name] * bins.cases).sum("seed").sel(own) / n
            for name in ("confidence", "accuracy")
        )
        enough = n.values >= 20
        axes.plot(x[enough], y[enough], "o-", color=colour, ms=3, label=words)
    # The most likely of c classes has at least 1/c.
    axes.set(xlim=(float(bins.confidence.min()) - 0.02, 1.01), ylim=(0.0, 1.02))
    axes.set(xlabel="predicted probability", ylabel="share correct")
    axes.set_title("C   calibration", pad=_ROOM)


def _detection(axes: Any, end: xr.Dataset) -> None:
    shown = [
        *(((branch, kind), "entropy", colour) for (branch, kind), (_, colour) in STYLES.items()),
        (("shuffled", "mean"), "entropy", GRAY),
    ]
    words = [*(words for words, _ in STYLES.values()), "shuffled labels"]
    places: list[float] = []
    for g, name in enumerate(("rotated", "letters")):
        for k, ((branch, kind), _, colour) in enumerate(shown):
            values = end[name].sel(branch=branch, kind=kind).values
            place = g * (len(shown) + 1) + k
            places.append(place)
            axes.plot(place, values.mean(), "_", color=INK, ms=14, mew=1.2)
            axes.plot(np.full(values.size, place), values, "o", color=colour, ms=4, mew=0)
        middle = g * (len(shown) + 1) + (len(shown) - 1) / 2
        axes.text(middle, 1.02, ("rotated", "letters")[g], ha="center", fontsize=8.5,
                  transform=axes.get_xaxis_transform())  # fmt: skip
    axes.axhline(0.5, color=INK, lw=0.8, ls=":")
    axes.set(xticks=places, ylabel="area under ROC", ylim=(None, 1.0))
    axes.set_xticklabels(words * 2, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_title("D   out-of-distribution images", pad=_ROOM)
