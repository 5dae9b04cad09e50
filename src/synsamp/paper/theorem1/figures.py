"""Figures of Theorem 1: sampled states, distributions, rules that lack a part, and distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator
from scipy import stats

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, SKY
from synsamp.paper.theorem1 import models

Runs = Sequence[Results]
WIDTH, HEIGHT = 7.0, 2.7


def draw(parameters: Any, runs: Runs) -> dict[str, Figure]:
    """Draw one figure per group of claims; histograms contain the states of all seeds."""
    conditions = xr.concat([run["conditions"].load() for run in runs], "seed")
    return {
        "A": _stationary(conditions, runs),
        "B": _temperature(parameters, conditions, runs),
        "C": _speed(conditions),
        "D": _hidden(conditions),
        "E": _online(parameters, conditions, runs),
    }


def _row(*widths: float) -> list[Any]:
    figure = Figure(figsize=(WIDTH, HEIGHT))
    axes = figure.subplots(1, len(widths), width_ratios=widths)
    return [figure, *axes]


def _stationary(conditions: xr.Dataset, runs: Runs) -> Figure:
    figure, skewed, two, plane, gaps = _row(1, 1, 1, 0.75)
    for axes, name, title in ((skewed, "skewed", "A  skewed"), (two, "two_modes", "two modes")):
        _states(axes, conditions, name, title, "sampled")
        _broken(axes, conditions, f"{name}_half_noise", "without √2")
        _curve(axes, conditions, name, "posterior")
        _legend(axes)
    pairs = runs[0]["pairs"]
    for k, colour, label in ((1, ORANGE, "no prior"), (0, BLUE, "sampled")):
        theta = pairs.theta.values[k]
        plane.plot(theta[:, 0], theta[:, 1], ".", color=colour, ms=1.6, alpha=0.45, label=label)
    for share in (0.5, 0.95):
        plane.plot(*_ellipse(share), color=INK, lw=1.2)
    middle = models.PAIR_MEAN
    plane.set(xlabel="θ₁", ylabel="θ₂", xlim=middle[0] + np.array([-2.6, 2.9]))
    plane.set(ylim=middle[1] + np.array([-2.6, 4.0]))
    plane.set_title("two parameters")
    plane.legend(loc="upper left", fontsize=7.5, handlelength=1.1, markerscale=5)
    both = xr.concat([run["pairs"].distance.load() for run in runs], "seed")
    rows = [
        ("skewed", _gaps(conditions, "skewed"), _gaps(conditions, "skewed_half_noise")),
        ("modes", _gaps(conditions, "two_modes"), _gaps(conditions, "two_modes_half_noise")),
        ("pair", both.values[:, 0], both.values[:, 1]),
    ]
    _distances(gaps, rows)
    return figure


def _temperature(p: Any, conditions: xr.Dataset, runs: Runs) -> Figure:
    figure, cold, hot, zero, gaps = _row(1, 1, 1, 0.75)
    for axes, name, T, mark in ((cold, "cold", p.cold, "B  "), (hot, "hot", p.hot, "")):
        _states(axes, conditions, name, f"{mark}T = {T:g}", "sampled")
        _curve(axes, conditions, name, "$p^{*1/T}$")
        _curve(axes, conditions, f"{name}_against_p", "$p^*$", linestyle=":", color=ORANGE)
        _legend(axes)
    quiet = runs[0]["no_noise"].load()
    last = quiet.time.values.searchsorted(0.12 * float(quiet.time[-1]))
    early = quiet.isel(time=slice(0, last + 1))
    zero.plot(early.time, early.theta.values[1][:, ::4], color=ORANGE, lw=0.5, alpha=0.55)
    zero.plot(early.time, early.theta.values[0], color=BLUE, lw=0.9)
    zero.axhline(float(quiet.maximum), color=INK, lw=1.1, ls="--")
    zero.set(xlabel="time", ylabel="θ", xlim=(0, float(early.time[-1])))
    zero.set_title("T = 0 (orange: T = 1)")
    rows = [(n, _gaps(conditions, n), _gaps(conditions, f"{n}_against_p")) for n in ("cold", "hot")]
    _distances(gaps, rows)
    return figure


def _speed(conditions: xr.Dataset) -> Figure:
    figure, speed, states, gaps = _row(0.8, 1.5, 0.75)
    theta = np.linspace(-3, 3, 301)
    speed.plot(theta, models.speed_at(theta), color=GREEN)
    speed.set(xlabel="θ", ylabel="speed b", ylim=(0, 1.4), xlim=(-3, 3))
    speed.set_title("C  speed")
    _states(states, conditions, "speed_against_p", "sampled states", "with $T b'$")
    _broken(states, conditions, "uncorrected_against_p", "without $T b'$")
    _curve(states, conditions, "speed_against_p", "$p^*$")
    _curve(states, conditions, "speed_over_b", "$p^*/b$", linestyle=":", color=ORANGE)
    _legend(states)
    rows = [
        (
            "to $p^*$",
            _gaps(conditions, "speed_against_p"),
            _gaps(conditions, "uncorrected_against_p"),
        ),
        ("to $p^*/b$", _gaps(conditions, "uncorrected_over_b"), _gaps(conditions, "speed_over_b")),
    ]
    _distances(gaps, rows)
    return figure


def _hidden(conditions: xr.Dataset) -> Figure:
    figure, states, gaps = _row(2.2, 0.75)
    _states(states, conditions, "hidden", "D  hidden states", "response drawn")
    _broken(states, conditions, "hidden_alike", "constant response")
    _curve(states, conditions, "hidden", "marginal posterior")
    _legend(states)
    _distances(gaps, [("hidden", _gaps(conditions, "hidden"), _gaps(conditions, "hidden_alike"))])
    return figure


def _online(p: Any, conditions: xr.Dataset, runs: Runs) -> Figure:
    figure, single, several, order, gaps = _row(1, 1, 0.95, 0.75)
    n = f"{p.batch} at a time"
    for axes, name, title in ((single, "online", "E  one input"), (several, "minibatch", n)):
        _states(axes, conditions, name, title, "with N")
        _broken(axes, conditions, f"{name}_without_N", "without N")
        _curve(axes, conditions, name, "posterior")
        _legend(axes)
    one = runs[0]["pass"]
    order.plot(
        one.step,
        one.gap.sel(branch="without_N"),
        "o-",
        color=ORANGE,
        ms=4,
        lw=1.1,
        label="without N",
    )
    order.plot(
        one.step, one.gap.sel(branch="with_N"), "o-", color=BLUE, ms=4, lw=1.1, label="with N"
    )
    order.set(xscale="log", yscale="log", xlabel="N τ b", ylabel="gap to batch, one pass")
    order.set_xticks(one.step.values, [f"{step:g}" for step in one.step.values], fontsize=7)
    order.xaxis.set_minor_locator(NullLocator())
    order.set_title("one pass")
    rows = [(a, _gaps(conditions, b), _gaps(conditions, f"{b}_without_N")) for a, b in
            (("one", "online"), ("several", "minibatch"))]  # fmt: skip
    _distances(gaps, rows)
    return figure


def _states(axes: Axes, conditions: xr.Dataset, name: str, title: str, label: str) -> None:
    middle, density = _density(conditions, name)
    axes.bar(middle, density, middle[1] - middle[0], color=SKY, alpha=0.75, lw=0, label=label)
    axes.set(xlabel="θ", yticks=[], xlim=(middle[0], middle[-1]))
    axes.spines["left"].set_visible(False)
    axes.set_title(title)


def _broken(axes: Axes, conditions: xr.Dataset, name: str, label: str) -> None:
    middle, density = _density(conditions, name)
    axes.step(middle, density, color=ORANGE, lw=1.0, where="mid", label=label)


def _density(conditions: xr.Dataset, name: str) -> tuple[Any, Any]:
    """Density of the states of all seeds, at the middle of each bin."""
    one = conditions.sel(branch=name)
    middle = one.middle.values[0]
    width = middle[1] - middle[0]
    return middle, one["count"].values.sum(axis=0) / (one.states.values.sum() * width)


def _curve(axes: Axes, conditions: xr.Dataset, name: str, label: str, **line: Any) -> None:
    one = conditions.sel(branch=name).isel(seed=0)
    usual: dict[str, Any] = {"color": INK, "lw": 1.3, "label": label}
    axes.plot(one.middle, one.density, **(usual | line))


def _legend(axes: Axes) -> None:
    """Above the marks, with room made for it."""
    axes.set_ylim(0.0, 1.35 * axes.get_ylim()[1])
    axes.legend(loc="upper left", fontsize=7.5, handlelength=1.1, labelspacing=0.25)


def _gaps(conditions: xr.Dataset, name: str) -> Any:
    return conditions.distance.sel(branch=name).values


def _distances(axes: Axes, rows: list[tuple[str, Any, Any]]) -> None:
    """One column per claim: seeds in blue, null in orange; claims hold in the shaded band."""
    for k, (_, right, wrong) in enumerate(rows):
        for values, colour in ((wrong, ORANGE), (right, BLUE)):
            # Dots are spread evenly, by golden steps.
            place = k + 0.3 * ((np.arange(len(values)) * 0.618034) % 1.0 - 0.5)
            axes.plot(place, values, "o", color=colour, ms=3.2, alpha=0.6, mew=0)
    top = max(float(np.max(wrong)) for _, _, wrong in rows)
    axes.axhspan(0.05, 1.0, color=GREEN, alpha=0.12, lw=0)
    axes.axhline(1.0, color=GRAY, lw=0.8)
    axes.set(yscale="log", ylim=(0.1, 2 * max(top, 5.0)), xlim=(-0.5, len(rows) - 0.5))
    axes.set_xticks(range(len(rows)), [label for label, _, _ in rows], fontsize=7.5)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title("distance")


def _ellipse(share: float) -> Any:
    """The ellipse that contains this share of the exact posterior of two parameters."""
    angle = np.linspace(0, 2 * np.pi, 200)
    circle = np.sqrt(stats.chi2(2).ppf(share)) * np.stack([np.cos(angle), np.sin(angle)])
    root = np.linalg.inv(np.linalg.cholesky(models.PAIR_PRECISION)).T
    return models.PAIR_MEAN[:, None] + root @ circle
