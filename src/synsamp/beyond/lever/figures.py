"""Figures of the lever, drawn from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.beyond.lever.measures import counted_between, onto_motor, preserved
from synsamp.beyond.lever.parameters import LeverParameters
from synsamp.beyond.lever.protocol import (
    AT_RANDOM,
    FROZEN,
    LESION_FROZEN,
    MAIN,
    NOISELESS,
    REVERSED_FROZEN,
    SAME,
)
from synsamp.beyond.shared.reward_network import Floats
from synsamp.experiments.base import Results
from synsamp.figures.panels import with_band
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PALE, PURPLE
from synsamp.figures.time import time_axis

CONTROLS = {
    SAME: (GREEN, "task unchanged"),
    AT_RANDOM: (ORANGE, "reward at random"),
    NOISELESS: (PURPLE, "noise off (T = 0)"),
    FROZEN: (GRAY, "plasticity off (b = 0)"),
    REVERSED_FROZEN: (GRAY, "_"),
    LESION_FROZEN: (GRAY, "_"),
}
DRAWN = 12
"""Connections whose θ is shown."""
BINS = 30
"""Largest number of time bins."""


def draw(p: LeverParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A (movements), B (single connections), C (survival), D (stability)."""
    return {"AB": _course(p, runs), "CD": _drift(p, runs)}


def _course(p: LeverParameters, runs: Sequence[Results]) -> Figure:
    figure: Any = Figure(figsize=(7, 5.2))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1.5, 1])
    for branch, (colour, label) in CONTROLS.items():
        if f"{branch}/course" in runs[0]:
            _over_time(above, p, runs, branch, colour, label, "--")
    _over_time(above, p, runs, MAIN, BLUE, "the network", "-")
    s = p.schedule
    for at, words in ((s.learning_s, "reversed order"), (s.learning_s + s.changed_s, "lesion")):
        for axes in (above, below):
            axes.axvline(at, color=INK, lw=0.8)
        above.text(
            at, 1.0, f" {words}", fontsize=8, va="top", transform=above.get_xaxis_transform()
        )
    above.set(title="A  movements", ylabel="per minute of cued time")
    above.set_ylim(0, above.get_ylim()[1] * 1.1)
    figure.legend(loc="outside lower center", ncols=5, fontsize=8)
    theta = runs[0][f"{MAIN}/among"].among
    hidden, n = p.wiring.hidden, p.wiring.excitatory
    places = np.random.default_rng(0).permutation((n - hidden) * n)[: 4 * DRAWN]
    posts, pres = hidden + places // n, places % n
    chosen = [(i, j) for i, j in zip(posts, pres, strict=True) if i != j][:DRAWN]
    shades = np.linspace(0.15, 0.8, len(chosen))  # the colours of panel A mean conditions
    for shade, (post, pre) in zip(shades, chosen, strict=True):
        below.plot(theta.time.values, theta.values[:, post, pre], color=str(shade), lw=0.8)
    below.axhline(0.0, color=GRAY, lw=0.8, ls=":")
    below.set(title=f"B  {len(chosen)} single connections of the first network", ylabel="θ")
    whole_s = s.learning_s + s.changed_s + s.lesion_s
    below.set_xlim(0, whole_s)
    time_axis(below, whole_s)
    return figure


def _over_time(
    axes: Axes,
    p: LeverParameters,
    runs: Sequence[Results],
    branch: str,
    colour: str,
    label: str,
    line: str,
) -> None:
    """Movements per minute in time bins: mean over networks, ± one standard deviation."""
    time = runs[0][f"{branch}/course"].time.values
    total_s = p.schedule.learning_s + p.schedule.changed_s + p.schedule.lesion_s
    rows = max(1, round(total_s / BINS / p.schedule.record_every_s))
    at = np.arange(rows, len(time), rows)
    if at.size == 0:
        return
    found = []
    for run in runs:
        course = run[f"{branch}/course"]
        finished, cued = (_sums(counted_between(course, what), at) for what in ("finished", "cued"))
        found.append(60.0 * finished / np.maximum(cued * p.task.period_s, p.task.period_s))
    values = np.stack(found)
    middle = (time[at] + time[at - rows]) / 2
    if line == "-":
        with_band(axes, middle, values, colour, label=label, lw=1.8)
    else:
        axes.plot(middle, values.mean(axis=0), line, color=colour, label=label, lw=1.0)


def _sums(counted: Floats, at: Any) -> Floats:
    """Sums of counts between records, over bins that end at these records."""
    whole = np.concatenate([[0.0], np.cumsum(counted)])
    return np.diff(whole[np.concatenate([[0], at])])


def _drift(p: LeverParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 2.8))
    left, right = figure.subplots(1, 2)
    for branch, named in ((SAME, SAME), (REVERSED_FROZEN, FROZEN)):
        colour, label = CONTROLS[named]  # as in panel A
        curves = []
        for run in runs:
            there = run[f"{branch}/among"].among.values > 0
            curves.append((there & there[0]).sum(axis=(1, 2)) / there[0].sum())
        time = runs[0][f"{branch}/among"].time.values
        left.plot(time - time[0], np.mean(curves, axis=0), color=colour, label=label)
    left.set(title="C  surviving connections", ylabel="share", ylim=(0, 1.05))
    time_axis(left, p.schedule.same_s)
    left.legend(loc="lower left")
    found = []
    for run in runs:
        single, moves, mixed = preserved(p, *(onto_motor(p, run, row) for row in (0, -1)))
        found.append((single, mixed, moves))
    right.bar(range(3), np.mean(found, axis=0), color=[PALE, PALE, GREEN], width=0.6)
    for values in found:
        right.plot(range(3), values, "o", color=INK, ms=3, alpha=0.6)
    right.set_xticks(range(3), ["single\nsynapses", "mixed\ngroups", "up −\ndown"])
    right.axhline(0.0, color=INK, lw=0.8)
    lowest = min(0.0, *np.ravel(found)) * 1.1
    right.set(title="D  stability", ylabel="correlation", ylim=(lowest, 1.05))
    return figure
