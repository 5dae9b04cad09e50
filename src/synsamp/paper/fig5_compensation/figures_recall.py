"""Fig. 5D: recall over time with lesions and controls, weights and connections at marked times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from synsamp.experiments import Results
from synsamp.figures.montage import montage
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY, YELLOW
from synsamp.paper.fig5_compensation.decoding import (
    BRANCHES,
    LIKELIHOOD,
    MAIN,
    NO_LESION,
    NOISE_OFF,
    PLASTICITY_OFF,
    record_of,
)
from synsamp.paper.fig5_compensation.figures_band import with_band
from synsamp.paper.fig5_compensation.parameters import CompensationParameters, ScheduleSection

EPOCHS = (BLUE, ORANGE, GREEN)
"""Colours of the stretches before lesion 1, between the lesions, and after lesion 2."""
CONTROLS = {
    NO_LESION: (SKY, "o", "no lesion"),
    NOISE_OFF: (PURPLE, "s", "noise off (T = 0)"),
    LIKELIHOOD: (YELLOW, "D", "likelihood alone"),
    PLASTICITY_OFF: (GRAY, "x", "plasticity off (b = 0)"),
}
DRAWN_SHARE = 0.01
"""Diagrams show 1 % of the possible lateral connections, as in the paper."""


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
    bottom.legend(loc="outside lower center", ncols=5, fontsize=7.5)
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
    axes.set_facecolor("#dfe3ea")
    axes.imshow(montage(pictures, 8, gap=3), cmap="gray_r", vmin=0, vmax=2.0)
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)


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
        _heads(axes, place[pre], place[post], colour)
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


def _heads(axes: Any, start: Any, stop: Any, colour: str) -> None:
    """A small arrow head a little before the end of each line."""
    for a, b in zip(start, stop, strict=True):
        axes.annotate(
            "", xy=tuple(a + 0.97 * (b - a)), xytext=tuple(a + 0.9 * (b - a)),
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 0.0, "mutation_scale": 5},
        )  # fmt: skip


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
            with_band(axes, hours[here], recall[:, here], colour)
            if number:
                label = "decoder kept from $t_1$" if number == 1 else "_"
                axes.plot(hours[here], kept[:, here].mean(axis=0), ":", color=INK, lw=1.2,
                          label=label)  # fmt: skip
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
