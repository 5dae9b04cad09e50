"""Fig. 5: stimuli and network, recalled codes and images, the path of parameters, the course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from synsamp.experiments import Results
from synsamp.figures.style import DENSITY, GRAY, GREEN, INK, ORANGE, SKY
from synsamp.paper.fig5_compensation.decoding import MAIN, lesions_before, record_of
from synsamp.paper.fig5_compensation.figures_recall import EPOCHS, draw_time_course
from synsamp.paper.fig5_compensation.figures_supplement import draw_connectivity, draw_drift
from synsamp.paper.fig5_compensation.parameters import CompensationParameters


def draw(parameters: CompensationParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Panels A to D, and S1 of the supplement; examples are of the first network."""
    figures = {
        "AB": _recall(parameters, runs[0]),
        "C": _path(parameters, runs),
        "D": draw_time_course(parameters, runs),
        "S1A": draw_connectivity(runs),
    }
    if runs[0]["codes"].no_lesion.values.sum() > 1:
        figures["S1B"] = draw_drift(parameters, runs)
    return figures


def _recall(parameters: CompensationParameters, results: Results) -> Figure:
    figure: Any = Figure(figsize=(7.0, 4.6))
    left, right = figure.subfigures(1, 2, width_ratios=[1.0, 1.45])
    _stimuli(left, parameters, results["example"])
    _codes(right, parameters, results)
    return figure


def _stimuli(figure: Any, parameters: CompensationParameters, example: Any) -> None:
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.0, 1.15])
    sound, image = top.subplots(1, 2, width_ratios=[1.35, 1.0])
    edges = example.frame_start_s.values
    rates = example.sound_rate_hz.values.T[::-1]
    sound.pcolormesh(edges, np.arange(len(rates) + 1), rates, cmap=DENSITY, rasterized=True, vmin=0)
    sound.set(xlabel="time / s", ylabel="channel of the ear", yticks=[0, len(rates)])
    sound.set_title(f"A   spoken {parameters.input.digits[1]}")
    image.imshow(example.image.values, cmap="gray_r", vmin=0, vmax=1)
    image.set(xticks=[], yticks=[])
    image.spines[:].set_visible(False)
    image.set_title(f"written {parameters.input.digits[1]}")
    _network(bottom.subplots(), parameters)


def _network(axes: Any, parameters: CompensationParameters) -> None:
    axes.set(xlim=(-0.2, 10.2), ylim=(-0.4, 6.7), aspect="equal")
    axes.axis("off")
    for start, colour, letter, name in ((0.0, SKY, "A", "hear"), (5.6, GREEN, "V", "see")):
        axes.add_patch(
            FancyBboxPatch(
                (start + 0.2, 0.1), 3.9, 0.9, boxstyle="round,pad=0.1", fc=colour, ec=INK, lw=0.6,
                alpha=0.5,
            )
        )  # fmt: skip
        axes.text(start + 2.15, 0.55, f"inputs $x_{letter}$", ha="center", va="center", fontsize=8)
        for i in range(4):
            x, y = start + 1.1 + 2.1 * (i % 2), 3.0 + 1.75 * (i // 2)
            axes.add_patch(Circle((x, y), 0.75, fc="white", ec=GRAY, lw=0.8))
            for k in range(parameters.circuit.neurons):
                angle = 2 * np.pi * k / parameters.circuit.neurons
                place = (x + 0.48 * np.cos(angle), y + 0.48 * np.sin(angle))
                axes.add_patch(Circle(place, 0.11, fc=colour, ec=INK, lw=0.3))
        _arrow(axes, (start + 2.15, 1.2), (start + 2.15, 2.1))
        axes.text(
            start + 2.15, 6.05, f"$z_{letter}$: 4 circuits that {name}", ha="center", fontsize=8
        )
    _arrow(axes, (4.15, 4.3), (5.95, 4.3), curve=-0.35)
    _arrow(axes, (5.95, 3.5), (4.15, 3.5), curve=-0.35)


def _arrow(axes: Any, start: Any, stop: Any, curve: float = 0.0) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start, stop, arrowstyle="-|>", mutation_scale=9, lw=1.1, color=INK,
            connectionstyle=f"arc3,rad={curve}",
        )
    )  # fmt: skip


def _codes(figure: Any, parameters: CompensationParameters, results: Results) -> None:
    codes, example = results["codes"], results["example"]
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.75, 1.0])
    both = top.subplots(1, 2, sharey=True)
    n_each = codes.sizes["neuron"] // 2
    histogram = codes.histogram[0].mean("half").values[:, n_each:]
    last = int(np.isfinite(histogram[0, 0]).sum())
    peak = float(np.nanpercentile(histogram, 99.5))
    width = float(codes.bin[1])
    for number, (axes, digit) in enumerate(zip(both, parameters.input.digits, strict=True)):
        order = codes.order.values[1, number]
        shown = axes.imshow(
            histogram[number][order, :last], aspect="auto", cmap=DENSITY, vmin=0, vmax=peak,
            extent=(0.0, last * width, n_each + 0.5, 0.5), interpolation="nearest",
        )  # fmt: skip
        axes.set(xlabel="time / s", xticks=[0, 0.2, 0.4])
        axes.set_title(("B   " if number == 0 else "") + f"“{digit}” heard")
    both[0].set_ylabel("neuron of $z_V$, by its peak")
    top.colorbar(shown, ax=both, label="rate / Hz", shrink=0.8)
    height, wide = int(example.attrs["height"]), int(example.attrs["width"])
    axes_row = bottom.subplots(1, 4)
    test = results[record_of(MAIN, "test")]
    learned = int((lesions_before(test.time.values, parameters.schedule.lesions_s) == 0).sum()) - 1
    for number, digit in enumerate(parameters.input.digits):
        made = test.reconstruction.values[learned, number].reshape(height, wide)
        mean = example.mean_image.values[number].reshape(height, wide)
        for place, (picture, title) in enumerate(
            ((made, f"imagined at “{digit}”"), (mean, f"mean {digit}"))
        ):
            axes = axes_row[2 * number + place]
            axes.imshow(picture, cmap="gray_r", vmin=0)
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
            axes.set_title(title, fontsize=8, fontweight="normal", loc="center")


def _path(parameters: CompensationParameters, runs: Sequence[Results]) -> Figure:
    path = runs[0]["path"]
    figure: Any = Figure(figsize=(7.0, 3.3))
    compared = path.sizes["path"] > 1
    left, right, *more = figure.subfigures(
        1, 3 if compared else 2, width_ratios=[1.3, 0.75, 0.55] if compared else [1.25, 1.0]
    )
    if compared:
        _apart(more[0].subplots(), runs)
    axes: Any = left.add_subplot(projection="3d")
    score, hours = path.score.values, path.path_time.values / 3600
    edges = np.array([0.0, *parameters.schedule.lesions_s, parameters.schedule.end_s]) / 3600
    names = ("before lesion 1", "after lesion 1", "after lesion 2")
    epochs = [
        (colour, name, (hours >= start) & (hours <= end))
        for colour, name, start, end in zip(EPOCHS, names, edges, edges[1:], strict=False)
    ]
    for colour, name, here in epochs:
        axes.plot(*score[here].T, color=colour, lw=0.9, label=name)
        axes.plot(*score[here][:1].T, "o", color=colour, ms=4, mec="white", mew=0.5)
    share = path.explained.values
    axes.set_xlabel(f"PC 1 ({share[0]:.0%})", labelpad=-8, fontsize=8)
    axes.set_ylabel(f"PC 2 ({share[1]:.0%})", labelpad=-8, fontsize=8)
    axes.set_zlabel(f"PC 3 ({share[2]:.0%})", labelpad=-8, fontsize=8)
    axes.tick_params(labelsize=6.5, pad=-3)
    axes.view_init(elev=22, azim=-60)
    axes.set_title(f"C   θ′ of one neuron ({int(path.parameters[int(path.neuron)])} parameters)")
    axes.legend(loc="upper left", bbox_to_anchor=(-0.12, 0.98), fontsize=7.5)
    rows = right.subplots(3, 1, sharex=True)
    for number, row in enumerate(rows):
        for colour, _, here in epochs:
            row.plot(hours[here], score[here, number], color=colour, lw=1.1)
        row.set_ylabel(f"PC {number + 1}")
    rows[-1].set_xlabel("time / h")
    return figure


def _apart(axes: Any, runs: Sequence[Results]) -> None:
    """How far epochs lie apart with lesions, and on paths without any."""
    values = np.stack([np.nanmean(run["path"].separation, axis=1) for run in runs])
    place = np.arange(values.shape[1])
    axes.bar(place, values.mean(axis=0), color=[ORANGE, SKY, GRAY], width=0.65, alpha=0.55)
    axes.plot(place, values.T, "o", color=INK, ms=2.5, alpha=0.7)
    names = [str(name).replace(" and ", "\nand ") for name in runs[0]["path"].path.values]
    axes.set(xticks=place, ylabel="between / within epochs")
    axes.set_xticklabels(names, rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
    axes.axhline(1.0, color=GRAY, lw=0.8, ls=":")
