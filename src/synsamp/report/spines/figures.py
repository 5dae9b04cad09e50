"""Figures of a spine table. Drawing computes nothing: numbers come from `synsamp.spines`."""

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
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from synsamp.figures.style import BLUE, CYCLE, GRAY, GREEN, INK, ORANGE, PURPLE, STYLE
from synsamp.report.alt import describe
from synsamp.report.draw import Drawing
from synsamp.spines.analysis import Analysis
from synsamp.spines.table import SpineTable

MOST_ROWS = 600
"""Spines in the raster; of more an even choice is drawn."""

TRACES = 60

CAPTIONS = {
    "raster": "Presence of every spine (rows, by animal and by when it was first seen) at every "
    "session: seen, absent, or not looked at.",
    "sizes": "Sizes over time. A few spines are drawn in colour; the dashed line is the threshold "
    "below which a spine is not seen.",
    "distribution": "Distribution of log size, and what the fitted process with its threshold "
    "brings forth (95 % of simulated tables).",
    "change": "Mean change of log size to the next session against size. Spines above the mean "
    "shrink and those below grow if sizes return to a mean; what is not seen does not count, which "
    "the fit takes into account.",
    "correlation": "Correlation of log size between sessions some time apart, for spines seen in "
    "both.",
    "survival": "Survival of new spines (Kaplan–Meier with 95 % band) and laws fitted to it; right "
    "with logarithmic axes. The orange band is 95 % of tables simulated from the process of "
    "sizes; nothing in it is fitted to lives.",
    "turnover": "Gain and loss relative to the spines seen before, between successive sessions. "
    "Dots are animals, bars all together.",
}


def draw(found: Analysis, curves: Mapping[str, pd.DataFrame]) -> dict[str, Drawing]:
    """All figures that the table has something for, rendered as PNG and SVG."""
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
    words = {"raster": _raster_in_words(found.table)}  # of a mesh nothing can be read off
    with mpl.rc_context(STYLE):
        return {name: _render(name, make(), words.get(name)) for name, make in makers.items()}


def _render(key: str, figure: Figure, words: str | None) -> Drawing:
    FigureCanvasAgg(figure)
    png, svg = BytesIO(), BytesIO()
    figure.savefig(png, format="png", metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": "synsamp"})
    width_px = round(figure.get_figwidth() * 100)
    return Drawing(key, png.getvalue(), svg.getvalue(), width_px, words or describe(figure))


def shown(name: str, longest: int = 24) -> str:
    """A name of the table as text of a drawing: no formulas, no odd signs, not too long."""
    text = "".join(c if c.isprintable() else "?" for c in name).replace("$", r"\$")
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _time_label(table: SpineTable) -> str:
    return f"time ({table.time_unit}s)" if table.time_unit else "time"


def _size_label(table: SpineTable) -> str:
    name = shown(table.size_name.partition("(")[0].partition("[")[0].strip().lower() or "size")
    return f"{name} ({shown(table.size_unit)})" if table.size_unit else name


def _log_axis(axis: Any) -> None:
    """Few ticks of a logarithmic axis, as numbers, so that no two labels overlap."""
    low, high = axis.get_view_interval()
    steps = (1, 2, 5) if high / low < 60 else (1, 3) if high / low < 8000 else (1,)
    ticks = [m * 10.0**e for e in range(-12, 13) for m in steps]
    axis.set_major_locator(mpl.ticker.FixedLocator([t for t in ticks if low <= t <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def _raster(table: SpineTable) -> Figure:
    seen = table.state == 1
    first = np.where(seen.any(axis=1), seen.argmax(axis=1), table.times.size)
    order = np.lexsort((-seen.sum(axis=1), first, table.animal_number))
    if order.size > MOST_ROWS:
        order = order[np.linspace(0, order.size - 1, MOST_ROWS).astype(int)]
    rows = table.state[order]
    figure = Figure(figsize=(7, float(np.clip(1.6 + 0.012 * len(order), 2.6, 6.5))))
    axes = figure.subplots()
    middle = (table.times[1:] + table.times[:-1]) / 2
    edges = np.concatenate(
        [
            np.array([1.5 * table.times[0] - 0.5 * table.times[1]]),
            middle,
            np.array([1.5 * table.times[-1] - 0.5 * table.times[-2]]),
        ]
    )
    colours = ListedColormap(["#e4e6ea", "#ffffff", BLUE])
    axes.pcolormesh(
        edges, np.arange(len(order) + 1), rows, cmap=colours, vmin=-1.5, vmax=1.5, rasterized=True
    )
    axes.invert_yaxis()
    whose = table.animal_number[order]
    if len(table.animals) > 1:
        starts = np.flatnonzero(np.diff(whose, prepend=-1))
        ends = np.append(starts[1:], len(order))
        for start in starts[1:]:
            axes.axhline(start, color=INK, lw=0.6)
        # Labels need room: of many animals every second, third … is named.
        room = max(1, int(np.ceil(len(starts) / (figure.get_figheight() * 4.5))))
        axes.set_yticks(
            ((starts + ends) / 2)[::room],
            [shown(table.animals[whose[s]], 14) for s in starts[::room]],
        )
        axes.tick_params(axis="y", length=0)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_ylabel("spine")
    axes.xaxis.set_major_locator(MaxNLocator(8))
    axes.set_xlabel(_time_label(table))
    patches = [mpl.patches.Patch(fc=c, ec=GRAY, lw=0.5) for c in (BLUE, "#ffffff", "#e4e6ea")]
    names = ["seen", "absent", "not looked at"]
    kept = 3 if (rows < 0).any() else 2
    figure.legend(patches[:kept], names[:kept], loc="outside upper right", ncols=3)
    return figure


def _raster_in_words(table: SpineTable) -> str:
    looked = table.state >= 0
    shares = [100 * float((table.state[:, k] == 1)[looked[:, k]].mean()) for k in (0, -1)]
    spines, sessions = table.state.shape
    return (
        f"Presence of {spines} spines at {sessions} sessions; of the spines looked at, "
        f"{shares[0]:.0f} % were seen at the first session and {shares[1]:.0f} % at the last; "
        f"{100 * float((~looked).mean()):.0f} % of all were not looked at."
    )


def _sizes(found: Analysis) -> Figure:
    table = found.table
    figure = Figure(figsize=(7, 3.4))
    axes = figure.subplots()
    order = np.argsort(-(np.isfinite(table.size)).sum(axis=1), kind="stable")
    # Every k-th spine by how often it was measured, so that short lives show as well.
    some = order[np.linspace(0, order.size - 1, min(TRACES, order.size)).astype(int)]
    for k, row in enumerate(some):
        looked = table.state[row] >= 0
        bold = k % 12 == 0
        axes.plot(
            table.times[looked],
            table.size[row][looked],
            color=CYCLE[(k // 12) % len(CYCLE)] if bold else GRAY,
            lw=1.5 if bold else 0.6,
            alpha=1 if bold else 0.45,
            marker="o",
            ms=2.6 if bold else 1.4,
            zorder=3 if bold else 2,
        )
    if found.fitted is not None and (table.state == 0).any():
        axes.axhline(found.fitted.value("threshold"), color=INK, ls="--", lw=0.9)
    axes.set(xlabel=_time_label(table), ylabel=_size_label(table), yscale="log")
    axes.xaxis.set_major_locator(MaxNLocator(8))
    _log_axis(axes.yaxis)
    return figure


def _band(axes: Any, frame: pd.DataFrame, at: Any, stepped: bool = False) -> None:
    """What the fit and the rule bring forth; stepped as a Kaplan–Meier curve is."""
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
            label="fitted process",
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
        at = np.exp(at)  # curves are along log size, the axis tells sizes
        axes.set_xscale("log")
    _band(axes, frame, at)
    if name == "distribution":
        root = np.sqrt(at[1] / at[0])
        axes.bar(
            at / root,
            frame["table"],
            at * (root - 1 / root),
            align="edge",
            color=GRAY,
            alpha=0.45,
            label="table",
            zorder=1,
        )
        axes.set(xlabel=_size_label(table), ylabel="density of log size")
        _log_axis(axes.xaxis)
    else:
        axes.plot(at, frame["table"], "o", color=BLUE, ms=4.5, label="table", zorder=4)
        axes.axhline(0, color=GRAY, lw=0.8, zorder=0)
        if name == "change":
            axes.set(
                xlabel=_size_label(table), ylabel="mean change of log size\nto the next session"
            )
            _log_axis(axes.xaxis)
        else:
            unit = f" ({table.time_unit}s)" if table.time_unit else ""
            axes.set(xlabel=f"time between sessions{unit}", ylabel="correlation of log size")
            axes.set_xlim(left=0)
    axes.legend()
    return figure


def _survival(found: Analysis, simulated: pd.DataFrame | None) -> Figure:
    curve, laws = found.survival.curve, found.survival.laws
    assert curve is not None
    figure = Figure(figsize=(8.4, 3.4))
    axes = figure.subplots(1, 2)
    longest = float(curve.time[-1]) if curve.time.size > 1 else 1.0
    shortest = float(curve.time[1]) if curve.time.size > 1 else 0.5
    chosen = [law for law in laws if law.law != "first passage"][:2]
    for k, scale in enumerate(("linear", "log")):
        axes[k].fill_between(
            curve.time, curve.low, curve.high, step="post", color=GRAY, alpha=0.3, lw=0
        )
        axes[k].step(curve.time, curve.survival, where="post", color=INK, label="new spines")
        start = 0.0 if scale == "linear" else shortest / 2
        time = np.linspace(start, longest, 300)
        if scale == "log":
            time = np.geomspace(start, longest, 300)
        for which, law in enumerate(chosen):
            axes[k].plot(
                time, law.survival(time), color=(BLUE, GREEN)[which], lw=1.3, label=law.law
            )
        if simulated is not None:
            _band(axes[k], simulated, simulated["at"], stepped=True)
        unit = f" ({found.table.time_unit}s)" if found.table.time_unit else ""
        axes[k].set(xscale=scale, yscale=scale, xlabel=f"time since first seen{unit}")
    axes[0].set(ylim=(0, 1.03), xlim=(0, longest), ylabel="share surviving")
    axes[0].xaxis.set_major_locator(MaxNLocator(6))
    positive = curve.survival[curve.survival > 0]
    axes[1].set(ylim=(0.6 * positive.min(), 1.2), xlim=(shortest / 2, longest * 1.05))
    _log_axis(axes[1].xaxis)
    _log_axis(axes[1].yaxis)
    axes[0].legend()
    return figure


def _turnover(found: Analysis) -> Figure:
    frame = found.turnover.intervals
    figure = Figure(figsize=(7, 3.2))
    axes = figure.subplots()
    pooled = frame.groupby(["from", "to"], as_index=False)[["before", "gained", "lost"]].sum()
    pooled = pooled[pooled["before"] > 0]
    middle = (pooled["from"] + pooled["to"]) / 2
    width = 0.8 * (pooled["to"] - pooled["from"])
    several = frame["animal"].nunique() > 1
    for name, sign, colour in (("gained", 1, GREEN), ("lost", -1, ORANGE)):
        share = pooled[name] / pooled["before"]
        axes.bar(middle, sign * share, width, color=colour, alpha=0.75, label=name)
        if several:
            own = frame[frame["before"] > 0]
            axes.plot(
                (own["from"] + own["to"]) / 2,
                sign * own[name] / own["before"],
                "o",
                ms=2.5,
                color=INK,
                alpha=0.5,
            )
    axes.axhline(0, color=INK, lw=0.8)
    axes.set(xlabel=_time_label(found.table), ylabel="share of the spines seen before")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{abs(y):g}"))
    axes.xaxis.set_major_locator(MaxNLocator(8))
    figure.legend(loc="outside upper right", ncols=2)
    return figure
