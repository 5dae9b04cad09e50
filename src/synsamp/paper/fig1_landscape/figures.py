"""Figures of Fig. 1, drawn from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, DENSITY, GRAY, GREEN, INK, ORANGE, PURPLE

_SPAN = (-3.2, 3.2)


def draw(parameters: Any, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A–C (gradient ascent), D–G (sampling) and T (temperature) of the first seed."""
    results = runs[0]
    return {
        "ABC": _climbing(results),
        "DEFG": _sampling(results),
        "T": _temperatures(results),
    }


def _climbing(results: Results) -> Figure:
    figure = Figure(figsize=(7, 2.7))
    surface = figure.add_subplot(1, 3, 1, projection="3d")
    _surface(surface, results["surfaces"].likelihood, "A  likelihood")
    _network(figure.add_subplot(1, 3, 2))
    axes = figure.add_subplot(1, 3, 3)
    _plane(axes, results["surfaces"].likelihood, "C  maximum likelihood")
    for path in results["ml"].theta.values:
        axes.plot(path[:, 0], path[:, 1], color=BLUE, linewidth=0.9)
        axes.plot(*path[0], ".", color=INK, markersize=3.5)
    _triangles(axes, results["maxima"].likelihood.values)
    return figure


def _sampling(results: Results) -> Figure:
    figure = Figure(figsize=(7, 5.6))
    _surface(figure.add_subplot(2, 2, 1, projection="3d"), results["surfaces"].prior, "D  prior")
    posterior = results["surfaces"].posterior
    _surface(figure.add_subplot(2, 2, 2, projection="3d"), posterior, "E  posterior")
    axes = figure.add_subplot(2, 2, 3)
    _plane(axes, posterior, "F  synaptic sampling")
    path = results["paths"].theta.sel(branch="at_T").values
    axes.plot(
        path[:6000, 0], path[:6000, 1], color=GREEN, linewidth=0.25, alpha=0.6, rasterized=True
    )
    axes.plot(*path[0], "o", color=INK, markersize=4)
    _triangles(axes, results["maxima"].posterior.values)
    _one_step(figure.add_subplot(2, 2, 4), results)
    return figure


def _temperatures(results: Results) -> Figure:
    figure = Figure(figsize=(7, 2.9))
    temperatures = results["paths"].T.values
    order = np.argsort(temperatures)
    axes_row = figure.subplots(1, len(temperatures), sharex=True, sharey=True)
    for axes, k in zip(axes_row, order, strict=True):
        path = results["paths"].theta.values[k]
        axes.plot(
            path[:, 0], path[:, 1], ".", color=GREEN, markersize=0.5, alpha=0.35, rasterized=True
        )
        modes = results["maxima"].posterior.values
        axes.plot(modes[:, 0], modes[:, 1], "^", color=ORANGE, markersize=7, fillstyle="none")
        axes.set(xlim=(-5, 5), ylim=(-5, 5), aspect="equal", xlabel="θ₁")
        axes.set_title(f"T = {temperatures[k]:g}")
    axes_row[0].set_ylabel("θ₂")
    return figure


def _surface(axes: Any, density: Any, title: str) -> None:
    inside = density.sel(x=slice(*_SPAN), y=slice(*_SPAN))
    x, y = np.meshgrid(inside.x, inside.y, indexing="ij")
    axes.plot_surface(
        x,
        y,
        inside.values,
        cmap=DENSITY,
        linewidth=0,
        antialiased=False,  # antialiased cell borders would show as a pattern
        rstride=1,
        cstride=1,
        rasterized=True,
    )
    axes.set(xlabel="θ₁", ylabel="θ₂", zticks=[], xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    axes.set_title(title, y=0.97)
    axes.tick_params(pad=-3, labelsize=7)
    axes.xaxis.labelpad = axes.yaxis.labelpad = -7
    axes.view_init(elev=38, azim=-62)
    for side in (axes.xaxis, axes.yaxis, axes.zaxis):
        side.pane.fill = False
        side.pane.set_edgecolor("none")
    axes.grid(False)
    axes.zaxis.line.set_color("none")
    axes.set_box_aspect((1, 1, 0.5), zoom=1.3)


def _plane(axes: Axes, density: Any, title: str) -> None:
    levels = np.linspace(0, float(density.max()), 9)[1:]
    axes.contour(  # over the paths: they would hide it
        density.x, density.y, density.values.T, levels=levels, colors=INK, linewidths=0.5, zorder=3
    )
    axes.set(xlim=_SPAN, ylim=_SPAN, aspect="equal", xlabel="θ₁", ylabel="θ₂")
    axes.set_title(title)


def _triangles(axes: Axes, maxima: Any) -> None:
    axes.plot(
        maxima[:, 0],
        maxima[:, 1],
        "^",
        color=ORANGE,
        markersize=6,
        markeredgecolor="white",
        zorder=5,
    )


def _network(axes: Axes) -> None:
    """The cartoon of panel B: inputs, hidden neurons, and the two parameters that vary."""
    axes.set(xlim=(-0.3, 4.3), ylim=(-0.6, 3.1), aspect="equal")
    axes.axis("off")
    axes.set_title("B  the network behind it")
    inputs = [(0.5 + k, 0.0) for k in range(4)]
    hidden = [(1.0 + k, 2.1) for k in range(3)]
    for i, low in enumerate(inputs):
        for j, high in enumerate(hidden):
            special = {(1, 0): ORANGE, (2, 2): PURPLE}.get((i, j))
            width = 2.2 if special else 0.6
            axes.plot(*zip(low, high, strict=True), color=special or "#c3c8d1", lw=width, zorder=1)
    for centre, colour in [*((c, "white") for c in inputs), *((c, "#e8edf5") for c in hidden)]:
        axes.add_patch(Circle(centre, 0.24, facecolor=colour, edgecolor=INK, lw=0.9, zorder=2))
    axes.text(1.05, 1.05, "θ₁", color=ORANGE, fontsize=11, ha="right", weight="bold")
    axes.text(3.0, 1.05, "θ₂", color=PURPLE, fontsize=11, ha="left", weight="bold")
    axes.text(2.0, -0.52, "inputs x", color=GRAY, ha="center", fontsize=8.5)
    axes.text(2.0, 2.55, "hidden neurons z", color=GRAY, ha="center", fontsize=8.5)


def _one_step(axes: Axes, results: Results) -> None:
    forces = results["forces"]
    start = forces.start.values
    parts = [
        ("prior", forces.prior.values, BLUE),
        ("likelihood", forces.likelihood.values, ORANGE),
        ("noise", forces.noise.values, INK),
    ]
    posterior = results["surfaces"].posterior
    axes.contourf(posterior.x, posterior.y, posterior.values.T, levels=14, cmap="Greys", alpha=0.35)
    end, corners = start.copy(), [start]
    for name, vector, colour in parts:
        _arrow(axes, end, end + vector, colour, name)
        end = end + vector
        corners.append(end)
    _arrow(axes, start, end, GREEN, "the step dθ")
    axes.plot(*start, "o", color=INK, markersize=5, zorder=6)
    _triangles(axes, results["maxima"].posterior.values)
    nearest = results["maxima"].posterior.values
    nearest = nearest[np.argmin(np.linalg.norm(nearest - start, axis=1))]
    seen = np.array([*corners, nearest])
    middle, reach = 0.5 * (seen.min(0) + seen.max(0)), 0.62 * np.ptp(seen, axis=0).max() + 0.12
    axes.set(xlim=middle[0] + reach * np.array([-1, 1]), ylim=middle[1] + reach * np.array([-1, 1]))
    axes.set(aspect="equal", xlabel="θ₁", ylabel="θ₂")
    axes.set_title("G  three forces, one step")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1.2)


def _arrow(axes: Axes, start: Any, end: Any, colour: str, name: str) -> None:
    axes.annotate(
        "",
        end,
        start,
        arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.8, "shrinkA": 0, "shrinkB": 0},
        zorder=4,
    )
    axes.plot([], [], color=colour, lw=2, label=name)
