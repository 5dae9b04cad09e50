"""Draw an ensemble: in how many trials the claims hold, and medians and bands of what they saw.

A plain ensemble shows distributions, a sweep over one parameter shows curves along it, one over
two shows heat maps. Only stored quantiles are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, CYCLE, DENSITY, GRAY, GREEN, INK, ORANGE
from synsamp.report.foreign import label
from synsamp.runs.storage.folder import ClaimRecord, Description

CAPTIONS = {
    "claims": "In how many trials each of the paper's claims holds: the share with its 95 % "
    "interval. Over an ensemble a claim is said to hold if all of its interval lies above one "
    "half.",
    "values": "What the claims measure, trial by trial: every dot is one trial with its own seed, "
    "blue where the claim holds, orange where not; the line is the median. In the shaded range the "
    "claim holds.",
    "values-1": "What the claims measure along the parameter that varies: median over trials, half "
    "of the trials (dark) and 90 % of them (light). The colour of a dot is the share of trials in "
    "which the claim holds (blue: all, red: none); in the shaded range it holds.",
    "values-2": "What the claims measure: the median over trials at every combination of the two "
    "parameters.",
    "courses": "Courses over trials: median, half of the trials (dark), 90 % of them (light).",
}
SHARES = "RdBu"
COLUMNS = 3
MOST_COURSES = 6
MOST_CLASSES = 4


def draw_ensemble(
    description: Description, results: Results, claims: Sequence[ClaimRecord]
) -> dict[str, Figure]:
    """Return the figures by the key of their caption."""
    whole, summary = results["ensemble"], results["summary"]
    vary = list(description.vary)
    figures = {"claims": _shares(claims) if not vary else _share_table(whole, vary)}
    if not vary:
        figures["values"] = _distributions(whole)
    elif len(vary) == 1:
        figures["values-1"] = _along(whole, summary, vary[0])
    elif len(vary) == 2:
        figures["values-2"] = _heat_maps(whole, summary, vary)
    if len(vary) < 2 and (drawn := _courses(summary, vary)) is not None:
        figures["courses"] = drawn
    return figures


def _shares(claims: Sequence[ClaimRecord]) -> Figure:
    """A row per claim: its share and interval."""
    figure = Figure(figsize=(7.0, 0.9 + 0.3 * len(claims)))
    axes = figure.add_subplot()
    axes.axvline(0.5, color=GRAY, lw=0.8, ls=":")
    for row, claim in enumerate(claims):
        colour = BLUE if claim.holds else ORANGE
        low, high = claim.interval or (np.nan, np.nan)
        axes.plot([low, high], [row, row], color=colour, lw=2.4, solid_capstyle="round")
        axes.plot([claim.value or 0.0], [row], "o", color=colour, ms=6)
    axes.set_yticks(range(len(claims)), [label(claim.id) for claim in claims])
    axes.set(xlim=(-0.03, 1.03), ylim=(len(claims) - 0.5, -0.5), xlabel="share of trials")
    return figure


def _share_table(whole: xr.Dataset, vary: Sequence[str]) -> Figure:
    """A row per claim, a column per combination of settings, the share as colour and number."""
    judged = whole.claim_judged.load()
    share = (whole.claim_holds & judged).sum("trial") / judged.sum("trial")
    table = share.transpose("claim", *vary).values.reshape(whole.sizes["claim"], -1)
    columns = list(product(*(whole[key].values for key in vary)))
    width = min(7.0, 2.6 + 0.62 * len(columns))
    figure = Figure(figsize=(width, 1.5 + 0.3 * len(table)))
    axes = figure.add_subplot()
    image = axes.imshow(table, vmin=0, vmax=1, cmap=SHARES, aspect="auto")
    axes.set_yticks(range(len(table)), [label(c) for c in whole.claim.values])
    names = [", ".join(_short(v) for v in values) for values in columns]
    axes.set_xticks(range(len(columns)), names, rotation=0 if len(columns) <= 8 else 90)
    axes.set_xlabel(", ".join(map(label, vary)))
    if len(columns) <= 12:
        for (row, column), value in np.ndenumerate(table):
            if np.isfinite(value):
                ink = "white" if abs(value - 0.5) > 0.35 else INK
                text = f"{value:.2g}"
                axes.text(column, row, text, ha="center", va="center", fontsize=8, color=ink)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label="share of trials", shrink=0.8)
    return figure


def _grid(count: int, height: float = 1.9) -> tuple[Figure, list[Axes]]:
    """Small panels, three in a row."""
    rows = -(-count // COLUMNS)
    figure = Figure(figsize=(7.0, height * rows))
    axes = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for unused in axes[count:]:
        unused.set_visible(False)
    return figure, list(axes[:count])


def _distributions(whole: xr.Dataset) -> Figure:
    values, holds = whole.claim_value.load(), whole.claim_holds.load()
    figure, panels = _grid(values.sizes["claim"], 1.45)
    for i, axes in enumerate(panels):
        row, good = values.values[i], holds.values[i]
        # Dots are spread by golden steps: even, and no chance in a drawing.
        height = (np.arange(row.size) * 0.618034) % 1.0
        for mask, colour in ((good, BLUE), (~good, ORANGE)):
            axes.plot(row[mask], height[mask], "o", color=colour, ms=4, alpha=0.75, mew=0)
        if np.isfinite(row).any():
            axes.axvline(float(np.nanmedian(row)), color=INK, lw=1.2)
        axes.set(ylim=(-0.15, 1.15), yticks=[], xlabel=label(values.claim_unit.values[i]))
        axes.set_title(label(values.claim.values[i]), fontsize=8.5)
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=4)
        low, high = _room(row)
        axes.set_xlim(low, high)
        start = max(float(whole.claim_low.values[i]), low)
        end = min(float(whole.claim_high.values[i]), high)
        if end > start:
            axes.axvspan(start, end, color=GREEN, alpha=0.1, lw=0, zorder=0)
    return figure


def _room(values: Any) -> tuple[float, float]:
    """Limits with room around the values, also where all are the same."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    margin = 0.15 * (high - low) if high > low else max(0.1 * abs(high), 0.1)
    return float(low - margin), float(high + margin)


def _along(whole: xr.Dataset, summary: xr.Dataset, key: str) -> Figure:
    quantiles = summary.claim_value.load()
    holds = whole.claim_holds.where(whole.claim_judged)
    figure, panels = _grid(quantiles.sizes["claim"])
    places, names = _places(whole, key)
    for i, axes in enumerate(panels):
        rows = quantiles.isel(claim=i).transpose("quantile", key).values
        _band(axes, places, rows, BLUE)
        share = holds.isel(claim=i).mean("trial").values  # failed trials are not counted
        axes.scatter(
            places, rows[2], c=share, cmap=SHARES, vmin=0, vmax=1, s=30, zorder=3, ec=INK, lw=0.6
        )
        axes.set_title(label(quantiles.claim.values[i]), fontsize=8.5)
        axes.set_xticks(places, names)
        axes.set(xlabel=label(key), ylabel=label(whole.claim_unit.values[i]))
        low, high = _room(rows)
        axes.set_ylim(low, high)
        ends = whole[["claim_low", "claim_high"]].isel(claim=i)
        bottom, top = (np.clip(ends[name].values, low, high) for name in ends)
        axes.fill_between(places, bottom, top, color=GREEN, alpha=0.1, lw=0, zorder=0)
    return figure


def _heat_maps(whole: xr.Dataset, summary: xr.Dataset, vary: Sequence[str]) -> Figure:
    medians = summary.claim_value.sel(quantile=0.5).load()
    figure, panels = _grid(medians.sizes["claim"], 2.2)
    across, up = vary[1], vary[0]
    for i, axes in enumerate(panels):
        image = axes.imshow(
            medians.isel(claim=i).transpose(up, across).values,
            origin="lower",
            aspect="auto",
            cmap=DENSITY,
        )
        axes.set_xticks(range(whole.sizes[across]), [_short(v) for v in whole[across].values])
        axes.set_yticks(range(whole.sizes[up]), [_short(v) for v in whole[up].values])
        axes.set(xlabel=label(across), ylabel=label(up))
        axes.set_title(label(medians.claim.values[i]), fontsize=8.5)
        axes.spines[:].set_visible(False)
        figure.colorbar(image, ax=axes, shrink=0.9, label=label(whole.claim_unit.values[i]))
    return figure


def _courses(summary: xr.Dataset, vary: Sequence[str]) -> Figure | None:
    """Medians and bands of what has a numbered axis and differs between trials."""
    shown = [
        c for name in sorted(map(str, summary.data_vars)) for c in _course(summary[name], vary)
    ][:MOST_COURSES]
    if not shown:
        return None
    figure, panels = _grid(len(shown), 2.1)
    for axes, (title, variable, x) in zip(panels, shown, strict=True):
        others = [str(d) for d in variable.dims if d not in ("quantile", x)]
        along = others[0] if others else None
        lines = variable.transpose("quantile", *others, x).values
        lines = lines if along else lines[:, None]
        names = variable[along].values if along in variable.coords else [""] * lines.shape[1]
        colours = _colours(list(names))
        for line, name in enumerate(names):
            _band(axes, variable[x].values, lines[:, line], colours[line], _short(name))
        axes.set_xlabel(label(x))
        axes.set_title(title, fontsize=8)
        if along in variable.coords:
            axes.legend(fontsize=7, title=label(along), title_fontsize=7)
    return figure


def _course(variable: xr.DataArray, vary: Sequence[str]) -> Iterator[tuple[str, xr.DataArray, str]]:
    """Yield title, variable and numbered axis of what can be drawn as a few lines.

    Lines are classes (such as priors) or, in a sweep, values; then each class has its own panel.
    """
    own = [str(d) for d in variable.dims if d not in ("quantile", *vary)]
    numbered = [d for d in own if d in variable.coords and variable[d].dtype.kind in "iuf"]
    classes = [d for d in own if d not in numbered]
    if "claim" in own or len(numbered) != 1 or variable.sizes[numbered[0]] < 8 or len(classes) > 1:
        return
    if any(variable.sizes[d] > MOST_CLASSES for d in classes):
        return
    values, title = variable.load(), label(variable.name).replace("_", " ")
    if not (values.isel(quantile=-1) > values.isel(quantile=0)).any():
        return  # the same in every trial
    if not (vary and classes):
        yield title, values, numbered[0]
        return
    for i in range(values.sizes[classes[0]]):
        part = values.isel({classes[0]: i})
        name = _short(part[classes[0]].item()) if classes[0] in values.coords else str(i)
        yield f"{title}\n{name}", part, numbered[0]


def _band(axes: Axes, x: Any, rows: Any, colour: Any, name: str = "") -> None:
    lowest, low, middle, high, highest = rows
    axes.fill_between(x, lowest, highest, color=colour, alpha=0.15, lw=0)
    axes.fill_between(x, low, high, color=colour, alpha=0.3, lw=0)
    axes.plot(x, middle, color=colour, label=name or None)


def _colours(names: Sequence[Any]) -> list[Any]:
    """Shades for numbers, colours that stay apart for words."""
    if all(isinstance(name, float | int | np.number) for name in names):
        shade = Normalize(0, max(len(names) - 0.5, 1.0))
        return [mpl.colormaps["viridis"](shade(i)) for i in range(len(names))]
    return [CYCLE[i % len(CYCLE)] for i in range(len(names))]


def _places(whole: xr.Dataset, key: str) -> tuple[Any, list[str]]:
    """Evenly spaced places: values of a sweep often span decades and may contain 0."""
    return np.arange(whole.sizes[key]), [_short(value) for value in whole[key].values]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else label(value)
