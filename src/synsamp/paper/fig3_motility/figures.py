"""Drawing of Figure 3: examples from the first circuit, curves as means over all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from synsamp.analysis.intervals import mean_interval
from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE
from synsamp.paper.fig3_motility.figures_parameter import draw_parameter
from synsamp.paper.fig3_motility.records import CONDITIONS
from synsamp.paper.fig3_motility.survival import COMPARED, POWER_LAW

LEARNING, FREE = CONDITIONS.index("learning"), CONDITIONS.index("free")


def draw(parameters: Any, runs: Sequence[Results]) -> dict[str, Figure]:
    """Panels A–D (one parameter per connection), E and F (survival), and S (what supports it)."""
    return {
        "ABCD": draw_parameter(parameters, runs[0]),
        "EF": _survival(parameters, runs),
        "S": _support(parameters, runs),
    }


# -- over circuits --------------------------------------------------------------------------------


def _rows(runs: Sequence[Results], dataset: str, variable: str) -> NDArray[Any]:
    """A variable of all circuits, [circuit, …]."""
    return np.stack([np.asarray(run[dataset][variable].values, float) for run in runs])


class Mean(NamedTuple):
    """Means over circuits, and the ends of their 95 % intervals."""

    value: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]


def _mean(rows: NDArray[Any]) -> Mean:
    """Mean over the circuits that have a value, with its 95 % interval where there are several."""
    flat = rows.reshape(len(rows), -1)
    found = np.full((3, flat.shape[1]), np.nan)
    for k, column in enumerate(flat.T):
        there = column[np.isfinite(column)]
        if there.size:
            found[:, k] = mean_interval(there)
    value, low, high = found.reshape(3, *rows.shape[1:])
    return Mean(value, low, high)


# -- E and F --------------------------------------------------------------------------------------


def _survival(p: Any, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 3.2))
    for k, (panel, name) in enumerate((("E", "fast"), ("F", "slow"))):
        axes = figure.add_subplot(1, 2, k + 1)
        axes.set_title(f"{panel}  b = {_power(getattr(p, name).speed)}")
        _survival_at(axes, getattr(p, name), runs, f"survival_{name}")
        if k == 0:
            axes.set_ylabel("share surviving")
    return figure


def _survival_at(axes: Axes, watch: Any, runs: Sequence[Results], name: str) -> None:
    unit, scale = _unit(watch.tracked_s)
    first = runs[0][name]
    mean, low, high = _mean(_rows(runs, name, "survival")[:, LEARNING])
    if len(runs) == 1:
        low, high = first.low.values[LEARNING], first.high.values[LEARNING]
    seen = mean > 0
    time = first.time.values[seen] / scale
    low = np.maximum(low[seen], 1e-6)
    axes.fill_between(time, low, high[seen], color=GRAY, alpha=0.35, linewidth=0, step="post")
    axes.step(time, mean[seen], color=GRAY, linewidth=1.2, where="post")
    fits = _mean(_rows(runs, name, "law")[:, LEARNING]).value
    gamma = _mean(_rows(runs, name, "gamma")[:, LEARNING])
    known = f" ({gamma.low:.2f} to {gamma.high:.2f})" if len(runs) > 2 else ""
    axes.plot(
        first.fit_time.values / scale,
        fits[POWER_LAW],
        color="#c1121f",
        linewidth=1.5,
        label=f"power law, γ = {gamma.value:.2f}{known}",
    )
    alone = _mean(_rows(runs, name, "survival")[:, FREE]).value
    looks = np.unique(np.geomspace(1, len(alone) - 1, 14).astype(int))
    axes.plot(
        first.time.values[looks] / scale,
        alone[looks],
        "o",
        color=BLUE,
        markersize=3.2,
        fillstyle="none",
        label="no activity",
    )
    axes.plot(
        first.time.values[1:] / scale,
        first.foretold.values[1:],
        color=BLUE,
        linewidth=1.0,
        linestyle="--",
        label="first passage, from the rule",
    )
    least = mean[seen].min() if seen.any() else 0.1
    axes.set(
        xscale="log",
        yscale="log",
        ylim=(10 ** np.floor(np.log10(max(least, 1e-5))), 1.3),
        xlim=(watch.look_every_s / scale / 2, watch.tracked_s / scale),
        xlabel=f"time since counted as new / {unit}",
    )
    _plain_log(axes)
    new = f"{int(_rows(runs, name, 'new')[:, LEARNING].sum()):,} new connections"
    of = f"\nof {len(runs)} circuits" if len(runs) > 1 else ""
    axes.legend(loc="lower left", title=new + of, title_fontsize=8, fontsize=7.5)


def _plain_log(axes: Axes) -> None:
    """Label logarithmic axes at 1, 2 and 5 times powers of ten; long ones at powers alone."""
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        steps = (1.0, 2.0, 5.0) if high / low < 30 else (1.0,)
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def _unit(longest_s: float) -> tuple[str, float]:
    return ("days", 86400.0) if longest_s > 2 * 86400.0 else ("hours", 3600.0)


def _power(b: float) -> str:
    mantissa, exponent = f"{b:.0e}".split("e")
    front = "" if mantissa == "1" else rf"{mantissa} \cdot "
    return rf"${front}10^{{{int(exponent)}}}$"


# -- S --------------------------------------------------------------------------------------------


def _support(p: Any, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 5.6))
    axes = figure.subplots(2, 2)
    _compared(axes[0, 0], p, runs)
    _scaled(axes[0, 1], p, runs)
    _changes(axes[1, 0], p, runs)
    _populations(axes[1, 1], runs)
    return figure


def _compared(axes: Axes, p: Any, runs: Sequence[Results]) -> None:
    """AIC of each law less that of the power law, which is at 0."""
    axes.set_title("laws of survival")
    others = [k for k in range(len(COMPARED)) if k != POWER_LAW]
    place = np.arange(len(others))
    for k, (name, watch) in enumerate((("survival_fast", p.fast), ("survival_slow", p.slow))):
        aic = _rows(runs, name, "aic")
        above = aic[:, :, others] - aic[:, :, [POWER_LAW]]
        for condition, words in ((LEARNING, "learning"), (FREE, "no activity")):
            value, low, high = _mean(above[:, condition])
            x = place + (k - 0.5) * 0.36 + (condition - 0.5) * 0.16
            colour = (BLUE, ORANGE)[k]
            axes.plot(
                x,
                value,
                "o",
                color=colour,
                markersize=4,
                fillstyle="full" if condition == LEARNING else "none",
                label=f"{words}, b = {_power(watch.speed)}",
            )
            axes.vlines(x, low, high, color=colour, linewidth=0.8)
    axes.axhline(0, color="#c1121f", linewidth=1.0)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_ylim(top=2e6)  # room for the legend
    axes.set_yticks([-1000, -100, -10, 0, 10, 100, 1000, 10_000])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set(ylabel="AIC less that of the power law", xlim=(-0.6, len(others) - 0.4))
    axes.set_xticks(place, [COMPARED[k].replace(" ", "\n") for k in others], fontsize=6.5)
    axes.legend(loc="upper left", fontsize=6.5, ncols=2, columnspacing=1.0, handletextpad=0.2)


def _points(axes: Axes, k: int, x: Any, y: Mean, label: str) -> None:
    """Means at one of the two speeds; bars where an interval is known."""
    some = (x > 0) & (y.value > 0)
    known = some & np.isfinite(y.low) & np.isfinite(y.high)
    colour = (BLUE, ORANGE)[k]
    axes.plot(
        x[some], y.value[some], "ox"[k], color=colour, markersize=3.5, fillstyle="none", label=label
    )
    low = np.maximum(y.low[known], y.value[known] / 10)  # an end below 0 has no place here
    axes.vlines(x[known], low, y.high[known], color=colour, linewidth=0.7)


def _scaled(axes: Axes, p: Any, runs: Sequence[Results]) -> None:
    axes.set_title("time scale 1/b")
    mean = _mean(_rows(runs, "scaling", "survival"))
    steps = runs[0]["scaling"].step.values
    for k, watch in enumerate((p.fast, p.slow)):
        of_speed = Mean(mean.value[k], mean.low[k], mean.high[k])
        _points(
            axes,
            k,
            steps * watch.sync_interval_s * watch.speed,
            of_speed,
            f"b = {_power(watch.speed)}",
        )
    axes.set(xscale="log", yscale="log", xlabel="b · time", ylabel="share surviving")
    _plain_log(axes)
    axes.legend(loc="lower left", handletextpad=0.1)


def _changes(axes: Axes, p: Any, runs: Sequence[Results]) -> None:
    axes.set_title("change of w")
    weight = np.exp(runs[0]["changes"].log_weight.values)
    window = float(runs[0]["changes"].window_s[0]) * p.fast.speed
    functional = weight > np.exp(-p.rule.theta_0)
    mean = _mean(_rows(runs, "changes", "spread")[:, :, functional])
    weight = weight[functional]
    for k, watch in enumerate((p.fast, p.slow)):
        of_speed = Mean(mean.value[k], mean.low[k], mean.high[k])
        _points(axes, k, weight, of_speed, f"b = {_power(watch.speed)}")
    slow = mean.value[1]
    if np.isfinite(slow).any():
        first = np.flatnonzero(np.isfinite(slow))[0]
        line = slow[first] * weight[first:] / weight[first]
        axes.plot(weight[first:], line, color=INK, linewidth=0.8, label="∝ w")
    axes.set(xscale="log", yscale="log", xlabel="w", ylabel=f"std of Δw in b Δt = {window:.2g}")
    _plain_log(axes)
    axes.legend(loc="upper left", handletextpad=0.2)


def _populations(axes: Axes, runs: Sequence[Results]) -> None:
    axes.set_title("two populations")
    share = runs[0]["populations"].share.values
    counts = _rows(runs, "populations", "count")
    mean = _mean(counts / counts.sum(axis=-1, keepdims=True))
    learning, alone = mean.value
    axes.bar(share, learning, (share[1] - share[0]) * 0.9, color=GREEN, label="learning circuit")
    if len(runs) > 1:
        axes.vlines(share, np.maximum(mean.low[0], 1e-6), mean.high[0], color=INK, linewidth=0.7)
    axes.step(share, alone, where="mid", color=INK, linewidth=1.0, label="no activity")
    axes.set(
        yscale="log", ylim=(2e-4, 20), xlabel="share of time active", ylabel="share of connections"
    )
    axes.set_yticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    axes.legend(loc="upper center", fontsize=7.5)
