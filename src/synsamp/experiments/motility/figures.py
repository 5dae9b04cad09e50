"""Drawing of Figure 3 from its saved results."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY, YELLOW

RETRACTED = "#e9ebef"
THETA = (-2.6, 4.4)
LONGEST_TRACE_S = 86400.0


def draw(parameters: Any, results: Results) -> dict[str, Figure]:
    """Panels A–D (one parameter per connection), E and F (survival), and S (what supports it)."""
    return {
        "ABCD": _parameter(parameters, results),
        "EF": _survival(parameters, results),
        "S": _support(parameters, results),
    }


# -- A to D ---------------------------------------------------------------------------------------


def _parameter(p: Any, results: Results) -> Figure:
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
    density = np.exp(-0.5 * ((theta - p.rule.prior_mean) / p.rule.prior_std) ** 2)
    axes.fill_betweenx(theta, 0, density, color=SKY, alpha=0.5, linewidth=0)
    axes.plot(density, theta, color=BLUE, linewidth=1.2)
    axes.axhspan(THETA[0], 0, color=RETRACTED, zorder=0)
    axes.invert_xaxis()
    axes.set(xticks=[], xlabel="prior", ylabel="θ", ylim=THETA)
    axes.set_title("B")


def _prior_of_weight(axes: Axes, p: Any) -> None:
    weight = np.geomspace(1e-3, 3, 600)
    theta = np.log(weight) + p.rule.theta_0
    density = np.exp(-0.5 * ((theta - p.rule.prior_mean) / p.rule.prior_std) ** 2) / weight
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
    lower.set_title("the same as w", weight="normal")
    lower.set(ylim=(0, 3))


# -- E and F --------------------------------------------------------------------------------------


def _survival(p: Any, results: Results) -> Figure:
    figure = Figure(figsize=(7, 3.2))
    for k, (panel, name) in enumerate((("E", "fast"), ("F", "slow"))):
        axes = figure.add_subplot(1, 2, k + 1)
        found, watch = results[f"survival_{name}"], getattr(p, name)
        unit, scale = _unit(watch.tracked_s)
        axes.set_title(f"{panel}  b = {_power(watch.b)}")
        time, survival = found.time.values / scale, found.survival.values
        seen = survival > 0
        axes.fill_between(
            time[seen],
            np.maximum(found.low.values[seen], 1e-6),
            found.high.values[seen],
            color=GRAY,
            alpha=0.35,
            linewidth=0,
            step="post",
        )
        axes.step(time[seen], survival[seen], color=GRAY, linewidth=1.2, where="post")
        fit = found.fit_time.values / scale
        exponential = found.exponential.values
        axes.plot(fit, exponential, color=BLUE, linewidth=1.1, linestyle=":", label="exponential")
        axes.plot(
            fit,
            found.power_law.values,
            color="#c1121f",
            linewidth=1.5,
            label=f"power law, γ = {float(found.pooled_gamma):.2f}",
        )
        floor = 10 ** np.floor(np.log10(max(survival[seen].min(), 1e-5)))
        axes.set(
            xscale="log",
            yscale="log",
            ylim=(floor, 1.3),
            xlim=(watch.look_every_s / scale / 2, watch.tracked_s / scale),
            xlabel=f"time since counted as new / {unit}",
        )
        _plain_log(axes)
        axes.legend(
            loc="lower left",
            title=f"{int(found.new.sum()):,} new connections",
            title_fontsize=8.5,
        )
        if k == 0:
            axes.set_ylabel("share surviving")
    return figure


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


def _support(p: Any, results: Results) -> Figure:
    figure = Figure(figsize=(7, 2.9))
    axes = figure.subplots(1, 3)
    _scaled(axes[0], p, results["scaling"])
    _changes(axes[1], p, results["changes"])
    _populations(axes[2], results["populations"])
    return figure


def _scaled(axes: Axes, p: Any, scaling: Any) -> None:
    axes.set_title("time scale 1/b")
    for name, colour, style in (("fast", BLUE, "o"), ("slow", ORANGE, "x")):
        watch = getattr(p, name)
        survival = scaling[f"{name}_survival"].values
        time = scaling[f"{name}_time"].values * watch.b
        some = (survival > 0) & (time > 0)
        axes.plot(
            time[some],
            survival[some],
            style,
            color=colour,
            markersize=3.5,
            fillstyle="none",
            label=f"b = {_power(watch.b)}",
        )
    axes.set(xscale="log", yscale="log", xlabel="b · time", ylabel="share surviving")
    _plain_log(axes)
    axes.legend(loc="lower left", handletextpad=0.1)


def _changes(axes: Axes, p: Any, changes: Any) -> None:
    axes.set_title("change of w")
    weight = np.exp(changes.log_weight.values)
    functional = weight > np.exp(-p.rule.theta_0)
    for k, colour in enumerate((BLUE, ORANGE)):
        spread = changes.spread.values[k]
        some = np.isfinite(spread) & functional
        axes.plot(
            weight[some],
            spread[some],
            "o" if k == 0 else "x",
            color=colour,
            markersize=3.5,
            fillstyle="none",
            label=f"b = {_power(getattr(p, str(changes.speed.values[k])).b)}",
        )
        if k and some.any():
            first = np.flatnonzero(some)[0]
            line = spread[first] * weight[some] / weight[first]
            axes.plot(weight[some], line, color=INK, linewidth=0.8, label="∝ w")
    axes.set(xscale="log", yscale="log", xlabel="w", ylabel="std of Δw in a grid step")
    _plain_log(axes)
    axes.legend(loc="upper left", handletextpad=0.2)


def _populations(axes: Axes, populations: Any) -> None:
    axes.set_title("two populations")
    share = populations.share.values
    counts = populations["count"].values.astype(float)
    width = share[1] - share[0]
    mean = counts.mean(axis=0) / counts.sum(axis=1).mean()
    axes.bar(share, mean, width * 0.9, color=GREEN, label="learning circuit")
    alone = populations.free_count.values.astype(float)
    axes.step(
        share, alone / alone.sum(), where="mid", color=INK, linewidth=1.0, label="no activity"
    )
    axes.set(yscale="log", ylim=(2e-4, 20), xlabel="share of time active", ylabel="connections")
    axes.set_yticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    axes.legend(loc="upper center", fontsize=7.5)
