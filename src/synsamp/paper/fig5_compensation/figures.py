"""Fig. 5: stimuli and network, recalled codes and images, the path of parameters, the course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from synsamp.experiments import Results
from synsamp.figures.montage import montage, show
from synsamp.figures.panels import arrow_heads, bars_with_points, rates_image, with_band
from synsamp.figures.style import (
    BLUE,
    DENSITY,
    GRAY,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    YELLOW,
)
from synsamp.paper.fig5_compensation.analysis import (
    BRANCHES,
    LIKELIHOOD,
    MAIN,
    NO_LESION,
    NOISE_OFF,
    PLASTICITY_OFF,
    lesions_before,
    record_of,
)
from synsamp.paper.fig5_compensation.parameters import CompensationParameters, ScheduleSection

EPOCHS = (BLUE, ORANGE, GREEN)
"""Colours of the stretches before lesion 1, between the lesions, and after lesion 2."""
EPOCH_LABELS = ("the network before lesion 1", "after lesion 1", "after lesion 2")
CONTROLS = {
    NO_LESION: (SKY, "o", "no lesion"),
    NOISE_OFF: (PURPLE, "s", "noise off (T = 0)"),
    LIKELIHOOD: (YELLOW, "D", "likelihood alone"),
    PLASTICITY_OFF: (GRAY, "x", "plasticity off (b = 0)"),
}
DRAWN_SHARE = 0.01
"""Diagrams show 1 % of the possible lateral connections, as in the paper."""


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
    show(image, example.image.values)
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
        shown = rates_image(axes, histogram[number][order, :last], width, peak)
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
            show(axes, picture, highest=None)
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
    for k, label in enumerate((axes.set_xlabel, axes.set_ylabel, axes.set_zlabel)):
        label(f"PC {k + 1} ({share[k]:.0%})", labelpad=-8, fontsize=8)
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
    names = [str(name).replace(" and ", "\nand ") for name in runs[0]["path"].path.values]
    bars_with_points(axes, values, [ORANGE, SKY, GRAY], names)
    axes.tick_params("x", rotation=60, labelsize=8)
    axes.set_ylabel("between / within epochs")
    axes.axhline(1.0, color=GRAY, lw=0.8, ls=":")


# -- recall over time (D) --------------------


def draw_time_course(parameters: CompensationParameters, runs: Sequence[Results]) -> Figure:
    """Weights, diagrams and counts of the first network above the curve of recall of all."""
    marks = runs[0][record_of(MAIN, "marks")]
    n = marks.sizes["mark"]
    figure: Any = Figure(figsize=(7.0, 6.6))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.55, 1.0])
    rows = top.subplots(2, n, height_ratios=[0.8, 1.0])
    times = [float(time) for time in marks.time.values]
    for i, (time, words) in enumerate(zip(times, _when(parameters.schedule, times), strict=True)):
        _weights(rows[0, i], runs[0], i)
        _diagram(rows[1, i], runs[0], i)
        rows[0, i].set_title(f"{'D   ' if i == 0 else ''}$t_{i + 1}$ = {time / 3600:.2g} h")
        rows[0, i].set_xlabel(words, fontsize=8)
    rows[0, 0].set_ylabel("weights of $z_V$")
    _curve(bottom.subplots(), parameters, runs, times)
    bottom.legend(loc="outside lower center", ncols=4, fontsize=7.5)
    return figure


def _when(schedule: ScheduleSection, times: list[float]) -> list[str]:
    """Where each mark stands: t1 before lesion 1, then in the order of the protocol."""
    first = schedule.lesions_s[0]
    if len(schedule.lesions_s) == 1:
        later = (times[2] - first) / 3600
        return ["before lesion 1", "just after lesion 1", f"{later:.2g} h after lesion 1"]
    later = (times[3] - schedule.lesions_s[1]) / 3600
    last = f"{later:.2g} h after lesion 2"
    return ["before lesion 1", "before lesion 2", "just after lesion 2", last]


def _weights(axes: Any, results: Results, mark: int) -> None:
    example = results["example"].attrs
    marks = results[record_of(MAIN, "marks")]
    weights = marks.image_weight.values[mark]
    pictures = weights.reshape(len(weights), int(example["height"]), int(example["width"])).copy()
    pictures[~marks.alive.values[mark, -len(weights) :].astype(bool)] = np.nan
    show(axes, montage(pictures, 8, gap=3), highest=2.0)


def _places(n: int) -> Any:
    """z_A on the left and z_V on the right, ten to a column."""
    k = np.arange(n)
    half, within = divmod(k, n // 2)
    column, row = divmod(within, n // 8)
    return np.stack([half * 6.0 + column * 1.1 + 0.25 * (row % 2), -row.astype(float)], axis=1)


def _diagram(axes: Any, results: Results, mark: int) -> None:
    """A hundredth of the possible connections: those functional now, old ones gray."""
    marks = results[record_of(MAIN, "marks")]
    now = marks.lateral.values[mark].astype(bool)
    place = _places(len(now))
    drawn = np.random.default_rng(0).random(now.shape) < DRAWN_SHARE  # the same at every mark
    before = marks.lateral.values[mark - 1].astype(bool) if mark else np.zeros_like(now)
    chosen = now & drawn
    for which, colour, width in ((chosen & before, "#b4bac4", 0.7), (chosen & ~before, BLUE, 0.9)):
        post, pre = np.nonzero(which)
        axes.add_collection(
            LineCollection([[place[b], place[a]] for a, b in zip(post, pre, strict=True)],
                           colors=colour, linewidths=width, zorder=1)
        )  # fmt: skip
        arrow_heads(axes, place[pre], place[post], colour)
    gone = ~marks.alive.values[mark].astype(bool)
    half = len(now) // 2
    for here, colour in ((np.arange(len(now)) < half, SKY), (np.arange(len(now)) >= half, GREEN)):
        alive = here & ~gone
        axes.plot(*place[alive].T, "o", ms=3.4, color=colour, mec=INK, mew=0.3, zorder=2)
        axes.plot(*place[here & gone].T, "o", ms=3.0, mfc="white", mec="#c9ced6", zorder=2)
    tracked = int(results["path"].neuron.values)
    axes.plot(*place[tracked], "o", ms=5.0, color="#d62728", mec=INK, mew=0.4, zorder=3)
    axes.set(xlim=(-0.8, 10.6), ylim=(-half / 4 + 0.2, 0.8))
    axes.axis("off")
    axes.set_title(
        f"{int(now.sum())} connections", loc="center", fontsize=8.5, fontweight="normal", y=-0.16
    )


def _curve(
    axes: Any, parameters: CompensationParameters, runs: Sequence[Results], marks_s: list[float]
) -> None:
    tests = runs[0]["recall"]
    hours, branches, lesions = tests.time.values / 3600, tests.branch.values, tests.lesions.values
    recall = np.stack([run["recall"].recall.mean("block").values for run in runs])
    kept = np.stack([run["recall"].recall_fixed.mean("block").values for run in runs])
    axes.axhline(0.5, color=GRAY, lw=0.8, ls=":")
    axes.text(
        1.005, 0.5, "chance", color=GRAY, fontsize=7.5, va="center",
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip
    for number, colour in enumerate(EPOCHS):
        here = np.flatnonzero((branches == MAIN) & (lesions == number))
        if here.size:
            how = {"lw": 2.0, "ms": 3.5, "label": EPOCH_LABELS[number]}
            with_band(axes, hours[here], recall[:, here], colour, "o-", **how)
            if number:
                label = "decoder kept from $t_1$" if number == 1 else "_"
                axes.plot(hours[here], kept[:, here].mean(0), ":", color=INK, lw=1.2, label=label)
    labelled = set()
    for branch in BRANCHES:
        here = np.flatnonzero(branches == branch)
        name = branch.rstrip("_12")
        if branch == MAIN or here.size == 0:
            continue
        colour, marker, label = CONTROLS[name]
        axes.plot(
            hours[here], recall[:, here].mean(axis=0), marker=marker, ms=3.6, lw=1.0, ls="--",
            color=colour, label="_" if name in labelled else label, zorder=4, mew=0.9,
            mec=colour, mfc="white",
        )  # fmt: skip
        labelled.add(name)
    for number, time_s in enumerate(parameters.schedule.lesions_s):
        axes.axvline(time_s / 3600, color=INK, lw=0.8)
        axes.text(time_s / 3600, 1.02, f" lesion {number + 1}", fontsize=8, va="bottom")
    for number, words in enumerate(_when(parameters.schedule, marks_s)):
        at = marks_s[number] / 3600
        axes.plot(at, 0.425, "^", color=INK, ms=4, clip_on=False)
        align = "right" if words.startswith("before") else "left"
        axes.text(at, 0.432, f" $t_{number + 1}$ ", fontsize=8, ha=align, va="bottom")
    axes.set(xlabel="time / h", ylabel="recall from sound alone", ylim=(0.425, 1.02))
    axes.set_xlim(0, float(hours[branches == MAIN].max()) * 1.01)


# -- connections and drift (S1) --------------------


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
    labels = ["${}$→${}$".format(*str(k).split("→")) for k in runs[0]["shares"].kind.values]
    bars_with_points(shares, values, [GRAY, GRAY, *[BLUE] * 4], labels)
    shares.set(ylim=(0, 1), ylabel="share that is functional")
    networks = "one network" if len(values) == 1 else f"{len(values)} networks"
    shares.set_title(f"of all possible ones, {networks}")
    return figure


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
            rates_image(axes, histogram[column][order, :last], width, peak)
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
        with_band(top, hours, values, colour, "o-", label=f"${name}$", lw=2.0, ms=4)
    top.set(ylabel="likeness to the first code", ylim=(None, 1.02))
    top.legend(loc="lower left")
    tests = runs[0]["recall"]
    rows = np.flatnonzero(tests.branch.values == NO_LESION)
    recall = np.stack([run["recall"].recall.mean("block").values[rows] for run in runs])
    time = (tests.time.values[rows] - tests.time.values[rows[0]]) / 3600
    with_band(bottom, time, recall, BLUE, "o-", lw=2.0, ms=3.5)
    bottom.axhline(0.5, color=GRAY, lw=0.8, ls=":")
    bottom.set(xlabel="hours without lesions", ylabel="recall", ylim=(0.45, 1.02))
