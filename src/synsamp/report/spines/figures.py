"""Figures of a spine table; all numbers come from `synsamp.spines`."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from synsamp.figures.style import BLUE, CYCLE, GRAY, GREEN, INK, ORANGE, PURPLE, STYLE
from synsamp.report.alt import alternative_text
from synsamp.report.draw import Drawing
from synsamp.report.spines.axes import log_axis, shown, size_label, time_label
from synsamp.report.spines.side_by_side import draw_conditions
from synsamp.spines.analysis import Analysis
from synsamp.spines.table import SpineTable

MOST_ROWS = 600
"""Most spines in the raster; of more, an evenly spaced selection is drawn."""

MOST_COLUMNS = 60
"""Up to this many sessions, lines separate them in the raster."""

NOTHING, NOT_IMAGED = "#f6f3ec", "#b9bec8"

TRACES, IN_COLOUR = 60, 5


def draw(found: Analysis, curves: Mapping[str, pd.DataFrame]) -> dict[str, Drawing]:
    """All figures for which the table has data, rendered as PNG and SVG."""
    makers: dict[str, Any] = {"raster": lambda: _raster(found.table)}
    if found.table.has_sizes:
        makers["sizes"] = lambda: _sizes(found)
        for name in ("distribution", "change", "correlation"):
            if name in curves and curves[name]["table"].notna().any():
                makers[name] = lambda name=name: _curve(found, curves[name], name)
    if found.survival.curve is not None:
        makers["survival"] = lambda: _survival(found, curves.get("survival"))
    if len(found.turnover.intervals):
        makers["turnover"] = lambda: _turnover(found)
    if found.survival_by_condition and found.turnover_by_condition is not None:
        makers["conditions"] = lambda: draw_conditions(found)
    words = {"raster": _raster_in_words(found.table)}  # a mesh has no data to describe
    with mpl.rc_context(STYLE):
        return {name: _render(name, make(), words.get(name)) for name, make in makers.items()}


def _render(key: str, figure: Figure, words: str | None) -> Drawing:
    FigureCanvasAgg(figure)
    png, svg = BytesIO(), BytesIO()
    figure.savefig(png, format="png", metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": "synsamp"})
    width_px = round(figure.get_figwidth() * 100)
    return Drawing(key, png.getvalue(), svg.getvalue(), width_px, words or alternative_text(figure))


def _raster(table: SpineTable) -> Figure:
    state, times, label = _columns(table)
    seen = state == 1
    first = np.where(seen.any(axis=1), seen.argmax(axis=1), len(times))
    order = np.lexsort((-seen.sum(axis=1), first, table.animal_number))
    if order.size > MOST_ROWS:
        order = order[np.linspace(0, order.size - 1, MOST_ROWS).astype(int)]
    rows = state[order]
    figure = Figure(figsize=(7, float(np.clip(1.6 + 0.014 * len(order), 2.6, 6.5))))
    axes = figure.subplots()
    # Columns of equal width: on a time axis short intervals would vanish.
    sessions = np.arange(len(times))
    edges = np.append(sessions - 0.5, sessions[-1] + 0.5)
    colours = ListedColormap([NOT_IMAGED, NOTHING, BLUE])
    axes.pcolormesh(
        edges, np.arange(len(order) + 1), rows, cmap=colours, vmin=-1.5, vmax=1.5, rasterized=True
    )
    if sessions.size <= MOST_COLUMNS:
        axes.vlines(edges[1:-1], 0, len(order), color="white", lw=1.5)
    axes.invert_yaxis()
    whose = table.animal_number[order]
    if len(table.animals) > 1:
        starts = np.flatnonzero(np.diff(whose, prepend=-1))
        ends = np.append(starts[1:], len(order))
        for start in starts[1:]:
            axes.axhline(start, color=INK, lw=0.8)
        # With many animals only every second, third … is labelled.
        room = max(1, int(np.ceil(len(starts) / (figure.get_figheight() * 4.5))))
        axes.set_yticks(
            ((starts + ends) / 2)[::room],
            [shown(table.animals[whose[s]], 14) for s in starts[::room]],
        )
        axes.tick_params(axis="y", length=0)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_ylabel("spine")
    room = int(np.ceil(sessions.size * max(map(len, times)) / 60))
    axes.set_xticks(sessions[::room], times[::room])
    axes.set_xlabel(label)
    patches = [mpl.patches.Patch(fc=c, ec=GRAY, lw=0.5) for c in (BLUE, NOTHING, NOT_IMAGED)]
    names = ["seen", "absent", "not imaged"]
    kept = 3 if (rows < 0).any() else 2
    figure.legend(patches[:kept], names[:kept], loc="outside upper right", ncols=3)
    return figure


def _columns(table: SpineTable) -> tuple[Any, list[str], str]:
    """States by session, the labels of the sessions and of their axis.

    If dendrites were imaged on different days, the sessions of each dendrite are numbered.
    """
    if own_days(table):
        units = list(zip(table.animal.tolist(), table.dendrite.tolist(), strict=True))
        state = np.full(table.state.shape, -1, np.int8)
        for unit in {*units}:
            rows = np.array([one == unit for one in units])
            when = np.flatnonzero((table.state[rows] >= 0).any(axis=0))
            state[np.ix_(rows, np.arange(when.size))] = table.state[np.ix_(rows, when)]
        state = state[:, (state >= 0).any(axis=0)]
        whose = "dendrite" if table.choices.get("dendrite") else "animal"
        names = [str(k + 1) for k in range(len(state.T))]
        return state, names, f"session of the {whose} (first, second, …)"
    names = [f"{t:g}" for t in table.times]
    return table.state, names, f"session ({table.time_unit or 'time'})"


def own_days(table: SpineTable) -> bool:
    """Whether a third of all states is missing, as if animals were imaged on different days."""
    return float((table.state < 0).mean()) > 1 / 3


def _raster_in_words(table: SpineTable) -> str:
    imaged = table.state >= 0
    seen = [100 * float((table.state[:, k] == 1)[imaged[:, k]].mean()) for k in (0, -1)]
    spines, sessions = table.state.shape
    return (
        f"Presence of {spines} spines in {sessions} sessions; of the spines imaged, "
        f"{seen[0]:.0f} % were seen in the first session and {seen[1]:.0f} % in the last; "
        f"{100 * float((~imaged).mean()):.0f} % of all states are missing."
    )


def _sizes(found: Analysis) -> Figure:
    table = found.table
    figure = Figure(figsize=(7, 3.4))
    axes = figure.subplots()
    measured = np.isfinite(table.size).sum(axis=1)
    order = np.argsort(-measured, kind="stable")[: int((measured > 0).sum())]
    # Every k-th spine by how often it was measured, so that short-lived spines appear as well.
    some = order[np.linspace(0, order.size - 1, min(TRACES, order.size)).astype(int)]
    often = some[: max(IN_COLOUR, int((measured[some] >= 3).sum()))]
    bold = often[np.linspace(0, often.size - 1, min(IN_COLOUR, often.size)).astype(int)]
    for row in [*some, *bold]:  # those in colour last, on top
        imaged = table.state[row] >= 0
        which = bold.tolist().index(row) if row in bold else None
        axes.plot(
            table.times[imaged],
            table.size[row][imaged],
            color=GRAY if which is None else CYCLE[which],
            lw=0.6 if which is None else 1.5,
            alpha=0.4 if which is None else 1,
            marker="o",
            ms=1.4 if which is None else 3,
            zorder=2 if which is None else 3,
        )
    axes.set(xlabel=time_label(table), ylabel=size_label(table), yscale="log")
    if found.fitted is not None and (table.state == 0).any():
        least = found.fitted.value("threshold")
        axes.axhline(least, color=INK, ls="--", lw=0.9)
        axes.annotate(
            "threshold",
            (1, least),
            xycoords=("axes fraction", "data"),
            xytext=(0, -3),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=8,
        )
        axes.set_ylim(bottom=min(axes.get_ylim()[0], 0.85 * least))
    axes.xaxis.set_major_locator(MaxNLocator(8))
    log_axis(axes.yaxis)
    return figure


def _band(axes: Any, frame: pd.DataFrame, at: Any, stepped: bool = False) -> None:
    """The range of simulations from the fit and the rule; stepped for a Kaplan–Meier curve."""
    style = "steps-post" if stepped else "default"
    if "low" in frame:
        axes.fill_between(
            at,
            frame["low"],
            frame["high"],
            step="post" if stepped else None,
            color=ORANGE,
            alpha=0.25,
            lw=0,
            label="fitted process (95 %)",
        )
        axes.plot(at, frame["simulated"], color=ORANGE, lw=1.2, drawstyle=style)
    if "rule" in frame:
        label = "rule without circuit"
        axes.plot(at, frame["rule"], "--", color=PURPLE, lw=1.3, drawstyle=style, label=label)


def _curve(found: Analysis, frame: pd.DataFrame, name: str) -> Figure:
    table = found.table
    figure = Figure(figsize=(5.2, 3.1))
    axes = figure.subplots()
    at = frame["at"].to_numpy()
    if name != "correlation":
        at = np.exp(at)  # curves are functions of log size, the axis shows sizes
        axes.set_xscale("log")
    _band(axes, frame, at)
    if name == "distribution":
        root = np.sqrt(at[1] / at[0])
        axes.stairs(
            frame["table"],
            np.append(at / root, at[-1] * root),
            fill=True,
            color=GRAY,
            alpha=0.4,
            label="table",
            zorder=1,
        )
        axes.set(xlabel=size_label(table), ylabel="density of log size")
        log_axis(axes.xaxis)
    else:
        axes.plot(at, frame["table"], "o", color=BLUE, ms=4.5, label="table", zorder=4)
        axes.axhline(0, color=GRAY, lw=0.8, zorder=0)
        if name == "change":
            axes.set(
                xlabel=size_label(table), ylabel="mean change of log size\nto the next session"
            )
            log_axis(axes.xaxis)
        else:
            unit = f" ({table.time_unit}s)" if table.time_unit else ""
            axes.set(xlabel=f"time between sessions{unit}", ylabel="correlation of log size")
            axes.set_xlim(left=0)
    axes.legend()
    return figure


def _survival(found: Analysis, simulated: pd.DataFrame | None) -> Figure:
    curve, models = found.survival.curve, found.survival.models
    assert curve is not None
    figure = Figure(figsize=(7, 3.2))
    axes = figure.subplots(1, 2, width_ratios=(1.15, 1))
    longest = float(curve.time[-1]) if curve.time.size > 1 else 1.0
    shortest = float(curve.time[1]) if curve.time.size > 1 else 0.5
    chosen = [model for model in models if model.name != "first passage"][:2]
    for k, scale in enumerate(("linear", "log")):
        axes[k].fill_between(
            curve.time, curve.low, curve.high, step="post", color=GRAY, alpha=0.3, lw=0
        )
        axes[k].step(curve.time, curve.survival, where="post", color=INK, label="new spines")
        start = 0.0 if scale == "linear" else shortest / 2
        time = np.linspace(start, longest, 300)
        if scale == "log":
            time = np.geomspace(start, longest, 300)
        for which, model in enumerate(chosen):
            axes[k].plot(
                time, model.survival(time), color=(BLUE, GREEN)[which], lw=1.3, label=model.name
            )
        if simulated is not None:
            _band(axes[k], simulated, simulated["at"], stepped=True)
        unit = f" ({found.table.time_unit}s)" if found.table.time_unit else ""
        axes[k].set(xscale=scale, yscale=scale, xlabel=f"time since first seen{unit}")
    axes[0].set(ylim=(0, 1.03), xlim=(0, longest), ylabel="proportion surviving")
    axes[0].xaxis.set_major_locator(MaxNLocator(6))
    positive = curve.survival[curve.survival > 0]
    axes[1].set(ylim=(0.6 * positive.min(), 1.2), xlim=(shortest / 2, longest * 1.05))
    log_axis(axes[1].xaxis)
    log_axis(axes[1].yaxis)
    axes[0].legend(fontsize=7.5)
    return figure


def overlapping(intervals: pd.DataFrame) -> bool:
    """Whether intervals ``from``, ``to`` overlap, as if animals were imaged on different days."""
    ordered = intervals.sort_values(["from", "to"])
    return bool((ordered["from"].to_numpy()[1:] < ordered["to"].to_numpy()[:-1]).any())


def _turnover(found: Analysis) -> Figure:
    own = found.turnover.intervals
    own = own[own["before"] > 0]
    figure = Figure(figsize=(7, 3.2))
    axes = figure.subplots()
    pooled = own.groupby(["from", "to"], as_index=False)[["before", "gained", "lost"]].sum()
    middle = (pooled["from"] + pooled["to"]) / 2
    width = 0.8 * (pooled["to"] - pooled["from"])
    several = own["animal"].nunique() > 1
    for name, sign, colour in (("gained", 1, GREEN), ("lost", -1, ORANGE)):
        if overlapping(pooled):  # bars would hide one another
            fraction = sign * own[name] / own["before"]
            axes.hlines(
                fraction, own["from"], own["to"], color=colour, lw=1.6, alpha=0.4, label=name
            )
            every = sign * pooled[name].sum() / pooled["before"].sum()
            axes.axhline(every, color=colour, lw=1.2, ls="--")
            continue
        fraction = pooled[name] / pooled["before"]
        axes.bar(middle, sign * fraction, width, color=colour, alpha=0.75, label=name)
        if several:
            axes.plot(
                (own["from"] + own["to"]) / 2,
                sign * own[name] / own["before"],
                "o",
                ms=2.5,
                color=INK,
                alpha=0.5,
            )
    axes.axhline(0, color=INK, lw=0.8)
    axes.set(xlabel=time_label(found.table), ylabel="fraction of the spines present before")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{abs(y):g}"))
    axes.xaxis.set_major_locator(MaxNLocator(8))
    figure.legend(loc="outside upper right", ncols=2)
    return figure
