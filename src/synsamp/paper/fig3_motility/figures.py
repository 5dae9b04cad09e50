"""Figures of Fig. 3: examples from the first circuit, curves as means over all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from synsamp.analysis.intervals import Limits, mean_interval, within_limits
from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY, YELLOW
from synsamp.paper.fig3_motility.survival import COMPARED, CONDITIONS, POWER_LAW

LEARNING, NO_ACTIVITY = CONDITIONS.index("learning"), CONDITIONS.index("no_activity")
RETRACTED = "#e9ebef"
THETA = (-2.6, 4.4)
LONGEST_TRACE_S = 86400.0


def draw(parameters: Any, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A–D (one parameter per connection), E and F (survival), and S (supplement)."""
    return {
        "ABCD": _parameter(parameters, runs[0]),
        "EF": _survival(parameters, runs),
        "S": _support(parameters, runs),
    }


# -- A to D ----------------------------------------------------------------------------------------


def _parameter(p: Any, results: Results) -> Figure:
    """Sketch, mapping, prior, and traces in θ and in w."""
    figure = Figure(figsize=(7, 5.6))
    grid = figure.add_gridspec(2, 3, width_ratios=[2.35, 0.8, 2.7], wspace=0.02)
    _cartoon(figure.add_subplot(grid[0, 0]))
    traces = figure.add_subplot(grid[0, 2])
    prior = figure.add_subplot(grid[0, 1], sharey=traces)
    _mapping(figure.add_subplot(grid[1, 0]), p)
    weights = figure.add_subplot(grid[1, 2])
    density = figure.add_subplot(grid[1, 1], sharey=weights)
    _prior_of_theta(prior, p)
    _prior_of_weight(density, p)
    _traces(traces, weights, p, results["traces"])
    return figure


def _cartoon(axes: Axes) -> None:
    """A dendrite with spines of different size along the axis of θ."""
    axes.set_title("A  one parameter θ")
    axes.set(xlim=(-3.1, 4.1), ylim=(-3.0, 3.2), aspect="equal", anchor="NW")
    axes.axis("off")
    axes.add_patch(Rectangle((-3.1, -2.6), 3.1, 5.6, color=RETRACTED, zorder=0))
    axes.add_patch(Rectangle((-3.1, -0.35), 7.2, 0.5, color=YELLOW, alpha=0.35, zorder=1))
    axes.plot([0, 0], [-2.6, 3.0], color=ORANGE, linewidth=0.9, linestyle="--", zorder=2)
    for x, length, radius in ((0.55, 0.45, 0.17), (1.75, 0.75, 0.32), (3.2, 1.0, 0.52)):
        axes.plot([x, x], [0.15, 0.15 + length], color=YELLOW, linewidth=2 + 5 * radius, zorder=2)
        axes.add_patch(
            Circle((x, 0.2 + length + radius), radius, facecolor=GREEN, alpha=0.8, zorder=3)
        )
    for x, length in ((-0.6, 0.3), (-1.5, 0.16)):
        axes.plot([x, x], [0.15, 0.15 + length], color=GRAY, linewidth=2.5, zorder=2)
    axes.text(-1.55, 2.45, "retracted", ha="center", fontsize=8.5)
    axes.text(1.5, 2.45, "functional", ha="center", fontsize=8.5)
    for (start, end), text, y in (
        ((-1.9, -0.2), "may grow\nback soon", -1.0),
        ((3.6, 0.25), "may withdraw soon", -1.0),
    ):
        axes.add_patch(
            FancyArrowPatch(
                (start, y), (end, y), arrowstyle="-|>", mutation_scale=9, color=INK, linewidth=0.9
            )
        )
        axes.text((start + end) / 2, y - 0.2, text, ha="center", va="top", fontsize=7.5)
    axes.text(0, -2.95, "θ = 0", ha="center", fontsize=8.5, color=ORANGE)


def _prior_of_theta(axes: Axes, p: Any) -> None:
    theta = np.linspace(*THETA, 300)
    density = np.exp(-0.5 * ((theta - p.rule.prior.mean) / p.rule.prior.std) ** 2)
    axes.fill_betweenx(theta, 0, density, color=SKY, alpha=0.5, linewidth=0)
    axes.plot(density, theta, color=BLUE, linewidth=1.2)
    axes.axhspan(THETA[0], 0, color=RETRACTED, zorder=0)
    axes.invert_xaxis()
    axes.set(xticks=[], xlabel="prior", ylabel="θ", ylim=THETA)
    axes.set_title("B")


def _prior_of_weight(axes: Axes, p: Any) -> None:
    weight = np.geomspace(1e-3, 3, 600)
    theta = np.log(weight) + p.rule.theta_0
    density = np.exp(-0.5 * ((theta - p.rule.prior.mean) / p.rule.prior.std) ** 2) / weight
    axes.fill_betweenx(weight, 0, density / density.max(), color=SKY, alpha=0.5, linewidth=0)
    axes.plot(density / density.max(), weight, color=BLUE, linewidth=1.2)
    axes.invert_xaxis()
    axes.set(xticks=[], xlabel="prior", ylabel="w")
    axes.set_title("D")


def _mapping(axes: Axes, p: Any) -> None:
    axes.set_title("C  w = exp(θ − θ₀)")
    theta = np.linspace(*THETA, 300)
    axes.axvspan(THETA[0], 0, color=RETRACTED, zorder=0)
    axes.plot(theta, np.exp(theta - p.rule.theta_0), color=INK)
    axes.axvline(0, color=ORANGE, linewidth=0.9, linestyle="--")
    axes.text(THETA[0] + 0.2, 0.35, "retracted", fontsize=8.5)
    axes.set(xlabel="θ", ylabel="w", xlim=THETA, ylim=(0, 3))


def _traces(upper: Axes, lower: Axes, p: Any, traces: Any) -> None:
    shown = traces.time.values <= LONGEST_TRACE_S
    hours = traces.time.values[shown] / 3600
    lasting, passing = (BLUE, GREEN, PURPLE, INK), (ORANGE, YELLOW, SKY, GRAY)
    upper.axhspan(THETA[0], 0, color=RETRACTED, zorder=0)
    upper.axhline(0, color=ORANGE, linewidth=0.9, linestyle="--", zorder=1)
    counts = [0, 0]
    for k in range(traces.sizes["trace"]):
        persistent = bool(traces.persistent[k])
        palette = lasting if persistent else passing
        colour = palette[counts[persistent] % len(palette)]
        counts[persistent] += 1
        theta = traces.theta.values[shown, k].astype(float)
        upper.plot(hours, theta, color=colour, linewidth=0.7)
        lower.plot(hours, np.exp(theta - p.rule.theta_0), color=colour, linewidth=0.7)
    for axes in (upper, lower):
        axes.set(xlim=(0, hours[-1]), xlabel="time / h")
        axes.tick_params(labelleft=False)
    upper.set_title("θ of single synapses", weight="normal")
    lower.set_title("the same traces as w", weight="normal")
    lower.set(ylim=(0, 3))


# -- over circuits --------------------------------------------------------------------------------


def _rows(runs: Sequence[Results], dataset: str, variable: str) -> NDArray[Any]:
    """A variable of all circuits, [circuit, …]."""
    return np.stack([np.asarray(run[dataset][variable].values, float) for run in runs])


class Mean(NamedTuple):
    """Means over circuits, and the ends of their 95 % intervals."""

    value: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]


def _mean(rows: NDArray[Any], limits: Limits = (0.0, 1.0)) -> Mean:
    """Mean over the circuits that have a value, with its 95 % interval where there are several."""
    flat = rows.reshape(len(rows), -1)
    found = np.full((3, flat.shape[1]), np.nan)
    for k, column in enumerate(flat.T):
        there = column[np.isfinite(column)]
        if there.size:
            found[:, k] = within_limits(mean_interval(there), limits)
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


def _survival_at(axes: Axes, imaging: Any, runs: Sequence[Results], name: str) -> None:
    unit, scale = _unit(imaging.tracked_s)
    first = runs[0][name]
    mean, low, high = _mean(_rows(runs, name, "survival")[:, LEARNING])
    if len(runs) == 1:
        low, high = first.low.values[LEARNING], first.high.values[LEARNING]
    seen = mean > 0
    time = first.time.values[seen] / scale
    low = np.maximum(low[seen], 1e-6)
    axes.fill_between(time, low, high[seen], color=GRAY, alpha=0.35, linewidth=0, step="post")
    axes.step(
        time, mean[seen], color=INK, linewidth=1.2, where="post", label="learning circuit, measured"
    )
    fits = _mean(_rows(runs, name, "fit")[:, LEARNING]).value
    gamma = _mean(_rows(runs, name, "gamma")[:, LEARNING], (0.0, None))
    known = f" ({gamma.low:.2f} to {gamma.high:.2f})" if len(runs) > 2 else ""
    axes.plot(
        first.fit_time.values / scale,
        fits[POWER_LAW],
        color="#c1121f",
        linewidth=1.5,
        label=f"power law, γ = {gamma.value:.2f}{known}",
    )
    alone = _mean(_rows(runs, name, "survival")[:, NO_ACTIVITY]).value
    points = np.unique(np.geomspace(1, len(alone) - 1, 14).astype(int))
    axes.plot(
        first.time.values[points] / scale,
        alone[points],
        "o",
        color=BLUE,
        markersize=3.2,
        fillstyle="none",
        label="no activity, measured",
    )
    axes.plot(
        first.time.values[1:] / scale,
        first.predicted.values[1:],
        color=BLUE,
        linewidth=1.0,
        linestyle="--",
        label="no activity, predicted",
    )
    least = mean[seen].min() if seen.any() else 0.1
    axes.set(
        xscale="log",
        yscale="log",
        ylim=(10 ** np.floor(np.log10(max(least, 1e-5))), 1.3),
        xlim=(imaging.session_every_s / scale / 2, imaging.tracked_s / scale),
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
    """AIC of each model minus that of the power law, which is at 0."""
    axes.set_title("models of survival")
    others = [k for k in range(len(COMPARED)) if k != POWER_LAW]
    place = np.arange(len(others))
    for k, (name, imaging) in enumerate((("survival_fast", p.fast), ("survival_slow", p.slow))):
        aic = _rows(runs, name, "aic")
        above = aic[:, :, others] - aic[:, :, [POWER_LAW]]
        for condition, words in ((LEARNING, "learning"), (NO_ACTIVITY, "no activity")):
            value, low, high = _mean(above[:, condition], (None, None))
            x = place + (k - 0.5) * 0.36 + (condition - 0.5) * 0.16
            colour = (BLUE, ORANGE)[k]
            axes.plot(
                x,
                value,
                "o",
                color=colour,
                markersize=4,
                fillstyle="full" if condition == LEARNING else "none",
                label=f"{words}, b = {_power(imaging.speed)}",
            )
            axes.vlines(x, low, high, color=colour, linewidth=0.8)
    axes.axhline(0, color="#c1121f", linewidth=1.0)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_ylim(top=2e6)  # room for the legend
    axes.set_yticks([-1000, -100, -10, 0, 10, 100, 1000, 10_000])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set(ylabel="AIC minus that of the power law", xlim=(-0.6, len(others) - 0.4))
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
    low = np.maximum(y.low[known], y.value[known] / 10)  # an interval below 0 cannot be drawn
    axes.vlines(x[known], low, y.high[known], color=colour, linewidth=0.7)


def _scaled(axes: Axes, p: Any, runs: Sequence[Results]) -> None:
    axes.set_title("time scale 1/b")
    mean = _mean(_rows(runs, "scaling", "survival"))
    steps = runs[0]["scaling"].step.values
    for k, imaging in enumerate((p.fast, p.slow)):
        of_speed = Mean(mean.value[k], mean.low[k], mean.high[k])
        _points(
            axes,
            k,
            steps * imaging.record_every_s * imaging.speed,
            of_speed,
            f"b = {_power(imaging.speed)}",
        )
    axes.set(xscale="log", yscale="log", xlabel="b · time", ylabel="share surviving")
    _plain_log(axes)
    axes.legend(loc="lower left", handletextpad=0.1)


def _changes(axes: Axes, p: Any, runs: Sequence[Results]) -> None:
    axes.set_title("change of w")
    weight = np.exp(runs[0]["changes"].log_weight.values)
    window = float(runs[0]["changes"].window_s[0]) * p.fast.speed
    functional = weight > np.exp(-p.rule.theta_0)
    mean = _mean(_rows(runs, "changes", "spread")[:, :, functional], (0.0, None))
    weight = weight[functional]
    for k, imaging in enumerate((p.fast, p.slow)):
        of_speed = Mean(mean.value[k], mean.low[k], mean.high[k])
        _points(axes, k, weight, of_speed, f"b = {_power(imaging.speed)}")
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
