"""Fig. 5D: recall over time with lesions and controls, weights and connections at marked times."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from synsamp.experiments.base import Results
from synsamp.experiments.compensation.experiment import CompensationParameters
from synsamp.experiments.compensation.plan import (
    LIKELIHOOD,
    MAIN,
    NO_LESION,
    NOISE_OFF,
    PLASTICITY_OFF,
)
from synsamp.figures.montage import montage
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY, YELLOW

CONTROLS = {
    NO_LESION: (SKY, "o", "no lesion"),
    NOISE_OFF: (PURPLE, "s", "noise off (T = 0)"),
    LIKELIHOOD: (YELLOW, "D", "likelihood alone"),
    PLASTICITY_OFF: (GRAY, "x", "plasticity off (b = 0)"),
}


def draw_course(parameters: CompensationParameters, results: Results) -> Figure:
    """Weights, diagrams and counts above the curve of recall."""
    marks = results["marks"]
    n = marks.sizes["mark"]
    figure: Any = Figure(figsize=(7.0, 6.6))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.55, 1.0])
    rows = top.subplots(2, n, height_ratios=[0.8, 1.0])
    for i in range(n):
        _weights(rows[0, i], results, i)
        _diagram(rows[1, i], results, i)
        hours = float(marks.time[i]) / 3600
        start = "D   " if i == 0 else ""
        rows[0, i].set_title(f"{start}$t_{i + 1}$ = {hours:.2g} h")
        rows[0, i].set_xlabel(_when(parameters, i), fontsize=8)
    rows[0, 0].set_ylabel("weights of $z_V$")
    _curve(bottom.subplots(), parameters, results)
    return figure


def _when(parameters: CompensationParameters, mark: int) -> str:
    """Where a marked time stands: before a lesion, just after it, or later."""
    plan = parameters.plan
    row = [row for row in plan.rows if row.mark][mark]
    starts = {p.lesion: p.start_s for p in plan.phases if p.arm == MAIN}
    if row.time_s == starts.get(row.after + 1):
        return f"before lesion {row.after + 1}"
    if row.step == 0:
        return f"just after lesion {row.after}"
    return f"{(row.time_s - starts[row.after]) / 3600:.2g} h after lesion {row.after}"


def _weights(axes: Any, results: Results, mark: int) -> None:
    example = results["example"].attrs
    weights = results["marks"].image_weight.values[mark]
    pictures = weights.reshape(len(weights), int(example["height"]), int(example["width"])).copy()
    removed = results["lesions"].removed_neuron.values[0, len(weights) :]
    alive = ~removed | (weights.max(axis=1) > 0)
    pictures[~alive] = np.nan
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
    marks = results["marks"]
    now = marks.lateral.values[0, mark]
    place = _places(len(now))
    chosen = now & marks.drawn.values
    before = marks.lateral.values[0, mark - 1] if mark else np.zeros_like(now)
    for which, colour, width in ((chosen & before, "#b4bac4", 0.7), (chosen & ~before, BLUE, 0.9)):
        post, pre = np.nonzero(which)
        axes.add_collection(
            LineCollection([[place[b], place[a]] for a, b in zip(post, pre, strict=True)],
                           colors=colour, linewidths=width, zorder=1)
        )  # fmt: skip
        _heads(axes, place[pre], place[post], colour)
    gone = results["lesions"].removed_neuron.values[0] & ~now.any(axis=0) & ~now.any(axis=1)
    if marks.lateral.values[0, mark].sum() == 0 and mark:
        gone = results["lesions"].removed_neuron.values[0]
    half = len(now) // 2
    for here, colour in ((np.arange(len(now)) < half, SKY), (np.arange(len(now)) >= half, GREEN)):
        alive = here & ~gone
        axes.plot(*place[alive].T, "o", ms=3.4, color=colour, mec=INK, mew=0.3, zorder=2)
        axes.plot(*place[here & gone].T, "o", ms=3.0, mfc="white", mec="#c9ced6", zorder=2)
    tracked = int(results["path"].neuron.values[0])
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


def _curve(axes: Any, parameters: CompensationParameters, results: Results) -> None:
    course = results["course"]
    recall = course.recall.mean("block").values
    hours, arm, lesions = course.time.values / 3600, course.arm.values, course.lesions.values
    axes.axhline(0.5, color=GRAY, lw=0.8, ls=":")
    axes.text(
        1.005, 0.5, "chance", color=GRAY, fontsize=7.5, va="center",
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip
    for number in range(3):
        here = np.flatnonzero((arm == MAIN) & (lesions == number))
        if here.size == 0:
            continue
        colour = (BLUE, ORANGE, GREEN)[number]
        axes.plot(hours[here], recall[:, here].T, color=colour, lw=0.5, alpha=0.45)
        axes.plot(hours[here], recall[:, here].mean(axis=0), "o-", color=colour, lw=2.2, ms=3.5)
    for name, (colour, marker, label) in CONTROLS.items():
        shown = label
        for number in range(3):
            here = np.flatnonzero((arm == name) & (lesions == number))
            if here.size == 0:
                continue
            axes.plot(
                hours[here], recall[:, here].mean(axis=0), marker=marker, ms=3.6, lw=1.0, ls="--",
                color=colour, label=shown, zorder=4, mew=0.9, mec=colour, mfc="white",
            )  # fmt: skip
            shown = "_"
    schedule = parameters.schedule
    lesion_s = [schedule.learning_s]
    if schedule.after_lesion_2_s:
        lesion_s.append(schedule.learning_s + schedule.after_lesion_1_s)
    for number, time_s in enumerate(lesion_s):
        axes.axvline(time_s / 3600, color=INK, lw=0.8)
        axes.text(time_s / 3600 + 0.04, 1.02, f"lesion {number + 1}", fontsize=8, va="bottom")
    for number, time_s in enumerate(results["marks"].time.values):
        axes.plot(time_s / 3600, 0.425, "^", color=INK, ms=4, clip_on=False)
        align = "right" if _when(parameters, number).startswith("before") else "left"
        axes.text(time_s / 3600, 0.432, f" $t_{number + 1}$ ", fontsize=8, ha=align, va="bottom")
    axes.set(xlabel="time / h", ylabel="recall from sound alone", ylim=(0.425, 1.02))
    axes.set_xlim(0, float(hours[arm == MAIN].max()) * 1.01)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="best", fontsize=7.5)
