"""Draw records by their kind, for experiments without figures.

Variables along a numeric axis become curves, in colour for a few rows and in grey for many; a
matrix becomes an image of its last time point; spikes become a raster. Several seeds are drawn as
their mean and range.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from synsamp.figures.style import BLUE, CYCLE, INK, PALE

MOST_LINES = 8
"""More rows are drawn in grey without a legend, and their mean in colour."""
MOST_ROWS = 60
MOST_SPIKES = 20_000
LEAST_POINTS = 2


def draw_records(parameters: Any, runs: Sequence[Mapping[str, xr.Dataset]]) -> dict[str, Figure]:
    """Draw a figure for every dataset with suitable variables."""
    figures = {}
    for name, first in runs[0].items():
        if name == "measures" or name.rpartition("/")[2] == "steps" or "saved" in name.split("/"):
            continue
        drawn = _draw(name, first, [run[name] for run in runs if name in run])
        if drawn is not None:
            figures[re.sub(r"[^A-Za-z0-9]+", "-", name)] = drawn
    return figures


def _draw(name: str, first: xr.Dataset, all_runs: Sequence[xr.Dataset]) -> Figure | None:
    if {"time", "neuron"} <= set(first.variables) and "spike" in first.dims:
        return _raster(name, first)
    shown = [v for v in map(str, first.data_vars) if _kind(first[v]) is not None]
    if not shown:
        return None
    figure = Figure(figsize=(7.0, 2.3 * len(shown)))
    panels = figure.subplots(len(shown), 1, squeeze=False).ravel()
    for axes, variable in zip(panels, shown, strict=True):
        if _kind(first[variable]) == "picture":
            _picture(figure, axes, first[variable])
        else:
            _curves(axes, first[variable], [run[variable] for run in all_runs])
        title = name if variable == name.rpartition("/")[2] else f"{name}: {variable}"
        axes.set_title(title.replace("_", " "))
    return figure


def _kind(variable: xr.DataArray) -> str | None:
    if variable.dtype.kind not in "biuf" or variable.size == 0:
        return None
    along = _numbered(variable)
    if along is not None and variable.ndim <= 2:
        return "curves" if variable.sizes[along] >= LEAST_POINTS else None
    matrix = variable.ndim - (along is not None or variable.ndim == 3)
    return "picture" if matrix == 2 and min(variable.shape[-2:]) > 1 else None


def _numbered(variable: xr.DataArray) -> str | None:
    """The first dimension with a numeric coordinate."""
    return next(
        (str(d) for d in variable.dims if d in variable.coords and variable[d].dtype.kind in "iuf"),
        None,
    )


def _curves(axes: Axes, first: xr.DataArray, all_runs: Sequence[xr.DataArray]) -> None:
    along = str(_numbered(first))
    x = first[along].values
    same = [run for run in all_runs if run.shape == first.shape]
    values = np.stack([run.transpose(..., along).values.astype(float) for run in same])
    values = values.reshape(len(same), -1, x.size)  # [seed, row, point]
    if values.shape[1] > MOST_LINES:
        for row in values[0, :: max(1, values.shape[1] // MOST_ROWS)]:
            axes.plot(x, row, color=PALE, lw=0.7)
        values = values.mean(axis=1, keepdims=True)
    other = [str(d) for d in first.dims if d != along]
    for i in range(values.shape[1]):
        colour = CYCLE[i % len(CYCLE)] if values.shape[1] > 1 else BLUE
        rows = values[:, i]
        if len(rows) > 1:
            low, high = rows.min(axis=0), rows.max(axis=0)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
        text = f"{other[0]} {_name(first, other[0], i)}" if other and values.shape[1] > 1 else None
        axes.plot(x, rows.mean(axis=0), color=colour, label=text)
    if 1 < values.shape[1] <= MOST_LINES:
        axes.legend(fontsize=7.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes.set_xlabel(_with_unit(along, first[along]))
    axes.set_ylabel(str(first.attrs.get("description") or first.attrs.get("units") or ""))


def _name(variable: xr.DataArray, dimension: str, i: int) -> str:
    return str(variable[dimension].values[i]) if dimension in variable.coords else str(i)


def _picture(figure: Figure, axes: Axes, variable: xr.DataArray) -> None:
    last = variable.isel({variable.dims[0]: -1}) if variable.ndim == 3 else variable
    image = axes.imshow(last.values.astype(float), aspect="auto", interpolation="nearest")
    axes.set(xlabel=str(last.dims[1]), ylabel=str(last.dims[0]))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, shrink=0.9, label=str(variable.attrs.get("description", "")))


def _raster(name: str, spikes: xr.Dataset) -> Figure:
    """Raster of the last spikes."""
    time, neuron = spikes["time"].values[-MOST_SPIKES:], spikes["neuron"].values[-MOST_SPIKES:]
    recent = time >= (time.max(initial=0.0) - 2.0)
    figure = Figure(figsize=(7.0, 2.3))
    axes = figure.add_subplot()
    axes.plot(time[recent], neuron[recent], "|", color=INK, ms=4, rasterized=True)
    axes.set(xlabel="time / s", ylabel="neuron", title=f"{name}: the last two seconds")
    return figure


def _with_unit(name: str, variable: xr.DataArray) -> str:
    unit = variable.attrs.get("units", "")
    return f"{name} / {unit}" if unit else name
